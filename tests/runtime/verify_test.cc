// SPDX-License-Identifier: Apache-2.0
// Each rule of a model file, broken once: the error names the rule, the row and both numbers.
#include "runtime/verify.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/steps.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

struct Spoiled {
  const char* rule;
  void (*spoil)(Features& f);
  FaultCode code;
  uint32_t index;
};

using Sections = std::vector<format::Section>;
using Marks = std::vector<uint32_t>;
using Regions = std::vector<format::Region>;

const Spoiled kSpoiled[] = {
    {"version before", [](Features& f) { f.b.format_version = kFormatVersion - 1; },
     FaultCode::kModelVersion, 0},
    {"version after", [](Features& f) { f.b.format_version = kFormatVersion + 1; },
     FaultCode::kModelVersion, 0},
    {"fewer regions", [](Features& f) { f.b.edit_regions = [](Regions& r) { r.pop_back(); }; },
     FaultCode::kRegionCount, 0},
    {"more regions",
     [](Features& f) { f.b.edit_regions = [](Regions& r) { r.resize(7, r.back()); }; },
     FaultCode::kRegionCount, 0},
    {"region kind",
     [](Features& f) {
       f.b.edit_regions = [](Regions& r) { r[1].mutate_kind(format::RegionKind::scratch); };
     },
     FaultCode::kRegionKind, 1},
    {"alignment 0", [](Features& f) { f.b.region_alignment = 0; }, FaultCode::kRegionAlignment, 0},
    {"alignment 24", [](Features& f) { f.b.region_alignment = 24; }, FaultCode::kRegionAlignment,
     0},
    {"alignment 128", [](Features& f) { f.b.region_alignment = 128; }, FaultCode::kRegionAlignment,
     0},
    {"weights bytes",
     [](Features& f) { f.b.edit_regions = [](Regions& r) { r[0].mutate_bytes(13); }; },
     FaultCode::kRegionBytes, 0},
    {"region reserved",
     [](Features& f) { f.b.edit_regions = [](Regions& r) { r[2].mutate_reserved1(1); }; },
     FaultCode::kRegionReserved, 2},
    {"slot region", [](Features& f) { f.b.slots[f.y].mutate_region(3); }, FaultCode::kSlotRegion,
     1},
    {"slot end",
     [](Features& f) {
       f.b.edit_regions = [](Regions& r) { r[2].mutate_bytes(r[2].bytes() - 8); };
     },
     FaultCode::kSlotRange, 9},
    {"slot offset overflow", [](Features& f) { f.b.slots[f.more].mutate_offset_bytes(0xFFFFFFFF); },
     FaultCode::kSlotRange, 7},
    {"slot bytes overflow", [](Features& f) { f.b.slots[f.more].mutate_bytes(0xFFFFFFFF); },
     FaultCode::kSlotRange, 7},
    {"slot type",
     [](Features& f) { f.b.slots[f.chosen].mutate_type(static_cast<ElementType>(12)); },
     FaultCode::kSlotType, 9},
    {"slot rank", [](Features& f) { f.b.slots[f.kept].mutate_rank(9); }, FaultCode::kSlotRank, 10},
    {"slot dims", [](Features& f) { f.b.slots[f.kept].mutate_first_dim(0xFFFFFFFF); },
     FaultCode::kSlotDims, 10},
    {"slot moves", [](Features& f) { f.b.slots[f.kept].mutate_move_count(255); },
     FaultCode::kSlotMoves, 10},
    {"slot move count",
     [](Features& f) {
       f.b.moves.resize(40, format::Move(0, 0));
       f.b.slots[f.x_now].mutate_move_count(17);
     },
     FaultCode::kSlotMoveCount, 12},
    {"slot moves twice", [](Features& f) { f.b.moves[1].mutate_section(0); },
     FaultCode::kSlotMoveOrder, 12},
    {"slot move order",
     [](Features& f) {
       f.b.moves[0].mutate_section(f.columns);
       f.b.moves[1].mutate_section(f.rows);
     },
     FaultCode::kSlotMoveOrder, 12},
    {"slot alignment", [](Features& f) { f.b.slots[f.trips].mutate_offset_bytes(108); },
     FaultCode::kSlotAlignment, 4},
    {"stride alignment", [](Features& f) { f.b.moves[1].mutate_stride_bytes(-2); },
     FaultCode::kSlotAlignment, 12},
    {"move section", [](Features& f) { f.b.moves[3].mutate_section(4); }, FaultCode::kMoveSection,
     3},
    {"step kind", [](Features& f) { f.b.steps[0].mutate_kind(format::kKindCount); },
     FaultCode::kStepKind, 0},
    {"step reason", [](Features& f) { f.b.steps[0].mutate_reason(100); }, FaultCode::kStepReserved,
     0},
    {"section step operand", [](Features& f) { f.b.steps[1].mutate_first_operand(1); },
     FaultCode::kStepReserved, 1},
    {"step param", [](Features& f) { f.b.steps[0].mutate_param(2); }, FaultCode::kStepParam, 0},
    {"section param", [](Features& f) { f.b.steps[1].mutate_param(4); }, FaultCode::kStepParam, 1},
    {"step operands", [](Features& f) { f.b.steps[0].mutate_first_operand(0xFFFFFFFF); },
     FaultCode::kStepOperands, 0},
    {"operand slot", [](Features& f) { f.b.operands[0] = 99; }, FaultCode::kOperandSlot, 0},
    {"op", [](Features& f) { f.b.binary_rows[0].mutate_op(static_cast<format::BinaryOp>(17)); },
     FaultCode::kParamOp, 3},
    {"param type",
     [](Features& f) { f.b.binary_rows[0].mutate_type(static_cast<ElementType>(12)); },
     FaultCode::kParamType, 3},
    {"op of another type",
     [](Features& f) { f.b.binary_rows[0].mutate_op(format::BinaryOp::logical_xor); },
     FaultCode::kParamOpType, 3},
    {"param rank", [](Features& f) { f.b.binary_rows[0].mutate_rank(9); }, FaultCode::kParamRank,
     3},
    {"param reserved", [](Features& f) { f.b.binary_rows[0].mutate_reserved(1); },
     FaultCode::kParamReserved, 3},
    {"element bytes", [](Features& f) { f.b.fill_rows[0].mutate_element_bytes(3); },
     FaultCode::kParamElementBytes, 0},
    {"move of a section that is not around", [](Features& f) { f.b.moves[1].mutate_section(3); },
     FaultCode::kOperandMove, 3},
    {"move out at the end", [](Features& f) { f.b.moves[2].mutate_stride_bytes(1 << 20); },
     FaultCode::kOperandMoveRange, 4},
    {"move out at the front", [](Features& f) { f.b.moves[1].mutate_stride_bytes(-16); },
     FaultCode::kOperandMoveRange, 3},
    {"move overflow", [](Features& f) { f.b.moves[0].mutate_stride_bytes(0x7FFFFFFC); },
     FaultCode::kOperandMoveRange, 3},
    {"move in an epilogue",
     [](Features& f) { f.b.operands[f.b.steps[7].first_operand()] = f.x_now; },
     FaultCode::kOperandMove, 7},
    {"section order",
     [](Features& f) {
       f.b.steps[1].mutate_param(1);
       f.b.steps[2].mutate_param(0);
     },
     FaultCode::kSectionOrder, 1},
    {"section without a step",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s.push_back(s[0]); }; },
     FaultCode::kSectionOrphan, 4},
    {"section depth",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_depth(0); }; },
     FaultCode::kSectionDepth, 1},
    {"unroll",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_unroll(0); }; },
     FaultCode::kSectionUnroll, 1},
    {"runs_when",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[2].mutate_runs_when(2); }; },
     FaultCode::kSectionRunsWhen, 2},
    {"runs_when 0 of nothing",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[3].mutate_first_condition_slot(kNoSlot); };
     },
     FaultCode::kSectionRunsWhen, 3},
    {"section reserved",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[0].mutate_reserved(1); }; },
     FaultCode::kSectionReserved, 0},
    {"marks",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[3].mutate_first_mark(0xFFFFFFFF); };
     },
     FaultCode::kSectionMarks, 3},
    {"marks end",
     [](Features& f) { f.b.edit_sections = [](Sections&, Marks& m) { m.pop_back(); }; },
     FaultCode::kSectionMarks, 3},
    {"section start", [](Features& f) { f.b.edit_sections = [](Sections&, Marks& m) { ++m[0]; }; },
     FaultCode::kSectionStart, 0},
    {"run backwards",
     [](Features& f) { f.b.edit_sections = [](Sections&, Marks& m) { m[3] = 0; }; },
     FaultCode::kSectionRun, 1},
    {"section end", [](Features& f) { f.b.edit_sections = [](Sections&, Marks& m) { m[5] += 2; }; },
     FaultCode::kSectionEnd, 1},
    {"section end after the steps",
     [](Features& f) { f.b.edit_sections = [](Sections&, Marks& m) { m.back() = 1000; }; },
     FaultCode::kSectionEnd, 3},
    {"trips",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[2].mutate_trip_count(2); };
     },
     FaultCode::kSectionTrips, 2},
    {"maximum",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[2].mutate_max_trips(0); }; },
     FaultCode::kSectionMaximum, 2},
    {"two counts",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_trip_count(3); };
     },
     FaultCode::kSectionTwoCounts, 1},
    {"endless",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[0].mutate_body_condition_slot(kNoSlot); };
     },
     FaultCode::kSectionEndless, 0},
    {"trip slot",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_trip_slot(99); };
     },
     FaultCode::kSectionSlot, 1},
    {"trip slot type",
     [](Features& f) { f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_trip_slot(0); }; },
     FaultCode::kSectionSlotType, 1},
    {"condition type",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[2].mutate_first_condition_slot(0); };
     },
     FaultCode::kSectionSlotType, 2},
    {"length type",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[0].mutate_length_slot(4); };
     },
     FaultCode::kSectionSlotType, 0},
    {"section slot bytes", [](Features& f) { f.b.slots[f.column].mutate_bytes(7); },
     FaultCode::kSectionSlotBytes, 1},
    {"iteration in the weights",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[1].mutate_iteration_slot(14); };
     },
     FaultCode::kSectionSlotConstant, 1},
    {"length in the weights",
     [](Features& f) {
       f.b.edit_sections = [](Sections& s, Marks&) { s[0].mutate_length_slot(14); };
     },
     FaultCode::kSectionSlotConstant, 0},
    {"port slot", [](Features& f) { f.b.inputs[1].mutate_slot(99); }, FaultCode::kPortSlot, 1},
    {"port moves", [](Features& f) { f.b.outputs[1].mutate_slot(f.x_now); }, FaultCode::kPortMoves,
     4},
    {"port bytes", [](Features& f) { f.b.dims[0] = 4; }, FaultCode::kPortBytes, 0},
    {"port dims overflow", [](Features& f) { f.b.dims[0] = f.b.dims[1] = 0xFFFFFFFF; },
     FaultCode::kPortBytes, 0},
    {"input in the weights", [](Features& f) { f.b.inputs[0].mutate_slot(f.start); },
     FaultCode::kPortConstant, 0},
    {"length slot", [](Features& f) { f.b.outputs[0].mutate_length_slot(99); },
     FaultCode::kPortLength, 3},
    {"length of an input", [](Features& f) { f.b.inputs[0].mutate_length_slot(f.length); },
     FaultCode::kPortLength, 0},
    {"length type of a port", [](Features& f) { f.b.outputs[0].mutate_length_slot(f.trips); },
     FaultCode::kPortLengthType, 3},
    {"length axis beyond the rank", [](Features& f) { f.b.outputs[0].mutate_length_axis(9); },
     FaultCode::kPortLengthAxis, 3},
    {"length axis without a length", [](Features& f) { f.b.outputs[1].mutate_length_axis(1); },
     FaultCode::kPortLengthAxis, 4},
    {"port names", [](Features& f) { f.b.outputs[2].mutate_name_count(2); }, FaultCode::kPortNames,
     5},
    {"port names shared",
     [](Features& f) {
       f.b.outputs[2].mutate_first_name(0);
       f.b.outputs[2].mutate_name_count(3);
     },
     FaultCode::kPortNameCount, 5},
    {"port name overflow", [](Features& f) { f.b.inputs[0].mutate_first_name(0xFFFFFFFF); },
     FaultCode::kPortNames, 0},
    {"port reserved", [](Features& f) { f.b.inputs[2].mutate_reserved(1); },
     FaultCode::kPortReserved, 2},
    {"variable slot", [](Features& f) { f.b.variables[0].mutate_slot(99); },
     FaultCode::kVariableSlot, 0},
    {"variable region",
     [](Features& f) {
       f.b.variables[0].mutate_slot(f.even);
       f.b.variables[0].mutate_initial_slot(kNoSlot);  // else it is a copy of weights
     },
     FaultCode::kVariableRegion, 0},
    {"variable twice", [](Features& f) { f.b.variables.push_back(f.b.variables[0]); },
     FaultCode::kVariableBytes, 1},
    {"initial slot", [](Features& f) { f.b.variables[0].mutate_initial_slot(99); },
     FaultCode::kVariableInitial, 0},
    {"initial region", [](Features& f) { f.b.variables[0].mutate_initial_slot(f.kept); },
     FaultCode::kVariableInitialRegion, 0},
    {"initial bytes", [](Features& f) { f.b.variables[0].mutate_initial_slot(14); },
     FaultCode::kVariableInitialBytes, 0},
    {"variable name", [](Features& f) { f.b.variables[0].mutate_first_name(99); },
     FaultCode::kVariableName, 0},
    {"step names", [](Features& f) { f.b.step_names.pop_back(); }, FaultCode::kStepNameCount, 0},
    {"step name", [](Features& f) { f.b.step_names[5] = 99; }, FaultCode::kStepName, 5},
    {"slot buffers", [](Features& f) { f.b.slot_buffers.push_back(0); }, FaultCode::kBufferCount,
     0},
};

