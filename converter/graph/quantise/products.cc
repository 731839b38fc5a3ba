// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "converter/base/faults.h"
#include "converter/base/quantisation.h"
#include "converter/base/scaled_weights.h"
#include "converter/graph/layout/permuted.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/filters.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/transposed.h"
#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {
namespace {

// A product with one scale per output.
struct ScaledProduct : ByteProduct {
  std::vector<double> scales = {};
};

// The grid of a filter. `keeps_codes`: with the file's codes and scale, even if all codes are even.
std::optional<IntegerGrid> FilterGridOf(std::span<const float> row, std::span<const float> scales,
                                        bool keeps_codes) {
  if (!keeps_codes) return GridOf(row, scales);
  IntegerGrid grid = {*std::ranges::max_element(scales), 0, {}};
  for (size_t k = 0; k < row.size(); ++k) {
    const float code = weft::CodeOf(row[k], scales[k]);
    const bool is_byte = code >= kMinByte && code <= kMaxByte;
    if (!is_byte || (code != 0 && scales[k] != grid.scale)) return GridOf(row, scales);
    grid.integers.push_back(static_cast<int8_t>(code));
  }
  return grid;
}

// The product of a geometry with the constants of the node.
std::optional<ScaledProduct> WithConstants(const ir::Node& node, const ByteProduct& shape,
                                           bool keeps_codes) {
  const ir::Constant* weights = ConstantOf(node.inputs[1]);
  if (weights == nullptr || weights->type.type != ElementType::f32) return std::nullopt;
  if (CountIn({node.inputs[1].node, node.inputs[1].port}) == 0) return std::nullopt;
  ScaledProduct product = {shape};
  const std::vector<float> numbers = ops::Floats(*weights);
  const bool has_codes = weights->quantisation != nullptr;
  if (!has_codes && product.inputs == 1) return std::nullopt;  // any float is exact
  const std::vector<float> scales =
      has_codes ? weights->quantisation->scales() : std::vector<float>();
  for (int64_t n = 0; n < product.outputs(); ++n) {
    std::vector<float> row, row_scales;
    for (int64_t k = 0; k < product.inputs; ++k) {
      const int64_t position = product.PositionOf(n, k);
      const auto at = static_cast<size_t>(position < 0 ? -1 - position : position);
      row.push_back(position < 0 ? 0 : numbers[at]);
      if (has_codes) row_scales.push_back(scales[at]);
    }
    const std::optional<IntegerGrid> grid =
        has_codes ? FilterGridOf(row, row_scales, keeps_codes) : ExactGridOf(row);
    if (!grid) return std::nullopt;
    for (const int8_t integer : grid->integers) product.integers.push_back(integer - grid->offset);
    product.scales.push_back(grid->scale);
  }
  if (!BecomeBytes(product)) return std::nullopt;
  return product;
}

std::optional<ScaledProduct> ProductOf(const ir::Node& node, bool keeps_codes) {
  if (!IsConvolved(node) && !IsCalled(node, "MatMul")) return std::nullopt;
  const std::optional<ByteProduct> shape = ByteProductOf(node);
  return shape ? WithConstants(node, *shape, keeps_codes) : std::nullopt;
}

// The nodes after a product that nothing else reads.
struct ProductTail {
  ir::Node* last;
  std::vector<double> starts;  // per output
  // The same in units of x scale * weight scale, if the reader of the model stated it.
  std::vector<int64_t> bias_codes = {};
  std::optional<QuantParams> quant_params =
      std::nullopt;  // input parameters of `last`, if it is a quantiser
  // Per output if the quantiser is per-channel; else empty, and `quant_params` has the scale.
  std::vector<double> scales = {};

