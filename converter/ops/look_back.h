// SPDX-License-Identifier: Apache-2.0
// Windows that look back along an axis of space but not ahead: those of the output's place i end
// before the places of the input that belong to place i + 1. A stride of s places takes s of them
// for each place of the output.
#ifndef WEFT_CONVERTER_OPS_LOOK_BACK_H_
#define WEFT_CONVERTER_OPS_LOOK_BACK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "converter/ops/axes.h"
#include "converter/ops/window.h"

namespace weft::ops {

// A number by which an operation's padding is filled; absent: the one that its document says. Only
// cutting time writes it, and only for an axis that is cut.
inline constexpr const char* kPadFill = "pad_fill";
// As its value: with the first place of the data, again and again.
inline constexpr const char* kFirstPlace = "first";

// Of axis 2 + i of the data, when the windows look back along it; those that hold no more than
// their own place are none.
std::optional<Delay> LookBackOf(const NodeScope& scope, Window window, size_t i);

// Of a window that has dilations as an attribute: along axis `at` of the data they are another.
void SetDilation(const ir::Graph& graph, ir::Node& node, int64_t at, int64_t dilation);

// Of axis 2 + i of the data, wherever they lie; none where each place is made of its own alone.
std::optional<Windows> WindowsOf(Window window, size_t i);

// The padding of all axes as attributes.
std::map<std::string, std::string> PadsOf(Window window);

// Zero times infinity is no zero: is input i known, and finite?
bool IsFinite(const NodeScope& scope, size_t i);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LOOK_BACK_H_
