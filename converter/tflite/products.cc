// SPDX-License-Identifier: Apache-2.0
// Products with weights, pools and softmax. Images are NHWC in the file and NCHW in the IR; the
// graph has a Transpose before and after each operator, which the layout pass removes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "converter/base/elements.h"
#include "converter/ir/stated.h"
#include "converter/tflite/builder.h"
#include "converter/tflite/integer_sums.h"
#include "converter/tflite/moved.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/recurrent_codes.h"
#include "kernels/reduce/softmax_q8.h"
#include "kernels/simd/fixed_point.h"

namespace weft::tflite {
namespace {

constexpr std::array<int64_t, 4> kToFirst = {0, 3, 1, 2}, kToLast = {0, 2, 3, 1};

// A bias, and its integers as text if they are multiples of the scales of x and the weights.
struct Bias {
  ir::Source numbers;
  std::string codes;
};

// A bias of integer codes has the scale of x times that of the weights, whatever the file states.
std::optional<Bias> BiasIn(Builder& b, size_t input, size_t x = 0, size_t weights = 1) {
  if (!b.Has(input)) return std::nullopt;
  const Tensor& bias = b.InputTensor(input);
  const Tensor &of_x = b.InputTensor(x), &of_weights = b.InputTensor(weights);
  const std::optional<ElementType> type = IrTypeOf(bias.type);
  const bool has_codes =
      type && !IsFloat(*type) && IsQuantised(of_x) && of_weights.quantization.has_value();
  if (!has_codes) return Bias{NumbersOfInput(b, input), ""};
  const std::vector<float>& scales = of_weights.quantization->scales;
  const auto count = static_cast<size_t>(ElementCount(bias.dims).value_or(0));
  const auto scale_of = [&](size_t i) {
    return static_cast<double>(of_x.quantization->scales[0]) *
           static_cast<double>(scales[scales.size() == count ? i : 0]);
  };
  std::vector<int64_t> codes(count);
  std::vector<float> numbers(count);
  if (!bias.constant) {
    for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(scale_of(i));
    const ir::Source computed = b.Converted(b.PortInput(input), ElementType::f32);
    return Bias{b.Add("Multiply", {computed, b.Floats(bias.dims, numbers)}), ""};
  }
  for (size_t i = 0; i < count; ++i) {
    codes[i] = IntegerAt(bias.constant->type.type, bias.constant->bytes, i);
    numbers[i] = static_cast<float>(static_cast<double>(codes[i]) * scale_of(i));
  }
  return Bias{b.Floats(bias.dims, numbers), ListText(codes)};
}

ir::Source WithBias(Builder& b, ir::Source product, ir::Source numbers, const Bias& bias) {
  Attributes attributes = {{"auto_broadcast", "numpy"}};
  if (!bias.codes.empty()) attributes[ir::kStatedBias] = bias.codes;
  return b.Add("Add", "opset1", attributes, {product, numbers});
}

// Returns true if input 1 is computed, or not one matrix, so that no step has it as int8 weights.
// So is a product with a bias in input 2 that is computed.
bool HasComputedCodes(const Builder& b) {
  const Tensor& y = b.InputTensor(1);
  const bool is_matrix =
      ElementCount(y.dims) ==
      ElementCount(Dims(y.dims.end() - std::min<int64_t>(2, std::ssize(y.dims)), y.dims.end()));
  return HasSums(b, 2, schema::ElementType::i16) ||
         (HasSums(b, 2) && !(y.constant && is_matrix && (!b.Has(2) || b.InputTensor(2).constant)));
}

// Sets output 0 to the product of the codes `x` and input 1, with a constant bias of i32 or none.
void SetProductOfCodes(Builder& b, ir::Source x, Attributes transposed, size_t bias,
                       schema::Activation activation) {
  const bool is_of_bytes = b.InputTensor(0).type == schema::ElementType::i8;
  ir::Source sums =
      b.Add(is_of_bytes ? "ShortMatMul" : "MatMul", is_of_bytes ? kOwnVersion : "opset1",
            std::move(transposed), {x, CentredCodes(b, 1)});
  if (b.Has(bias)) sums = b.Add("Add", {sums, b.Input(bias)});
  const double product = static_cast<double>(ScaleOf(b.InputTensor(0))) *
                         static_cast<double>(ScaleOf(b.InputTensor(1)));
  SetFromSums(b, sums, product / static_cast<double>(ScaleOf(b.OutputTensor(0))), activation);
}

// Records that the file adds products of int16 codes in 32 bits: those with a bias of i32, or
// without a bias if its type is stated as i32.
void StateSums(Builder& b, ir::Source product, size_t bias,
               schema::ElementType type = schema::ElementType::f32) {
  if (b.Has(bias)) type = b.InputTensor(bias).type;
  if (type == schema::ElementType::i32) product.node->attributes[ir::kStatedShortSums] = "1";
}

struct Spatial {
  std::vector<int64_t> strides, dilations;
  schema::Padding padding;
};

Attributes AttributesOf(const Spatial& spatial) {
  const std::vector<int64_t> zeros(spatial.strides.size());
  return {{"strides", ListText(spatial.strides)},
          {"dilations", ListText(spatial.dilations)},
          {"pads_begin", ListText(zeros)},
          {"pads_end", ListText(zeros)},
          {"auto_pad", spatial.padding == schema::Padding::valid ? "valid" : "same_upper"}};
}

// Adds the bias to a product with channels on axis 1, applies the activation and sets the output
// with channels last.
void SetFromFirst(Builder& b, ir::Source product, const std::optional<Bias>& bias,
                  schema::Activation activation, std::span<const int64_t> to_last) {
  if (bias) {
    std::vector<int64_t> dims(to_last.size(), 1);
    dims[1] = -1;
    product = WithBias(b, product, b.Reshaped(bias->numbers, dims), *bias);
  }
  b.Set(0, b.Transposed(b.Activated(product, activation), to_last));
}

// `weights` are [outputs, inputs, height, width].
void SetGrouped(Builder& b, ir::Source weights, std::array<int64_t, 5> group_dims,
                const Spatial& spatial, schema::Activation activation,
                schema::ElementType bias_type = schema::ElementType::f32) {
  const ir::Source x = b.Transposed(b.Input(0), kToFirst);
  const bool is_grouped = group_dims[0] != 1;
  const ir::Source filters = is_grouped ? b.Reshaped(weights, group_dims) : weights;
  const ir::Source product = b.Add(is_grouped ? "GroupConvolution" : "Convolution", "opset1",
                                   AttributesOf(spatial), {x, filters});
  StateSums(b, product, 2, bias_type);
  SetFromFirst(b, product, BiasIn(b, 2), activation, kToLast);
}

// Sets output 0 to the transposed convolution of input `data` with the weights in input 1. `shape`
// is the height and width of the output, if they are computed.
void SetTransposed(Builder& b, size_t data, size_t bias, Attributes attributes,
                   std::optional<ir::Source> shape, schema::Activation activation) {
  constexpr std::array<int64_t, 4> kOrder = {3, 0, 1, 2};
  attributes["dilations"] = "1,1";
  std::vector<ir::Source> inputs = {b.Transposed(b.Input(data), kToFirst),
                                    b.Transposed(b.Input(1), kOrder)};
  if (shape) inputs.push_back(*shape);
  const ir::Source product = b.Add("ConvolutionBackpropData", "opset1", attributes, inputs);
  SetFromFirst(b, product, BiasIn(b, bias, data), activation, kToLast);
}

// The attributes that give an output of shape `y`.
Attributes TransposedAttributes(const Dims& x, const Dims& w, const Dims& y,
                                const std::array<int64_t, 2>& strides, bool is_same) {
  Dims begin(2), end(2), more(2);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t total = (x[i + 1] - 1) * strides[i] + w[i + 1] - y[i + 1];
    begin[i] = is_same ? std::max<int64_t>(total, 0) / 2 : 0;
    end[i] = std::max<int64_t>(total - begin[i], 0);
    more[i] = std::max<int64_t>(begin[i] - total, 0);
  }
  return {{"strides", ListText(strides)},
          {"pads_begin", ListText(begin)},
          {"pads_end", ListText(end)},
          {"auto_pad", "explicit"},
          {"output_padding", ListText(more)}};
}

Attributes PoolAttributes(const schema::Pool2DOptions& options) {
  const std::array<int64_t, 2> kernel = {options.filter_height(), options.filter_width()};
  Attributes attributes =
      AttributesOf({{options.stride_h(), options.stride_w()}, {1, 1}, options.padding()});
  attributes.erase("dilations");
  attributes["kernel"] = ListText(kernel);
  attributes["rounding_type"] = "floor";
  return attributes;
}

ir::Source AveragePool(Builder& b, ir::Source x, const schema::Pool2DOptions& options) {
  Attributes attributes = PoolAttributes(options);
  attributes["exclude-pad"] = "true";
  // Means of codes that are between two codes are rounded away from zero.
  if (IsQuantised(b.InputTensor(0))) attributes[ir::kTies] = "away";
  return b.Add("AvgPool", "opset1", attributes, {x});
}

// Sets output 0 to int16 codes of int8 codes. tflite-micro fixes their zero point and scale.
// Returns false for other tensors, or if the codes are not computed by integers.
bool SetShortSoftmax(Builder& b, float beta) {
  constexpr double kResultScale = 1.0 / 65536;
  const Tensor &from = b.InputTensor(0), &to = b.OutputTensor(0);
  using Type = schema::ElementType;
  const bool has_codes = IsQuantised(from) && from.quantization->is_per_tensor() &&
                         from.type == Type::i8 && IsQuantised(to) &&
                         to.quantization->is_per_tensor() && to.type == Type::i16;
  if (!has_codes || b.rounds_as_litert() || ZeroOf(to) != LimitsOf(to.type).min) return false;
  const double factor = std::ldexp(double{beta} * double{ScaleOf(from)}, 26);
  const Multiplier by = MultiplierOf(std::min(factor, double{kernels::kMaxFixed}));
  const bool has_scale = std::fabs(double{ScaleOf(to)} / kResultScale - 1) <= 1e-3;
  if (!has_scale || by.mantissa == 0 || by.exponent < 0 || from.dims.empty() ||
      from.dims.back() > kernels::kMaxSoftmaxLength) {
    return false;
  }
  b.SetPort(
      0, b.Add("QuantizedSoftmax", kOwnVersion,
               {{"multiplier", TextOf(std::span(&by, 1))}, {"shorts", "1"}}, {CodesOfInput(b, 0)}));
  return true;
}

}  // namespace

