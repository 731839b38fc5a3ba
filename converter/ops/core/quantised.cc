// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/quantised.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/window.h"
#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/pack.h"

namespace weft::ops {
namespace {

// Inputs of a product after int8 data and weights: a scale per output, the initial integer of its
// sum, and the number added to the scaled sum.
constexpr size_t kScales = 2, kFirsts = 3, kStarts = 4;
// Input of a convolution whose padding code is computed at run time.
constexpr size_t kPaddingCode = 5;

uint32_t CountOf(const LowerScope& scope) {
  return Narrow32(ElementCount(scope.output_type(0).dims).value_or(0), "elements");
}

std::vector<int8_t> BytesOf(const ir::Constant& constant) {
  std::vector<int8_t> bytes(constant.bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), constant.bytes.data(), bytes.size());
  return bytes;
}

program::ValueId ByteWeights(program::Builder& builder, const std::vector<int8_t>& bytes) {
  return builder.WeightsOf({ElementType::i8, {std::ssize(bytes)}}, bytes);
}

void CheckByte(InferScope& scope, size_t i) {
  CheckElements(scope, std::array{i}, {ElementType::i8});
}

// Codes of i16 if the node computes such codes, else of i8.
void CheckCodes(InferScope& scope, size_t i) {
  CheckElements(scope, std::array{i}, {HasShorts(scope) ? ElementType::i16 : ElementType::i8});
}

// Checks that these inputs have one number per output of the product.
void CheckOutputs(InferScope& scope, int64_t outputs) {
  for (size_t i = kScales; i <= kStarts; ++i) {
    if (scope.input_dims(i) == Dims{outputs}) continue;
    scope.Fault("input {} is {} and there are {} outputs; must have one number for each", i,
                ToString(scope.input_type(i)), outputs);
  }
}

void InferToCodes(InferScope& scope) {
  CheckElements(scope, std::array<size_t, 1>{0}, {ElementType::f32});
  scope.SetOutput(0, HasShorts(scope) ? ElementType::i16 : ElementType::i8, scope.input_dims(0));
}

// The operand that repeats a number.
Operand Repeated(program::Builder& builder, float number, size_t rank) {
  const Dims dims(rank, 1);
  return {builder.WeightsOf({ElementType::f32, dims}, std::vector<float>{number}), dims};
}

// y = x * factor
void EmitScaled(program::Builder& builder, program::ValueId x, float factor, program::ValueId y) {
  const Dims dims = builder.dims(x);
  EmitBinary(builder, format::BinaryOp::multiply, {x, dims}, Repeated(builder, factor, dims.size()),
             y);
}

// i16 codes: scaled, limited, rounded to the nearest, ties to even, and converted.
void LowerToShorts(LowerScope& scope, program::ValueId x, program::ValueId y) {
  program::Builder& builder = scope.builder;
  const TensorType type = {ElementType::f32, builder.dims(x)};
  const float inverse = scope.attributes.Float(kInverse, 0);
  program::ValueId scaled = x;
  if (inverse != 1) {
    scaled = builder.Scratch(type);
    EmitScaled(builder, x, inverse, scaled);
  }
  const program::ValueId limited = builder.Scratch(type), whole = builder.Scratch(type);
  EmitUnary(builder, format::UnaryOp::clamp, scaled, limited,
            static_cast<float>(scope.attributes.Int(kCodeLow, 0)),
            static_cast<float>(scope.attributes.Int(kCodeHigh, 0)));
  EmitUnary(builder, format::UnaryOp::round_even, limited, whole);
  EmitConvert(builder, whole, y);
}

void LowerToCodes(LowerScope& scope) {
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  if (HasShorts(scope)) return LowerToShorts(scope, x, y);
  const format::QuantizeParams params(CountOf(scope), scope.attributes.Float(kInverse, 0),
                                      CodesOf(scope));
  scope.builder.Emit(params, {x}, {y});
}

void InferFromCodes(InferScope& scope) {
  CheckElements(scope, std::array<size_t, 1>{0}, {ElementType::i8, ElementType::i16});
  scope.SetOutput(0, ElementType::f32, scope.input_dims(0));
}

void LowerFromCodes(LowerScope& scope) {
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  if (scope.input_element(0) == ElementType::i16) {  // whose zero point is 0
    const program::ValueId wide = scope.builder.Scratch(scope.output_type(0));
    EmitConvert(scope.builder, x, wide);
    return EmitScaled(scope.builder, wide, scope.attributes.Float(kCodeScale, 0), y);
  }
  const format::DequantizeParams params(CountOf(scope), scope.attributes.Float(kCodeScale, 0),
                                        ByteOf(scope, kInputZero), 0, 0);
  scope.builder.Emit(params, {x}, {y});
}

constexpr int64_t kTableLength = 256;

// A table lookup from i8 or u8 to i8 or u8.
void InferByteTable(InferScope& scope) {
  for (const size_t i : {0, 1}) {
    CheckElements(scope, std::array{i}, {ElementType::i8, ElementType::u8});
  }
  if (scope.input_dims(1) != Dims{kTableLength}) {
    scope.Fault("input 1 (table) is {}; must have {} elements", ToString(scope.input_type(1)),
                kTableLength);
  }
  scope.SetOutput(0, scope.input_element(1), scope.input_dims(0));
}

// The same bytes as signed codes, because the step indexes its table from -128.
program::ValueId SignedBytes(program::Builder& builder, program::ValueId value) {
  if (builder.type(value) == ElementType::i8) return value;
  return builder.View(value, 0, {ElementType::i8, builder.dims(value)});
}

void LowerByteTable(LowerScope& scope) {
  const program::ValueId x = scope.input(0), table = scope.input(1), y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  builder.Emit(format::LookupParams(CountOf(scope)),
               {SignedBytes(builder, x), SignedBytes(builder, table)}, {SignedBytes(builder, y)});
}

// The operands of a product step. Zero addends are omitted.
std::vector<program::ValueId> ProductInputs(LowerScope& scope, program::ValueId x,
                                            program::ValueId weights) {
  std::vector<program::ValueId> inputs = {x, weights, scope.input(kScales)};
  for (const size_t i : {kFirsts, kStarts}) {
    const ir::Constant* constant = scope.constant(i);
    const bool is_nothing = constant != nullptr && IsOfZeros(*constant) &&
                            !(i == kStarts && scope.attributes.Has(kByIntegers));
    inputs.push_back(is_nothing ? program::kNone : scope.input(i));
  }
  return inputs;
}

// The activation of a product: i16 codes have their limits there.
format::Activation ActivationOf(const NodeScope& scope) {
  if (!HasShorts(scope)) return {};
  const auto low = static_cast<float>(scope.attributes.Int(kCodeLow, 0));
  const auto high = static_cast<float>(scope.attributes.Int(kCodeHigh, 0));
  return MakeActivation(format::UnaryOp::clamp, low, high);
}

// Emits the dense step for contiguous rows of x.
void EmitByteRows(LowerScope& scope, int64_t rows, const Filters& filters, program::ValueId y) {
  const uint32_t inputs = Narrow32(filters.in_channels, "inputs");
  const uint32_t outputs = Narrow32(filters.out_channels, "outputs");
  std::vector<int8_t> packed(kernels::PackedDenseI8Bytes(outputs, inputs));
  const std::vector<int8_t> weights = BytesOf(*scope.constant(kFilters));
  kernels::PackDenseI8(weights.data(), outputs, inputs, packed.data());
  format::DenseQ8Params params;
  params.mutate_rows(Narrow32(rows, "rows"));
  params.mutate_inputs(inputs);
  params.mutate_outputs(outputs);
  params.mutate_x_row_stride(inputs);
  params.mutate_y_row_stride(outputs);
  params.mutable_activation() = ActivationOf(scope);
  params.mutable_codes() = CodesOf(scope);
  const program::ValueId panels = ByteWeights(scope.builder, packed);
  scope.builder.Emit(params, ProductInputs(scope, scope.input(kData), panels), {y});
}

void InferByteMatMul(InferScope& scope) {
  CheckCodes(scope, kData);
  CheckByte(scope, kFilters);
  Dims dims = scope.input_dims(kData);
  const Dims& weights = scope.input_dims(kFilters);
  if (dims.empty() || weights.size() != 2 || weights[1] != dims.back()) {
    return scope.Fault("data is {} and weights are {}; must have rows of equal length",
                       ToString(scope.input_type(kData)), ToString(scope.input_type(kFilters)));
  }
  CheckOutputs(scope, weights[0]);
  dims.back() = weights[0];
  scope.SetOutput(0, CodeTypeOf(scope), std::move(dims));
}

void LowerByteMatMul(LowerScope& scope) {
  const program::ValueId y = scope.NewOutput(0);
  const Dims& weights = scope.input_dims(kFilters);
  EmitByteRows(scope, ElementCount(scope.output_type(0).dims).value_or(0) / weights[0],
               {1, weights[0], weights[1], {}}, y);
}

void InferByteConvolution(InferScope& scope) {
  CheckCodes(scope, kData);
  CheckByte(scope, kFilters);
  const Dims data = SpecDims(scope);
  const Filters filters = FiltersOf(scope);
  CheckInChannels(scope, filters);
  CheckOutputs(scope, filters.groups * filters.out_channels);
  if (scope.has_input(kPaddingCode)) CheckByte(scope, kPaddingCode);
  const std::optional<Window> window =
      InferWindow(scope, std::span(data).subspan(2), filters.window);
  if (!window) return;
  Dims out = {data[0], filters.groups * filters.out_channels};
  for (int64_t extent : window->OutDims()) out.push_back(extent);
  scope.SetOutput(0, CodeTypeOf(scope), OutputOrder(scope, std::move(out)));
}

// Copies the data with its padding and removes the padding from `window`.
program::ValueId WithPadding(LowerScope& scope, Window& window) {
  const program::ValueId x = scope.input(kData);
  const Dims from = {scope.input_dims(kData)[0], window.y.in, window.x.in,
                     scope.input_dims(kData).back()};
  Dims to = from;
  for (WindowAxis* axis : {&window.y, &window.x}) {
    const int64_t seen = (axis->out - 1) * axis->stride + axis->extent();
    const size_t position = axis == &window.y ? 1 : 2;
    to[position] = axis->in = std::max(axis->pad_begin + axis->in, seen);
  }
  if (to == from) return x;
  const Dims strides = program::DenseStrides(to);
  const int64_t first = window.y.pad_begin * strides[1] + window.x.pad_begin * strides[2];
  window.y.pad_begin = window.y.pad_end = window.x.pad_begin = window.x.pad_end = 0;
  const program::ValueId padded = scope.builder.Scratch({ElementType::i8, to});
  scope.builder.CopyStrided(scope.input(kPaddingCode), padded, to, Dims(to.size()), 0, strides, 0);
  scope.builder.CopyStrided(x, padded, from, program::DenseStrides(from), 0, strides, first);
  return padded;
}

// The parameters that conv_q8 and depthwise_q8 share.
template <typename Params>
Params ByteWindowParams(LowerScope& scope, const Filters& filters, const Window& window) {
  const int64_t in_channels = filters.groups * filters.in_channels;
  const int64_t out_channels = filters.groups * filters.out_channels;
  Params params;
  params.mutate_batch(Narrow32(scope.input_dims(kData)[0], "batch"));
  WriteWindow(params, window);
  params.mutable_x() = LastOf(in_channels, window.y.in, window.x.in);
  params.mutable_y() = LastOf(out_channels, window.y.out, window.x.out);
  params.mutable_activation() = ActivationOf(scope);
  params.mutable_codes() = CodesOf(scope);
  params.mutate_x_zero(ByteOf(scope, kInputZero));
  return params;
}

// Reorders [group][out_channel][in_channel][ky][kx] so that the channels of each tap are adjacent.
std::vector<int8_t> TapByTap(const std::vector<int8_t>& weights, int64_t channels, int64_t taps) {
  std::vector<int8_t> permuted(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    const int64_t filter = position / (channels * taps), channel = position / taps % channels;
    permuted[static_cast<size_t>((filter * taps + position % taps) * channels + channel)] =
        weights[i];
  }
  return permuted;
}

// Returns true if each output pixel reads exactly one pixel of x, in place.
bool IsDirect(const Window& window) {
  const auto is_direct = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.pad_begin == 0 && (axis.out - 1) * axis.stride < axis.in;
  };
  return is_direct(window.y) && is_direct(window.x);
}

