// SPDX-License-Identifier: Apache-2.0
// Ring: an internal operation that keeps the past of an axis in a ring buffer
// (kernels/movement/ring.h). Streaming creates it from operations with history; no OpenVINO opset
// has it and no file can name it. Input 0: the new positions. Input 1: the ring, with the type
// RingType. Input 2: its start index (i32), absent for a ring of one position. Output 0: the
// positions read from past and new data. Outputs 1 and 2: inputs 1 and 2 after the update, absent
// for a node that only reads.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_RING_H_
#define WEFT_CONVERTER_OPS_SUPPORT_RING_H_

#include <cstdint>
#include <map>
#include <string>

#include "converter/ops/operation.h"
#include "runtime/format/weft_generated.h"

namespace weft::ops {

// The positions to read, from the past (oldest first) followed by the new data along `axis`: `taps`
// runs of `length` positions, `dilation` apart, starting at position `first`. `order` is the memory
// layout of the ring.
struct RingReads {
  int64_t axis = 0, first = 0, taps = 1, dilation = 1, length = 0;
  format::RingOrder order = format::RingOrder::positions_outer_inner;
};

std::map<std::string, std::string> AttributesOf(const RingReads& reads);

// Type of a ring that holds `past` positions of such data.
TensorType RingType(const TensorType& data, const RingReads& reads, int64_t past);

const Operation& RingOperation();

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_RING_H_