void FullyConnected(Builder& b) {
  const auto& options = b.Options<schema::FullyConnectedOptions>();
  if (options.weights_format() != 0) {
    b.Refuse("weights are shuffled in format {}; must be in format 0", options.weights_format());
  }
  if (!b.RequireRank(1, 2)) return;
  const bool has_integer_bias = !b.Has(2) || b.InputTensor(2).type == schema::ElementType::i32;
  const bool is_of_codes = HasSums(b, 2) && HasComputedCodes(b) && has_integer_bias;
  ir::Source x = is_of_codes ? CentredCodes(b, 0) : b.Input(0);
  const int64_t length = b.InputTensor(1).dims[1];
  const bool keeps_rank =
      options.keep_num_dims() || (b.Rank(0) == 2 && b.InputTensor(0).dims[1] == length);
  if (!keeps_rank) x = b.Reshaped(x, std::array<int64_t, 2>{-1, length});
  const Attributes transposed = {{"transpose_a", "false"}, {"transpose_b", "true"}};
  if (is_of_codes) return SetProductOfCodes(b, x, transposed, 2, options.activation());
  ir::Source product = b.Add("MatMul", "opset1", transposed, {x, b.Input(1)});
  StateSums(b, product, 2, options.quantized_bias_type());
  if (const auto bias = BiasIn(b, 2)) product = WithBias(b, product, bias->numbers, *bias);
  b.Set(0, b.Activated(product, options.activation()));
}