void EmitByteConv(LowerScope& scope, const Filters& filters, const Window& window,
                  program::ValueId x, program::ValueId y) {
  auto params = ByteWindowParams<format::ConvQ8Params>(scope, filters, window);
  params.mutate_groups(Narrow32(filters.groups, "groups"));
  params.mutate_in_channels(Narrow32(filters.in_channels, "in channels"));
  params.mutate_out_channels(Narrow32(filters.out_channels, "out channels"));
  const int64_t taps = window.y.kernel * window.x.kernel;
  const uint32_t inputs = Narrow32(taps * filters.in_channels, "inputs of a filter");
  const std::vector<int8_t> rows =
      TapByTap(BytesOf(*scope.constant(kFilters)), filters.in_channels, taps);
  const size_t group = kernels::PackedDenseI8Bytes(params.out_channels(), inputs);
  std::vector<int8_t> packed(group * params.groups());
  for (size_t g = 0; g < params.groups(); ++g) {
    kernels::PackDenseI8(rows.data() + g * params.out_channels() * inputs, params.out_channels(),
                         inputs, packed.data() + g * group);
  }
  const program::ValueId panels = ByteWeights(scope.builder, packed);
  const std::vector<program::ValueId> operands = ProductInputs(scope, x, panels);
  const auto bytes = static_cast<int64_t>(kernels::ConvQ8ScratchBytes(IsDirect(window), inputs));
  const auto code_bytes = static_cast<int64_t>(ElementBytes(scope.input_element(kData)));
  const program::ValueId scratch =
      scope.builder.Scratch({scope.input_element(kData), {bytes / code_bytes}});
  scope.builder.Emit(params, operands, {y, scratch});
}

