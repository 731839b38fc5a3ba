// SPDX-License-Identifier: Apache-2.0
// Constants of f32 as the numbers that they broadcast: the elements, and the dims without axes
// along which they repeat. What a constant says does not depend on how far an export has stretched
// it.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_CHANNEL_CONSTANT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_CHANNEL_CONSTANT_H_

#include <optional>
#include <vector>

#include "converter/graph/recognise/form_site.h"

namespace weft::graph {

struct Repeated {
  Dims dims;  // of the broadcast's rank; 1 where the numbers repeat
  std::vector<double> numbers;
};

// Of input i of a node that broadcasts its two inputs by NumPy's rule. Nullopt where it is no
// constant of f32.
std::optional<Repeated> RepeatedOf(const ir::Node& node, size_t i);

// One number for each of `count` places of an axis, or nullopt where they differ along others.
std::optional<std::vector<double>> AlongAxis(const Repeated& constant, size_t axis, int64_t count);

// a * b or a + b, where the one's dims stretch to the other's.
enum class Joining { kProduct, kSum };
std::optional<Repeated> Joined(const Repeated& a, const Repeated& b, Joining by);

// Rounded to f32. Nullopt where a number is no longer finite, or lost digits below the normal ones.
std::optional<std::vector<float>> RoundedFloats(const std::vector<double>& numbers);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_CHANNEL_CONSTANT_H_
