// SPDX-License-Identifier: Apache-2.0
// How values travel from one iteration of a section to the next, found in the listing by what its
// steps read before they write it. A carried value is
//
//   in place        when the copy that reads it overwrites it       copy 0: read A ... write A
//   a shuttle       when the next copy of the unrolled body does    copy 0: read A, write B
//                   (a ping-pong pair)                              copy 1: read B, write A
//   through a scan  when it is the chunk of a moving slot that the iteration before has written
//   by copy         when a `copy` step, not the producer, puts it there
#ifndef WEFT_CONVERTER_INSPECT_CARRIED_H_
#define WEFT_CONVERTER_INSPECT_CARRIED_H_

#include <cstdint>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct Carried {
  uint32_t in_place = 0, shuttles = 0, through_scan = 0, by_copy = 0;
  uint32_t sliced = 0;  // moving places that are only read
  uint32_t scans = 0;   // moving places that are written
};

// Two places between which a value goes to and fro: copy 0 of a body writes `there`, copy 1 reads
// it and writes `back`.
struct Shuttle {
  uint32_t there = 0, back = 0;  // slots
};

Carried CarriedBy(const format::Model& model, uint32_t section);
// In the order of the steps that write them; found where the copies of the body are alike.
std::vector<Shuttle> ShuttlesOf(const format::Model& model, uint32_t section);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_CARRIED_H_