void EmitByteDepthwise(LowerScope& scope, const Filters& filters, const Window& window,
                       program::ValueId x, program::ValueId y) {
  auto params = ByteWindowParams<format::DepthwiseQ8Params>(scope, filters, window);
  params.mutate_channels(Narrow32(filters.groups * filters.out_channels, "channels"));
  params.mutate_multiplier(Narrow32(filters.out_channels, "multiplier"));
  const std::vector<int8_t> weights = BytesOf(*scope.constant(kFilters));
  std::vector<int8_t> packed(kernels::PackedDepthwiseFloats(
      params.channels(), params.kernel_height(), params.kernel_width()));
  kernels::PackDepthwiseI8(weights.data(), params.channels(), params.kernel_height(),
                           params.kernel_width(), packed.data());
  const program::ValueId panels = ByteWeights(scope.builder, packed);
  scope.builder.Emit(params, ProductInputs(scope, x, panels), {y});
}

// Returns true if the convolution processes each pixel separately, so that pixels are rows of a
// dense product.
bool IsOfPixels(const Filters& filters, const Window& window) {
  const auto is_whole = [](const WindowAxis& axis) {
    return axis.is_alone() && axis.in == axis.out;
  };
  return filters.groups == 1 && is_whole(window.y) && is_whole(window.x);
}

