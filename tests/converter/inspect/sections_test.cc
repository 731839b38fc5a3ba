// SPDX-License-Identifier: Apache-2.0
// The facts of inspect about loops, for manually written listings.
#include "converter/inspect/sections.h"

#include <gtest/gtest.h>

#include "converter/inspect/carried.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/traffic.h"
#include "tests/runtime/listing_builder.h"

namespace weft::inspect {
namespace {

using format::BinaryOp;
using format::ElementType;
using test::ListingBuilder;
using test::SectionSpec;
using test::SlotIndex;

SectionSpec Times(uint32_t trips, uint8_t unroll = 1) {
  return {.trip_count = trips, .max_trips = trips, .unroll = unroll};
}

TEST(Carried, FindsStateThatIsOverwrittenInPlace) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {5, 4}), h = b.Scratch(ElementType::f32, {4});
  const SlotIndex slice = b.Part(x, 0, 16, {{b.NextSection(), 16}});
  b.Enter(Times(5));
  b.Binary(BinaryOp::add, slice, h, h);
  b.Leave();
  const auto file = b.Finish();
  const Carried carried = CarriedBy(ModelOf(file), 0);
  EXPECT_EQ(carried.in_place, 1u);
  EXPECT_EQ(carried.sliced, 1u);
  EXPECT_EQ(carried.ping_pongs + carried.by_copy + carried.through_scan + carried.scans, 0u);
}

TEST(Carried, DoesNotTakeTheNextBufferForAState) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {5, 4}), y = b.Scratch(ElementType::f32, {5, 4});
  const SlotIndex read = b.Part(x, 0, 16, {{b.NextSection(), 16}});
  const SlotIndex written = b.Part(y, 0, 16, {{b.NextSection(), 16}});
  b.Enter(Times(5));
  b.Unary(format::UnaryOp::tanh, read, written);
  b.Leave();
  const auto file = b.Finish();
  const Carried carried = CarriedBy(ModelOf(file), 0);
  EXPECT_EQ(carried.sliced, 1u);
  EXPECT_EQ(carried.scans, 1u);
  EXPECT_EQ(carried.through_scan, 0u);
}

TEST(Carried, FindsShuttlesAndScans) {
  ListingBuilder b;
  const SlotIndex even = b.Scratch(ElementType::f32, {4}), odd = b.Scratch(ElementType::f32, {4});
  const SlotIndex invariant = b.Scratch(ElementType::f32, {4}),
                  y = b.Scratch(ElementType::f32, {6, 4});
  const SlotIndex chunk = b.Part(y, 0, 16, {{b.NextSection(), 16}});
  b.Enter(Times(6, 2));
  b.Binary(BinaryOp::add, even, invariant, odd);
  b.Unary(format::UnaryOp::tanh, odd, chunk);
  b.NextRun();
  b.Binary(BinaryOp::add, odd, invariant, even);
  b.Unary(format::UnaryOp::tanh, even, chunk);
  b.NextRun();
  b.Leave();
  const auto file = b.Finish();
  const Carried carried = CarriedBy(ModelOf(file), 0);
  EXPECT_EQ(carried.ping_pongs, 1u);
  EXPECT_EQ(carried.scans, 1u);
  EXPECT_EQ(carried.in_place + carried.by_copy + carried.through_scan + carried.sliced, 0u);
}

TEST(Carried, FindsStateThatLivesInTheScanOutput) {
  ListingBuilder b;
  const SlotIndex y = b.Scratch(ElementType::f32, {7, 4}), w = b.Scratch(ElementType::f32, {4});
  const SlotIndex before = b.Part(y, 0, 16, {{b.NextSection(), 16}});
  const SlotIndex now = b.Part(y, 16, 16, {{b.NextSection(), 16}});
  b.Enter(Times(6));
  b.Binary(BinaryOp::add, before, w, now);
  b.Leave();
  const auto file = b.Finish();
  const Carried carried = CarriedBy(ModelOf(file), 0);
  EXPECT_EQ(carried.through_scan, 1u);
  EXPECT_EQ(carried.scans, 1u);
  EXPECT_EQ(carried.sliced, 0u);
}

