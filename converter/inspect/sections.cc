// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

StepRun Between(const format::Model& model, uint32_t mark) {
  const auto marks = format::RowsOf(model.marks());
  return {marks[mark], marks[mark + 1]};
}

}  // namespace

const format::Section& SectionAt(const format::Model& model, uint32_t section) {
  return format::RowsOf(model.sections())[section];
}

StepRun CopyOf(const format::Model& model, uint32_t section, uint32_t copy) {
  return Between(model, SectionAt(model, section).first_mark() + copy);
}

StepRun EpilogueOf(const format::Model& model, uint32_t section, uint32_t run) {
  const format::Section& row = SectionAt(model, section);
  return Between(model, row.first_mark() + row.unroll() + run - 1);
}

uint32_t EndOf(const format::Model& model, uint32_t section) {
  const uint32_t unroll = SectionAt(model, section).unroll();
  return unroll > 1 ? EpilogueOf(model, section, unroll - 1).end : CopyOf(model, section, 0).end;
}

StepRun AllOf(const format::Model& model) { return {0, format::RowsOf(model.steps()).count}; }

Trips TripsOf(const format::Model& model, uint32_t section) {
  const format::Section& row = SectionAt(model, section);
  const bool open = row.trip_slot() != format::kNoSlot ||
                    row.first_condition_slot() != format::kNoSlot ||
                    row.body_condition_slot() != format::kNoSlot;
  const uint32_t count = row.trip_count() < row.max_trips() ? row.trip_count() : row.max_trips();
  return {count, !open};
}

std::string LayerOf(const format::Model& model, uint32_t step) {
  const auto names = format::RowsOf(model.step_names());
  if (step >= names.count || names[step] == format::kNoSlot) return {};
  return model.names()->Get(names[step])->str();
}

uint32_t StepOfSection(const format::Model& model, uint32_t section) {
  const auto steps = format::RowsOf(model.steps());
  uint32_t step = 0;
  while (step < steps.count && (steps[step].kind() != 0 || steps[step].param() != section)) ++step;
  return step;
}

std::string LayerOfSection(const format::Model& model, uint32_t section) {
  return LayerOf(model, StepOfSection(model, section));
}

std::map<uint16_t, uint32_t> CountKinds(const format::Model& model) {
  std::map<uint16_t, uint32_t> counts;
  for (const format::Step& step : format::RowsOf(model.steps())) ++counts[step.kind()];
  return counts;
}

const char* KindName(uint16_t kind) { return format::NameOf(static_cast<format::Kind>(kind)); }

}  // namespace weft::inspect
