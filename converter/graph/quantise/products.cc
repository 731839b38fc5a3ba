// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/products.h"

#include <optional>

#include "converter/base/integer_grid.h"
#include "converter/graph/layout/turned.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/recognise/channel_constant.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/packed.h"
#include "converter/ops/quantised.h"
#include "converter/ops/turn.h"

namespace weft::graph {
namespace {

// No sum of so many products of two bytes, each with a zero taken off it, leaves 32 bits.
constexpr int64_t kMostInputs = 65535;

// Of each output: integers, and what they are multiplied by.
struct WeightRows {
  std::vector<int64_t> integers;
  std::vector<double> scales;
  std::vector<int64_t> sums;
};

// Row n has weights[n * output_stride + k * input_stride] at k.
std::optional<WeightRows> RowsOf(const std::vector<float>& weights, int64_t outputs, int64_t inputs,
                                 int64_t output_stride, int64_t input_stride) {
  WeightRows rows;
  std::vector<float> row(static_cast<size_t>(inputs));
  for (int64_t n = 0; n < outputs; ++n) {
    for (int64_t k = 0; k < inputs; ++k) {
      row[static_cast<size_t>(k)] =
          weights[static_cast<size_t>(n * output_stride + k * input_stride)];
    }
    const std::optional<IntegerGrid> grid = GridOf(row);
    if (!grid || grid->offset != 0) return std::nullopt;
    int64_t sum = 0;
    for (const int8_t integer : grid->integers) sum += integer;
    rows.integers.insert(rows.integers.end(), grid->integers.begin(), grid->integers.end());
    rows.scales.push_back(grid->scale);
    rows.sums.push_back(sum);
  }
  return rows;
}

// A product as its operation of integers takes it.
struct Product {
  std::string operation;
  Dims weight_dims;
  WeightRows rows;
  size_t channel_axis = 0;  // of the result
  bool has_channels_last = true, makes_channels_last = true;
};

std::optional<Product> MatMulOf(const ir::Node& node, const ir::Constant& weights) {
  const Dims& dims = weights.type.dims;
  const size_t rank = TypeOf(node.inputs[0]).dims.size();
  if (dims.size() != 2 || rank < 2 || IsFlagged(node, "transpose_a")) return std::nullopt;
  const bool is_turned = IsFlagged(node, "transpose_b");
  const int64_t outputs = dims[is_turned ? 0 : 1], inputs = dims[is_turned ? 1 : 0];
  if (inputs > kMostInputs) return std::nullopt;
  std::optional<WeightRows> rows = RowsOf(ops::Floats(weights), outputs, inputs,
                                          is_turned ? inputs : 1, is_turned ? 1 : outputs);
  if (!rows) return std::nullopt;
  return Product{"QuantizedMatMul", {outputs, inputs}, *std::move(rows), rank - 1};
}

std::optional<Product> ConvolutionOf(const ir::Node& node, const ir::Constant& weights) {
  const Dims& dims = weights.type.dims;
  const size_t rank = TypeOf(node.inputs[0]).dims.size();
  if (!ops::HasTurn(rank)) return std::nullopt;
  const int64_t outputs = dims.size() > rank ? dims[0] * dims[1] : dims[0];
  const int64_t inputs = ElementCount(dims).value_or(0) / outputs;
  if (inputs > kMostInputs) return std::nullopt;
  std::optional<WeightRows> rows = RowsOf(ops::Floats(weights), outputs, inputs, inputs, 1);
  if (!rows) return std::nullopt;
  const bool makes_last = node.attributes.contains(ops::kYLast);
  return Product{"QuantizedConvolution",
                 dims,
                 *std::move(rows),
                 makes_last ? rank - 1 : 1,
                 node.attributes.contains(ops::kXLast),
                 makes_last};
}

std::optional<Product> ProductOf(const ir::Node& node) {
  const bool is_convolved = IsConvolved(node);
  if (!is_convolved && !IsCalled(node, "MatMul")) return std::nullopt;
  const ir::Constant* weights = ConstantOf(node.inputs[1]);
  if (weights == nullptr || weights->type.type != ElementType::f32) return std::nullopt;
  if (CountIn({node.inputs[1].node, node.inputs[1].port}) == 0) return std::nullopt;
  return is_convolved ? ConvolutionOf(node, *weights) : MatMulOf(node, *weights);
}

// What follows a product and nothing else reads.
struct ProductTail {
  ir::Node* last;
  std::vector<double> starts;                   // of each output
  std::optional<Levels> levels = std::nullopt;  // that `last`, a quantiser, finds
  // Of each output if the quantiser levels each for itself; else `levels` have the one scale.
  std::vector<double> scales = {};

