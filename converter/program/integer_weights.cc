// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/program/conv_rows.h"
#include "converter/program/narrow_weights.h"
#include "converter/program/panel_rows.h"
#include "kernels/matrix/conv_i8.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/depthwise_i8.h"

namespace weft::program {
namespace {

constexpr uint32_t kMinExtent = 16;  // of inputs and of outputs
constexpr uint32_t kMinTaps = 3;
constexpr double kMaxInteger = 127;
// Range of the integer, in steps of 0.5, that the largest weight is mapped to; more than 127 is
// clamped to 127.
constexpr double kMinLargest = 119, kMaxLargest = 135;

bool HasAny(const std::vector<float>& offsets) {
  return std::ranges::any_of(offsets, [](float offset) { return offset != 0; });
}

// Appends the integers of one group, given as rows of `count`.
void Pack(const ProductShape& shape, uint32_t count, const std::vector<int8_t>& rows,
          std::vector<int8_t>& packed) {
  const size_t before = packed.size();
  if (shape.over == SumsOver::kTaps) {
    packed.resize(size_t{PaddedOutputs(shape)} * count);
    return kernels::PackDepthwiseI8(rows.data(), shape.outputs, 1, count, packed.data());
  }
  const uint32_t outputs = Narrow32(rows.size() / count, "outputs");
  packed.resize(before + kernels::PackedDenseI8Bytes(outputs, count));
  kernels::PackDenseI8(rows.data(), outputs, count, packed.data() + before);
}

// Adds an output with weights of 1 to each group: the sum of a window.
void AddOutputsOfOnes(const ProductShape& shape, std::vector<std::vector<int8_t>>& groups,
                      std::vector<float>& scales) {
  const size_t padded = PaddedOutputs(shape);
  const size_t wider = kernels::PanelCount(shape.outputs + 1) * kernels::kPanelOutputs;
  const std::vector<float> before =
      std::exchange(scales, std::vector<float>(groups.size() * wider));
  for (size_t group = 0; group < groups.size(); ++group) {
    groups[group].resize(groups[group].size() + shape.inputs, 1);
    std::copy_n(before.begin() + std::ptrdiff_t(group * padded), shape.outputs,
                scales.begin() + std::ptrdiff_t(group * wider));
    scales[group * wider + shape.outputs] = 1;
  }
}

// Packs the integers that `integers_of` returns for the weights of each output and the inputs
// [first, first + count); nullopt if it returns nullopt for any output.
template <typename IntegersOf>
std::optional<EncodedWeights::Part> InRows(const ProductShape& shape,
                                           std::span<const float> numbers,
                                           std::span<const float> scales, uint32_t first,
                                           uint32_t count, const IntegersOf& integers_of) {
  const size_t padded = PaddedOutputs(shape);
  const bool is_stored_only = shape.over == SumsOver::kTaps;
  std::vector<float> all_scales(shape.groups * padded), offsets(shape.groups * padded);
  std::vector<std::vector<int8_t>> groups(shape.groups);
  const bool is_complete =
      ForRows(shape, numbers, scales, first, count,
              [&](size_t column, std::span<const float> row, std::span<const float> row_scales) {
                const std::optional<IntegerGrid> grid = integers_of(column, row, row_scales);
                if (!grid) return false;
                all_scales[column] = grid->scale;
                offsets[column] = is_stored_only ? static_cast<float>(grid->offset)
                                                 : static_cast<float>(-grid->offset) * grid->scale;
                std::vector<int8_t>& rows = groups[column / padded];
                rows.insert(rows.end(), grid->integers.begin(), grid->integers.end());
                return true;
              });
  if (!is_complete) return std::nullopt;
  const bool has_offsets = HasAny(offsets);
  if (has_offsets && shape.over == SumsOver::kPatches) {
    AddOutputsOfOnes(shape, groups, all_scales);
  }
  std::vector<int8_t> packed;
  for (const std::vector<int8_t>& rows : groups) Pack(shape, count, rows, packed);
  if (!has_offsets) offsets.clear();
  return EncodedWeights::Part{first, count, Stored<int8_t>(ElementType::i8, packed),
                              Stored<float>(ElementType::f32, all_scales),
                              Stored<float>(ElementType::f32, offsets)};
}

double NearestInteger(float weight, float scale) {
  return std::clamp(std::nearbyint(double{weight} / scale), -kMaxInteger, kMaxInteger);
}

// Returns the scale of the smallest squared error among those tried, which include the scale that
// maps the largest weight to 127.
float BestScale(std::span<const float> weights, float largest) {
  float best = 0;
  double min = std::numeric_limits<double>::infinity();
  const auto try_largest = [&](double integer) {
    const auto scale = static_cast<float>(largest / integer);
    double error = 0;
    for (const float weight : weights) {
      const double off = weight - NearestInteger(weight, scale) * scale;
      error += off * off;
    }
    if (error < min) best = scale, min = error;
  };
  try_largest(kMaxInteger);
  for (double integer = kMinLargest; integer <= kMaxLargest; integer += 0.5) {
    try_largest(integer);
  }
  return best;
}

// Copies the parameters that a convolution shares with its integer version.
template <typename To, typename From>
To WithWindowOf(const From& from) {
  To to;
  to.mutate_batch(from.batch());
  to.mutate_in_height(from.in_height());
  to.mutate_in_width(from.in_width());
  to.mutate_out_height(from.out_height());
  to.mutate_out_width(from.out_width());
  to.mutate_kernel_height(from.kernel_height());
  to.mutate_kernel_width(from.kernel_width());
  to.mutate_stride_y(from.stride_y());
  to.mutate_stride_x(from.stride_x());
  to.mutate_dilation_y(from.dilation_y());
  to.mutate_dilation_x(from.dilation_x());
  to.mutate_pad_top(from.pad_top());
  to.mutate_pad_left(from.pad_left());
  to.mutable_x() = from.x();
  to.mutable_y() = from.y();
  to.mutable_activation() = from.activation();
  return to;
}

uint32_t InputsOf(const format::ConvI8Params& p) {
  return p.kernel_height() * p.kernel_width() * p.in_channels();
}
uint32_t MaxOf(uint32_t inputs, uint32_t row_bits) {
  const uint32_t max = kernels::MaxFor(inputs);
  return row_bits == kNarrowRows ? std::min(max, kernels::kMinMax) : max;
}
TensorType Elements(ElementType type, uint64_t count) {
  return {type, {static_cast<int64_t>(count)}};
}

}  // namespace

ProductShape ShapeOfProduct(const format::DenseParams& params) {
  return {SumsOver::kRows, 1, params.inputs(), params.outputs()};
}

std::optional<ProductShape> ShapeOfProduct(const Step& step) {
  const auto taps = [](const auto& p) { return int64_t{p.kernel_height()} * p.kernel_width(); };
  if (step.stays_float) return std::nullopt;
  if (const auto* p = std::get_if<format::DenseParams>(&step.params)) {
    ProductShape shape = ShapeOfProduct(*p);
    if (step.is_window) shape.over = SumsOver::kPatches;
    return shape;
  }
  if (const auto* p = std::get_if<format::ConvParams>(&step.params)) {
    if (const std::optional<ConvRows> rows = ConvRowsOf(*p)) return ShapeOfProduct(rows->product);
    const uint32_t inputs = Narrow32(taps(*p) * p->in_channels(), "inputs");
    return ProductShape{SumsOver::kPatches, p->groups(), inputs, p->out_channels()};
  }
  if (const auto* p = std::get_if<format::DepthwiseParams>(&step.params)) {
    return ProductShape{SumsOver::kTaps, 1, Narrow32(taps(*p), "taps"), p->channels()};
  }
  return std::nullopt;
}

std::vector<float> FloatsOf(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

CodedFloats CodedFloatsOf(const Value& constant) {
  return {FloatsOf(*constant.data), constant.quantisation};
}

bool GainsFromIntegers(const ProductShape& shape) {
  if (shape.over == SumsOver::kTaps) return shape.inputs >= kMinTaps;
  return shape.inputs >= kMinExtent && shape.outputs >= kMinExtent &&
         kernels::MaxFor(shape.inputs) >= kernels::kMinMax;
}

IntegerGrid NearestIntegers(std::span<const float> weights) {
  IntegerGrid grid;
  grid.integers.resize(weights.size());
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  const auto finest = static_cast<float>(largest / kMaxLargest);
  if (finest < std::numeric_limits<float>::min()) return grid;  // would count as zero
  grid.scale = BestScale(weights, largest);
  for (size_t i = 0; i < weights.size(); ++i) {
    const double integer = NearestInteger(weights[i], grid.scale);
    grid.integers[i] = Narrow<int8_t>(static_cast<int64_t>(integer), "an integer weight");
  }
  return grid;
}

EncodedWeights QuantizeProduct(std::span<const float> weights, const ProductShape& shape) {
  EncodedWeights rounded;
  rounded.floats.resize(weights.size());
  const auto nearest = [&](size_t column, std::span<const float> row, auto&&) {
    IntegerGrid grid = NearestIntegers(row);
    for (uint32_t input = 0; input < shape.inputs; ++input) {
      rounded.floats[PositionOf(shape, column, input)] =
          static_cast<float>(double{grid.scale} * grid.integers[input]);
    }
    return std::optional(std::move(grid));
  };
  rounded.parts.push_back(*InRows(shape, weights, {}, 0, shape.inputs, nearest));
  return rounded;
}

std::optional<EncodedWeights> KeptProduct(const CodedFloats& all, const ProductShape& shape) {
  if (all.quantisation == nullptr) return std::nullopt;
  const uint32_t inputs = shape.inputs;
  const std::vector<float> scales = all.quantisation->scales();
  const auto kept = [](size_t, std::span<const float> row, std::span<const float> row_scales) {
    return GridOf(row, row_scales);
  };
  for (const uint32_t group : {inputs, 128u, 64u, 32u}) {
    if (group > inputs || inputs % group != 0) continue;
    if (group != inputs && shape.over != SumsOver::kRows) break;
    EncodedWeights weights;
    for (uint32_t first = 0; first < inputs; first += group) {
      auto part = InRows(shape, all.floats, scales, first, group, kept);
      if (!part) break;
      weights.parts.push_back(*std::move(part));
    }
    if (weights.parts.size() == inputs / group) return weights;
  }
  return std::nullopt;
}

bool KeepsIntegers(const Value& constant, const ProductShape& shape,
                   std::optional<ElementType> asked_for) {
  const ElementType type = asked_for.value_or(ElementType::i8);
  if (constant.quantisation == nullptr || !IsInteger(type) || !GainsFromIntegers(shape))
    return false;
  return KeptProduct(CodedFloatsOf(constant), shape).has_value();
}

format::DenseI8Params InIntegers(const format::DenseParams& params, uint32_t row_bits) {
  return format::DenseI8Params(params.rows(), params.inputs(), params.outputs(),
                               params.x_row_stride(), params.y_row_stride(),
                               params.start_row_stride(), params.activation(),
                               MaxOf(params.inputs(), row_bits));
}

TensorType ScratchOf(const format::DenseI8Params& params) {
  return Elements(ElementType::i16, kernels::DenseI8ScratchShorts(params.rows(), params.inputs()));
}

format::ConvI8Params InIntegers(const format::ConvParams& params, uint32_t row_bits) {
  auto integers = WithWindowOf<format::ConvI8Params>(params);
  integers.mutate_groups(params.groups());
  integers.mutate_in_channels(params.in_channels());
  integers.mutate_out_channels(params.out_channels());
  integers.mutate_max(MaxOf(InputsOf(integers), row_bits));
  return integers;
}

TensorType PatchesOf(const format::ConvI8Params& params) {
  const uint32_t pixels = kernels::ConvI8Pixels(params.out_height(), params.out_width());
  return Elements(ElementType::f32,
                  kernels::ConvI8PatchFloats(pixels, InputsOf(params), params.out_channels(),
                                             params.y().channel()));
}

TensorType ScratchOf(const format::ConvI8Params& params) {
  const uint32_t pixels = kernels::ConvI8Pixels(params.out_height(), params.out_width());
  return Elements(ElementType::i16, kernels::DenseI8ScratchShorts(pixels, InputsOf(params)));
}

format::DepthwiseI8Params InIntegers(const format::DepthwiseParams& params) {
  auto integers = WithWindowOf<format::DepthwiseI8Params>(params);
  integers.mutate_channels(params.channels());
  integers.mutate_multiplier(params.multiplier());
  return integers;
}

TensorType ScratchOf(const format::DepthwiseI8Params& params) {
  const uint32_t taps = params.kernel_height() * params.kernel_width();
  return Elements(ElementType::f32,
                  kernels::DepthwiseI8ScratchFloats(kernels::DepthwiseI8WidensAll(params),
                                                    params.channels(), taps));
}

}  // namespace weft::program
