// SPDX-License-Identifier: Apache-2.0
// Convolutions that look back along an axis of space but not ahead: padded in front by all but one
// of the places that a window spans, not behind.
#ifndef WEFT_CONVERTER_OPS_LOOK_BACK_H_
#define WEFT_CONVERTER_OPS_LOOK_BACK_H_

#include <cstdint>
#include <optional>

#include "converter/ops/operation.h"

namespace weft::ops {

// One axis of space as a convolution's window walks it.
struct WindowWalk {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
  int64_t past() const { return (kernel - 1) * dilation; }
};

// Of a Convolution or GroupConvolution and an axis of its data; nullopt where that is no axis of
// space or auto_pad works the padding out.
std::optional<WindowWalk> WindowWalkOf(const NodeScope& scope, int64_t axis);

// Places in front of each place of `axis` that the convolution reads, when it looks back along it
// and all of its weights are finite constants: zero times infinity is no zero.
std::optional<int64_t> PastOf(const NodeScope& scope, int64_t axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LOOK_BACK_H_
