// SPDX-License-Identifier: Apache-2.0
// Classifies the values that a section carries from one iteration to the next. Carried values are
// the bytes that the steps of an iteration read before they write them. A carried value is
//
//   in place         if the body copy that reads it overwrites it       copy 0: read A ... write A
//   a ping-pong pair if the next copy of the unrolled body overwrites   copy 0: read A, write B
//                    it                                                 copy 1: read B, write A
//   through a scan   if it is the chunk of a scan buffer that the previous iteration has written
//   by copy          if a `copy` step, not the producer, writes it
#ifndef WEFT_CONVERTER_INSPECT_CARRIED_H_
#define WEFT_CONVERTER_INSPECT_CARRIED_H_

#include <cstdint>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct Carried {
  uint32_t in_place = 0, ping_pongs = 0, through_scan = 0, by_copy = 0;
  uint32_t sliced = 0;  // sliced inputs: moving ranges that are only read
  uint32_t scans = 0;   // scan outputs: moving ranges that are written
};

// A ping-pong pair: copy 0 of a body writes slot `there`; copy 1 reads it and writes slot `back`.
struct PingPong {
  uint32_t there = 0, back = 0;
};

Carried CarriedBy(const format::Model& model, uint32_t section);
// Returns the pairs in the order of the steps that write them; empty unless copies 0 and 1 of the
// body have the same kinds of steps.
std::vector<PingPong> PingPongsOf(const format::Model& model, uint32_t section);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_CARRIED_H_
