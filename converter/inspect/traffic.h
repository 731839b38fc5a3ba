// SPDX-License-Identifier: Apache-2.0
// What a model copies beyond its arithmetic: bytes written by steps that only move, counted from
// the listing itself, never from what the planner believes it did.
#ifndef WEFT_CONVERTER_INSPECT_TRAFFIC_H_
#define WEFT_CONVERTER_INSPECT_TRAFFIC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

// Bytes of all steps of one kind, layer and reason. Doubles hold them exactly up to 2^53.
struct Cause {
  std::string kind, layer;
  format::Reason reason = format::Reason::operation;
  double bytes = 0;
};

struct SectionTraffic {
  double bytes_per_iteration = 0;  // mean over the copies of the body, nested sections included
  double settle_bytes = 0;     // once per entry; where the count is open, of the dearest settle run
  double bytes_per_entry = 0;  // all iterations and the settle run
};

SectionTraffic TrafficOf(const format::Model& model, uint32_t section);

// The law or wish that asks for the bytes, for people.
const char* Why(format::Reason reason);

// One run of the model, most bytes first. Sections of open length count with their maximum.
std::vector<Cause> CausesOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TRAFFIC_H_
