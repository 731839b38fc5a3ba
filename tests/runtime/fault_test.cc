// SPDX-License-Identifier: Apache-2.0
// Error texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {
namespace {

std::string Text(const Fault& fault) {
  char text[256];
  const size_t length = Describe(fault, text, sizeof(text));
  EXPECT_EQ(length, std::strlen(text));
  return text;
}

constexpr uint8_t KindNumber(format::Kind kind) { return static_cast<uint8_t>(kind); }

TEST(Describe, SaysWhereWhoWhatIsAndWhatMustBe) {
  EXPECT_EQ(Text({}), "no fault");
  EXPECT_EQ(Text({FaultCode::kOperandSlot, KindNumber(format::Kind::dense), 1, 41, 77, 60}),
            "step 41 (dense): operand 1 names slot 77; must be below 60");
  EXPECT_EQ(Text({FaultCode::kOperandType, KindNumber(format::Kind::gru_update), 2, 0, 9, 0}),
            "step 0 (gru_update): operand 2 is i32; must be f32");
  EXPECT_EQ(Text({FaultCode::kModelVersion, 0, 0, 0, 4294967295u, 1}),
            "model: has format version 4294967295; this runtime reads 1 only, so convert again");
  EXPECT_EQ(Text({FaultCode::kParamType, KindNumber(format::Kind::unary), 0, 3, 99, 0}),
            "step 3 (unary): does not support type 99");
}

struct Row {
  uint32_t number;
  const char* name;
};
constexpr Row kRows[] = {
#define WEFT_FAULT(number, name, text) {number, #name},
#include "runtime/format/faults.inc"
#undef WEFT_FAULT
};

TEST(Describe, FillsEveryPlaceholderOfEveryText) {
  for (const Row& row : kRows) {
    const std::string text = Text({static_cast<FaultCode>(row.number), 1, 2, 3, 4, 5});
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_LT(text.size(), 200u) << text;
    EXPECT_NE(text, "unknown fault") << row.name;
  }
  EXPECT_EQ(Text({static_cast<FaultCode>(60000)}), "unknown fault");
  EXPECT_EQ(Text({FaultCode::kStepAbsent, 255, 0, 7, 0, 0}),
            "step 7 (?): its kernel is not linked; must be in the step table of this build");
}

TEST(Describe, EndsTheTextInAnyRoom) {
  const Fault fault = {FaultCode::kStateShort, 0, 0, 0, 12, 4096};
  const std::string whole = Text(fault);
  for (size_t room = 0; room <= whole.size() + 2; ++room) {
    std::string text(room + 1, 'x');
    const size_t length = Describe(fault, text.data(), room);
    EXPECT_EQ(length, room == 0 ? 0 : std::min(room - 1, whole.size()));
    if (room != 0) {
      EXPECT_STREQ(text.c_str(), whole.substr(0, room - 1).c_str());
    }
    EXPECT_EQ(text[room], 'x') << "after the end of the buffer";
  }
  EXPECT_EQ(Describe(fault, nullptr, 10), 0u);
}

// The numbers of all releases. Firmware without texts prints only them, so no number changes or is
// used again. A new row of runtime/format/faults.inc gets the next number and is added at the end;
// a removed row stays here, without a name.
constexpr Row kNumbers[] = {
    {0, "None"},
    {1, "EngineClosed"},
    {2, "ModelShort"},
    {3, "ModelLong"},
    {4, "ModelMisaligned"},
    {5, "ModelForeign"},
    {6, "ModelVersion"},
    {7, "ModelDamaged"},
    {8, "RegionCount"},
    {9, "RegionKind"},
    {10, "RegionAlignment"},
    {11, "RegionBytes"},
    {12, "RegionReserved"},
    {13, "WeightsMisaligned"},
    {14, "StateShort"},
    {15, "StateMisaligned"},
    {16, "ScratchShort"},
    {17, "ScratchMisaligned"},
    {18, "SlotRegion"},
    {19, "SlotRange"},
    {20, "SlotType"},
    {21, "SlotRank"},
    {22, "SlotDims"},
    {23, "SlotMoves"},
    {24, "SlotMoveCount"},
    {25, "SlotMoveOrder"},
    {26, "SlotAlignment"},
    {27, "MoveSection"},
    {28, "StepKind"},
    {29, "StepAbsent"},
    {30, "ActivationAbsent"},
    {31, "StepReserved"},
    {32, "StepParam"},
    {33, "StepOperands"},
    {34, "OperandSlot"},
    {35, "OperandAbsent"},
    {36, "OperandType"},
    {37, "OperandBytes"},
    {38, "OperandAlignment"},
    {39, "OperandConstant"},
    {40, "OperandOverlap"},
    {41, "OperandMove"},
    {42, "OperandMoveRange"},
    {43, "ParamReserved"},
    {44, "ParamOp"},
    {45, "ParamType"},
    {46, "ParamOpType"},
    {47, "ParamRank"},
    {48, "ParamElementBytes"},
    {49, "ParamRows"},
    {50, "ParamWindow"},
    {51, "ParamStride"},
    {52, "ParamConversion"},
    {53, "ParamMultiplier"},
    {54, "ParamFlag"},
    {55, "SectionOrder"},
    {56, "SectionOrphan"},
    {57, "SectionDepth"},
    {58, "SectionTooDeep"},
    {59, "SectionUnroll"},
    {60, "SectionRunsWhen"},
    {61, "SectionReserved"},
    {62, "SectionMarks"},
    {63, "SectionStart"},
    {64, "SectionRun"},
    {65, "SectionEnd"},
    {66, "SectionTrips"},
    {67, "SectionMaximum"},
    {68, "SectionTwoCounts"},
    {69, "SectionEndless"},
    {70, "SectionSlot"},
    {71, "SectionSlotType"},
    {72, "SectionSlotBytes"},
    {73, "SectionSlotConstant"},
    {74, "SectionMove"},
    {75, "SectionMoveRange"},
    {76, "PortSlot"},
    {77, "PortMoves"},
    {78, "PortBytes"},
    {79, "PortConstant"},
    {80, "PortLength"},
    {81, "PortLengthType"},
    {82, "PortLengthAxis"},
    {83, "PortNames"},
    {84, "PortNameCount"},
    {85, "PortReserved"},
    {86, "VariableSlot"},
    {87, "VariableRegion"},
    {88, "VariableBytes"},
    {89, "VariableMoves"},
    {90, "VariableInitial"},
    {91, "VariableInitialRegion"},
    {92, "VariableInitialBytes"},
    {93, "VariableName"},
    {94, "StepNameCount"},
    {95, "StepName"},
    {96, "BufferCount"},
    {97, "SelfTestAbsent"},
    {98, "SelfTestRuns"},
    {99, "SelfTestTolerance"},
    {100, "SelfTestReserved"},
    {101, "SelfTestBytes"},
    {102, "SelfTestDiffers"},
    {103, "TripLimit"},
    {104, "ParamChoice"},
    {105, "ParamFactors"},
    {106, "TypeAbsent"},
    {107, "ParamUnits"},
    {108, "ParamSums"},
    {109, "ParamTerms"},
    {110, "ParamScale"},
    {111, "ParamCodes"},
    {112, "ParamChain"},
    {113, "PlanNumberAbsent"},
    {114, "PlanNumber"},
    {115, "ParamFactor"},
    {116, "ModelChecksum"},
    {117, "NotFinite"},
    {118, "StreamsAbsent"},
    {119, "StreamIndex"},
    {120, "StreamBytes"},
    {121, "MemoryOverlap"},
};

TEST(FaultCode, KeepsItsNumber) {
  for (uint32_t i = 0; i < std::size(kNumbers); ++i) {
    EXPECT_EQ(kNumbers[i].number, i) << "one line per number, in ascending order";
  }
  for (const Row& row : kRows) {
    ASSERT_LT(row.number, std::size(kNumbers))
        << "tests/runtime/fault_test.cc: kNumbers ends before " << row.name << "; add it";
    EXPECT_STREQ(kNumbers[row.number].name, row.name)
        << "runtime/format/faults.inc: number " << row.number << " belongs to another error";
  }
  for (const Row& number : kNumbers) {
    const auto is_row = [&](const Row& row) { return row.number == number.number; };
    EXPECT_EQ(std::count_if(std::begin(kRows), std::end(kRows), is_row),
              number.name == nullptr ? 0 : 1)
        << "runtime/format/faults.inc: rows of number " << number.number;
  }
}

}  // namespace
}  // namespace weft
