// SPDX-License-Identifier: Apache-2.0
// What a model copies beyond its arithmetic: bytes written by steps that only move, counted from
// the listing itself, never from what the planner believes it did.
#ifndef WEFT_CONVERTER_INSPECT_TRAFFIC_H_
#define WEFT_CONVERTER_INSPECT_TRAFFIC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/inspect/traverse.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

// Bytes of all steps of one kind, layer and reason. Doubles hold them exactly up to 2^53.
struct Cause {
  std::string kind, layer;
  format::Reason reason = format::Reason::operation;
  double bytes = 0;
};

struct Traffic {
  Sum bytes;
  std::vector<Cause> causes;  // of one run of the model, most bytes first; they add up to bytes.run
};

// The model must have passed verify.cc.
Traffic TrafficOf(const format::Model& model);

// The rule or wish that asks for the bytes, for people.
const char* Why(format::Reason reason);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TRAFFIC_H_