  double ScaleOf(size_t n) const {
    return !levels ? 1 : scales.empty() ? levels->scale : scales[n];
  }
};

// Takes in a constant for each output that is added.
void ReadStart(const QuantiseSite& site, size_t axis, ProductTail& tail) {
  ir::Node* sum = site.SoleReader(*tail.last);
  if (sum == nullptr || !IsCalled(*sum, "Add")) return;
  if (sum->outputs[0].type != tail.last->outputs[0].type) return;
  const size_t other = sum->inputs[0].node == tail.last ? 1 : 0;
  const std::optional<Repeated> constant = RepeatedOf(*sum, other);
  if (!constant) return;
  const auto count = static_cast<int64_t>(tail.starts.size());
  const std::optional<std::vector<double>> along = AlongAxis(*constant, axis, count);
  if (!along) return;
  tail.starts = *along;
  tail.last = sum;
}

// Whether each output of a product depends on one channel of its data.
bool IsDepthwise(const ir::Node& node) {
  if (!IsCalled(node, "GroupConvolution") || node.inputs.size() != 2) return false;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  return dims.size() > TypeOf(node.inputs[0]).dims.size() && dims[2] == 1;
}

// A quantiser that levels each channel for itself, as those in front of depthwise convolutions do.
void ReadChannels(const QuantiseSite& site, ir::Node& end, size_t axis,
                  const std::optional<ValueBounds>& bounds, ProductTail& tail) {
  const ir::Node* reader = site.SoleReader(end);
  if (reader == nullptr || site.KeepsFloats(*reader) || !IsDepthwise(*reader)) return;
  if (end.outputs[0].type != tail.last->outputs[0].type || !ProductOf(*reader)) return;
  const std::optional<ChannelLevels> channels = ChannelLevelsOf(end, axis);
  if (!channels) return;
  std::optional<Levels> all;
  for (const double scale : channels->scales) {
    Levels levels = channels->levels;
    levels.scale = scale;
    if (bounds) levels = Within(levels, *bounds);
    if (all && (levels.low != all->low || levels.high != all->high)) return;
    all = levels;
  }
  tail.levels = all;
  tail.scales = channels->scales;
  tail.last = &end;
}

ProductTail TailOf(const QuantiseSite& site, ir::Node& product, size_t axis, size_t outputs) {
  ProductTail tail = {&product, std::vector<double>(outputs)};
  ReadStart(site, axis, tail);
  ir::Node* end = site.SoleReader(*tail.last);
  const std::optional<ValueBounds> bounds = end != nullptr ? BoundsOf(*end) : std::nullopt;
  if (bounds) end = site.SoleReader(*end);
  if (end == nullptr || !IsCalled(*end, "FakeQuantize") || end->inputs[0].node->constant) {
    return tail;
  }
  const std::optional<Quantiser> quantiser = QuantiserOf(*end);
  if (!quantiser) {
    ReadChannels(site, *end, axis, bounds, tail);
    return tail;
  }
  tail.levels = bounds ? Within(quantiser->in, *bounds) : quantiser->in;
  tail.last = end;
  return tail;
}

// The operands of the operation but its data; nullopt where a number leaves the floats.
std::optional<std::vector<ir::Source>> OperandsOf(QuantiseSite& site, const ir::Node& like,
                                                  const Product& product, const ProductTail& tail,
                                                  const ChannelLevels& x) {
  const size_t outputs = tail.starts.size();
  std::vector<double> scales, starts;
  std::vector<int64_t> firsts;
  for (size_t n = 0; n < outputs; ++n) {
    // Outputs of a channel follow one another.
    const double x_scale = x.scales[n * x.scales.size() / outputs], y_scale = tail.ScaleOf(n);
    scales.push_back(product.rows.scales[n] * x_scale / y_scale);
    starts.push_back(tail.starts[n] / y_scale);
    firsts.push_back(-x.levels.zero * product.rows.sums[n]);
  }
  const std::optional<std::vector<float>> scale_floats = RoundedFloats(scales);
  const std::optional<std::vector<float>> start_floats = RoundedFloats(starts);
  if (!scale_floats || !start_floats) return std::nullopt;
  ir::Graph& graph = site.graph();
  const Dims dims = {static_cast<int64_t>(scales.size())};
  return std::vector<ir::Source>{
      NewInts(graph, like, {ElementType::i8, product.weight_dims}, product.rows.integers),
      NewFloats(graph, like, dims, *scale_floats),
      NewInts(graph, like, {ElementType::i32, dims}, firsts),
      NewFloats(graph, like, dims, *start_floats)};
}

// The levels of a product's data, if it lies on some.
std::optional<ChannelLevels> DataOf(const QuantiseSite& site, const ir::Source& data) {
  if (const ChannelLevels* channels = site.ChannelsOf(data)) return *channels;
  const Levels* levels = site.LevelsOf(data);
  if (levels == nullptr) return std::nullopt;
  return ChannelLevels{*levels, {levels->scale}};
}

}  // namespace

bool IsFlagged(const ir::Node& node, const char* attribute) {
  const auto found = node.attributes.find(attribute);
  return found != node.attributes.end() && (found->second == "true" || found->second == "1");
}

bool QuantiseProduct(QuantiseSite& site, ir::Node& node) {
  if (node.inputs.size() != 2 || CountIn({&node, 0}) == 0) return false;
  const std::optional<ChannelLevels> x = DataOf(site, node.inputs[0]);
  if (!x) return false;
  const std::optional<Product> product = ProductOf(node);
  if (!product) return false;
  const ProductTail tail = TailOf(site, node, product->channel_axis, product->rows.scales.size());
  const auto operands = OperandsOf(site, node, *product, tail, *x);
  if (!operands) return false;
  ir::Graph& graph = site.graph();
  ir::Source data = site.Integers(node.inputs[0]);
  if (!product->has_channels_last) data = Transposed(graph, node, data, /*to_last=*/true);
  std::vector<ir::Source> inputs = {data};
  inputs.insert(inputs.end(), operands->begin(), operands->end());
  NodeAttributes attributes = node.attributes;
  attributes[ops::kXLast] = attributes[ops::kYLast] = "1";
  attributes[ops::kInputZero] = std::to_string(x->levels.zero);
  if (tail.levels) WriteLevels(attributes, *tail.levels);
  ir::Source made = {
      NewInferredNode(graph, node, product->operation, ops::kOfPasses, inputs, 1, attributes), 0};
  if (!product->makes_channels_last) made = Transposed(graph, node, made, /*to_last=*/false);
  if (!tail.scales.empty()) {
    site.SetChannels(*tail.last, made, {*tail.levels, tail.scales});
  } else if (tail.levels) {
    site.SetIntegers(*tail.last, made);
  } else {
    Become(*tail.last, "Identity", 16, {made});
  }
  return true;
}

}  // namespace weft::graph