void Conv2D(Builder& b) {
  const auto& options = b.Options<schema::Conv2DOptions>();
  if (!b.RequireRank(0, 4) || !b.RequireRank(1, 4)) return;
  const Dims &x = b.InputTensor(0).dims, &w = b.InputTensor(1).dims;
  const int64_t inputs = w[3], groups = inputs > 0 ? x[3] / inputs : 0;
  if (inputs * groups != x[3] || groups == 0 || w[0] % groups != 0) {
    return b.Refuse("weights are {} and the input {}; channels must be a multiple of the filters'",
                    ToString(w), ToString(x));
  }
  SetGrouped(b, b.Transposed(b.Input(1), kToFirst), {groups, w[0] / groups, inputs, w[1], w[2]},
             {{options.stride_h(), options.stride_w()},
              {options.dilation_h(), options.dilation_w()},
              options.padding()},
             options.activation(), options.quantized_bias_type());
}

void DepthwiseConv2D(Builder& b) {
  const auto& options = b.Options<schema::DepthwiseConv2DOptions>();
  if (!b.RequireRank(0, 4) || !b.RequireRank(1, 4)) return;
  const Dims &x = b.InputTensor(0).dims, &w = b.InputTensor(1).dims;
  const int64_t channels = x[3];
  if (w[0] != 1 || channels == 0 || w[3] % channels != 0) {
    return b.Refuse("weights are {} and the input {}; must be [1,height,width,n * {}]", ToString(w),
                    ToString(x), channels);
  }
  constexpr std::array<int64_t, 4> kOrder = {3, 0, 1, 2};
  SetGrouped(b, b.Transposed(b.Input(1), kOrder), {channels, w[3] / channels, 1, w[1], w[2]},
             {{options.stride_h(), options.stride_w()},
              {options.dilation_h(), options.dilation_w()},
              options.padding()},
             options.activation());
}

