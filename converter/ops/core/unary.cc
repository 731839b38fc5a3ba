// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor. Parameters that are inputs in the IR (HardSigmoid, Selu,
// Swish) become step parameters if they are constants.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;
using format::UnaryOp;

constexpr size_t kFirst[] = {0};

void InferFloat(InferScope& scope) {
  CheckElements(scope, kFirst, {ElementType::f32});
  scope.SetOutput(0, scope.input_type(0));
}

// Functions that the steps also support for integers, and rounding, which does not change integers.
void InferNumber(InferScope& scope) {
  CheckNumeric(scope, kFirst);
  scope.SetOutput(0, scope.input_type(0));
}

void InferNot(InferScope& scope) {
  CheckElements(scope, kFirst, {ElementType::boolean});
  scope.SetOutput(0, scope.input_type(0));
}

void Emit(LowerScope& scope, UnaryOp op, float alpha = 0, float beta = 0) {
  EmitUnary(scope.builder, op, scope.input(0), scope.NewOutput(0), alpha, beta);
}

template <UnaryOp op>
void LowerUnary(LowerScope& scope) {
  Emit(scope, op);
}

void EmitNumber(LowerScope& scope, UnaryOp op, float alpha = 0, float beta = 0) {
  LowerInI32(scope, kNarrowIntegers, [=](LowerScope& wide) { Emit(wide, op, alpha, beta); });
}

template <UnaryOp op>
void LowerNumber(LowerScope& scope) {
  EmitNumber(scope, op);
}

template <UnaryOp op>
void LowerRounding(LowerScope& scope) {
  if (scope.output_type(0).type != ElementType::f32) return scope.Forward(0, 0);
  Emit(scope, op);
}

void InferClamp(InferScope& scope) {
  const float low = scope.attributes.Float("min", 0), high = scope.attributes.Float("max", 0);
  scope.RequireAttributes({"min", "max"});
  if (low > high) scope.Fault("min is {} and max is {}; min must not be above max", low, high);
  InferNumber(scope);
}

// The minimum and maximum of an integer type with fewer than 32 bits.
std::pair<float, float> NarrowRange(ElementType type) {
  if (type == ElementType::u8) return {0.0f, 255.0f};
  return type == ElementType::i8 ? std::pair(-128.0f, 127.0f) : std::pair(-32768.0f, 32767.0f);
}

// For integers the bounds are rounded inward to integers.
void LowerClamp(LowerScope& scope) {
  float low = scope.attributes.Float("min", 0), high = scope.attributes.Float("max", 0);
  const ElementType type = scope.output_type(0).type;
  if (type != ElementType::f32) {
    low = std::ceil(low);
    high = std::floor(high);
  }
  if (IsNarrowInteger(type)) {
    const auto [min, largest] = NarrowRange(type);
    low = std::clamp(low, min, largest);
    high = std::clamp(high, min, largest);
  }
  EmitNumber(scope, UnaryOp::clamp, low, high);
}

void InferElu(InferScope& scope) {
  scope.RequireAttributes({"alpha"});
  InferFloat(scope);
}

void LowerElu(LowerScope& scope) { Emit(scope, UnaryOp::elu, scope.attributes.Float("alpha", 1)); }

constexpr std::string_view kGeluModes[] = {"erf", "tanh"};

void InferGelu(InferScope& scope) {
  scope.attributes.Choice("approximation_mode", "erf", kGeluModes);
  InferFloat(scope);
}

void LowerGelu(LowerScope& scope) {
  const bool tanh = scope.attributes.Choice("approximation_mode", "erf", kGeluModes) == "tanh";
  Emit(scope, tanh ? UnaryOp::gelu_tanh : UnaryOp::gelu_erf);
}

constexpr std::string_view kRoundModes[] = {"half_to_even", "half_away_from_zero"};

void InferRound(InferScope& scope) {
  scope.attributes.Choice("mode", "half_to_even", kRoundModes);
  InferNumber(scope);
}

void LowerRound(LowerScope& scope) {
  if (scope.attributes.Choice("mode", "half_to_even", kRoundModes) == "half_to_even") {
    LowerRounding<UnaryOp::round_even>(scope);
  } else {
    LowerRounding<UnaryOp::round_away>(scope);
  }
}

// Inputs from 1 on are parameters of the function: one element each, with the type of x.
void CheckNumbers(InferScope& scope, std::initializer_list<std::string_view> names) {
  size_t i = 1;
  for (std::string_view name : names) {
    if (!scope.has_input(i)) return;
    const size_t both[] = {0, i};
    CheckElements(scope, both, {ElementType::f32});
    if (ElementCount(scope.input_dims(i)) != 1) {
      scope.Fault("input {} ({}) is {}; must be one number", i, name,
                  ToString(scope.input_type(i)));
    }
    ++i;
  }
}

