// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/budget.h"

#include <algorithm>
#include <map>

#include "converter/inspect/listing.h"
#include "converter/inspect/params.h"
#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

std::vector<ScratchRegion> ScratchOf(const format::Model& model) {
  const std::vector<Peak> peaks = PeaksOf(model);
  const auto regions = format::RowsOf(model.regions());
  std::vector<ScratchRegion> list;
  for (uint32_t i = format::kFirstScratchRegion; i < regions.count; ++i) {
    ScratchRegion region{RegionName(i), regions[i].bytes(), std::nullopt};
    if (!peaks.empty()) region.peak = peaks[i - format::kFirstScratchRegion];
    list.push_back(std::move(region));
  }
  return list;
}

// Returns a type such as "i8[64]", or "i8x8[64]" if the data of the step is quantised to 8 bits as
// well.
std::string WeightType(const format::Model& model, const format::Step& step, uint32_t slot) {
  const std::string type = SlotType(model, slot), precision = PrecisionText(model, step);
  const bool is_weights = model.slots()->Get(slot)->type() == format::ElementType::i8;
  return is_weights && !precision.empty() ? precision + type.substr(type.find('[')) : type;
}

std::vector<WeightLocation> WeightsOf(const format::Model& model) {
  struct Row {
    WeightLocation location;
    uint32_t end_bytes = 0;
  };
  std::map<uint32_t, Row> rows;  // by offset
  const auto steps = format::RowsOf(model.steps());
  for (uint32_t i = 0; i < steps.count; ++i) {
    const uint32_t inputs = format::kArity[steps[i].kind()].inputs;
    for (uint32_t k = 0; k < inputs; ++k) {
      const uint32_t index = model.operands()->Get(steps[i].first_operand() + k);
      if (index == format::kNoSlot) continue;
      const format::Slot& slot = *model.slots()->Get(index);
      if (slot.region() != format::kWeightsRegion) continue;
      Row& row = rows[slot.offset_bytes()];
      if (slot.bytes() <= row.location.bytes) continue;
      row = {{KindName(steps[i].kind()), LayerOf(model, i), WeightType(model, steps[i], index),
              slot.bytes()},
             slot.offset_bytes() + slot.bytes()};
    }
  }
  std::vector<WeightLocation> largest;
  uint32_t covered = 0;
  for (const auto& [offset, row] : rows) {
    if (row.end_bytes <= covered) continue;  // part of an earlier range
    covered = row.end_bytes;
    largest.push_back(row.location);
  }
  std::stable_sort(
      largest.begin(), largest.end(),
      [](const WeightLocation& a, const WeightLocation& b) { return a.bytes > b.bytes; });
  return largest;
}

}  // namespace

Budget BudgetOf(Bytes file) {
  const format::Model& model = *format::GetModel(file.data);
  ModelWork work = WorkOf(model);
  std::vector<StepWork> largest_steps = LargestSteps(model, work);
  return {FlashOf(file), ScratchOf(model), std::move(work), std::move(largest_steps),
          WeightsOf(model)};
}

}  // namespace weft::inspect