// Returns false if the file leaves the height or width of an image open.
bool HasKnownSize(const Tensor& tensor) {
  return tensor.dims.size() != 4 || (IsKnown(tensor, 1) && IsKnown(tensor, 2));
}

// The output shape of the file determines the padding, which is the same for other sizes of x. With
// an unknown size it depends on the shape that the model computes.
void TransposeConv(Builder& b) {
  const auto& options = b.Options<schema::TransposeConvOptions>();
  if (!b.RequireRank(1, 4) || !b.RequireRank(2, 4)) return;
  const std::array<int64_t, 2> strides = {options.stride_h(), options.stride_w()};
  const bool is_same = options.padding() == schema::Padding::same;
  const std::optional<std::vector<int64_t>> given = b.KnownIntegers(0);
  const bool is_known = HasKnownSize(b.InputTensor(2)) && HasKnownSize(b.OutputTensor(0));
  if (!given && !is_known) {
    const ir::Source extents =
        b.Add("Slice", "opset8", {}, {b.Input(0), b.Ints({{1}}), b.Ints({{3}}), b.Ints({{1}})});
    const Attributes attributes = {{"strides", ListText(strides)},
                                   {"pads_begin", "0,0"},
                                   {"pads_end", "0,0"},
                                   {"auto_pad", is_same ? "same_lower" : "valid"}};
    return SetTransposed(b, 2, 3, attributes, extents, options.activation());
  }
  const Dims y = given ? *given : b.OutputTensor(0).dims;
  if (y.size() != 4) {
    return b.Refuse("output shape has rank {}; must have rank 4", y.size());
  }
  SetTransposed(
      b, 2, 3,
      TransposedAttributes(b.InputTensor(2).dims, b.InputTensor(1).dims, y, strides, is_same),
      std::nullopt, options.activation());
}

// MediaPipe's operator. Its options are three numbers of 32 bits: padding (1: same, 2: valid),
// stride of the width, stride of the height.
void Convolution2DTransposeBias(Builder& b) {
  if (!b.RequireRank(0, 4) || !b.RequireRank(1, 4) || !b.RequireRank(2, 1)) return;
  const auto* bytes = b.op().table->custom_options();
  std::array<int32_t, 3> options = {};
  if (bytes != nullptr && bytes->size() >= sizeof(options)) {
    std::memcpy(options.data(), bytes->data(), sizeof(options));
  }
  const auto [padding, width, height] = options;
  if ((padding != 1 && padding != 2) || width < 1 || height < 1) {
    return b.Refuse("padding is {}, strides {} and {}; must be 1 or 2, strides at least 1", padding,
                    height, width);
  }
  if (!HasKnownSize(b.InputTensor(0))) {
    return b.Refuse("input has an unknown size; must have a known one, which gives the padding");
  }
  const Dims &x = b.InputTensor(0).dims, &w = b.InputTensor(1).dims;
  const std::array<int64_t, 2> strides = {height, width};
  Dims y = {x[0], 0, 0, w[0]};
  for (size_t i = 1; i < 3; ++i) {
    const int64_t stride = strides[i - 1], last = x[i] - 1;
    const int64_t pads = padding == 1 ? std::max<int64_t>(w[i] - last % stride - 1, 0) : 0;
    y[i] = last * stride + w[i] - pads;
  }
  SetTransposed(b, 0, 2, TransposedAttributes(x, w, y, strides, padding == 1), std::nullopt,
                schema::Activation::none);
}