void InferSwish(InferScope& scope) {
  CheckNumbers(scope, {"beta"});
  InferFloat(scope);
}

void LowerSwish(LowerScope& scope) {
  const std::optional<std::vector<double>> beta =
      scope.has_input(1) ? scope.Numbers(1) : std::vector<double>{1};
  if (beta) return Emit(scope, UnaryOp::swish, static_cast<float>(beta->front()));
  const Operand x{scope.input(0), scope.input_dims(0)};
  const program::ValueId y = scope.NewOutput(0);
  const Operand scale{scope.input(1), Dims(x.dims.size(), 1)};
  const Operand scaled = Combined(scope.builder, BinaryOp::multiply, x, scale);
  const Operand gate = Applied(scope.builder, UnaryOp::sigmoid, scaled);
  EmitBinary(scope.builder, BinaryOp::multiply, x, gate, y);
}

void InferHardSigmoid(InferScope& scope) {
  CheckNumbers(scope, {"alpha", "beta"});
  InferFloat(scope);
}

void LowerHardSigmoid(LowerScope& scope) {
  const std::optional<std::vector<double>> alpha = scope.Numbers(1), beta = scope.Numbers(2);
  if (alpha && beta) {
    return Emit(scope, UnaryOp::hard_sigmoid, static_cast<float>(alpha->front()),
                static_cast<float>(beta->front()));
  }
  const Dims& dims = scope.input_dims(0);
  const Dims one(dims.size(), 1);
  const Operand x = {scope.input(0), dims}, slope = {scope.input(1), one};
  const Operand scaled = Combined(scope.builder, BinaryOp::multiply, x, slope);
  const Operand line = Combined(scope.builder, BinaryOp::add, scaled, {scope.input(2), one});
  EmitUnary(scope.builder, UnaryOp::clamp, line.value, scope.NewOutput(0), 0, 1);
}

void InferSelu(InferScope& scope) {
  CheckNumbers(scope, {"alpha", "lambda"});
  for (size_t i : {1, 2}) {
    if (scope.constant(i) == nullptr) scope.FaultComputed(i, i == 1 ? "alpha" : "lambda");
  }
  InferFloat(scope);
}

void LowerSelu(LowerScope& scope) {
  Emit(scope, UnaryOp::selu, static_cast<float>(scope.Numbers(1)->front()),
       static_cast<float>(scope.Numbers(2)->front()));
}

// M. Giles, "Approximating the erfinv function", single precision: polynomials of w = -log((1 -
// x)(1 + x)), or of sqrt(w) for w >= 5. The highest power comes first.
constexpr std::array<float, 9> kErfInvCentre = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                                -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                                -0.00417768164f,  0.246640727f,    1.50140941f};
constexpr std::array<float, 9> kErfInvTail = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                              -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                              0.00943887047f,   1.00167406f,     2.83297682f};

Operand Polynomial(program::Builder& builder, const Operand& w, std::span<const float> factors) {
  const auto number = [&](float factor) { return FloatNumber(builder, factor, w.dims.size()); };
  Operand y = Combined(builder, BinaryOp::multiply, w, number(factors[0]));
  for (size_t i = 1; i < factors.size(); ++i) {
    if (i > 1) y = Combined(builder, BinaryOp::multiply, y, w);
    y = Combined(builder, BinaryOp::add, y, number(factors[i]));
  }
  return y;
}

void LowerErfInv(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const program::ValueId y = scope.NewOutput(0);
  const Operand x = {scope.input(0), scope.input_dims(0)};
  const auto number = [&](float known) { return FloatNumber(builder, known, x.dims.size()); };
  const Operand above = Combined(builder, BinaryOp::add, x, number(1));
  const Operand below = Combined(builder, BinaryOp::subtract, number(1), x);
  const Operand product = Combined(builder, BinaryOp::multiply, above, below);
  const Operand logarithm = Applied(builder, UnaryOp::log, product);
  const Operand w = Applied(builder, UnaryOp::negative, logarithm);
  const Operand root = Applied(builder, UnaryOp::sqrt, w);
  const Operand from_centre = Combined(builder, BinaryOp::subtract, w, number(2.5f));
  const Operand centre = Polynomial(builder, from_centre, kErfInvCentre);
  const Operand from_tail = Combined(builder, BinaryOp::subtract, root, number(3));
  const Operand tail = Polynomial(builder, from_tail, kErfInvTail);
  const Operand is_central = Compared(builder, CompareOp::less, w, number(5));
  const Operand factor = Selected(builder, is_central, centre, tail);
  // Infinite at -1 and 1, where the polynomials have the wrong sign.
  const Operand ends = Compared(builder, CompareOp::equal, product, number(0));
  const Operand infinity = number(std::numeric_limits<float>::infinity());
  EmitBinary(builder, BinaryOp::multiply, x, Selected(builder, ends, infinity, factor), y);
}

