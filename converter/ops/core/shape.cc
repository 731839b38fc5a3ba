// SPDX-License-Identifier: Apache-2.0
// Operations whose result depends only on shapes and constants. It is computed at conversion and
// read as weights.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "converter/ops/families.h"
#include "converter/ops/support/lengths.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

// Reads the attribute output_type. Reports an error if it names no type.
std::optional<ElementType> OutputType(NodeScope& scope, std::string_view fallback) {
  const std::string text = scope.attributes.Text("output_type", fallback);
  const std::optional<ElementType> type = ParseElementType(text);
  if (!type) scope.Fault("output_type is \"{}\"; must be an element type", text);
  return type;
}

void InferShapeOf(InferScope& scope) {
  const std::optional<ElementType> type = OutputType(scope, "i64");
  if (!type) return;
  if (*type != ElementType::i64 && *type != ElementType::i32) {
    return scope.Fault("output_type is {}; must be i32 or i64", Name(*type));
  }
  scope.SetOutput(0, *type, {scope.rank(0)});
}

// `values` as a constant of `type`. f16 and bf16 are rounded by the convert step.
template <typename T>
program::ValueId Known(program::Builder& builder, const TensorType& type,
                       const std::vector<T>& values) {
  const auto as = [&]<typename To>(To) {
    return builder.WeightsOf(type, std::vector<To>(values.begin(), values.end()));
  };
  switch (type.type) {
    case ElementType::f32:
      return as(float{});
    case ElementType::f64:
      return as(double{});
    case ElementType::i8:
      return as(int8_t{});
    case ElementType::u8:
      return as(uint8_t{});
    case ElementType::i16:
      return as(int16_t{});
    case ElementType::i32:
      return as(int32_t{});
    case ElementType::i64:
      return as(int64_t{});
    default:
      return Converted(builder, Known(builder, {ElementType::f32, type.dims}, values), type.type);
  }
}

// An axis with a run-time length is replaced by that length.
void LowerShapeOf(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const program::ValueId known = Known(builder, type, scope.input_dims(0));
  const std::optional<ir::RunTimeExtent> extent = ir::ExtentOf(scope.node().inputs[0]);
  if (!extent) return scope.SetOutput(0, known);
  const program::ValueId length =
      Converted(builder, EmitLength(builder, scope.values(), *extent), type.type);
  std::vector<uint8_t> is_length(static_cast<size_t>(scope.rank(0)));
  is_length[extent->axis] = 1;
  const program::ValueId mask = builder.WeightsOf({ElementType::boolean, type.dims}, is_length);
  EmitSelect(builder, {mask, type.dims}, {length, {1}}, {known, type.dims},
             {scope.NewOutput(0), type.dims});
}

// start, start + step, ... up to but excluding stop.
template <typename T>
struct Sequence {
  T start{}, step{};
  int64_t count = 0;
  std::vector<T> Values() const {
    std::vector<T> values(static_cast<size_t>(count));
    // Every value is between start and stop; intermediate products may wrap around in 64 bits.
    using Sum = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                   std::type_identity<T>>::type;
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] =
          static_cast<T>(static_cast<Sum>(start) + static_cast<Sum>(i) * static_cast<Sum>(step));
    }
    return values;
  }
};

// 128 bits hold the difference of any two 64-bit numbers.
Sequence<int64_t> IntSequence(int64_t start, int64_t stop, int64_t step) {
  const __int128 distance =
      step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const __int128 stride = step > 0 ? step : -static_cast<__int128>(step);
  const __int128 count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return {start, step, count > kMax ? kMax : static_cast<int64_t>(count)};
}

Sequence<double> RealSequence(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (!(count > 0)) return {start, step, 0};
  return {start, step, count < 0x1p62 ? static_cast<int64_t>(count) : int64_t{1} << 62};
}

constexpr std::array<std::string_view, 3> kRangeInputs = {"start", "stop", "step"};

// Checks that the three inputs are known numbers and the step is not zero.
bool CheckRange(InferScope& scope) {
  for (size_t i = 0; i < 3; ++i) {
    if (ElementCount(scope.input_dims(i)) != 1) {
      scope.Fault("input {} ({}) is {}; must be a scalar", i, kRangeInputs[i],
                  ToString(scope.input_type(i)));
    } else {
      scope.RequireInts(i, kRangeInputs[i]);
    }
    const std::optional<std::vector<double>> value = scope.Numbers(i);
    if (value && value->size() == 1 && !std::isfinite(value->front())) {
      scope.Fault("input {} ({}) is {}; must be finite", i, kRangeInputs[i], value->front());
    }
  }
  if (!scope.failed() && scope.Numbers(2)->front() == 0) {
    scope.Fault("input 2 (step) is 0; must be positive or negative");
  }
  return !scope.failed();
}

bool IsWhole(const NodeScope& scope, ElementType type) {
  return !IsFloat(type) || (!IsFloat(scope.input_element(0)) && !IsFloat(scope.input_element(1)) &&
                            !IsFloat(scope.input_element(2)));
}

// For an integer output all inputs are truncated first.
Sequence<int64_t> WholeRange(const NodeScope& scope) {
  return IntSequence(scope.Ints(0)->front(), scope.Ints(1)->front(), scope.Ints(2)->front());
}

