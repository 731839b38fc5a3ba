// SPDX-License-Identifier: Apache-2.0
// The past of an axis in a ring (kernels/movement/ring.h): an operation that no document has and no
// file can name; cutting time makes it of what looks back. Input 0 holds the new places, input 1
// the ring as RingType has it, input 2, where that has more than one place, an i32 that says where
// it starts. Output 0 is what is read of the past and the new places, the others are inputs 1 and 2
// behind those; one that only reads has output 0 alone.
#ifndef WEFT_CONVERTER_OPS_RING_H_
#define WEFT_CONVERTER_OPS_RING_H_

#include <cstdint>
#include <map>
#include <string>

#include "converter/ops/operation.h"
#include "runtime/format/weft_generated.h"

namespace weft::ops {

// Of the past along `axis`, oldest first, and the new places behind it: `taps` runs of `length`
// places, `dilation` apart, from place `first` on. `order` is how the places of the ring lie.
struct RingReads {
  int64_t axis = 0, first = 0, taps = 1, dilation = 1, length = 0;
  format::RingOrder order = format::RingOrder::places_outer_inner;
};

std::map<std::string, std::string> AttributesOf(const RingReads& reads);

// What holds `past` places of such data.
TensorType RingType(const TensorType& data, const RingReads& reads, int64_t past);

const Operation& RingOperation();

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_RING_H_