std::optional<int64_t> ScalarNot(const ir::Node&, Scalars inputs) {
  return inputs[0] ? std::optional(int64_t{*inputs[0] == 0}) : std::nullopt;
}

constexpr Traits InCells(std::string_view name) { return {.pointwise = true, .cell_name = name}; }

constexpr Operation kUnaryRows[] = {
    {"Abs", 1, 1, 1, InferNumber, LowerNumber<UnaryOp::abs>, kPointwise},
    {"Acos", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::acos>, kPointwise},
    {"Acosh", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::acosh>, kPointwise},
    {"Asin", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::asin>, kPointwise},
    {"Asinh", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::asinh>, kPointwise},
    {"Atan", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::atan>, kPointwise},
    {"Atanh", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::atanh>, kPointwise},
    {"Ceiling", 1, 1, 1, InferNumber, LowerRounding<UnaryOp::ceiling>, kPointwise},
    {"Clamp", 1, 1, 1, InferClamp, LowerClamp, kPointwise},
    {"Cos", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::cos>, kPointwise},
    {"Cosh", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::cosh>, kPointwise},
    {"Elu", 1, 1, 1, InferElu, LowerElu, kPointwise},
    {"Erf", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::erf>, kPointwise},
    {"ErfInv", 17, 1, 1, InferFloat, LowerErfInv, kPointwise},
    {"Exp", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::exp>, kPointwise},
    {"Floor", 1, 1, 1, InferNumber, LowerRounding<UnaryOp::floor>, kPointwise},
    {"Gelu", 2, 1, 1, InferFloat, LowerUnary<UnaryOp::gelu_erf>, kPointwise},
    {"Gelu", 7, 1, 1, InferGelu, LowerGelu, kPointwise},
    {"HSigmoid", 5, 1, 1, InferFloat, LowerUnary<UnaryOp::hsigmoid>, kPointwise},
    {"HSwish", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::hswish>, kPointwise},
    {"HardSigmoid", 1, 3, 3, InferHardSigmoid, LowerHardSigmoid, InCells("hardsigmoid")},
    {"Log", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::log>, kPointwise},
    {"LogicalNot", 1, 1, 1, InferNot, LowerUnary<UnaryOp::logical_not>, PointwiseBy(ScalarNot)},
    {"Mish", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::mish>, kPointwise},
    {"Negative", 1, 1, 1, InferNumber, LowerNumber<UnaryOp::negative>, kPointwise},
    {"Relu", 1, 1, 1, InferNumber, LowerNumber<UnaryOp::relu>, InCells("relu")},
    {"Round", 5, 1, 1, InferRound, LowerRound, kPointwise},
    {"Selu", 1, 3, 3, InferSelu, LowerSelu, kPointwise},
    {"Sigmoid", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::sigmoid>, InCells("sigmoid")},
    {"Sign", 1, 1, 1, InferNumber, LowerNumber<UnaryOp::sign>, kPointwise},
    {"Sin", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::sin>, kPointwise},
    {"Sinh", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::sinh>, kPointwise},
    {"SoftPlus", 4, 1, 1, InferFloat, LowerUnary<UnaryOp::softplus>, kPointwise},
    {"SoftSign", 9, 1, 1, InferFloat, LowerUnary<UnaryOp::softsign>, InCells("softsign")},
    {"Sqrt", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::sqrt>, kPointwise},
    {"Swish", 4, 1, 2, InferSwish, LowerSwish, kPointwise},
    {"Tan", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::tan>, kPointwise},
    {"Tanh", 1, 1, 1, InferFloat, LowerUnary<UnaryOp::tanh>, InCells("tanh")},
};

}  // namespace

std::span<const Operation> UnaryOperations() { return kUnaryRows; }

format::Activation MakeActivation(UnaryOp op, float alpha, float beta) {
  return format::Activation(alpha, beta, 0, op, 0, 0);
}

void EmitUnary(program::Builder& builder, UnaryOp op, program::ValueId x, program::ValueId y,
               float alpha, float beta) {
  const int64_t count = ElementCount(builder.dims(y)).value_or(0);
  if (count == 0) return;
  format::UnaryParams params;
  params.mutate_count(Narrow32(count, "count"));
  params.mutable_activation() = MakeActivation(op, alpha, beta);
  params.mutate_type(builder.type(x));
  builder.Emit(params, {x}, {y});
}

Operand Applied(program::Builder& builder, UnaryOp op, const Operand& x, float alpha, float beta) {
  const Operand y = {builder.Scratch({builder.type(x.value), x.dims}), x.dims};
  EmitUnary(builder, op, x.value, y.value, alpha, beta);
  return y;
}

Operand FloatNumber(program::Builder& builder, float number, size_t rank) {
  return {builder.WeightsOf<float>({ElementType::f32, {1}}, {number}), Dims(rank, 1)};
}

}  // namespace weft::ops
