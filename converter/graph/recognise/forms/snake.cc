// SPDX-License-Identifier: Apache-2.0
// Recognises Snake, x + height * sin(slope * x)^2, with constants that vary along at most one axis
// of x:
//   x + sin(a * x)^2 / b, x + (1 / b) * sin(a * x)^2, also with a product of two equal sines
//   x + (1 - cos(2 a * x)) / (2 b)
#include <optional>
#include <vector>

#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Constants times `of`.
struct Scaling {
  ir::Source of;
  Repeated by;
  Covered covered = {};
};

// Reads constants that `node` multiplies or divides by; returns false for other nodes.
bool ReadScale(const ir::Node& node, Scaling& scaling) {
  const bool divides = IsCalled(node, "Divide");
  if (!divides && !IsCalled(node, "Multiply")) return false;
  for (const size_t i : {1, 0}) {
    if (divides && i == 0) break;
    std::optional<Repeated> constant = RepeatedOf(node, i);
    if (!constant || TypeOf(node.inputs[1 - i]).dims != node.outputs[0].type.dims) continue;
    if (divides) {
      for (double& number : constant->numbers) number = 1 / number;
    }
    const std::optional<Repeated> product = Joined(scaling.by, *constant, Joining::kProduct);
    if (!product) return false;
    scaling.by = *product;
    scaling.of = node.inputs[1 - i];
    scaling.covered.insert(&node);
    return true;
  }
  return false;
}

// Reads factors down to `end` if it is given, otherwise as far as possible.
Scaling ScalingOf(ir::Source source, const ir::Source* end) {
  Scaling scaling{source, {Dims(TypeOf(source).dims.size(), 1), {1}}};
  while ((end == nullptr || !(scaling.of == *end)) && ReadScale(*scaling.of.node, scaling)) {
  }
  return scaling;
}

void MultiplyAll(Repeated& constant, double factor) {
  for (double& number : constant.numbers) number *= factor;
}

class SnakeReader {
 public:
  explicit SnakeReader(ir::Source x) : x_(x) {}

  // Returns true if `source` is constants times the square of a sine.
  bool Read(ir::Source source) {
    const Scaling scaling = ScalingOf(source, nullptr);
    heights_ = scaling.by;
    Join(covered_, scaling.covered);
    const ir::Node& node = *scaling.of.node;
    covered_.insert(&node);
    if (IsCalled(node, "Power")) return NumberIn(node.inputs[1]) == 2.0 && IsSine(node.inputs[0]);
    if (IsCalled(node, "Multiply")) return IsSine(node.inputs[0]) && IsSine(node.inputs[1]);
    // (1 - cos 2t) / 2 is the square of sin t.
    if (!IsCalled(node, "Subtract") || NumberIn(node.inputs[0]) != 1.0) return false;
    if (!IsWave(node.inputs[1], "Cos")) return false;
    MultiplyAll(*slopes_, 0.5);
    MultiplyAll(heights_, 2);
    return true;
  }

  const Repeated& slopes() const { return *slopes_; }
  const Repeated& heights() const { return heights_; }
  const Covered& covered() const { return covered_; }

 private:
  bool IsSine(ir::Source source) { return IsWave(source, "Sin"); }

  // Returns true for a wave of constants times x, with the same constants and x as those read
  // before.
  bool IsWave(ir::Source source, const char* operation) {
    const ir::Node& node = *source.node;
    if (!IsCalled(node, operation)) return false;
    const Scaling scaling = ScalingOf(node.inputs[0], &x_);
    if (!(scaling.of == x_)) return false;
    covered_.insert(&node);
    Join(covered_, scaling.covered);
    if (slopes_) {
      return slopes_->dims == scaling.by.dims && slopes_->numbers == scaling.by.numbers;
    }
    slopes_ = scaling.by;
    return true;
  }

  const ir::Source x_;
  std::optional<Repeated> slopes_;
  Repeated heights_;
  Covered covered_;
};

// Returns one constant per element of `axis`, or one for all if `axis` is not one of the dims.
std::optional<ir::Source> NumbersAlong(FormSite& site, const ir::Node& like,
                                       const Repeated& constant, size_t axis) {
  Dims dims(constant.dims.size(), 1);
  std::vector<double> numbers = constant.numbers;
  if (axis < dims.size()) {
    dims[axis] = like.outputs[0].type.dims[axis];
    const std::optional<std::vector<double>> along = AlongAxis(constant, axis, dims[axis]);
    if (!along) return std::nullopt;
    numbers = *along;
  }
  const std::optional<std::vector<float>> floats = RoundedFloats(numbers);
  if (!floats) return std::nullopt;
  return NewFloats(site.graph(), like, dims, *floats);
}

// Returns the axis along which the constants vary; the number of axes if there is none.
size_t FirstAxisOf(const Repeated& slopes, const Repeated& heights) {
  size_t axis = 0;
  while (axis < slopes.dims.size() && slopes.dims[axis] == 1 && heights.dims[axis] == 1) ++axis;
  return axis;
}

bool PlaceSnake(FormSite& site, ir::Node& node, ir::Source x, const SnakeReader& reader) {
  if (!site.IsClosed(node, reader.covered())) return false;
  const size_t axis = FirstAxisOf(reader.slopes(), reader.heights());
  const std::optional<ir::Source> slopes = NumbersAlong(site, node, reader.slopes(), axis);
  const std::optional<ir::Source> heights = NumbersAlong(site, node, reader.heights(), axis);
  if (!slopes || !heights) return false;
  site.Replace(node, reader.covered(), {"Snake", ops::kPassOnly, {x, *slopes, *heights}});
  return true;
}

}  // namespace

bool RecogniseSnake(FormSite& site, ir::Node& node) {
  if (!IsCalled(node, "Add")) return false;
  for (const size_t i : {0, 1}) {
    const ir::Source x = node.inputs[i], wave = node.inputs[1 - i];
    const Dims& dims = node.outputs[0].type.dims;
    if (x.node->constant || TypeOf(x).dims != dims || TypeOf(wave).dims != dims) continue;
    SnakeReader reader(x);
    if (reader.Read(wave) && PlaceSnake(site, node, x, reader)) return true;
  }
  return false;
}

}  // namespace weft::graph
