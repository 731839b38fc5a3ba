// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "converter/base/visible.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/rings.h"
#include "converter/graph/quantise/shorts.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/moved_inputs.h"
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
  const ir::Source quotient = NewOperation(graph, like, "Divide", 1, {x, scale});
  return NewOperation(graph, like, "Round", 5, {quotient}, {{"mode", "half_away_from_zero"}});
}

// Adds a number to each code, modulo 256.
std::vector<int64_t> WrappedTable(int added) {
  std::vector<int64_t> table;
  for (int code = kMinByte; code <= kMaxByte; ++code) {
    table.push_back(static_cast<int8_t>(code + added));
  }
  return table;
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
  if (quant_params.is_short()) attributes[ops::kShortCodes] = "1";
}

ir::Source NewByteTable(ir::Graph& graph, const ir::Node& like, ir::Source integers,
                        const std::vector<int64_t>& table) {
  const ir::Source bytes =
      NewInts(graph, like, {ElementType::i8, {static_cast<int64_t>(table.size())}}, table);
  return NewOperation(graph, like, "ByteTable", ops::kPassOnly, {integers, bytes});
}

ir::Source BytesAs(ir::Graph& graph, const ir::Node& like, ir::Source bytes, ElementType type) {
  if (TypeOf(bytes).type == type) return bytes;
  std::vector<int64_t> table;
  for (int position = 0; position < kByteCount; ++position) {
    table.push_back(type == ElementType::i8 && position > kMaxByte ? position - kByteCount
                                                                   : position);
  }
  const ir::Source numbers = NewInts(graph, like, {type, {kByteCount}}, table);
  return NewOperation(graph, like, "ByteTable", ops::kPassOnly, {bytes, numbers});
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
  if (IsLimit(node)) return Limited(node);
  if (ops::MovedInputsOf(node).inputs != 0) {
    return Moved(node, port, *quant_params_.Of({&node, port}));
  }
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
  std::optional<ir::Source> first = ComputedFirst(ring);
  if (first) first = CodesIn(*first, quant_params, 0);
  const auto integers_of = [&](const ir::Source& data) {
    return quant_params_.Of(data) != nullptr ? Integers(data) : OfFloats(ring, data, quant_params);
  };
  for (const RingPair& pair : RingsOfIntegers(graph_, ring, integers_of, first, quant_params)) {
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
    integers = Requantised(node, x, *from, to);
  } else if (ArePartsQuantised(*x.node)) {
    integers = Joined(*x.node, to);
  } else if (!x.node->constant && quant_params_.HasCodes(x, to)) {
    integers = CodesIn(x, to, 0);
  } else {
    AddFloatLayer(node);
    integers = OfFloats(node, x, to);
  }
  SetIntegers(node, integers);
  return integers;
}

// Quantises numbers before an operation that moves them, because moving bytes is faster.
ir::Source QuantiseSite::OfFloats(const ir::Node& like, const ir::Source& x,
                                  const QuantParams& to) {
  ir::Node& move = *x.node;
  const bool is_moved = ops::MovedInputsOf(move).IsOfFirst() &&
                        ops::TraitsOf(move).steering == ops::Steering::kShape &&
                        move.outputs.size() == 1 && reads_.SoleReader(move) != nullptr &&
                        CountIn(x) == CountIn(move.inputs[0]);
  if (is_moved) {
    std::vector<ir::Source> inputs = move.inputs;
    inputs[0] = OfFloats(like, inputs[0], to);
    return NewOperation(graph_, move, move.type, move.operation->opset, inputs, move.attributes);
  }
  const bool is_of_floats = RoundsFloats(like);
  NodeAttributes attributes = {{ops::kInverse, is_of_floats ? "1" : AttributeOf(1 / to.scale)}};
  WriteQuantParams(attributes, to);
  const ir::Source scaled = is_of_floats ? RoundedQuotient(graph_, like, x, to) : x;
  return NewOperation(graph_, like, "Quantize", ops::kPassOnly, {scaled}, attributes);
}

bool QuantiseSite::ArePartsQuantised(const ir::Node& join) const {
  if (join.constant || !ops::TraitsOf(join).joins) return false;
  for (const ir::Source& part : join.inputs) {
    if (quant_params_.Of(part) == nullptr) return false;
  }
  return true;
}

bool QuantiseSite::IsOfCodes(const ir::Node& quantiser) const {
  if (!quantiser.attributes.contains(ir::kStatedOperator) || RoundsFloats(quantiser)) return false;
  const ir::Source x = quantiser.inputs[0];
  const QuantParams to = QuantiserOf(quantiser)->in;
  return quant_params_.Of(x) != nullptr || ArePartsQuantised(*x.node) ||
         (!x.node->constant && quant_params_.HasCodes(x, to));
}

ir::Source QuantiseSite::Requantised(const ir::Node& like, const ir::Source& x,
                                     const QuantParams& from, const QuantParams& to) {
  if (!from.is_short() && !to.is_short()) return ByTable(like, Integers(x), from, to);
  std::optional<ir::Source> rescaled;
  if (!RoundsFloats(like)) rescaled = Rescaled(graph_, like, Integers(x), from, to);
  return rescaled ? *rescaled : OfFloats(like, x, to);
}