TEST(Verify, AcceptsEveryFeature) {
  Loaded model(EveryFeature().b.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  FillInputs(model.engine);
  *model.engine.input("trips").as<int64_t>() = 3;
  *model.engine.input("more").as<uint8_t>() = 1;
  const Fault fault = model.engine.Run();
  EXPECT_TRUE(fault.ok()) << Loaded::TextOf(fault);
}

TEST(Verify, NamesEachBrokenRule) {
  for (const Spoiled& spoiled : kSpoiled) {
    Features f = EveryFeature();
    spoiled.spoil(f);
    Loaded model(f.b.Finish());
    EXPECT_EQ(static_cast<int>(model.fault.code), static_cast<int>(spoiled.code))
        << spoiled.rule << ": " << model.Text();
    EXPECT_EQ(model.fault.index, spoiled.index) << spoiled.rule << ": " << model.Text();
  }
}

// Errors that no such file can cause, or that other tests cover.
const FaultCode kElsewhere[] = {FaultCode::kNone,
                                FaultCode::kEngineClosed,
                                FaultCode::kModelShort,
                                FaultCode::kModelLong,
                                FaultCode::kModelMisaligned,
                                FaultCode::kModelForeign,
                                FaultCode::kModelDamaged,
                                FaultCode::kWeightsMisaligned,
                                FaultCode::kStateShort,
                                FaultCode::kStateMisaligned,
                                FaultCode::kScratchShort,
                                FaultCode::kScratchMisaligned,
                                FaultCode::kStepAbsent,
                                FaultCode::kOperandAbsent,
                                FaultCode::kOperandType,
                                FaultCode::kOperandBytes,
                                FaultCode::kOperandAlignment,
                                FaultCode::kOperandConstant,
                                FaultCode::kOperandOverlap,
                                FaultCode::kParamRows,
                                FaultCode::kParamWindow,
                                FaultCode::kParamStride,
                                FaultCode::kParamConversion,
                                FaultCode::kParamMultiplier,
                                FaultCode::kParamFlag,
                                FaultCode::kParamChoice,
                                FaultCode::kParamFactors,
                                FaultCode::kSectionTooDeep,
                                FaultCode::kSectionMove,
                                FaultCode::kSectionMoveRange,
                                FaultCode::kVariableMoves,
                                FaultCode::kSelfTestAbsent,
                                FaultCode::kSelfTestRuns,
                                FaultCode::kSelfTestTolerance,
                                FaultCode::kSelfTestReserved,
                                FaultCode::kSelfTestBytes,
                                FaultCode::kSelfTestDiffers,
                                FaultCode::kTripLimit,
                                FaultCode::kActivationAbsent,  // tests/c_api/absent.c
                                FaultCode::kTypeAbsent,        // likewise
                                FaultCode::kParamUnits,        // no longer reported
                                FaultCode::kParamSums};

TEST(Verify, HasATestForEveryFault) {
  std::vector<bool> shown(static_cast<size_t>(FaultCode::kParamSums) + 1);
  for (const Spoiled& spoiled : kSpoiled) shown[static_cast<size_t>(spoiled.code)] = true;
  for (const FaultCode code : kElsewhere) {
    EXPECT_FALSE(shown[static_cast<size_t>(code)]) << static_cast<int>(code);
    shown[static_cast<size_t>(code)] = true;
  }
  for (size_t code = 0; code < shown.size(); ++code) {
    EXPECT_TRUE(shown[code]) << Loaded::TextOf({static_cast<FaultCode>(code)});
  }
}

TEST(Verify, HoldsACausalSoftmaxToContiguousRows) {
  const auto code = [](const format::SoftmaxParams& params) {
    return CodeOf(format::Kind::softmax, [&](auto& builder) { builder.softmax_rows[0] = params; });
  };
  EXPECT_EQ(code({4, 3, 1, 0, 1, 0}), FaultCode::kNone);
  EXPECT_EQ(code({4, 3, 1, 0, 2, 0}), FaultCode::kParamFlag);
  EXPECT_EQ(code({2, 3, 2, 0, 1, 0}), FaultCode::kParamFlag) << "columns";
  EXPECT_EQ(code({4, 3, 1, 1, 1, 0}), FaultCode::kParamFlag) << "of a logarithm";
  EXPECT_EQ(code({4, 3, 1, 0, 0, 1}), FaultCode::kParamReserved);
}

TEST(Verify, HoldsParametersToTheirLimits) {
  using format::Kind;
  using B = ListingBuilder;
  EXPECT_EQ(CodeOf(Kind::dense, [](B& b) { b.dense_rows[0].mutate_y_row_stride(4); }),
            FaultCode::kParamRows);
  EXPECT_EQ(CodeOf(Kind::dense,
                   [](B& b) {
                     b.dense_rows[0].mutable_activation().mutate_op(format::UnaryOp::logical_not);
                   }),
            FaultCode::kParamOp);
  EXPECT_EQ(
      CodeOf(Kind::dense, [](B& b) { b.dense_rows[0].mutable_activation().mutate_reserved1(1); }),
      FaultCode::kParamReserved);
  EXPECT_EQ(CodeOf(Kind::conv, [](B& b) { b.conv_rows[0].mutate_stride_x(0); }),
            FaultCode::kParamStride);
  EXPECT_EQ(CodeOf(Kind::conv, [](B& b) { b.conv_rows[0].mutate_dilation_y(0); }),
            FaultCode::kParamStride);
  EXPECT_EQ(CodeOf(Kind::conv, [](B& b) { b.conv_rows[0].mutate_dilation_y(0xFFFFFFFF); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(CodeOf(Kind::conv, [](B& b) { b.conv_rows[0].mutate_pad_left(0x80000000); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(CodeOf(Kind::pool, [](B& b) { b.pool_rows[0].mutate_kernel_width(5); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(CodeOf(Kind::pool, [](B& b) { b.pool_rows[0].mutate_pad_right(0xFFFFFFFF); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(CodeOf(Kind::depthwise, [](B& b) { b.depthwise_rows[0].mutate_multiplier(0); }),
            FaultCode::kParamMultiplier);
  EXPECT_EQ(CodeOf(Kind::depthwise, [](B& b) { b.depthwise_rows[0].mutate_multiplier(3); }),
            FaultCode::kParamMultiplier);
  EXPECT_EQ(CodeOf(Kind::softmax, [](B& b) { b.softmax_rows[0].mutate_logarithm(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::top, [](B& b) { b.top_rows[0].mutate_by_index(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::top, [](B& b) { b.top_rows[0].mutate_k(0); }), FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::top, [](B& b) { b.top_rows[0].mutate_k(4); }), FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::top, [](B& b) { b.top_rows[0].mutate_type(ElementType::f16); }),
            FaultCode::kParamType);
  EXPECT_EQ(CodeOf(Kind::top, [](B& b) { b.top_rows[0].mutate_index_type(ElementType::u8); }),
            FaultCode::kParamType);
  EXPECT_EQ(CodeOf(Kind::convert, [](B& b) { b.convert_rows[0].mutate_to(ElementType::i4); }),
            FaultCode::kParamConversion);
  EXPECT_EQ(CodeOf(Kind::gather, [](B& b) { b.gather_rows[0].mutate_index_type(ElementType::i8); }),
            FaultCode::kParamType);
  EXPECT_EQ(CodeOf(Kind::matmul, [](B& b) { b.matmul_rows[0].mutate_batch_rank(7); }),
            FaultCode::kParamRank);
  EXPECT_EQ(CodeOf(Kind::matmul, [](B& b) { b.matmul_rows[0].mutate_type(ElementType::u8); }),
            FaultCode::kParamType);
  EXPECT_EQ(CodeOf(Kind::reduce, [](B& b) { b.reduce_rows[0].mutate_reduced_rank(0xFFFFFFFF); }),
            FaultCode::kParamRank);
  EXPECT_EQ(
      CodeOf(Kind::reduce,
             [](B& b) { b.reduce_rows[0].mutate_order(static_cast<format::ReduceOrder>(3)); }),
      FaultCode::kParamOp);
}

// For a kind of narrow_steps.inc, whose weights are slot 1: sets the types in parameters and slot.
// With `scales` scales the weights may be int8.
template <typename Rows>
void ExpectWeightsOfOneType(format::Kind kind, const StepEntry& plain, Rows ListingBuilder::*rows,
                            uint32_t scales) {
  using B = ListingBuilder;
  const auto code = [&](ElementType named, ElementType type) {
    return CodeOf(kind, [&](B& b) {
      (b.*rows)[0].mutate_weights(named);
      b.slots[1].mutate_type(type);
      b.inputs.clear();  // their slots must have the size of their dims
    });
  };
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    EXPECT_EQ(code(type, type), FaultCode::kNone);
    EXPECT_EQ(code(type, ElementType::i16), FaultCode::kOperandType);
  }
  EXPECT_EQ(code(ElementType::f16, ElementType::f32), FaultCode::kOperandType);
  EXPECT_EQ(code(ElementType::f32, ElementType::f16), FaultCode::kOperandType);
  EXPECT_EQ(code(ElementType::i8, ElementType::i8),
            scales == 0 ? FaultCode::kParamType : FaultCode::kNone);
  EXPECT_EQ(code(ElementType::u8, ElementType::u8), FaultCode::kParamType);
  EXPECT_EQ(code(static_cast<ElementType>(200), ElementType::f32), FaultCode::kParamType);
  EXPECT_EQ(CodeOf(kind, [&](B& b) { (b.*rows)[0].mutate_reserved0(1); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(CodeOf(kind, [&](B& b) { (b.*rows)[0].mutate_reserved1(1); }),
            FaultCode::kParamReserved);
  const auto halves = [&](uint32_t skipped, uint32_t missing) {
    return [&, skipped, missing](B& b) {
      const uint32_t bytes = b.slots[1].bytes() / 2;
      (b.*rows)[0].mutate_weights(ElementType::f16);
      b.slots[1].mutate_type(ElementType::f16);
      b.slots[1].mutate_offset_bytes(b.slots[1].offset_bytes() + skipped);
      b.slots[1].mutate_bytes(bytes - missing);
      b.inputs.clear();
    };
  };
  EXPECT_EQ(CodeOf(kind, halves(0, 0)), FaultCode::kNone);
  EXPECT_EQ(CodeOf(kind, halves(4, 0)), FaultCode::kNone);
  EXPECT_EQ(CodeOf(kind, halves(2, 0)), FaultCode::kOperandAlignment) << "words are read";
  EXPECT_EQ(CodeOf(kind, halves(0, 2)), FaultCode::kOperandBytes);
  const auto codes = [&](uint32_t skipped, uint32_t missing) {
    return CodeOf(kind, [&](B& b) {
      const uint32_t bytes = b.slots[1].bytes() / sizeof(float) + scales * sizeof(float);
      (b.*rows)[0].mutate_weights(ElementType::i8);
      b.slots[1].mutate_type(ElementType::i8);
      b.slots[1].mutate_offset_bytes(b.slots[1].offset_bytes() + skipped);
      b.slots[1].mutate_bytes(bytes - missing);
      b.inputs.clear();
    });
  };
  if (scales != 0) {
    EXPECT_EQ(codes(0, 0), FaultCode::kNone);
    EXPECT_EQ(codes(4, 0), FaultCode::kNone);
    EXPECT_EQ(codes(2, 0), FaultCode::kOperandAlignment) << "scales are floats";
    EXPECT_EQ(codes(0, 1), FaultCode::kOperandBytes);
  }

  StepSample sample = EveryStep()[static_cast<size_t>(kind) - 1];
  halves(0, 0)(sample.builder);
  const auto file = sample.builder.Finish();
  EXPECT_EQ(plain.check(*format::GetModel(file.data()), 0).code, FaultCode::kOperandType);
}

TEST(Verify, HoldsWeightsToTheTypeThatIsNamed) {
  using B = ListingBuilder;
  ExpectWeightsOfOneType(format::Kind::dense, steps::kDense, &B::dense_rows, 16);
  ExpectWeightsOfOneType(format::Kind::conv, steps::kConv, &B::conv_rows, 16);
  ExpectWeightsOfOneType(format::Kind::depthwise, steps::kDepthwise, &B::depthwise_rows, 0);
  ExpectWeightsOfOneType(format::Kind::lstm_cell, steps::kLstmCell, &B::lstm_cell_rows, 2 * 64);
  ExpectWeightsOfOneType(format::Kind::gru_cell, steps::kGruCell, &B::gru_cell_rows, 2 * 48);
  ExpectWeightsOfOneType(format::Kind::gru_reset_cell, steps::kGruResetCell,
                         &B::gru_reset_cell_rows, 2 * 48);
}

// With 3 inputs and 16 units.
template <typename Rows>
void ExpectHeldCells(format::Kind kind, Rows ListingBuilder::*rows) {
  using B = ListingBuilder;
  const auto code = [&](uint32_t inputs, uint32_t hidden, uint32_t backward) {
    return CodeOf(kind, [&](B& b) {
      (b.*rows)[0].mutate_inputs(inputs);
      (b.*rows)[0].mutate_hidden(hidden);
      (b.*rows)[0].mutate_backward(backward);
    });
  };
  EXPECT_EQ(code(3, 16, 1), FaultCode::kNone);
  EXPECT_EQ(code(0, 16, 0), FaultCode::kNone);
  EXPECT_EQ(code(3, 0, 0), FaultCode::kNone);
  EXPECT_EQ(code(3, 16, 2), FaultCode::kParamFlag);
  EXPECT_EQ(code(3, 15, 0), FaultCode::kNone);  // smaller
  EXPECT_EQ(code(2, 17, 0), FaultCode::kOperandBytes);
  EXPECT_EQ(code(4, 16, 0), FaultCode::kOperandBytes);
  EXPECT_EQ(code(3, 32, 0), FaultCode::kOperandBytes);
  EXPECT_EQ(code(0xFFFFFFF0, 16, 0), FaultCode::kOperandBytes);
  EXPECT_EQ(code(3, 0xFFFFFFF0, 0), FaultCode::kOperandBytes);
}

TEST(Verify, HoldsCellsToTheirOperands) {
  ExpectHeldCells(format::Kind::lstm_cell, &ListingBuilder::lstm_cell_rows);
  ExpectHeldCells(format::Kind::gru_cell, &ListingBuilder::gru_cell_rows);
  ExpectHeldCells(format::Kind::gru_reset_cell, &ListingBuilder::gru_reset_cell_rows);
}

TEST(Verify, HoldsBoxesAndRegionsToTheirLimits) {
  using format::Kind;
  using B = ListingBuilder;
  EXPECT_EQ(CodeOf(Kind::suppress, [](B& b) { b.suppress_rows[0].mutate_centred(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::suppress, [](B& b) { b.suppress_rows[0].mutate_max(0); }),
            FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::suppress, [](B& b) { b.suppress_rows[0].mutate_max(4); }),
            FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::detect, [](B& b) { b.detect_rows[0].mutate_best_class(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::detect, [](B& b) { b.detect_rows[0].mutate_clip(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::detect, [](B& b) { b.detect_rows[0].mutate_box_classes(2); }),
            FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::detect, [](B& b) { b.detect_rows[0].mutate_kept(5); }),
            FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::region, [](B& b) { b.region_rows[0].mutate_at_least_one(2); }),
            FaultCode::kParamFlag);
  EXPECT_EQ(CodeOf(Kind::region,
                   [](B& b) { b.region_rows[0].mutate_op(static_cast<format::RegionOp>(5)); }),
            FaultCode::kParamOp);
  EXPECT_EQ(
      CodeOf(Kind::region, [](B& b) { b.region_rows[0].mutate_op(format::RegionOp::own_mean); }),
      FaultCode::kParamChoice);
  EXPECT_EQ(CodeOf(Kind::region, [](B& b) { b.region_rows[0].mutate_index_type(ElementType::i8); }),
            FaultCode::kParamType);
}

TEST(Verify, HoldsTransformsToTheirSize) {
  using B = ListingBuilder;
  const auto code = [](auto spoil) { return CodeOf(format::Kind::fourier, spoil); };
  EXPECT_EQ(code([](B& b) { b.fourier_rows[0].mutate_has_window(2); }), FaultCode::kParamFlag);
  EXPECT_EQ(code([](B& b) { b.fourier_rows[0].mutate_op(format::FourierOp::inverse); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(code([](B& b) { b.fourier_rows[0].mutate_reserved(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(code([](B& b) { b.fourier_rows[0].mutate_y_line_stride(25); }), FaultCode::kParamRows);
  for (const uint32_t size : {0u, 22u, 25u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code([&](B& b) { b.fourier_rows[0].mutate_size(size); }), FaultCode::kParamFactors);
  }
  for (const uint8_t factor : {0, 1, 6, 9, 17, 255}) {
    const auto spoil = [&](B& b) { b.fourier_rows[0].mutable_factors()->Mutate(0, factor); };
    EXPECT_EQ(code(spoil), FaultCode::kParamFactors) << int{factor};
  }
}

}  // namespace
}  // namespace weft::test
