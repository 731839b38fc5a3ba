// SPDX-License-Identifier: Apache-2.0
// Bitwise operations on integers, and on booleans, which have one bit. Shifts are products with a
// power of two and divisions that round down; the arithmetic steps compute both exactly.
#include <algorithm>

#include "converter/ops/families.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/integers.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

using format::BinaryOp;

constexpr size_t kBits[] = {0};

bool CheckBits(InferScope& scope, std::span<const size_t> operands) {
  return CheckElements(scope, operands,
                       {ElementType::boolean, ElementType::i8, ElementType::u8, ElementType::i16,
                        ElementType::i32, ElementType::i64});
}

void InferBits(InferScope& scope) {
  CheckBits(scope, kBoth);
  if (const std::optional<Dims> dims = BroadcastDims(scope, kBoth)) {
    scope.SetOutput(0, scope.input_element(0), *dims);
  }
}

void InferBitsOfOne(InferScope& scope) {
  CheckBits(scope, kBits);
  scope.SetOutput(0, scope.input_type(0));
}

// Input i along the output's axes, as `type`.
Operand BitsOperand(LowerScope& scope, size_t i, ElementType type) {
  return {Converted(scope.builder, scope.input(i), type),
          AlignedDims(scope, i, scope.output_type(0).dims)};
}

void EmitBits(LowerScope& scope, BinaryOp op) {
  const ElementType type = scope.input_element(0);
  EmitBinary(scope.builder, op, BitsOperand(scope, 0, type), BitsOperand(scope, 1, type),
             scope.NewOutput(0));
}

template <BinaryOp bitwise, BinaryOp logical>
void LowerBits(LowerScope& scope) {
  LowerInI32(scope, kNarrowIntegers, [](LowerScope& wide) {
    EmitBits(wide, wide.input_element(0) == ElementType::boolean ? logical : bitwise);
  });
}

void EmitBitwiseNot(LowerScope& scope) {
  const Dims& dims = scope.output_type(0).dims;
  const program::ValueId ones = IntegerWeights(scope.builder, scope.input_element(0), {-1});
  EmitBinary(scope.builder, BinaryOp::bitwise_xor, {scope.input(0), dims},
             {ones, Dims(dims.size(), 1)}, scope.NewOutput(0));
}

void LowerBitwiseNot(LowerScope& scope) {
  if (scope.input_element(0) == ElementType::boolean) {
    return EmitUnary(scope.builder, format::UnaryOp::logical_not, scope.input(0),
                     scope.NewOutput(0));
  }
  LowerInI32(scope, kNarrowIntegers, EmitBitwiseNot);
}

// Shifts.

int64_t WidthOf(const NodeScope& scope) { return BitsOf(scope.input_element(0)); }

// Rejects shifts by a negative count or by at least the width of the type: the specification leaves
// the result undefined, and processors differ.
void InferShift(InferScope& scope) {
  CheckIntegers(scope, kBoth);
  if (const std::optional<Dims> positions = scope.Ints(1)) {
    const auto out = std::ranges::find_if(
        *positions, [&](int64_t by) { return by < 0 || by >= WidthOf(scope); });
    if (out != positions->end()) {
      scope.Fault(
          "input 1 (shift amount) holds {}; must be from 0 to {}, other shifts are undefined", *out,
          WidthOf(scope) - 1);
    }
  }
  if (const std::optional<Dims> dims = BroadcastDims(scope, kBoth)) {
    scope.SetOutput(0, scope.input_element(0), *dims);
  }
}

// Emits i32 or i64 steps on values that are aligned with an output.
class ShiftSteps {
 public:
  ShiftSteps(program::Builder& builder, ElementType type, size_t rank)
      : builder_(builder), type_(type), rank_(rank) {}

  Operand Numbers(const Dims& numbers, const Dims& dims) {
    return {IntegerWeights(builder_, type_, numbers), dims};
  }
  Operand Number(int64_t number) { return Numbers({number}, Dims(rank_, 1)); }
  Operand Of(BinaryOp op, const Operand& a, const Operand& b) {
    return Combined(builder_, op, a, b);
  }
  // 2^places. Wrap-around yields 0 for counts from the type's width on and for negative counts.
  Operand PowerOfTwo(const Operand& positions) { return Of(BinaryOp::power, Number(2), positions); }
  // x / divisor, rounded down.
  Operand Quotient(const Operand& x, const Operand& divisor) {
    const Operand rest = Of(BinaryOp::floor_mod, x, divisor);
    return Of(BinaryOp::divide, Of(BinaryOp::subtract, x, rest), divisor);
  }

 private:
  program::Builder& builder_;
  const ElementType type_;
  const size_t rank_;
};

// 2^(places - from) of each count, clamped to [1, 2^(to - from)]. The highest power of a signed
// type is its minimum value.
Dims PowersOfTwo(const Dims& positions, ElementType type, int64_t from, int64_t to) {
  constexpr int64_t kBeyondI32 = int64_t{1} << 31;
  Dims powers;
  for (const int64_t by : positions) {
    const auto power = static_cast<int64_t>(uint64_t{1} << (std::clamp(by, from, to) - from));
    powers.push_back(type == ElementType::i32 && power == kBeyondI32 ? -power : power);
  }
  return powers;
}

