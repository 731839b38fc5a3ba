// SPDX-License-Identifier: Apache-2.0
// Changes of element type. A type converted to itself costs nothing.
#include <algorithm>
#include <cmath>
#include <string>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/permutation.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/scalars.h"

namespace weft::ops {
namespace {

// Checks that the step can write type `to`: its elements must be complete bytes.
void InferTo(InferScope& scope, ElementType to) {
  if (ElementBytes(to) == 0 && to != scope.input_element(0)) {
    scope.Fault("destination type is {}; i4 and u4 can only be converted from", Name(to));
  }
  scope.SetOutput(0, to, scope.input_dims(0));
}

// Returns true if all elements of input 0, truncated, are known to be in [0, maximum of `to`].
bool FitInto(const NodeScope& scope, const WidenedType& to) {
  const ElementType from = scope.input_element(0);
  if (const WidenedType* type = scope.input_widened(0)) {
    if (type->bits <= to.bits) return true;
  }
  if (from == ElementType::boolean || from == ElementType::u4 || from == ElementType::u8) {
    return true;
  }
  const std::optional<std::vector<double>> numbers = scope.Numbers(0);
  return numbers && std::ranges::all_of(*numbers, [&](double number) {
           return number > -1 && number < std::ldexp(1.0, std::min(to.bits, 63));
         });
}

// Conversion to a 1-bit type is rejected: every number except 0 would become 1.
void InferWidened(InferScope& scope, const WidenedType& to) {
  if (to.bits == 1) {
    return scope.Fault("destination type is {}; {} can only be converted from", to.name, to.name);
  }
  if (!FitInto(scope, to)) {
    return scope.Fault(
        "converts {} to {}, which is read as {}; input 0 must be u8, boolean or constants that fit",
        ToString(scope.input_type(0)), to.name, Name(to.to));
  }
  InferTo(scope, to.to);
  scope.SetWidened(0, &to);
}

void InferConvert(InferScope& scope) {
  const std::string text = scope.attributes.Text("destination_type", "");
  const std::optional<ElementType> to = ParseElementType(text);
  if (to) return InferTo(scope, *to);
  if (const WidenedType* widened = FindWidenedType(text)) return InferWidened(scope, *widened);
  scope.Fault(
      "destination_type is \"{}\"; must be one of f32 f16 bf16 f64 i8 u8 i16 i32 i64 boolean",
      text);
}

void InferConvertLike(InferScope& scope) {
  if (const WidenedType* like = scope.input_widened(1)) return InferWidened(scope, *like);
  InferTo(scope, scope.input_element(1));
}

// Converts input i to output i.
void LowerConverted(LowerScope& scope, size_t i) {
  const ElementType from = scope.input_element(i), to = scope.output_type(i).type;
  if (from == to) return scope.Forward(i, i);
  const program::ValueId y = scope.NewOutput(i);
  EmitConvert(scope.builder, scope.input(i), y);
}

void LowerConvert(LowerScope& scope) { LowerConverted(scope, 0); }

// ConvertPromoteTypes converts both inputs to a common type. All floats are f32 at this point.

struct IntegerType {
  int64_t bits;
  bool is_signed;
};

IntegerType IntegerTypeOf(const NodeScope& scope, size_t i) {
  const ElementType type = scope.input_element(i);
  if (const WidenedType* widened = scope.input_widened(i)) return {widened->bits, false};
  return {BitsOf(type), type != ElementType::u4 && type != ElementType::u8};
}

std::string IntegerName(const IntegerType& type) {
  return fmt::format("{}{}", type.is_signed ? "i" : "u", type.bits);
}

// The common type of two different integer types; empty if the attribute decides.
std::string PromotedInteger(const NodeScope& scope) {
  const IntegerType a = IntegerTypeOf(scope, 0), b = IntegerTypeOf(scope, 1);
  const bool is_scalar = scope.rank(0) == 0, other_is_scalar = scope.rank(1) == 0;
  if (scope.attributes.Bool("pytorch_scalar_promotion", false) && is_scalar != other_is_scalar) {
    return IntegerName(is_scalar ? b : a);
  }
  if (a.is_signed == b.is_signed) return IntegerName(a.bits > b.bits ? a : b);
  const IntegerType& with_sign = a.is_signed ? a : b;
  const IntegerType& without = a.is_signed ? b : a;
  if (without.bits > 32) return "";
  return IntegerName({std::max(with_sign.bits, 2 * without.bits), true});
}

std::string PromotedType(const NodeScope& scope) {
  const ElementType a = scope.input_element(0), b = scope.input_element(1);
  if (scope.input_type_name(0) == scope.input_type_name(1) || b == ElementType::boolean) {
    return std::string(scope.input_type_name(0));
  }
  if (a == ElementType::boolean) return std::string(scope.input_type_name(1));
  if (IsFloat(a) || IsFloat(b)) return std::string(Name(IsFloat(a) ? a : b));
  const std::string integer = PromotedInteger(scope);
  if (!integer.empty()) return integer;
  const std::string target = scope.attributes.Text("u64_integer_promotion_target", "f32");
  const std::optional<ElementType> named = ParseElementType(target);
  return named && IsFloat(*named) ? std::string(Name(ElementType::f32)) : target;
}

void InferPromote(InferScope& scope) {
  const std::string name = PromotedType(scope);
  const std::optional<ElementType> to = ParseElementType(name);
  const bool same = scope.input_type_name(0) == scope.input_type_name(1);
  if (!same && (!to || ElementBytes(*to) == 0)) {
    return scope.Fault("promotes {} and {} to {}; must be one of f32 i8 u8 i16 i32 i64 boolean",
                       scope.input_type_name(0), scope.input_type_name(1), name);
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    scope.SetOutput(i, same ? scope.input_element(i) : *to, scope.input_dims(i));
    if (same) scope.SetWidened(i, scope.input_widened(i));
  }
}

void LowerPromote(LowerScope& scope) {
  LowerConverted(scope, 0);
  LowerConverted(scope, 1);
}

void PromoteAxes(AxisScope& scope) {
  scope.Same(0, 0);
  scope.Same(1, 1);
}

// A counter that becomes a float is no longer followed.
std::optional<int64_t> ScalarConverted(const ir::Node& node, Scalars inputs) {
  const auto to = node.attributes.find("destination_type");
  const bool whole = to != node.attributes.end() && (to->second == "i32" || to->second == "i64");
  return whole ? inputs[0] : std::nullopt;
}

constexpr Traits kConverts = {.scalar = ScalarConverted,
                              .scalar_is_polynomial = true,
                              .pointwise = true,
                              .converts = true,
                              .typed_by = "destination_type"};
constexpr Traits kConvertsLike = {
    .converts = true, .axes = SameAxes, .permutation = SamePermutation};
constexpr Traits kPromotes = {.converts = true, .axes = PromoteAxes};

constexpr Operation kConvertRows[] = {
    {"Convert", 1, 1, 1, InferConvert, LowerConvert, kConverts},
    {"ConvertLike", 1, 2, 2, InferConvertLike, LowerConvert, kConvertsLike},
    {"ConvertPromoteTypes", 14, 2, 2, InferPromote, LowerPromote, kPromotes},
};

}  // namespace

std::span<const Operation> ConvertOperations() { return kConvertRows; }

void EmitConvert(program::Builder& builder, program::ValueId x, program::ValueId y) {
  const int64_t count = ElementCount(builder.dims(y)).value_or(0);
  if (count == 0) return;
  builder.Emit(format::ConvertParams(Narrow32(count, "count"), builder.type(x), builder.type(y), 0),
               {x}, {y});
}

program::ValueId Converted(program::Builder& builder, program::ValueId x, ElementType to) {
  const TensorType type = builder.value(x).type;
  if (type.type == to) return x;
  const program::ValueId y = builder.Scratch({to, type.dims});
  EmitConvert(builder, x, y);
  return y;
}

}  // namespace weft::ops