void Conv3D(Builder& b) {
  const auto& options = b.Options<schema::Conv3DOptions>();
  if (!b.RequireRank(0, 5) || !b.RequireRank(1, 5)) return;
  constexpr std::array<int64_t, 5> kFirst = {0, 4, 1, 2, 3}, kLast = {0, 2, 3, 4, 1};
  constexpr std::array<int64_t, 5> kFilters = {4, 3, 0, 1, 2};
  const Spatial spatial = {{options.stride_d(), options.stride_h(), options.stride_w()},
                           {options.dilation_d(), options.dilation_h(), options.dilation_w()},
                           options.padding()};
  const ir::Source product =
      b.Add("Convolution", "opset1", AttributesOf(spatial),
            {b.Transposed(b.Input(0), kFirst), b.Transposed(b.Input(1), kFilters)});
  SetFromFirst(b, product, BiasIn(b, 2), options.activation(), kLast);
}

void BatchMatMul(Builder& b) {
  const auto& options = b.Options<schema::BatchMatMulOptions>();
  const auto text = [](bool is_true) { return is_true ? "true" : "false"; };
  const Attributes transposed = {{"transpose_a", text(options.adj_x())},
                                 {"transpose_b", text(options.adj_y())}};
  if (HasComputedCodes(b)) {
    return SetProductOfCodes(b, CentredCodes(b, 0), transposed, 2, schema::Activation::none);
  }
  b.Set(0, b.Add("MatMul", "opset1", transposed, {b.Input(0), b.Input(1)}));
}

void EmbeddingLookup(Builder& b) {
  b.Set(0, b.Add("Gather", "opset8", {{"batch_dims", "0"}}, {b.Input(1), b.Input(0), b.Int(0)}));
}

void AveragePool2D(Builder& b) {
  if (!b.RequireRank(0, 4)) return;
  const auto& options = b.Options<schema::Pool2DOptions>();
  const ir::Source mean = AveragePool(b, b.Transposed(b.Input(0), kToFirst), options);
  SetFromFirst(b, mean, std::nullopt, options.activation(), kToLast);
}

void MaxPool2D(Builder& b) {
  if (!b.RequireRank(0, 4)) return;
  const auto& options = b.Options<schema::Pool2DOptions>();
  const ir::Source max =
      b.Add("MaxPool", "opset1", PoolAttributes(options), {b.Transposed(b.Input(0), kToFirst)});
  const ir::Source y = b.Transposed(b.Activated(max, options.activation()), kToLast);
  if (options.activation() == schema::Activation::none) return b.SetMoved(0, y);
  b.Set(0, y);
}

void L2Pool2D(Builder& b) {
  if (!b.RequireRank(0, 4)) return;
  const auto& options = b.Options<schema::Pool2DOptions>();
  const ir::Source x = b.Transposed(b.Input(0), kToFirst);
  const ir::Source squares = b.Add("Multiply", {x, x});
  const ir::Source norm = b.Add("Sqrt", {AveragePool(b, squares, options)});
  SetFromFirst(b, norm, std::nullopt, options.activation(), kToLast);
}

void Softmax(Builder& b) {
  const float beta = b.Options<schema::SoftmaxOptions>().beta();
  if (SetShortSoftmax(b, beta)) return;
  ir::Source x = b.Input(0);
  if (beta != 1) x = b.Add("Multiply", {x, b.Float(beta)});
  b.Set(0, b.Add("Softmax", "opset8", {{"axis", "-1"}}, {x}));
}

}  // namespace weft::tflite
