// SPDX-License-Identifier: Apache-2.0
// The bytes that a model copies: bytes written by steps that only move data, counted in the
// listing, not taken from the planner.
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
  std::vector<Cause> causes;  // of one run, the largest first; the sum is bytes.run
};

// The model must have passed verify.cc.
Traffic TrafficOf(const format::Model& model);

// The reason for copying the bytes, as text.
const char* Why(format::Reason reason);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TRAFFIC_H_