  double ScaleOf(size_t n) const {
    return !quant_params ? 1 : scales.empty() ? quant_params->scale : scales[n];
  }
};

// Merges an added constant with one number per output.
void ReadStart(QuantiseSite& site, size_t axis, ProductTail& tail) {
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
  const std::vector<int64_t> codes =
      Quiet<ops::Attributes>(site.graph(), *sum).Ints(ir::kStatedBias);
  if (codes.size() == tail.starts.size()) tail.bias_codes = codes;
}

// Returns true if each output of a product depends on a single channel of its data.
bool IsDepthwise(const ir::Node& node) {
  if (!IsCalled(node, "GroupConvolution") || node.inputs.size() != 2) return false;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  return dims.size() > TypeOf(node.inputs[0]).dims.size() && dims[2] == 1;
}

// Merges a per-channel quantiser, as used before depthwise convolutions.
void ReadChannels(const QuantiseSite& site, ir::Node& end, size_t axis,
                  const std::optional<ValueBounds>& bounds, ProductTail& tail) {
  const ir::Node* reader = site.SoleReader(end);
  if (reader == nullptr || site.KeepsFloats(*reader) || !IsDepthwise(*reader)) return;
  if (end.outputs[0].type != tail.last->outputs[0].type || !ProductOf(*reader, false)) return;
  const std::optional<ChannelQuantParams> channels = ChannelQuantParamsOf(end, axis);
  if (!channels) return;
  std::optional<QuantParams> all;
  for (const double scale : channels->scales) {
    QuantParams quant_params = channels->quant_params;
    quant_params.scale = scale;
    if (bounds) quant_params = Within(quant_params, *bounds, /*by_integers=*/false);
    if (all && (quant_params.low != all->low || quant_params.high != all->high)) return;
    all = quant_params;
  }
  tail.quant_params = all;
  tail.scales = channels->scales;
  tail.last = &end;
}

ProductTail TailOf(QuantiseSite& site, ir::Node& product, size_t axis, size_t outputs) {
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
  tail.quant_params = bounds ? Within(quantiser->in, *bounds, site.by_integers()) : quantiser->in;
  tail.last = end;
  return tail;
}

// The integers of the bias that the reader of the model stated; empty if it did not, or the added
// constant has other numbers since.
std::vector<int64_t> StatedBias(const ScaledProduct& product, const ProductTail& tail,
                                const ChannelQuantParams& x) {
  if (x.scales.size() != 1) return {};
  for (size_t n = 0; n < tail.bias_codes.size(); ++n) {
    const double number = static_cast<double>(tail.bias_codes[n]) * x.scales[0] * product.scales[n];
    constexpr double kTolerance = 0x1p-20;
    if (std::fabs(number - tail.starts[n]) > std::fabs(number) * kTolerance) return {};
  }
  return tail.bias_codes;
}

// The factor of the integer sum of each output, and what is added before (an integer) and after it.
// Nullopt if f32 cannot represent a number.
struct Factors {
  std::vector<float> scales, starts;
  std::vector<int64_t> bias = {};  // empty: zeros
};
std::optional<Factors> FactorsOf(const ScaledProduct& product, const ProductTail& tail,
                                 const ChannelQuantParams& x) {
  const size_t outputs = product.scales.size();
  std::vector<double> scales, starts;
  const std::vector<int64_t> bias = StatedBias(product, tail, x);
  for (size_t n = 0; n < outputs; ++n) {
    // Outputs of one channel are adjacent.
    const double x_scale = x.scales[n * x.scales.size() / outputs], y_scale = tail.ScaleOf(n);
    scales.push_back(product.scales[n] * x_scale / y_scale);
    starts.push_back(bias.empty() ? tail.starts[n] / y_scale : 0);
  }
  const std::optional<std::vector<float>> scale_floats = RoundedFloats(scales);
  const std::optional<std::vector<float>> start_floats = RoundedFloats(starts);
  if (!scale_floats || !start_floats) return std::nullopt;
  return Factors{*scale_floats, *start_floats, bias};
}

// The inputs of a product after its data and weights, one number per output.
struct ProductFactors {
  ir::Source scales, firsts, starts;
};

// The initial sum of each output: the contribution of the zero point of the data, and the bias.
std::vector<int64_t> FirstsOf(const ByteProduct& product, int zero,
                              const std::vector<int64_t>& bias = {}) {
  std::vector<int64_t> firsts = SumsOf(product);
  for (int64_t& first : firsts) first *= -zero;
  for (size_t n = 0; n < bias.size(); ++n) firsts[n] += bias[n];
  return firsts;
}

ProductFactors FloatFactors(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                            int zero, const Factors& factors) {
  const Dims dims = {product.outputs()};
  return {NewFloats(graph, like, dims, factors.scales),
          NewInts(graph, like, {ElementType::i32, dims}, FirstsOf(product, zero, factors.bias)),
          NewFloats(graph, like, dims, factors.starts)};
}

// The integer of a bias in units of x scale * weight scale; nullopt if the bias is no such integer.
// The float of a bias above 2^23 does not determine the last bits, which change the code of one
// result in 10^5.
std::optional<int64_t> BiasCodeOf(double bias, double unit) {
  constexpr double kMaxCode = 0x7FFFFFFF;
  const double code = bias == 0 ? 0 : bias / unit, whole = std::nearbyint(code);
  if (!(std::fabs(code) <= kMaxCode)) return std::nullopt;
  const double tolerance = 1e-3 + std::fabs(code) * 0x1p-22;
  return std::fabs(code - whole) <= tolerance ? std::optional(static_cast<int64_t>(whole))
                                              : std::nullopt;
}

// The multipliers of a product that is requantised by integers. Returns nullopt if a number has no
// integer form.
std::optional<ProductFactors> IntegerFactors(ir::Graph& graph, const ir::Node& like,
                                             const ScaledProduct& product, const ProductTail& tail,
                                             const ChannelQuantParams& x) {
  if (!tail.quant_params || !tail.scales.empty() || x.scales.size() != 1) return std::nullopt;
  if (tail.quant_params->type != x.quant_params.type) return std::nullopt;
  const bool is_short = x.quant_params.is_short();
  const Dims dims = {product.outputs()};
  const std::vector<int64_t> stated = StatedBias(product, tail, x);
  std::vector<int64_t> firsts = FirstsOf(product, x.quant_params.zero), mantissas, exponents;
  for (size_t n = 0; n < product.scales.size(); ++n) {
    const double unit = x.scales[0] * product.scales[n];
    const std::optional<int64_t> bias =
        stated.empty() ? BiasCodeOf(tail.starts[n], unit) : std::optional(stated[n]);
    const std::optional<kernels::Multiplier> multiplier =
        MultiplierOf(unit / tail.quant_params->scale);
    if (!bias || !multiplier) return std::nullopt;
    if (is_short && multiplier->exponent > kernels::kMaxShortExponent) return std::nullopt;
    firsts[n] += *bias;
    mantissas.push_back(multiplier->mantissa);
    exponents.push_back(multiplier->exponent);
  }
  const TensorType type = {ElementType::i32, dims};
  const TensorType of_sums = {is_short ? ElementType::i64 : ElementType::i32, dims};
  return ProductFactors{NewInts(graph, like, type, mantissas),
                        NewInts(graph, like, of_sums, firsts),
                        NewInts(graph, like, type, exponents)};
}

// The product of `data` with these factors, channels-last on both sides.
ir::Source Multiplied(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                      ir::Source data, int zero, const ProductFactors& factors,
                      NodeAttributes attributes) {
  attributes[ops::kXLast] = attributes[ops::kYLast] = "1";
  attributes[ops::kInputZero] = std::to_string(zero);
  const std::vector<ir::Source> inputs = {
      data, NewInts(graph, like, {ElementType::i8, product.dims}, product.integers), factors.scales,
      factors.firsts, factors.starts};
  return NewOperation(graph, like, product.operation, ops::kPassOnly, inputs, attributes);
}

// A product with offsets; its sums are scaled afterwards.
ir::Source MultipliedWithOffsets(ir::Graph& graph, const ir::Node& like, const ByteProduct& product,
                                 ir::Source data, int zero, const Factors& factors) {
  const auto outputs = static_cast<size_t>(product.outputs());
  const Factors none = {std::vector<float>(outputs, 1), std::vector<float>(outputs)};
  const ProductFactors ones = FloatFactors(graph, like, product, zero, none);
  const ir::Source sums = WithOffsets(
      graph, like, product, Multiplied(graph, like, product, data, zero, ones, like.attributes));
  const ir::Source scales = NewFloats(graph, like, {std::ssize(factors.scales)}, factors.scales);
  return NewOperation(graph, like, "Multiply", 1, {sums, scales});
}

// A transposed convolution by integers; its results are those of `product`, phase by phase.
bool QuantiseTransposed(QuantiseSite& site, ir::Node& node, const ChannelQuantParams& x) {
  ir::Graph& graph = site.graph();
  const auto convolution = TransposedConvolutionOf(graph, node);
  if (!convolution || !site.by_integers()) return false;
  const auto product = WithConstants(node, PhasesOf(*convolution, node), /*keeps_codes=*/true);
  if (!product || !product->offsets.empty()) return false;
  const auto outputs = static_cast<size_t>(convolution->outputs);
  ProductTail tail = TailOf(site, node, product->channel_axis, outputs);
  for (size_t n = outputs; n < product->scales.size(); ++n) {
    tail.starts.push_back(tail.starts[n - outputs]);
    if (!tail.bias_codes.empty()) tail.bias_codes.push_back(tail.bias_codes[n - outputs]);
  }
  const auto factors = IntegerFactors(graph, node, *product, tail, x);
  if (!factors) return false;
  ir::Source data = site.Integers(node.inputs[0]);
  if (!product->has_channels_last) data = Transposed(graph, node, data, /*to_last=*/true);
  NodeAttributes attributes = WindowOfPhases(*convolution);
  WriteQuantParams(attributes, *tail.quant_params);
  attributes[ops::kByIntegers] = "1";
  ir::Source made = Interleaved(
      graph, node, *convolution,
      Multiplied(graph, node, *product, data, x.quant_params.zero, *factors, attributes));
  if (!product->makes_channels_last) made = Transposed(graph, node, made, /*to_last=*/false);
  site.SetIntegers(*tail.last, made);
  return true;
}

// The parameters of a product's data; nullopt if it is not quantised.
std::optional<ChannelQuantParams> DataOf(const QuantiseSite& site, const ir::Source& data) {
  if (const ChannelQuantParams* channels = site.ChannelsOf(data)) return *channels;
  const QuantParams* quant_params = site.QuantParamsOf(data);
  if (quant_params == nullptr) return std::nullopt;
  return ChannelQuantParams{*quant_params, {quant_params->scale}};
}

}  // namespace