void LowerByteConvolution(LowerScope& scope) {
  const program::ValueId y = scope.NewOutput(0);
  const Filters filters = FiltersOf(scope);
  Window window = ConvolvedWindow(scope);
  if (IsOfPixels(filters, window)) {
    const int64_t pixels = scope.input_dims(kData)[0] * window.y.out * window.x.out;
    return EmitByteRows(scope, pixels, filters, y);
  }
  const program::ValueId x =
      scope.has_input(kPaddingCode) ? WithPadding(scope, window) : scope.input(kData);
  if (IsDepthwise(filters)) return EmitByteDepthwise(scope, filters, window, x, y);
  EmitByteConv(scope, filters, window, x, y);
}

void InferByteBinary(InferScope& scope) {
  CheckCodes(scope, 0);
  CheckCodes(scope, 1);
  if (std::optional<Dims> dims = scope.Broadcast(scope.input_dims(0), scope.input_dims(1))) {
    scope.SetOutput(0, CodeTypeOf(scope), std::move(*dims));
  }
}

template <format::BinaryOp op>
void LowerByteBinary(LowerScope& scope) {
  const program::ValueId a = scope.input(0), b = scope.input(1), y = scope.NewOutput(0);
  const Dims& out = scope.output_type(0).dims;
  const std::array aligned = {WithLeadingOnes(scope.input_dims(0), out.size()),
                              WithLeadingOnes(scope.input_dims(1), out.size())};
  const StridedNest nest = CollapsedNest(out, aligned);
  format::BinaryQ8Params params;
  WriteNest(params, nest);
  params.mutable_a_multiplier() = MultiplierIn(scope, kFirstMultiplier);
  params.mutable_b_multiplier() = MultiplierIn(scope, kSecondMultiplier);
  params.mutable_multiplier() = MultiplierIn(scope, kMultiplier);
  params.mutate_a_scale(scope.attributes.Float(kFirstScale, 0));
  params.mutate_b_scale(scope.attributes.Float(kSecondScale, 0));
  params.mutable_codes() = CodesOf(scope);
  params.mutate_a_zero(ByteOf(scope, kFirstZero));
  params.mutate_b_zero(ByteOf(scope, kSecondZero));
  params.mutate_op(op);
  scope.builder.Emit(params, {a, b}, {y});
}

