// SPDX-License-Identifier: Apache-2.0
// The plan validator must find every error: each test corrupts a valid plan in one way.
#include "converter/plan/validator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "converter/base/aligned_bytes.h"
#include "converter/pipeline.h"
#include "runtime/format/listing.h"

namespace weft {
namespace {

AlignedBytes Converted(const char* name) {
  Faults faults;
  pipeline::ConvertOptions options;
  options.model = std::filesystem::path(WEFT_FIXTURES_DIR "/cases") / name / "model.xml";
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
  AlignedBytes bytes(converted ? converted->file.size() : 0);
  if (converted) std::memcpy(bytes.data(), converted->file.data(), bytes.size());
  return bytes;
}

constexpr const char* kModel = "ti/lstm_forward_axis1_b2_t4_i16_h33";

TEST(PlanValidator, AcceptsThePlanOfALoop) {
  const AlignedBytes model = Converted(kModel);
  EXPECT_TRUE(plan::CheckPlan(*format::GetModel(model.data())).empty());
}

// Moves every slot of buffer `from` so that its first byte is at the first byte of buffer `onto`.
bool BreaksThePlan(const AlignedBytes& good, uint32_t from, uint32_t onto) {
  AlignedBytes model(good.size());
  std::memcpy(model.data(), good.data(), good.size());
  const format::Model* root = format::GetModel(model.data());
  const auto start = [&](uint32_t buffer) {
    uint32_t first = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < root->slots()->size(); ++i) {
      if (root->slot_buffers()->Get(i) == buffer)
        first = std::min(first, root->slots()->Get(i)->offset_bytes());
    }
    return first;
  };
  const uint32_t distance = start(onto) - start(from);
  auto* slots = format::GetMutableModel(model.data())->mutable_slots();
  for (uint32_t i = 0; i < slots->size(); ++i) {
    if (root->slot_buffers()->Get(i) != from) continue;
    format::Slot* slot = slots->GetMutableObject(i);
    slot->mutate_offset_bytes(slot->offset_bytes() + distance);
  }
  return !plan::CheckPlan(*root).empty();
}

TEST(PlanValidator, FindsEveryBufferThatIsPutOnTopOfAnother) {
  const AlignedBytes good = Converted(kModel);
  const format::Model* root = format::GetModel(good.data());
  std::set<uint32_t> buffers;
  for (uint32_t i = 0; i < root->slots()->size(); ++i) {
    if (root->slots()->Get(i)->region() == format::kFirstScratchRegion)
      buffers.insert(root->slot_buffers()->Get(i));
  }
  ASSERT_GT(buffers.size(), 3u);
  for (const uint32_t from : buffers) {
    // Some pairs are never live together and may share bytes, but no buffer may overlap all others.
    const bool found = std::any_of(buffers.begin(), buffers.end(), [&](uint32_t onto) {
      return onto != from && BreaksThePlan(good, from, onto);
    });
    EXPECT_TRUE(found) << "buffer " << from << " may overlap every other buffer";
  }
}

TEST(PlanValidator, FindsAStateThatMovesTheWrongWay) {
  const AlignedBytes model = Converted(kModel);
  const format::Model* root = format::GetModel(model.data());
  ASSERT_GT(root->moves()->size(), 0u);
  auto* moves = format::GetMutableModel(model.data())->mutable_moves();
  for (uint32_t i = 0; i < root->moves()->size(); ++i) {
    format::Move* move = moves->GetMutableObject(i);
    move->mutate_stride_bytes(move->stride_bytes() / 2);
  }
  EXPECT_FALSE(plan::CheckPlan(*root).empty());
}

}  // namespace
}  // namespace weft
