// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/site.h"

#include <fmt/format.h>

#include <optional>

#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/rings.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool ChangesNothing(const std::vector<int64_t>& table, const QuantParams& from) {
  for (int code = from.low; code <= from.high; ++code) {
    if (table[static_cast<size_t>(code - kMinByte)] != code) return false;
  }
  return true;
}

// x / scale, rounded to an integer, halves away from zero.
ir::Source RoundedQuotient(ir::Graph& graph, const ir::Node& like, ir::Source x,
                           const QuantParams& to) {
  const ir::Source scale = NewFloats(graph, like, {}, {static_cast<float>(to.scale)});
  const ir::Source quotient = {NewInferredNode(graph, like, "Divide", 1, {x, scale}), 0};
  return {
      NewInferredNode(graph, like, "Round", 5, {quotient}, 1, {{"mode", "half_away_from_zero"}}),
      0};
}

}  // namespace

std::string AttributeOf(const kernels::Multiplier& multiplier) {
  return fmt::format("{},{}", multiplier.mantissa, multiplier.exponent);
}

std::string AttributeOf(double number) { return fmt::format("{}", static_cast<float>(number)); }

void WriteQuantParams(NodeAttributes& attributes, const QuantParams& quant_params) {
  attributes[ops::kCodeZero] = std::to_string(quant_params.zero);
  attributes[ops::kCodeLow] = std::to_string(quant_params.low);
  attributes[ops::kCodeHigh] = std::to_string(quant_params.high);
}

ir::Source NewByteTable(ir::Graph& graph, const ir::Node& like, ir::Source integers,
                        const std::vector<int64_t>& table) {
  const ir::Source bytes =
      NewInts(graph, like, {ElementType::i8, {static_cast<int64_t>(table.size())}}, table);
  return {NewInferredNode(graph, like, "ByteTable", ops::kPassOnly, {integers, bytes}), 0};
}

ir::Source BytesAs(ir::Graph& graph, const ir::Node& like, ir::Source bytes, ElementType type) {
  if (TypeOf(bytes).type == type) return bytes;
  std::vector<int64_t> table;
  for (int position = 0; position < kByteCount; ++position) {
    table.push_back(type == ElementType::i8 && position > kMaxByte ? position - kByteCount
                                                                   : position);
  }
  const ir::Source numbers = NewInts(graph, like, {type, {kByteCount}}, table);
  return {NewInferredNode(graph, like, "ByteTable", ops::kPassOnly, {bytes, numbers}), 0};
}

ir::Source QuantiseSite::Integers(const ir::Source& source) {
  const auto found = integers_.find({source.node, source.port});
  if (found != integers_.end()) return found->second;
  const ir::Source made = MakeIntegers(*source.node, source.port);
  integers_[{source.node, source.port}] = made;
  return made;
}

ir::Source QuantiseSite::MakeIntegers(ir::Node& node, uint32_t port) {
  if (QuantiserOf(node)) return Quantised(node);
  if (node.operation->traits.converts) {
    return BytesAs(graph_, node, node.inputs[0], ElementType::i8);
  }
  if (IsCalled(node, "Dequantize")) return node.inputs[0];
  if (node.operation->traits.joins) return Joined(node, nullptr);
  if (node.operation->traits.picks) return Moved(node, port);
  // A clamp that excludes no code, an offset or a scale: the codes are unchanged.
  if (BoundsOf(node) || IsCalled(node, "Subtract") || IsCalled(node, "Multiply")) {
    return Integers(node.inputs[0]);
  }
  return OfRing(node);
}

void QuantiseSite::SetIntegers(ir::Node& node, ir::Source integers) {
  const QuantParams& quant_params = *quant_params_.Of({&node, 0});
  integers_[{&node, 0}] = integers;
  Become(node, "Dequantize", ops::kPassOnly, {integers});
  node.attributes = {{ops::kCodeScale, AttributeOf(quant_params.scale)},
                     {ops::kInputZero, std::to_string(quant_params.zero)}};
}

void QuantiseSite::SetChannels(const ir::Node& quantiser, ir::Source integers,
                               ChannelQuantParams quant_params) {
  integers_[{&quantiser, 0}] = integers;
  channels_[&quantiser] = std::move(quant_params);
}

const ChannelQuantParams* QuantiseSite::ChannelsOf(const ir::Source& source) const {
  const auto found = channels_.find(source.node);
  return found == channels_.end() ? nullptr : &found->second;
}