void LowerLeftShift(LowerScope& scope) {
  const ElementType type = scope.input_element(0);
  const Dims dims = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  ShiftSteps steps(scope.builder, type, dims.size());
  const std::optional<Dims> positions = scope.Ints(1);
  const Operand factor =
      positions ? steps.Numbers(PowersOfTwo(*positions, type, 0, 63), AlignedDims(scope, 1, dims))
                : steps.PowerOfTwo(BitsOperand(scope, 1, type));
  EmitBinary(scope.builder, BinaryOp::multiply, BitsOperand(scope, 0, type), factor, y);
}

// Divisors of i64, applied one after the other because 2^63 is not representable.
std::vector<Operand> ShiftDivisors(LowerScope& scope, ShiftSteps& steps) {
  constexpr int64_t kMaxPositions = 62;
  const bool is_wide = scope.input_element(0) == ElementType::i64;
  if (const std::optional<Dims> known = scope.Ints(1)) {
    const Dims dims = AlignedDims(scope, 1, scope.output_type(0).dims);
    std::vector<Operand> divisors = {
        steps.Numbers(PowersOfTwo(*known, ElementType::i64, 0, kMaxPositions), dims)};
    if (std::ranges::all_of(*known, [](int64_t by) { return by <= kMaxPositions; }))
      return divisors;
    divisors.push_back(steps.Numbers(
        PowersOfTwo(*known, ElementType::i64, kMaxPositions, kMaxPositions + 1), dims));
    return divisors;
  }
  const Operand positions =
      steps.Of(BinaryOp::maximum, BitsOperand(scope, 1, ElementType::i64), steps.Number(0));
  const Operand max = steps.Of(BinaryOp::minimum, positions, steps.Number(kMaxPositions));
  std::vector<Operand> divisors = {steps.PowerOfTwo(max)};
  if (!is_wide) return divisors;
  const Operand left =
      steps.Of(BinaryOp::minimum, steps.Of(BinaryOp::subtract, positions, max), steps.Number(1));
  divisors.push_back(steps.PowerOfTwo(left));
  return divisors;
}

// Computed in i64, where a division that rounds down shifts in the sign bit.
void LowerRightShift(LowerScope& scope) {
  const TensorType type = scope.output_type(0);
  ShiftSteps steps(scope.builder, ElementType::i64, type.dims.size());
  Operand shifted = BitsOperand(scope, 0, ElementType::i64);
  for (const Operand& divisor : ShiftDivisors(scope, steps)) {
    shifted = steps.Quotient(shifted, divisor);
  }
  if (type.type == ElementType::i64) return scope.SetOutput(0, shifted.value);
  EmitConvert(scope.builder, shifted.value, scope.NewOutput(0));
}

// Scalar rules of counters and conditions.

bool IsBoolean(const ir::Node& node) { return node.outputs[0].type.type == ElementType::boolean; }

int64_t XorOf(int64_t a, int64_t b) { return a ^ b; }

// 0 & x is 0 for any x.
std::optional<int64_t> ScalarAnd(const ir::Node&, Scalars inputs) {
  if (inputs[0] == 0 || inputs[1] == 0) return 0;
  return inputs[0] && inputs[1] ? std::optional(*inputs[0] & *inputs[1]) : std::nullopt;
}

std::optional<int64_t> ScalarOr(const ir::Node& node, Scalars inputs) {
  if (IsBoolean(node) && (inputs[0] == 1 || inputs[1] == 1)) return 1;
  return inputs[0] && inputs[1] ? std::optional(*inputs[0] | *inputs[1]) : std::nullopt;
}

std::optional<int64_t> ScalarBitwiseNot(const ir::Node& node, Scalars inputs) {
  return inputs[0] && IsBoolean(node) ? std::optional(int64_t{*inputs[0] == 0}) : std::nullopt;
}

constexpr Operation kBitwiseRows[] = {
    {"BitwiseAnd", 13, 2, 2, InferBits, LowerBits<BinaryOp::bitwise_and, BinaryOp::logical_and>,
     PointwiseBy(ScalarAnd)},
    {"BitwiseOr", 13, 2, 2, InferBits, LowerBits<BinaryOp::bitwise_or, BinaryOp::logical_or>,
     PointwiseBy(ScalarOr)},
    {"BitwiseXor", 13, 2, 2, InferBits, LowerBits<BinaryOp::bitwise_xor, BinaryOp::logical_xor>,
     PointwiseBy(ScalarOfBoth<XorOf>)},
    {"BitwiseNot", 13, 1, 1, InferBitsOfOne, LowerBitwiseNot, PointwiseBy(ScalarBitwiseNot)},
    {"BitwiseLeftShift", 15, 2, 2, InferShift, LowerNarrow<LowerLeftShift>, kPointwise},
    {"BitwiseRightShift", 15, 2, 2, InferShift, LowerRightShift, kPointwise},
};

}  // namespace

std::span<const Operation> BitwiseOperations() { return kBitwiseRows; }

}  // namespace weft::ops
