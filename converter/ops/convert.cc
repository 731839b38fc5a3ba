// SPDX-License-Identifier: Apache-2.0
// Changes of element type. A type converted to itself costs nothing.
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

void InferConvert(InferScope& scope) {
  const std::string text = scope.attributes.Text("destination_type", "");
  const std::optional<ElementType> to = ParseElementType(text);
  if (to) return InferTo(scope, *to);
  scope.Fault(
      "destination_type is \"{}\"; must be one of f32 f16 bf16 f64 i8 u8 i16 i32 i64 boolean",
      text);
}

void InferConvertLike(InferScope& scope) { InferTo(scope, scope.input_element(1)); }

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
     {.scalar = ScalarConverted, .pointwise = true}},
    {"ConvertLike", 1, 2, 2, InferConvertLike, LowerConvert, Apart(SameAxes)},
};

}  // namespace

std::span<const Operation> ConvertOperations() { return kConvertRows; }

}  // namespace weft::ops