bool IsFlagged(const ir::Node& node, const char* attribute) {
  const std::string text = AttributeText(node, attribute);
  return text == "true" || text == "1";
}

bool IsQuantisableProduct(const ir::Node& node) { return ProductOf(node, false).has_value(); }

bool QuantiseProduct(QuantiseSite& site, ir::Node& node) {
  if (node.inputs.size() != 2 || CountIn({&node, 0}) == 0) return false;
  const std::optional<ChannelQuantParams> x = DataOf(site, node.inputs[0]);
  const bool is_short = x && x->quant_params.is_short();
  if (!x) return false;
  if (QuantiseTransposed(site, node, *x)) return true;
  const std::optional<ScaledProduct> product = ProductOf(node, site.keeps_codes());
  if (!product) return false;
  const bool has_offsets = !product->offsets.empty();
  const size_t outputs = product->scales.size();
  const ProductTail tail = has_offsets ? ProductTail{&node, std::vector<double>(outputs)}
                                       : TailOf(site, node, product->channel_axis, outputs);
  const std::optional<Factors> factors = FactorsOf(*product, tail, *x);
  if (!factors) return false;
  ir::Graph& graph = site.graph();
  std::optional<ProductFactors> integers;
  if (site.by_integers() && !has_offsets)
    integers = IntegerFactors(graph, node, *product, tail, *x);
  if (is_short && !integers) return false;
  ir::Source data = site.Integers(node.inputs[0]);
  if (!product->has_channels_last) data = Transposed(graph, node, data, /*to_last=*/true);
  const int zero = x->quant_params.zero;
  NodeAttributes attributes = node.attributes;
  if (attributes.erase(ir::kStatedShortSums) != 0) attributes[ops::kSums32] = "1";
  if (tail.quant_params) WriteQuantParams(attributes, *tail.quant_params);
  ir::Source made;
  if (has_offsets) {
    made = MultipliedWithOffsets(graph, node, *product, data, zero, *factors);
  } else {
    if (integers) attributes[ops::kByIntegers] = "1";
    if (!integers) integers = FloatFactors(graph, node, *product, zero, *factors);
    made = Multiplied(graph, node, *product, data, zero, *integers, attributes);
  }
  if (!product->makes_channels_last) made = Transposed(graph, node, made, /*to_last=*/false);
  if (!tail.scales.empty()) {
    site.SetChannels(*tail.last, made, {*tail.quant_params, tail.scales});
  } else if (tail.quant_params) {
    site.SetIntegers(*tail.last, made);
  } else {
    Become(*tail.last, "Identity", 16, {made});
  }
  return true;
}

}  // namespace weft::graph
