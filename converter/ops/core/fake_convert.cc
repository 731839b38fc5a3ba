// SPDX-License-Identifier: Apache-2.0
// FakeConvert: the value of x after conversion to an 8-bit float and back, (rounded(x * scale -
// shift) + shift) / scale. OpenVINO's 8-bit floats are derived from f16, so that there are two
// roundings. The second one uses f32 sums: it adds and subtracts a number whose last bit has the
// weight of the 8-bit number's last bit.
#include <algorithm>
#include <cmath>

#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::UnaryOp;

// An 8-bit float type. Values beyond the maximum are clamped to it.
struct ShortFloat {
  std::string_view name;
  int fraction_bits;
  int min_exponent;  // of a normal number
  float largest;
};
constexpr ShortFloat kShortFloats[] = {{"f8e4m3", 3, -6, 448}, {"f8e5m2", 2, -14, 57344}};

const ShortFloat& ShortFloatOf(const NodeScope& scope) {
  constexpr std::string_view kShortNames[] = {kShortFloats[0].name, kShortFloats[1].name};
  const std::string name = scope.attributes.Choice("destination_type", kShortNames[0], kShortNames);
  return *std::ranges::find(kShortFloats, name, &ShortFloat::name);
}

void InferFakeConvert(InferScope& scope) {
  std::vector<size_t> operands = {0, 1};
  if (scope.has_input(2)) operands.push_back(2);
  CheckElements(scope, operands, {ElementType::f32});
  scope.RequireAttributes({"destination_type"});
  ShortFloatOf(scope);
  const std::optional<Dims> dims = BroadcastDims(scope, operands);
  if (dims && *dims != scope.input_dims(0)) {
    scope.Fault("scale and shift make {} of x, which is {}; must broadcast to the shape of x",
                ToString(*dims), ToString(scope.input_type(0)));
  }
  scope.SetOutput(0, scope.input_type(0));
}

// Returns x rounded to the nearest number of the type.
Operand Rounded(program::Builder& builder, const ShortFloat& to, Operand x) {
  const auto number = [&](float known) { return FloatNumber(builder, known, x.dims.size()); };
  x = Applied(builder, UnaryOp::clamp, x, -to.largest, to.largest);
  x.value = Converted(builder, Converted(builder, x.value, ElementType::f16), ElementType::f32);
  // The leading power of two of x: x times 2^23 + 1, minus the next smaller float.
  const Operand grown = Combined(builder, BinaryOp::multiply, x, number(8388609));
  const Operand below = Combined(builder, BinaryOp::multiply, grown, number(0x1.fffffep-1f));
  const Operand difference = Combined(builder, BinaryOp::subtract, grown, below);
  const Operand size = Applied(builder, UnaryOp::abs, difference);
  const Operand first_bit =
      Combined(builder, BinaryOp::maximum, size, number(std::ldexp(1.0f, to.min_exponent)));
  // `coarse` is 1.5 * P, P = first_bit * 2^(23 - fraction_bits). The last bit of a float in
  // [P, 2 P] is worth P * 2^-23, which is the last bit of the 8-bit number.
  const Operand coarse = Combined(builder, BinaryOp::multiply, first_bit,
                                  number(std::ldexp(1.5f, 23 - to.fraction_bits)));
  return Combined(builder, BinaryOp::subtract, Combined(builder, BinaryOp::add, x, coarse), coarse);
}

bool IsKnownZero(const NodeScope& scope, size_t i) {
  const std::optional<std::vector<double>> numbers = scope.Numbers(i);
  return numbers && std::ranges::all_of(*numbers, [](double number) { return number == 0; });
}

void LowerFakeConvert(LowerScope& scope) {
  const Dims dims = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  const Operand scale = {scope.input(1), AlignedDims(scope, 1, dims)};
  Operand x = {scope.input(0), dims};
  x = Combined(scope.builder, BinaryOp::multiply, x, scale);
  const bool shifts = scope.has_input(2) && !IsKnownZero(scope, 2);
  const Operand shift =
      shifts ? Operand{scope.input(2), AlignedDims(scope, 2, dims)} : Operand{program::kNone, {}};
  if (shifts) x = Combined(scope.builder, BinaryOp::subtract, x, shift);
  x = Rounded(scope.builder, ShortFloatOf(scope), x);
  if (shifts) x = Combined(scope.builder, BinaryOp::add, x, shift);
  EmitBinary(scope.builder, BinaryOp::divide, x, scale, y);
}

constexpr Operation kFakeConvertRows[] = {
    {"FakeConvert", 13, 2, 3, InferFakeConvert, LowerFakeConvert, kPointwise},
};

}  // namespace

std::span<const Operation> FakeConvertOperations() { return kFakeConvertRows; }

}  // namespace weft::ops
