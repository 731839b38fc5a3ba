// SPDX-License-Identifier: Apache-2.0
// The judge of plans must find what is wrong: good plans are spoiled here, one way each.
#include "converter/plan/laws.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "converter/aligned_bytes.h"
#include "converter/passes/pipeline.h"
#include "runtime/format/listing.h"

namespace weft {
namespace {

AlignedBytes Converted(const char* name) {
  Faults faults;
  passes::ConvertOptions options;
  options.model = std::filesystem::path(WEFT_SOURCE_DIR "/tests/conformance/cases") / name / "model.xml";
  const std::optional<passes::Converted> converted = passes::Convert(options, faults);
  for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
  AlignedBytes bytes(converted ? converted->file.size() : 0);
  if (converted) std::memcpy(bytes.data(), converted->file.data(), bytes.size());
  return bytes;
}

constexpr const char* kModel = "ti/lstm_forward_axis1_b2_t4_i16_h33";

TEST(PlanLaws, AcceptThePlanOfALoop) {
  const AlignedBytes model = Converted(kModel);
  EXPECT_TRUE(plan::CheckPlan(*format::GetModel(model.data())).empty());
}

TEST(PlanLaws, FindEverySlotThatIsPutOnTopOfEverything) {
  int spoiled = 0, found = 0;
  const AlignedBytes good = Converted(kModel);
  const uint32_t slots = format::GetModel(good.data())->slots()->size();
  for (uint32_t i = 0; i < slots; ++i) {
    AlignedBytes model(good.size());
    std::memcpy(model.data(), good.data(), good.size());
    format::Slot* slot = format::GetMutableModel(model.data())->mutable_slots()->GetMutableObject(i);
    if (slot->region() != format::kFirstScratchRegion) continue;
    // 4 bytes aside, it reads or writes what belongs to a neighbour or to nobody.
    slot->mutate_offset_bytes(slot->offset_bytes() >= 4 ? slot->offset_bytes() - 4 : 4);
    ++spoiled;
    found += !plan::CheckPlan(*format::GetModel(model.data())).empty();
  }
  EXPECT_GT(spoiled, 5);
  EXPECT_EQ(found, spoiled);
}

TEST(PlanLaws, FindAStateThatMovesTheWrongWay) {
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
