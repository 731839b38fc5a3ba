// SPDX-License-Identifier: Apache-2.0
// All broken rules of a file in one call, as the desktop tools report them.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "runtime/steps.h"
#include "runtime/verify.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

void Collect(void* user, const Fault& fault) {
  static_cast<std::vector<Fault>*>(user)->push_back(fault);
}

TEST(VerifyAll, ReportsEveryFaultAndReturnsTheFirst) {
  Features f = EveryFeature();
  f.b.slots[f.x].mutate_rank(9);
  f.b.steps[0].mutate_param(9);
  f.b.binary_rows[0].mutate_rank(9);
  f.b.inputs[1].mutate_slot(99);
  f.b.variables[0].mutate_slot(99);
  const ExactBytes file = f.b.Finish();
  std::vector<Fault> faults;
  const Fault first = VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults});
  ASSERT_EQ(faults.size(), 5u);
  EXPECT_EQ(first.code, FaultCode::kSlotRank);
  EXPECT_EQ(faults[0].code, FaultCode::kSlotRank);
  EXPECT_EQ(faults[1].code, FaultCode::kStepParam);
  EXPECT_EQ(faults[2].code, FaultCode::kParamRank);
  EXPECT_EQ(faults[3].code, FaultCode::kPortSlot);
  EXPECT_EQ(faults[4].code, FaultCode::kVariableSlot);
}

// The checks after the first fault read the faulty slot again.
struct FaultySlot {
  const char* rule;
  void (*spoil)(Features& f);
  std::set<FaultCode> codes;
};

TEST(VerifyAll, ReadsOnlyTablesBehindAFaultySlot) {
  const FaultySlot kFaulty[] = {
      {"moving slot of an unknown region",
       [](Features& f) { f.b.slots[f.x_now].mutate_region(9); },
       {FaultCode::kSlotRegion}},
      {"moves after the table",
       [](Features& f) { f.b.slots[f.x_now].mutate_first_move(99); },
       {FaultCode::kSlotMoves}},
      {"dims of a port after the table",
       [](Features& f) { f.b.slots[f.x].mutate_first_dim(0xFFFFFFFF); },
       {FaultCode::kSlotDims}},
      {"bytes of a port that no count reaches",
       [](Features& f) {
         f.b.slots[f.more].mutate_bytes(0xFFFFFFFF);
         f.b.slots[f.more].mutate_rank(2);
         f.b.slots[f.more].mutate_first_dim(0);
         f.b.dims[0] = f.b.dims[1] = 0xFFFFFFFF;
       },
       {FaultCode::kSlotRange, FaultCode::kSectionMoveRange, FaultCode::kPortBytes}},
  };
  for (const FaultySlot& faulty : kFaulty) {
    Features f = EveryFeature();
    faulty.spoil(f);
    const ExactBytes file = f.b.Finish();
    std::vector<Fault> faults;
    (void)VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults});
    std::set<FaultCode> codes;
    for (const Fault& fault : faults) codes.insert(fault.code);
    EXPECT_EQ(codes, faulty.codes) << faulty.rule;
  }
}

TEST(VerifyAll, StopsWhereTheFileCannotBeRead) {
  ExactBytes file = EveryFeature().b.Finish();
  file.data()[5] = std::byte{'x'};
  std::vector<Fault> faults;
  EXPECT_EQ(VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults}).code,
            FaultCode::kModelForeign);
  EXPECT_EQ(faults.size(), 1u);
}

TEST(VerifyAll, IsSilentOnASoundModel) {
  const ExactBytes file = EveryFeature().b.Finish();
  std::vector<Fault> faults;
  EXPECT_TRUE(VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults}).ok());
  EXPECT_TRUE(faults.empty());
}

}  // namespace
}  // namespace weft::test
