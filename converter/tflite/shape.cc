// SPDX-License-Identifier: Apache-2.0
// Shapes as values, and values from shapes. Constant folding evaluates most of them.
#include <algorithm>
#include <string>

#include "converter/tflite/builder.h"
#include "converter/tflite/moved.h"

namespace weft::tflite {
namespace {

std::string TypeText(const Builder& b) {
  return b.OutputTensor(0).type == schema::ElementType::i64 ? "i64" : "i32";
}

}  // namespace

void Shape(Builder& b) {
  b.Set(0, b.Add("ShapeOf", "opset3", {{"output_type", TypeText(b)}}, {b.Input(0)}));
}

void Rank(Builder& b) { b.Set(0, b.Converted(b.Int(b.Rank(0)), ElementType::i32)); }

void Range(Builder& b) {
  const auto type = IrTypeOf(b.OutputTensor(0).type);
  b.Set(0, b.Add("Range", "opset4",
                 {{"output_type", std::string(Name(type.value_or(ElementType::i32)))}},
                 {b.Input(0), b.Input(1), b.Input(2)}));
}

void Fill(Builder& b) { b.SetMoved(0, b.Broadcasted(b.Input(1), b.Input(0)), 1); }
void BroadcastTo(Builder& b) { b.SetMoved(0, b.Broadcasted(b.Input(0), b.Input(1))); }

// The shape to which both shapes broadcast. Extents are equal or 1, so it is the maximum.
void BroadcastArgs(Builder& b) {
  const auto lengths = {b.InputTensor(0).dims, b.InputTensor(1).dims};
  int64_t rank = 0;
  for (const Dims& dims : lengths) rank = std::max(rank, dims.empty() ? 0 : dims[0]);
  Sources shapes;
  for (size_t i = 0; i < 2; ++i) {
    const Dims& dims = b.InputTensor(i).dims;
    const int64_t missing = rank - (dims.empty() ? 0 : dims[0]);
    ir::Source shape = b.Converted(b.Input(i), ElementType::i64);
    if (missing > 0) {
      const std::vector<int64_t> ones(static_cast<size_t>(missing), 1);
      shape = b.Joined({b.Ints(ones), shape}, 0);
    }
    shapes.push_back(shape);
  }
  const ir::Source y = b.Add("Maximum", shapes);
  b.Set(0, TypeText(b) == "i64" ? y : b.Converted(y, ElementType::i32));
}

void ExpandDims(Builder& b) {
  auto axis = b.Integers(1);
  // From the front: a complex tensor has one axis more in the graph.
  if (axis && axis->size() == 1 && axis->front() < 0) axis->front() += b.Rank(0) + 1;
  if (axis) b.SetMoved(0, b.Add("Unsqueeze", {b.Input(0), b.Ints(*axis)}));
}

void Squeeze(Builder& b) {
  const auto* axes = b.Options<schema::SqueezeOptions>().squeeze_dims();
  Sources inputs = {b.Input(0)};
  if (axes != nullptr && axes->size() > 0) {
    const Tensor& x = b.InputTensor(0);
    std::vector<int64_t> from_front;
    for (const int64_t axis : *axes) {
      const int64_t at = axis < 0 ? axis + b.Rank(0) : axis;
      const bool is_axis = at >= 0 && at < b.Rank(0);
      if (std::ranges::find(from_front, at) == from_front.end()) from_front.push_back(at);
      if (is_axis && (!HasKnownShape(x) || x.dims[static_cast<size_t>(at)] == 1)) continue;
      return b.Refuse("removes axis {} of {}; must be an axis of extent 1", axis, ToString(x.dims));
    }
    inputs.push_back(b.Ints(from_front));
  }
  b.SetMoved(0, b.Add("Squeeze", inputs));
}

void Reshape(Builder& b) {
  const auto* option = b.Options<schema::ReshapeOptions>().new_shape();
  ir::Source shape;
  if (b.Has(1)) {
    shape = b.Input(1);
  } else if (option != nullptr) {
    shape = b.Ints(std::vector<int64_t>(option->begin(), option->end()));
  } else {
    shape = b.Ints(b.OutputTensor(0).dims);
  }
  if (IsComplex(b.InputTensor(0).type)) {
    shape = b.Joined({b.Converted(shape, ElementType::i64), b.Ints({{2}})}, 0);
  }
  b.SetMoved(0, b.Add("Reshape", "opset1", {{"special_zero", "false"}}, {b.Input(0), shape}));
}

}  // namespace weft::tflite
