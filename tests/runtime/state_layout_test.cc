// SPDX-License-Identifier: Apache-2.0
// StateLayout: what it depends on, and damaged files. Saved states carry its value, so one value is
// computed here again.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/runtime/listing_builder.h"

namespace weft::test {
namespace {

// Two variables, "h" and "c".
ListingBuilder TwoVariables() {
  ListingBuilder b;
  b.names = {"h", "c"};
  const SlotIndex h = b.State(kF32, {2, 3}), c = b.State(kI32, {4});
  b.variables = {format::Variable(h, kNoSlot, 0), format::Variable(c, kNoSlot, 1)};
  return b;
}

uint64_t LayoutOf(ListingBuilder b) { return StateLayout(b.Finish().bytes()); }

// FNV-1a of numbers of 8 bytes and of the name, as state_layout.cc states.
uint64_t Fnv(std::initializer_list<uint64_t> numbers, std::string_view name) {
  uint64_t hash = 14695981039346656037u;
  const auto add = [&hash](uint64_t byte) { hash = (hash ^ byte) * 1099511628211u; };
  for (uint64_t number : numbers) {
    for (int i = 0; i < 8; ++i, number /= 256) add(number % 256);
  }
  for (const char letter : name) add(static_cast<uint8_t>(letter));
  return hash;
}

TEST(StateLayout, IsTheSumOfTheHashesOfAllVariables) {
  const uint64_t f32 = static_cast<uint64_t>(kF32), i32 = static_cast<uint64_t>(kI32);
  // Offset, bytes, type, rank, dimensions, length of the name.
  EXPECT_EQ(LayoutOf(TwoVariables()),
            Fnv({0, 24, f32, 2, 2, 3, 1}, "h") + Fnv({24, 16, i32, 1, 4, 1}, "c"));
  ListingBuilder unnamed = TwoVariables();
  unnamed.names.clear();
  for (format::Variable& variable : unnamed.variables) variable.mutate_first_name(kNoSlot);
  EXPECT_EQ(LayoutOf(unnamed), Fnv({0, 24, f32, 2, 2, 3}, "") + Fnv({24, 16, i32, 1, 4}, ""));
  EXPECT_EQ(LayoutOf(ListingBuilder()), 0u);
}

TEST(StateLayout, DependsOnEachPropertyOfAVariableOnly) {
  const uint64_t layout = LayoutOf(TwoVariables());
  ListingBuilder same = TwoVariables();
  std::swap(same.variables[0], same.variables[1]);
  same.variables[0].mutate_initial_slot(same.Weights<int32_t>(kI32, {1, 2, 3, 4}));
  EXPECT_EQ(LayoutOf(same), layout) << "order and first values";
  const auto expect_other = [layout](const char* what, const auto& change) {
    ListingBuilder b = TwoVariables();
    change(b, b.slots[0]);
    EXPECT_NE(LayoutOf(b), layout) << what;
  };
  expect_other("offset", [](auto&, format::Slot& slot) { slot.mutate_offset_bytes(8); });
  expect_other("bytes", [](auto&, format::Slot& slot) { slot.mutate_bytes(20); });
  expect_other("type", [](auto&, format::Slot& slot) { slot.mutate_type(kI32); });
  expect_other("rank", [](auto&, format::Slot& slot) { slot.mutate_rank(1); });
  expect_other("dimensions", [](auto& b, auto&) { b.dims[0] = 3; });
  expect_other("name", [](auto& b, auto&) { b.names[0] = "g"; });
  expect_other("number", [](auto& b, auto&) { b.variables.pop_back(); });
}

TEST(StateLayout, IsZeroForDamagedFiles) {
  const auto expect_zero = [](const char* what, const auto& change) {
    ListingBuilder b = TwoVariables();
    change(b);
    EXPECT_EQ(LayoutOf(b), 0u) << what;
  };
  using B = ListingBuilder;
  expect_zero("slot", [](B& b) { b.variables[1].mutate_slot(2); });
  expect_zero("name", [](B& b) { b.variables[1].mutate_first_name(2); });
  expect_zero("rank", [](B& b) { b.slots[1].mutate_rank(4); });
  expect_zero("first dimension", [](B& b) { b.slots[1].mutate_first_dim(3); });
  expect_zero("first dimension, 2^32 - 1", [](B& b) { b.slots[1].mutate_first_dim(UINT32_MAX); });
  const ExactBytes nothing(0), zeros(64);
  EXPECT_EQ(StateLayout(nothing.bytes()), 0u);
  EXPECT_EQ(StateLayout(zeros.bytes()), 0u);
}

}  // namespace
}  // namespace weft::test
