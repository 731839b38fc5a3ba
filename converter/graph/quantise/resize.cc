// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// Positions are multiples of 1/1024.
constexpr int kFraction = 10;
constexpr int64_t kOne = int64_t{1} << kFraction;

// Each result is the sum of two elements of the axis, times their weights.
struct Line {
  std::vector<int64_t> low, high, low_weights, high_weights;
};

Line LineOf(int64_t in, int64_t out, std::string_view coordinates) {
  const bool is_aligned = coordinates == "align_corners" && out > 1;
  const int64_t step =
      is_aligned ? (kOne * (in - 1) + (out - 1) / 2) / (out - 1) : (kOne * in + out / 2) / out;
  const int64_t first = coordinates == "half_pixel" ? step / 2 - kOne / 2 : 0;
  Line line;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t position = i * step + first;  // may be negative
    const int64_t low = std::clamp<int64_t>(position / kOne, 0, in - 1);
    const int64_t fraction = position - low * kOne;
    line.low.push_back(low);
    line.high.push_back(std::min((position + kOne - 1) / kOne, in - 1));
    line.low_weights.push_back(kOne - fraction);
    line.high_weights.push_back(fraction);
  }
  return line;
}

class IntegerResize {
 public:
  IntegerResize(ir::Graph& graph, const ir::Node& like) : graph_(graph), like_(like) {}

  // x resized along the axis, in units of 1/1024 of its unit, as i32.
  ir::Source Along(ir::Source x, size_t axis, const Line& line) {
    const ir::Source low = Term(x, axis, line.low, line.low_weights);
    return Pair("Add", low, Term(x, axis, line.high, line.high_weights));
  }
  // x / 2^bits as i8, halves away from zero.
  ir::Source Divided(ir::Source x, int bits) {
    const ir::Source sign = NewOperation(graph_, like_, "Sign", 1, {x});
    const ir::Source half = Pair("Multiply", sign, Numbers({}, {int64_t{1} << (bits - 1)}));
    const ir::Source sum = Pair("Add", x, half);
    const ir::Source quotient =
        NewOperation(graph_, like_, "Divide", 1, {sum, Numbers({}, {int64_t{1} << bits})},
                     {{"m_pythondiv", "false"}});
    return As(quotient, "i8");
  }

 private:
  ir::Source Pair(const char* type, ir::Source a, ir::Source b) {
    return NewOperation(graph_, like_, type, 1, {a, b});
  }
  ir::Source Numbers(Dims dims, const std::vector<int64_t>& numbers) {
    return NewInts(graph_, like_, {ElementType::i32, std::move(dims)}, numbers);
  }
  ir::Source As(ir::Source x, const char* type) {
    return NewOperation(graph_, like_, "Convert", 1, {x}, {{"destination_type", type}});
  }
  ir::Source Term(ir::Source x, size_t axis, const std::vector<int64_t>& positions,
                  const std::vector<int64_t>& weights) {
    const ir::Source indices = NewInts(graph_, like_, positions);
    const ir::Source at =
        NewInts(graph_, like_, {ElementType::i64, {}}, {static_cast<int64_t>(axis)});
    ir::Source picked = NewOperation(graph_, like_, "Gather", 8, {x, indices, at});
    if (TypeOf(picked).type != ElementType::i32) picked = As(picked, "i32");
    Dims dims(TypeOf(x).dims.size(), 1);
    dims[axis] = std::ssize(weights);
    return Pair("Multiply", picked, Numbers(dims, weights));
  }

  ir::Graph& graph_;
  const ir::Node& like_;
};

}  // namespace

bool QuantiseResize(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                    const QuantParams& to) {
  if (!IsCalled(node, "Interpolate") || !site.by_integers() || node.inputs.size() < 4) return false;
  const QuantParams* from = site.QuantParamsOf(node.inputs[0]);
  const std::string coordinates = AttributeText(node, "coordinate_transformation_mode");
  const bool is_known = AttributeText(node, "mode") == "linear_onnx" &&
                        AttributeText(node, "shape_calculation_mode") == "sizes" &&
                        (coordinates == "align_corners" || coordinates == "half_pixel" ||
                         coordinates == "asymmetric");
  if (from == nullptr || from->is_short() || !from->AgreesWith(to) || !is_known) return false;
  const Dims &in = TypeOf(node.inputs[0]).dims, &out = node.outputs[0].type.dims;
  const std::vector<int64_t> axes = IntsOf(node.inputs[3]);
  IntegerResize resize(site.graph(), node);
  ir::Source x = site.Integers(node.inputs[0]);
  int bits = 0;
  for (const int64_t axis : axes) {
    const auto at = static_cast<size_t>(axis < 0 ? axis + std::ssize(in) : axis);
    if (in[at] == out[at]) continue;
    x = resize.Along(x, at, LineOf(in[at], out[at], coordinates));
    bits += kFraction;
  }
  // Sums of three axes would not fit 32 bits.
  if (bits > 2 * kFraction) return false;
  site.SetIntegers(quantiser, bits == 0 ? x : resize.Divided(x, bits));
  return true;
}

}  // namespace weft::graph