Sequence<double> RealRange(const NodeScope& scope) {
  return RealSequence(scope.Numbers(0)->front(), scope.Numbers(1)->front(),
                      scope.Numbers(2)->front());
}

void InferRangeOf(InferScope& scope, ElementType type) {
  if (!CheckRange(scope)) return;
  if (type == ElementType::boolean || ElementBytes(type) == 0) {
    return scope.Fault(
        "the output would be {}; must be a float type or an integer type of at least 8 bits",
        Name(type));
  }
  const bool whole = IsWhole(scope, type);
  if (whole && scope.Ints(2)->front() == 0) {
    return scope.Fault("input 2 (step) is {}, which is 0 in {}; must be positive or negative",
                       scope.Numbers(2)->front(), Name(type));
  }
  scope.SetOutput(0, type, {whole ? WholeRange(scope).count : RealRange(scope).count});
}

void InferRangeOfInputs(InferScope& scope) {
  for (size_t i = 1; i < 3; ++i) {
    if (scope.input_type_name(i) == scope.input_type_name(0)) continue;
    scope.Fault("input {} ({}) is {} and input 0 (start) is {}; must be of one type", i,
                kRangeInputs[i], scope.input_type_name(i), scope.input_type_name(0));
  }
  InferRangeOf(scope, scope.input_element(0));
  if (scope.input_widened(0) != nullptr) scope.SetWidened(0, scope.input_widened(0));
}

void InferRangeOfAttribute(InferScope& scope) {
  const std::optional<ElementType> type = OutputType(scope, "");
  if (type) InferRangeOf(scope, *type);
}

void LowerRange(LowerScope& scope) {
  const TensorType& type = scope.output_type(0);
  scope.SetOutput(0, IsWhole(scope, type.type)
                         ? Known(scope.builder, type, WholeRange(scope).Values())
                         : Known(scope.builder, type, RealRange(scope).Values()));
}

// Eye: ones where column - row equals the diagonal number, in each matrix of the batch.

struct EyeSpec {
  int64_t rows = 0, columns = 0, diagonal = 0;
  Dims batch;
};

std::optional<EyeSpec> ReadEyeSpec(NodeScope& scope) {
  const std::optional<int64_t> rows = ControlInt(scope, 0, "num_rows");
  const std::optional<int64_t> columns = ControlInt(scope, 1, "num_columns");
  const std::optional<int64_t> diagonal = ControlInt(scope, 2, "diagonal_index");
  const std::optional<Dims> batch =
      scope.has_input(3) ? ControlInts(scope, 3, "batch_shape") : Dims();
  if (!rows || !columns || !diagonal || !batch) return std::nullopt;
  return EyeSpec{*rows, *columns, *diagonal, *batch};
}

void InferEye(InferScope& scope) {
  const std::optional<ElementType> type = OutputType(scope, "");
  const std::optional<EyeSpec> spec = ReadEyeSpec(scope);
  if (!type || !spec) return;
  if (ElementBytes(*type) == 0) {
    return scope.Fault("output_type is {}; must be a type of at least 8 bits", Name(*type));
  }
  Dims dims = spec->batch;
  dims.insert(dims.end(), {spec->rows, spec->columns});
  scope.SetOutput(0, *type, std::move(dims));
}

void LowerEye(LowerScope& scope) {
  const EyeSpec spec = ReadEyeSpec(scope).value();
  const TensorType type = scope.output_type(0);
  const program::ValueId y = scope.NewOutput(0);
  scope.builder.Fill(y);
  if (spec.diagonal >= spec.columns || spec.diagonal <= -spec.rows) return;
  const int64_t row = std::max<int64_t>(-spec.diagonal, 0);
  const int64_t column = std::max<int64_t>(spec.diagonal, 0);
  const int64_t ones = std::min(spec.rows - row, spec.columns - column);
  const int64_t matrices = ProductOf(spec.batch, 0, spec.batch.size());
  const program::ValueId one = Known(scope.builder, {type.type, {1}}, std::vector<int64_t>{1});
  scope.builder.CopyStrided(one, y, {matrices, ones}, {0, 0}, 0,
                            {spec.rows * spec.columns, spec.columns + 1},
                            row * spec.columns + column);
}

// The output depends only on the input's shape.
constexpr Traits kOfShape = {.shape_only = true, .respects_length = true};

constexpr Operation kShapeRows[] = {
    {"ShapeOf", 1, 1, 1, InferShapeOf, LowerShapeOf, kOfShape},
    {"ShapeOf", 3, 1, 1, InferShapeOf, LowerShapeOf, kOfShape},
    {"Range", 1, 3, 3, InferRangeOfInputs, LowerRange, {.steering = Steering::kShape}},
    {"Range", 4, 3, 3, InferRangeOfAttribute, LowerRange, {.steering = Steering::kShape}},
    {"Eye", 9, 3, 4, InferEye, LowerEye, {.steering = Steering::kShape}},
};

}  // namespace

std::span<const Operation> ShapeOperations() { return kShapeRows; }

}  // namespace weft::ops
