// SPDX-License-Identifier: Apache-2.0
// The sections of a listing as a reader needs them: where their runs of steps lie and how often
// each is executed. The model must have passed verify.cc.
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
// Settle runs count from 1: run p follows n iterations when n % unroll == p.
StepRun SettleOf(const format::Model& model, uint32_t section, uint32_t run);
// The step after the last settle run: where the engine goes on.
uint32_t EndOf(const format::Model& model, uint32_t section);

// The whole listing.
StepRun AllOf(const format::Model& model);

struct Trips {
  uint32_t count = 0;
  bool exact = true;  // false: known at run time only, and then count is the most
};
Trips TripsOf(const format::Model& model, uint32_t section);

// The layer a step came from; empty in a file without names.
std::string LayerOf(const format::Model& model, uint32_t step);
// The step that enters the section; the number of steps where none does.
uint32_t StepOfSection(const format::Model& model, uint32_t section);
// Of the step that enters the section.
std::string LayerOfSection(const format::Model& model, uint32_t section);

const char* KindName(uint16_t kind);
// How many steps of the listing are of each kind, 0 being those that enter sections.
std::map<uint16_t, uint32_t> CountKinds(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_SECTIONS_H_