ir::Source QuantiseSite::OfRing(ir::Node& ring) {
  const QuantParams quant_params = *quant_params_.Of({&ring, 0});
  const ir::Source data = Integers(ring.inputs[0]);
  for (const RingPair& pair : RingsOfIntegers(graph_, ring, data, quant_params)) {
    if (quant_params_.Of({pair.ring, 0}) != nullptr) SetIntegers(*pair.ring, {pair.of_integers, 0});
  }
  return integers_.at({&ring, 0});
}

// The codes of a quantiser, from a quantised value, from quantised parts of a join, or from any f32
// value.
ir::Source QuantiseSite::Quantised(ir::Node& node) {
  const QuantParams to = QuantiserOf(node)->in;
  const ir::Source x = node.inputs[0];
  ir::Source integers;
  if (const QuantParams* from = quant_params_.Of(x)) {
    integers = Requantised(node, Integers(x), *from, to);
  } else if (ArePartsQuantised(*x.node)) {
    integers = Joined(*x.node, &to);
  } else {
    integers = OfFloats(node, x, to);
  }
  SetIntegers(node, integers);
  return integers;
}

// Quantises numbers before an operation that moves them, because moving bytes is faster.
ir::Source QuantiseSite::OfFloats(const ir::Node& like, const ir::Source& x,
                                  const QuantParams& to) {
  ir::Node& move = *x.node;
  const bool is_moved = ops::TraitsOf(move).picks &&
                        move.operation->traits.steering == ops::Steering::kShape &&
                        move.outputs.size() == 1 && reads_.SoleReader(move) != nullptr &&
                        CountIn(x) == CountIn(move.inputs[0]);
  if (is_moved) {
    std::vector<ir::Source> inputs = move.inputs;
    inputs[0] = OfFloats(like, inputs[0], to);
    return {
        NewInferredNode(graph_, move, move.type, move.operation->opset, inputs, 1, move.attributes),
        0};
  }
  const bool is_of_floats = RoundsFloats(like);
  NodeAttributes attributes = {{ops::kInverse, is_of_floats ? "1" : AttributeOf(1 / to.scale)}};
  WriteQuantParams(attributes, to);
  const ir::Source scaled = is_of_floats ? RoundedQuotient(graph_, like, x, to) : x;
  return {NewInferredNode(graph_, like, "Quantize", ops::kPassOnly, {scaled}, 1, attributes), 0};
}

bool QuantiseSite::ArePartsQuantised(const ir::Node& join) const {
  if (join.constant || !ops::TraitsOf(join).joins) return false;
  for (const ir::Source& part : join.inputs) {
    if (quant_params_.Of(part) == nullptr) return false;
  }
  return true;
}

ir::Source QuantiseSite::Requantised(const ir::Node& like, ir::Source integers,
                                     const QuantParams& from, const QuantParams& to) {
  std::vector<int64_t> table;
  const bool is_of_floats = RoundsFloats(like);
  if (by_integers() && !is_of_floats) table = RequantisedTable(from, to).value_or(table);
  for (int code = kMinByte; table.size() < kByteCount; ++code) {
    const float number = NumberAt(code, from);
    table.push_back(is_of_floats ? DividedCodeOf(number, to) : CodeOf(number, to));
  }
  if (ChangesNothing(table, from)) return integers;
  return NewByteTable(graph_, like, integers, table);
}

// Joins the codes of all parts; requantises them to `to` if it is not null.
ir::Source QuantiseSite::Joined(ir::Node& node, const QuantParams* to) {
  std::vector<ir::Source> parts;
  for (const ir::Source& part : node.inputs) {
    const ir::Source integers = Integers(part);
    parts.push_back(to == nullptr ? integers
                                  : Requantised(node, integers, *quant_params_.Of(part), *to));
  }
  return {
      NewInferredNode(graph_, node, node.type, node.operation->opset, parts, 1, node.attributes),
      0};
}

ir::Source QuantiseSite::Moved(ir::Node& node, uint32_t port) {
  std::vector<ir::Source> inputs = node.inputs;
  inputs[0] = Integers(inputs[0]);
  const auto count = static_cast<uint32_t>(node.outputs.size());
  ir::Node* moved = NewInferredNode(graph_, node, node.type, node.operation->opset, inputs, count,
                                    node.attributes);
  for (uint32_t i = 0; i < count; ++i) {
    if (quant_params_.Of({&node, i}) != nullptr) integers_[{&node, i}] = {moved, i};
  }
  return {moved, port};
}

}  // namespace weft::graph
