// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/operand.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// tflite-micro compares differences to the zero points times 2^8 times the scale, rounded.
constexpr int32_t kUnit = 1 << 8;

using Relation = bool (*)(int64_t, int64_t);
constexpr std::array<std::pair<std::string_view, Relation>, 6> kRelations = {{
    {"Equal", [](int64_t a, int64_t b) { return a == b; }},
    {"NotEqual", [](int64_t a, int64_t b) { return a != b; }},
    {"Less", [](int64_t a, int64_t b) { return a < b; }},
    {"LessEqual", [](int64_t a, int64_t b) { return a <= b; }},
    {"Greater", [](int64_t a, int64_t b) { return a > b; }},
    {"GreaterEqual", [](int64_t a, int64_t b) { return a >= b; }},
}};

Relation RelationOf(const ir::Node& node) {
  for (const auto& [name, relation] : kRelations) {
    if (IsCalled(node, name)) return relation;
  }
  return nullptr;
}

// The compared integer of each code, from -128 on; nullopt if the scale is not below 1.
std::optional<std::vector<int64_t>> IntegersOf(const QuantParams& params) {
  const std::optional<kernels::Multiplier> multiplier = MultiplierOf(params.scale);
  if (!multiplier || multiplier->exponent > 0) return std::nullopt;
  std::vector<int64_t> integers;
  for (int code = kMinByte; code <= kMaxByte; ++code) {
    integers.push_back(kernels::Rescaled((code - params.zero) * kUnit, *multiplier));
  }
  return integers;
}

int64_t IntegerOf(const std::vector<int64_t>& integers, int64_t code) {
  return integers[static_cast<size_t>(code - kMinByte)];
}

// The integers of a value, as i32. A computed value gathers them by its codes, of which negative
// ones count from the end.
ir::Source Compared(QuantiseSite& site, const ir::Node& node, const ir::Source& source,
                    const Operand& operand, const std::vector<int64_t>& integers) {
  ir::Graph& graph = site.graph();
  std::vector<int64_t> numbers;
  if (operand.constant) {
    for (const int64_t code : *operand.constant) numbers.push_back(IntegerOf(integers, code));
    return NewInts(graph, node, {ElementType::i32, TypeOf(source).dims}, numbers);
  }
  for (int code = 0; code < kByteCount; ++code) {
    numbers.push_back(IntegerOf(integers, code > kMaxByte ? code - kByteCount : code));
  }
  const ir::Source table = NewInts(graph, node, {ElementType::i32, {kByteCount}}, numbers);
  const ir::Source axis = NewInts(graph, node, {ElementType::i64, {}}, {0});
  return NewOperation(graph, node, "Gather", 8, {table, site.Integers(source), axis});
}

// One table if a value is compared with a constant of one element.
void BecomeTable(QuantiseSite& site, ir::Node& node, size_t data, const std::vector<int64_t>& is) {
  ir::Graph& graph = site.graph();
  const ir::Source table = NewInts(graph, node, {ElementType::u8, {kByteCount}}, is);
  const ir::Source results = NewOperation(graph, node, "ByteTable", ops::kPassOnly,
                                          {site.Integers(node.inputs[data]), table});
  Become(node, "Convert", 1, {results});
  node.attributes = {{"destination_type", "boolean"}};
}

}  // namespace

bool QuantiseComparison(QuantiseSite& site, ir::Node& node) {
  const Relation relation = RelationOf(node);
  if (relation == nullptr || !site.by_integers() || node.inputs.size() != 2) return false;
  const std::optional<Operand> a = OperandOf(site, node.inputs[0]);
  const std::optional<Operand> b = OperandOf(site, node.inputs[1]);
  if (!a || !b || (a->constant && b->constant)) return false;
  const auto of_a = IntegersOf(a->params), of_b = IntegersOf(b->params);
  if (!of_a || !of_b) return false;
  const size_t data = a->constant ? 1 : 0;
  const Operand& other = data == 0 ? *b : *a;
  if (other.is_scalar() && TypeOf(node.inputs[data]).dims == node.outputs[0].type.dims) {
    std::vector<int64_t> is;
    for (int64_t code = kMinByte; code <= kMaxByte; ++code) {
      const int64_t constant = other.constant->front();
      is.push_back(relation(IntegerOf(*of_a, data == 0 ? code : constant),
                            IntegerOf(*of_b, data == 0 ? constant : code)));
    }
    BecomeTable(site, node, data, is);
    return true;
  }
  const std::vector<ir::Source> inputs = {Compared(site, node, node.inputs[0], *a, *of_a),
                                          Compared(site, node, node.inputs[1], *b, *of_b)};
  Become(node, node.type, 1, inputs);
  return true;
}

}  // namespace weft::graph