// A function of codes; the output is i32 if it has no range.
void InferCodeFunction(InferScope& scope) {
  CheckElements(scope, std::array<size_t, 1>{0},
                {ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64});
  const ElementType type = CodeTypeOf(scope);
  scope.SetOutput(0, type == ElementType::f32 ? ElementType::i32 : type, scope.input_dims(0));
}

void LowerCodeFunction(LowerScope& scope) {
  constexpr std::string_view kFunctions[] = {"rescale", "sigmoid", "tanh"};
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  const auto number = [&](const char* key) {
    return Narrow<int32_t>(scope.attributes.Int(key, 0), "a quantised value");
  };
  format::UnaryQ8Params params;
  params.mutate_count(CountOf(scope));
  const std::string function = scope.attributes.Choice(kCodeFunction, "rescale", kFunctions);
  params.mutate_op(static_cast<format::CodeFunction>(std::ranges::find(kFunctions, function) -
                                                     std::begin(kFunctions)));
  params.mutate_from(scope.input_element(0));
  params.mutate_to(scope.output_type(0).type);
  params.mutable_above() = MultiplierIn(scope, kFirstMultiplier);
  params.mutable_below() = MultiplierIn(scope, kSecondMultiplier);
  params.mutate_x_zero(number(kInputZero));
  params.mutate_zero(number(kCodeZero));
  if (params.op() == format::CodeFunction::rescale) {
    params.mutate_low(number(kCodeLow));
    params.mutate_high(number(kCodeHigh));
  }
  scope.builder.Emit(params, {x}, {y});
}

// Input 1 has the tables of int16 rows. Rows of int8 may have int16 results.
void InferByteSoftmax(InferScope& scope) {
  const bool has_tables = scope.has_input(1);
  CheckElements(scope, std::array<size_t, 1>{0}, {has_tables ? ElementType::i16 : ElementType::i8});
  if (has_tables) CheckCodes(scope, 1);
  const ElementType type = HasShorts(scope) ? ElementType::i16 : ElementType::i8;
  scope.SetOutput(0, type, scope.input_dims(0));
}

void LowerByteSoftmax(LowerScope& scope) {
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  const uint32_t count = CountOf(scope);
  const uint32_t length = Narrow32(scope.input_dims(0).back(), "elements");
  if (scope.has_input(1)) {
    const format::SoftmaxQ16Params params(count / length, length, MultiplierIn(scope, kMultiplier));
    return scope.builder.Emit(params, {x, scope.input(1)}, {y});
  }
  const format::SoftmaxQ8Params params(count / length, Narrow<uint16_t>(length, "elements"),
                                       HasShorts(scope) ? 1 : 0, 0,
                                       MultiplierIn(scope, kMultiplier));
  scope.builder.Emit(params, {x}, {y});
}

void InferByteNormalize(InferScope& scope) {
  CheckCodes(scope, 0);
  scope.SetOutput(0, scope.input_type(0));
}

void LowerByteNormalize(LowerScope& scope) {
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  const uint32_t count = CountOf(scope);
  const uint32_t length = Narrow32(scope.input_dims(0).back(), "elements");
  scope.builder.Emit(format::NormalizeQ8Params(count / length, length, ByteOf(scope, kInputZero)),
                     {x}, {y});
}

