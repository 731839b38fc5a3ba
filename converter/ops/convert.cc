// SPDX-License-Identifier: Apache-2.0
// Changes of element type. A type converted to itself costs nothing.
#include <algorithm>
#include <cmath>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/families.h"
#include "converter/ops/scalars.h"

namespace weft::ops {
namespace {

// The type that the step can write: every one of whole bytes.
void InferTo(InferScope& scope, ElementType to) {
  if (ElementBytes(to) == 0 && to != scope.input_element(0)) {
    scope.Fault("destination type is {}; i4 and u4 can only be converted from", Name(to));
  }
  scope.SetOutput(0, to, scope.input_dims(0));
}

// Are all elements of input 0, fractions cut off, from 0 to the greatest of the type?
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

// Of 1 bit, every number but 0 would become 1: nothing converts to it.
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

void LowerConvert(LowerScope& scope) {
  const ElementType from = scope.input_element(0), to = scope.output_type(0).type;
  if (from == to) return scope.Forward(0, 0);
  const plan::ValueId y = scope.NewOutput(0);
  const int64_t count = ElementCount(scope.output_type(0).dims).value_or(0);
  if (count == 0) return;
  scope.builder.Emit(format::ConvertParams(Narrow32(count, "count"), from, to, 0), {scope.input(0)},
                     {y});
}

// What becomes a float is no counter any more.
std::optional<int64_t> ScalarConverted(const ir::Node& node, Scalars inputs) {
  const auto to = node.attributes.find("destination_type");
  const bool whole = to != node.attributes.end() && (to->second == "i32" || to->second == "i64");
  return whole ? inputs[0] : std::nullopt;
}

constexpr Operation kConvertRows[] = {
    {"Convert",
     1,
     1,
     1,
     InferConvert,
     LowerConvert,
     {.scalar = ScalarConverted, .pointwise = true, .converts = true}},
    {"ConvertLike", 1, 2, 2, InferConvertLike, LowerConvert, {.converts = true, .axes = SameAxes}},
};

}  // namespace

std::span<const Operation> ConvertOperations() { return kConvertRows; }

}  // namespace weft::ops
