// SPDX-License-Identifier: Apache-2.0
// The rules of sections: the steps at which slots may move, and how far in how many iterations.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/verify.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

TEST(Verify, HoldsTheSlotsOfASectionToItsPlace) {
  using Way = std::vector<ListingBuilder::MoveSpec>;
  const auto code = [](const Way& way, void (format::Section::*set)(uint32_t)) {
    Features f = EveryFeature();
    f.b.slot_buffers.clear();
    (f.b.sections[1].*set)(f.b.PositionAt(2, 32, 4, ElementType::i32, {}, way));
    return Loaded(f.b.Finish()).fault.code;
  };
  // A length that moves with its own section is invalid: it is written after the section.
  EXPECT_EQ(code({{1, 4}}, &format::Section::mutate_length_slot), FaultCode::kSectionMove);
  EXPECT_EQ(code({{0, 4}}, &format::Section::mutate_length_slot), FaultCode::kNone);
  EXPECT_EQ(code({{1, 4}}, &format::Section::mutate_iteration_slot), FaultCode::kNone);
  EXPECT_EQ(code({{0, 4}, {1, 4}}, &format::Section::mutate_iteration_slot), FaultCode::kNone);
  EXPECT_EQ(code({{2, 4}}, &format::Section::mutate_iteration_slot), FaultCode::kSectionMove);
  EXPECT_EQ(code({{0, -4}, {1, 1 << 20}}, &format::Section::mutate_iteration_slot),
            FaultCode::kSectionMoveRange);
  EXPECT_EQ(code({{1, -12}}, &format::Section::mutate_iteration_slot),
            FaultCode::kSectionMoveRange);
  Features f = EveryFeature();
  f.b.slot_buffers.clear();
  f.b.variables[0].mutate_slot(f.b.PositionAt(1, 0, 8, ElementType::f32, {}, {{0, 4}}));
  Loaded variable(f.b.Finish());
  EXPECT_EQ(variable.fault.code, FaultCode::kVariableMoves) << variable.Text();
}

TEST(Verify, LetsACopyOfTheBodyReachAsFarAsItsOwnIterations) {
  // Copy 0 of 2 runs in iterations 0, 2, 4 of 5, so it may read a pair. Copy 1 runs in 1 and 3, so
  // it may read a triple. One byte more, and either leaves the region.
  for (const uint32_t too_far : {0u, 1u, 2u}) {
    ListingBuilder b;
    const SlotIndex y = b.Scratch(ElementType::f32, {3});
    const SlotIndex x = b.Scratch(ElementType::f32, {6});
    const uint32_t offset = b.slots[x].offset_bytes();
    const SlotIndex pair =
        b.PositionAt(2, offset, too_far == 1 ? 12 : 8, ElementType::f32, {}, {{0, 4}});
    const SlotIndex triple =
        b.PositionAt(2, offset, too_far == 2 ? 16 : 12, ElementType::f32, {}, {{0, 4}});
    b.Output(y, {"y"});
    b.Enter({.trip_count = 5, .max_trips = 5, .unroll = 2});
    b.Step(format::Kind::unary,
           format::UnaryParams(1, Activate(format::UnaryOp::identity), ElementType::f32, 0, 0),
           {pair, y});
    b.NextRun();
    b.Step(format::Kind::unary,
           format::UnaryParams(1, Activate(format::UnaryOp::identity), ElementType::f32, 0, 0),
           {triple, y});
    b.NextRun();
    b.Leave();
    Loaded model(b.Finish());
    EXPECT_EQ(model.fault.code, too_far == 0 ? FaultCode::kNone : FaultCode::kOperandMoveRange)
        << model.Text();
    EXPECT_EQ(model.fault.index, too_far);
  }
}

}  // namespace
}  // namespace weft::test