constexpr Traits kByteProduct = {.foldable = false, .heavy = true};
constexpr Traits kReaderProduct = {.foldable = false, .heavy = true, .is_extension = true};
constexpr Traits kReaderRows = {.is_extension = true};
constexpr Traits kReaderPointwise = {.pointwise = true, .is_extension = true};

constexpr Operation kQuantisedRows[] = {
    {"Quantize", kPassOnly, 1, 1, InferToCodes, LowerToCodes, kReaderPointwise},
    {"Dequantize", kPassOnly, 1, 1, InferFromCodes, LowerFromCodes, kReaderPointwise},
    {"ByteTable", kPassOnly, 2, 2, InferByteTable, LowerByteTable},
    {"QuantizedMatMul", kPassOnly, 5, 5, InferByteMatMul, LowerByteMatMul, kReaderProduct},
    {"QuantizedConvolution", kPassOnly, 5, 6, InferByteConvolution, LowerByteConvolution,
     kByteProduct},
    {"QuantizedAdd", kPassOnly, 2, 2, InferByteBinary, LowerByteBinary<format::BinaryOp::add>,
     kPointwise},
    {"QuantizedMultiply", kPassOnly, 2, 2, InferByteBinary,
     LowerByteBinary<format::BinaryOp::multiply>, kPointwise},
    {"QuantizedSubtract", kPassOnly, 2, 2, InferByteBinary,
     LowerByteBinary<format::BinaryOp::subtract>, kPointwise},
    {"QuantizedSquaredDifference", kPassOnly, 2, 2, InferByteBinary,
     LowerByteBinary<format::BinaryOp::squared_difference>, kPointwise},
    {"QuantizedDivide", kPassOnly, 2, 2, InferByteBinary, LowerByteBinary<format::BinaryOp::divide>,
     kPointwise},
    {"QuantizedUnary", kPassOnly, 1, 1, InferCodeFunction, LowerCodeFunction, kReaderPointwise},
    {"QuantizedSoftmax", kPassOnly, 1, 2, InferByteSoftmax, LowerByteSoftmax, kReaderRows},
    {"QuantizedNormalizeL2", kPassOnly, 1, 1, InferByteNormalize, LowerByteNormalize},
    {"QuantizedPRelu", kPassOnly, 2, 2, InferByteBinary, LowerByteBinary<format::BinaryOp::prelu>,
     kPointwise},
};

}  // namespace

std::span<const Operation> QuantisedOperations() { return kQuantisedRows; }

int8_t ByteOf(const NodeScope& scope, std::string_view key) {
  return Narrow<int8_t>(scope.attributes.Int(key, 0), "a quantised value");
}

bool HasShorts(const NodeScope& scope) { return scope.attributes.Has(kShortCodes); }

format::CodeRange CodesOf(const NodeScope& scope) {
  if (HasShorts(scope)) {
    const bool has_sums32 = scope.attributes.Has(kSums32);
    return format::CodeRange(0, 0, 0,
                             has_sums32 ? format::Results::shorts32 : format::Results::shorts);
  }
  const format::Results results = scope.attributes.Has(kByIntegers) ? format::Results::integer_codes
                                  : CodeTypeOf(scope) == ElementType::i8 ? format::Results::codes
                                                                         : format::Results::f32;
  return format::CodeRange(ByteOf(scope, kCodeZero), ByteOf(scope, kCodeLow),
                           ByteOf(scope, kCodeHigh), results);
}

format::Multiplier MultiplierIn(const NodeScope& scope, std::string_view key) {
  const std::vector<int64_t> numbers = scope.attributes.Ints(key);
  if (numbers.size() != 2) return {};
  return format::Multiplier(Narrow<int32_t>(numbers[0], "a mantissa"),
                            Narrow<int32_t>(numbers[1], "an exponent"));
}

ElementType CodeTypeOf(const NodeScope& scope) {
  if (HasShorts(scope)) return ElementType::i16;
  return scope.attributes.Has(kCodeHigh) ? ElementType::i8 : ElementType::f32;
}

}  // namespace weft::ops