ir::Source QuantiseSite::ByTable(const ir::Node& like, ir::Source integers, const QuantParams& from,
                                 const QuantParams& to) {
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

// The unquantised value that a layer before a quantiser reads; null if there is none.
const ir::Node* QuantiseSite::FloatInputOf(const ir::Node& quantiser) const {
  constexpr size_t kMaxNodes = 64;  // of a layer
  std::vector<const ir::Node*> nodes = {quantiser.inputs[0].node};
  for (size_t i = 0; i < nodes.size() && i < kMaxNodes; ++i) {
    if (nodes[i]->inputs.empty() && !nodes[i]->constant) return nodes[i];
    for (const ir::Source& input : nodes[i]->inputs) {
      const bool is_number = TypeOf(input).type == ElementType::f32;
      if (is_number && quant_params_.Of(input) == nullptr) nodes.push_back(input.node);
    }
  }
  return nullptr;
}

void QuantiseSite::AddFloatLayer(const ir::Node& node) {
  const auto place = node.attributes.find(ir::kStatedOperator);
  if (place == node.attributes.end() || node.constant) return;
  const ir::Node* input = FloatInputOf(node);
  float_layers_.push_back(
      {place->second,
       KeepsFloats(node)  ? "its precision is f32"
       : input != nullptr ? fmt::format("its input \"{}\" is not quantised", OneLine(input->name))
       : QuantiserOf(node) && QuantiserOf(node)->in.is_short() ? "there is no int16 step for it"
                                                               : "there is no int8 step for it"});
}

// Joins the codes of all parts, requantised to `to`.
ir::Source QuantiseSite::Joined(ir::Node& node, const QuantParams& to) {
  std::vector<ir::Source> parts;
  for (const ir::Source& part : node.inputs) {
    parts.push_back(Requantised(node, part, *quant_params_.Of(part), to));
  }
  return NewOperation(graph_, node, node.type, node.operation->opset, parts, node.attributes);
}

bool QuantiseSite::IsLimit(const ir::Node& node) const {
  const ops::MovedInputs moved = ops::MovedInputsOf(node);
  if (!moved.by_value || !node.operation->traits.pointwise) return false;
  const size_t constant = ConstantOf(node.inputs[0]) != nullptr ? 0 : 1;
  const ir::Source& data = node.inputs[1 - constant];
  return ConstantOf(node.inputs[constant]) != nullptr && CountIn(node.inputs[constant]) == 1 &&
         quant_params_.Of(data) != nullptr && !quant_params_.Of(data)->is_short() &&
         TypeOf(data).dims == node.outputs[0].type.dims;
}

// The codes of a value whose elements all have codes. They wrap around so that `zero` becomes 0.
ir::Source QuantiseSite::CodesIn(const ir::Source& source, const QuantParams& quant_params,
                                 int zero) {
  if (const ir::Constant* constant = ConstantOf(source)) {
    std::vector<int64_t> codes = *CodesOf(*constant, quant_params);
    if (zero != 0) {
      for (int64_t& code : codes) code = static_cast<int8_t>(code - zero);
    }
    return NewInts(graph_, *source.node, {quant_params.type, constant->type.dims}, codes);
  }
  const ir::Source codes = quant_params_.Of(source) != nullptr
                               ? Integers(source)
                               : Moved(*source.node, source.port, quant_params);
  return zero == 0 ? codes : NewByteTable(graph_, *source.node, codes, WrappedTable(-zero));
}

// The same operation on codes.
ir::Source QuantiseSite::Moved(ir::Node& node, uint32_t port, const QuantParams& quant_params) {
  const ops::MovedInputs moved = ops::MovedInputsOf(node);
  std::vector<ir::Source> inputs = node.inputs;
  constexpr size_t kNumberOfPad = 3;  // ignored, and of floats, if the Pad repeats its data
  if (IsCalled(node, "Pad") && !moved.Has(kNumberOfPad)) {
    inputs.resize(std::min(inputs.size(), kNumberOfPad));
  }
  const bool lacks_zeros = moved.adds_zeros && quant_params.zero != 0;
  const bool wraps = lacks_zeros && moved.input_of_zeros == 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (moved.Has(i)) inputs[i] = CodesIn(inputs[i], quant_params, wraps ? quant_params.zero : 0);
  }
  if (lacks_zeros && !wraps) {
    inputs.resize(moved.input_of_zeros);
    inputs.push_back(NewInts(graph_, node, {quant_params.type, {}}, {quant_params.zero}));
  }
  const auto count = static_cast<uint32_t>(node.outputs.size());
  ir::Node* made = NewInferredNode(graph_, node, node.type, node.operation->opset, inputs, count,
                                   node.attributes);
  ir::Source result;
  for (uint32_t i = 0; i < count; ++i) {
    if (node.outputs[i].type.type != ElementType::f32) continue;
    ir::Source codes = {made, i};
    if (wraps) codes = NewByteTable(graph_, node, codes, WrappedTable(quant_params.zero));
    if (i == port) result = codes;
    if (quant_params_.Of({&node, i}) != nullptr) integers_[{&node, i}] = codes;
  }
  return result;
}

// The table of a limit.
ir::Source QuantiseSite::Limited(ir::Node& node) {
  const size_t constant = ConstantOf(node.inputs[0]) != nullptr ? 0 : 1;
  const ir::Source& data = node.inputs[1 - constant];
  const int64_t limit =
      CodesOf(*ConstantOf(node.inputs[constant]), *quant_params_.Of(data))->front();
  std::vector<int64_t> table;
  for (int64_t code = kMinByte; code <= kMaxByte; ++code) {
    table.push_back(IsCalled(node, "Maximum") ? std::max(code, limit) : std::min(code, limit));
  }
  return NewByteTable(graph_, node, Integers(data), table);
}

}  // namespace weft::graph
