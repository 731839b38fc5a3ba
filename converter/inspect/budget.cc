// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/budget.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "converter/inspect/flash.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/params.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/weight_copies.h"
#include "converter/inspect/work.h"
#include "runtime/format/listing.h"
#include "runtime/stack.h"

namespace weft::inspect {
namespace {

template <typename Row>
std::span<const Row> Largest(const std::vector<Row>& rows, size_t max_rows) {
  return std::span(rows).first(std::min(rows.size(), max_rows));
}

Json PeakOf(const format::Model& model, const Peak& peak, size_t max_rows) {
  uint64_t value_bytes = 0;  // exceeds the peak if values overlap
  for (const AliveBuffer& buffer : peak.alive) value_bytes += buffer.bytes;
  return {{"step", peak.step},
          {"layer", LayerOf(model, peak.step)},
          {"bytes", peak.bytes},
          {"buffers", peak.alive.size()},
          {"value_bytes", value_bytes},
          {"largest", ListOf(Largest(peak.alive, max_rows), [](const AliveBuffer& buffer) -> Json {
             return {{"name", buffer.name}, {"bytes", buffer.bytes}};
           })}};
}

// Bytes of copies of weights in a region.
uint64_t WeightBytesIn(const format::Model& model, uint32_t region) {
  uint64_t bytes = 0;
  for (const uint32_t i : WeightCopiesOf(model)) {
    const uint32_t index = model.variables()->Get(i)->slot();
    const format::Slot& slot = *model.slots()->Get(index);
    if (slot.region() == region) bytes += slot.bytes();
  }
  return bytes;
}

Json ScratchOf(const format::Model& model, size_t max_rows) {
  const std::vector<Peak> peaks = PeaksOf(model);
  const auto regions = format::RowsOf(model.regions());
  return ListOfCount(regions.count - format::kFirstScratchRegion, [&](uint32_t i) {
    const uint32_t region = format::kFirstScratchRegion + i;
    Json entry = {{"region", RegionName(region)}, {"bytes", regions[region].bytes()}};
    if (!peaks.empty()) entry["peak"] = PeakOf(model, peaks[i], max_rows);
    const uint64_t weight_bytes = WeightBytesIn(model, region);
    if (weight_bytes > 0) entry["weight_bytes"] = weight_bytes;
    return entry;
  });
}

Json SectionsOf(const format::Model& model, const ModelWork& work) {
  return ListOfCount(work.steps.sections.size(), [&](uint32_t i) -> Json {
    const Trips trips = TripsOf(model, i);
    const SectionSum& multiply_adds = work.multiply_adds.sections[i];
    return {{"section", i},
            {"layer", LayerOfSection(model, i)},
            {"iterations", trips.count},
            {"iterations_exact", trips.exact},
            {"steps_per_iteration", work.steps.sections[i].per_iteration},
            {"multiply_adds_per_iteration", multiply_adds.per_iteration},
            {"multiply_adds", multiply_adds.per_entry}};
  });
}

// Returns a type such as "i8[64]", or "i8x8[64]" if the data of the step is quantised to 8 bits as
// well, or "i8x32[64]" if it stays f32.
std::string WeightType(const format::Model& model, const format::Step& step, uint32_t slot) {
  const std::string type = SlotType(model, slot), precision = PrecisionText(model, step);
  const bool is_weights = model.slots()->Get(slot)->type() == format::ElementType::i8;
  return is_weights && !precision.empty() ? precision + type.substr(type.find('[')) : type;
}

// An address range of the weights, with the first step that reads the largest part of it.
struct WeightLocation {
  std::string kind, layer, type;
  uint64_t bytes = 0;
};

// The largest first; slots of one range count once.
std::vector<WeightLocation> WeightsOf(const format::Model& model) {
  struct Row {
    WeightLocation location;
    uint32_t end_bytes = 0;
  };
  std::map<uint32_t, Row> rows;  // by offset
  const auto steps = format::RowsOf(model.steps());
  const CopiedWeights copies(model);
  for (uint32_t i = 0; i < steps.count; ++i) {
    const uint32_t inputs = format::kArity[steps[i].kind()].inputs;
    for (uint32_t k = 0; k < inputs; ++k) {
      const uint32_t index = model.operands()->Get(steps[i].first_operand() + k);
      if (index == format::kNoSlot) continue;
      const format::Slot slot = copies.InFile(*model.slots()->Get(index));
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
  std::ranges::stable_sort(largest, std::ranges::greater(), &WeightLocation::bytes);
  return largest;
}

}  // namespace

Json BudgetOf(Bytes file, size_t max_rows) {
  const format::Model& model = *format::GetModel(file.data);
  const ModelWork work = WorkOf(model);
  const auto part = [](const FlashPart& one) -> Json {
    return {{"part", one.name}, {"bytes", one.bytes}, {"what", one.what}};
  };
  const auto step = [](const StepWork& one) -> Json {
    return {{"step", one.kind},
            {"layer", one.layer},
            {"calls", one.calls},
            {"multiply_adds", one.multiply_adds}};
  };
  const auto weights = [](const WeightLocation& one) -> Json {
    return {{"step", one.kind}, {"layer", one.layer}, {"type", one.type}, {"bytes", one.bytes}};
  };
  return {{"flash_bytes", file.size},
          {"flash", ListOf(FlashOf(file), part)},
          {"state_bytes", format::RowsOf(model.regions())[format::kStateRegion].bytes()},
          {"scratch", ScratchOf(model, max_rows)},
          {"stack_bytes", kEngineStackBytes},
          {"stack_bytes_helium", kEngineStackBytesHelium},
          {"self_test_stack_bytes", kSelfTestStackBytes},
          {"work",
           {{"exact", work.steps.exact},
            {"steps", work.steps.run},
            {"multiply_adds", work.multiply_adds.run},
            {"sections", SectionsOf(model, work)}}},
          {"largest_steps", ListOf(Largest(LargestSteps(model, work), max_rows), step)},
          {"largest_weights", ListOf(Largest(WeightsOf(model), max_rows), weights)}};
}

}  // namespace weft::inspect
