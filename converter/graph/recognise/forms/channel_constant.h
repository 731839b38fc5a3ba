// SPDX-License-Identifier: Apache-2.0
// Reads f32 constants independently of how far the exporter has broadcast them: keeps the elements,
// and drops the axes along which they repeat.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_CHANNEL_CONSTANT_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_CHANNEL_CONSTANT_H_

#include <optional>
#include <vector>

#include "converter/graph/recognise/forms/form_site.h"

namespace weft::graph {

struct Repeated {
  Dims dims;  // of the broadcast's rank; 1 where the numbers repeat
  std::vector<double> numbers;
};

// Reads input `i` of a node that broadcasts its two inputs by NumPy's rule. Returns nullopt if the
// input is no f32 constant.
std::optional<Repeated> RepeatedOf(const ir::Node& node, size_t i);

// Returns one number for each of the `count` elements of an axis; nullopt if they vary along other
// axes.
std::optional<std::vector<double>> AlongAxis(const Repeated& constant, size_t axis, int64_t count);

// Returns a * b or a + b; the dims of one operand must broadcast to those of the other.
enum class Joining { kProduct, kSum };
std::optional<Repeated> Joined(const Repeated& a, const Repeated& b, Joining by);

// Rounds to f32. Returns nullopt if a number overflows, or loses digits because it is subnormal.
std::optional<std::vector<float>> RoundedFloats(const std::vector<double>& numbers);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_CHANNEL_CONSTANT_H_