TEST(Carried, FindsStateThatIsCopiedBack) {
  ListingBuilder b;
  const SlotIndex h = b.Scratch(ElementType::f32, {4}), next = b.Scratch(ElementType::f32, {4});
  b.Enter(Times(6));
  b.Unary(format::UnaryOp::tanh, h, next);
  b.Copy(next, h);
  b.Leave();
  const auto file = b.Finish();
  EXPECT_EQ(CarriedBy(ModelOf(file), 0).by_copy, 1u);
  const SectionSum bytes = TrafficOf(ModelOf(file)).bytes.sections[0];
  EXPECT_EQ(bytes.per_iteration, 16);
  EXPECT_EQ(bytes.per_entry, 96);
}

TEST(Traffic, MultipliesThroughNestedSectionsAndSettles) {
  ListingBuilder b;
  const SlotIndex a = b.Scratch(ElementType::f32, {8}), c = b.Scratch(ElementType::f32, {8});
  b.Copy(a, c);  // 32 bytes
  b.Enter(Times(3));
  b.Enter(Times(5, 2));
  b.Copy(a, c);
  b.NextRun();
  b.Unary(format::UnaryOp::tanh, a, c);
  b.NextRun();
  b.Fill(c, 1);  // after an odd count
  b.Leave();
  b.Leave();
  const auto file = b.Finish();
  const format::Model& model = ModelOf(file);
  const Traffic traffic = TrafficOf(model);
  const SectionSum inner = traffic.bytes.sections[1];
  EXPECT_EQ(inner.per_iteration, 16);  // 32 in every other copy
  EXPECT_EQ(inner.epilogue, 32);
  EXPECT_EQ(inner.per_entry, 3 * 32 + 32);  // copy 0 runs for iterations 0, 2, 4
  EXPECT_EQ(traffic.bytes.sections[0].per_entry, 3 * (3 * 32 + 32));
  const std::vector<Cause>& causes = traffic.causes;
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].kind, "copy");
  EXPECT_EQ(causes[0].bytes, 32 + 3 * 3 * 32);
  EXPECT_EQ(causes[1].kind, "fill");
  EXPECT_EQ(causes[1].bytes, 3 * 32);
}

TEST(Traffic, CountsNoSettleThatTheTripCountRulesOut) {
  ListingBuilder b;
  const SlotIndex a = b.Scratch(ElementType::f32, {8}), c = b.Scratch(ElementType::f32, {8});
  b.Enter(Times(4, 2));
  b.Unary(format::UnaryOp::tanh, a, c);
  b.NextRun();
  b.Unary(format::UnaryOp::tanh, a, c);
  b.NextRun();
  b.Fill(c, 1);
  b.Leave();
  const auto file = b.Finish();
  const Traffic traffic = TrafficOf(ModelOf(file));
  EXPECT_EQ(traffic.bytes.sections[0].per_entry, 0);
  EXPECT_TRUE(traffic.causes.empty());
}

TEST(Listing, ShowsOperandsMovesAndParameters) {
  ListingBuilder b;
  const SlotIndex x = b.Scratch(ElementType::f32, {5, 4}), h = b.Scratch(ElementType::f32, {4});
  const SlotIndex slice = b.PositionAt(2, b.slots[x].offset_bytes(), 16, ElementType::f32, {1, 4},
                                       {{b.NextSection(), 16}});
  b.Enter(Times(5));
  b.Binary(BinaryOp::subtract, slice, h, h);
  b.Leave();
  const auto file = b.Finish();
  EXPECT_EQ(ListingText(ModelOf(file)),
            "0    section 0  5 times, unroll 1\n"
            "    1    binary  #2 f32[1,4] scratch+0 +16/iteration of section 0, #1 f32[4] "
            "scratch+80 -> #1 f32[4] "
            "scratch+80  rank=1 dims=[4] a_strides=[1] b_strides=[1] op=subtract type=f32\n");
}

}  // namespace
}  // namespace weft::inspect
