// SPDX-License-Identifier: Apache-2.0
// Windows that look back along a spatial axis but not ahead: the window of output position i ends
// before the input positions that belong to output position i + 1. A stride of s consumes s input
// positions per output position.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_LOOK_BACK_H_
#define WEFT_CONVERTER_OPS_SUPPORT_LOOK_BACK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "converter/ops/support/axes.h"
#include "converter/ops/support/window.h"

namespace weft::ops {

// Attribute: the number that fills an operation's padding of this axis of the data. Absent: the
// value that the specification defines. Only the streaming pass writes it, and only for the axis
// that is split into chunks.
std::string PadFillOf(int64_t axis);
// Value of that attribute: the first position of the data is repeated.
inline constexpr const char* kRepeatFirst = "first";

// In the following functions, axis i of the window is axis `first` + i of the data.
//
// The delay along that axis, if its windows look back along it. nullopt also for windows that cover
// only their own position.
std::optional<Delay> LookBackOf(const NodeScope& scope, Window window, size_t i, int64_t first = 2);
// The same for windows that input positions contribute to, as in a transposed convolution. Input
// position i computes the `stride` output positions from i * stride on. Contributions of past
// inputs to earlier positions are dropped.
std::optional<Delay> SpreadDelayOf(Window window, size_t i, int64_t first = 2);

// Sets the `dilations` attribute of a window for axis `at` of the data.
void SetDilation(const ir::Graph& graph, ir::Node& node, int64_t at, int64_t dilation);

// The windows at any offset. nullopt if each position depends only on itself.
std::optional<Windows> WindowsOf(const NodeScope& scope, Window window, size_t i,
                                 int64_t first = 2);

// The padding of all axes as attributes.
std::map<std::string, std::string> PadsOf(Window window);

// Returns true if input i is known and finite. Only then is its product with zero padding zero.
bool IsFinite(const NodeScope& scope, size_t i);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_LOOK_BACK_H_
