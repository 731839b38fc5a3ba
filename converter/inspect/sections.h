// SPDX-License-Identifier: Apache-2.0
// Access to the sections of a listing: the steps of their runs, and trip counts. The model must
// have passed verify.cc.
#ifndef WEFT_CONVERTER_INSPECT_SECTIONS_H_
#define WEFT_CONVERTER_INSPECT_SECTIONS_H_

#include <cstdint>
#include <map>
#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

// Steps [begin, end).
struct StepRun {
  uint32_t begin = 0, end = 0;
};

const format::Section& SectionAt(const format::Model& model, uint32_t section);
StepRun CopyOf(const format::Model& model, uint32_t section, uint32_t copy);
// Steps of a loop epilogue. Epilogues count from 1; run p follows n iterations if n % unroll == p.
StepRun EpilogueOf(const format::Model& model, uint32_t section, uint32_t run);
// The step after the last epilogue, where the engine continues.
uint32_t EndOf(const format::Model& model, uint32_t section);

// All steps of the listing.
StepRun AllOf(const format::Model& model);

struct Trips {
  uint32_t count = 0;
  bool exact = true;  // false: known at run time only; count is the maximum
};
Trips TripsOf(const format::Model& model, uint32_t section);

// The layer of a step; empty in a file without names.
std::string LayerOf(const format::Model& model, uint32_t step);
// The step that enters the section; the number of steps if there is none.
uint32_t StepOfSection(const format::Model& model, uint32_t section);
// The layer of the step that enters the section.
std::string LayerOfSection(const format::Model& model, uint32_t section);

// Calls `visit` with the parameters of the step; not at all for a step that enters a section.
template <typename Visit>
void VisitParams(const format::Model& model, const format::Step& step, const Visit& visit) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return visit(*model.name()->Get(step.param()));
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
}

const char* KindName(uint16_t kind);
// The number of steps of each kind; kind 0 are steps that enter sections.
std::map<uint16_t, uint32_t> CountKinds(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_SECTIONS_H_
