// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/rings.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/moved_inputs.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool MultipliesByIntegers(const ir::Node& node) {
  return std::ranges::any_of(node.inputs, [](const ir::Source& input) {
    const ir::Constant* constant = ConstantOf(input);
    return constant != nullptr && constant->quantisation != nullptr &&
           constant->type.type == ElementType::f32;
  });
}

// The value from which the elements of `source` were moved.
ir::Source MovedFrom(ir::Source source) {
  while (ops::MovedInputsOf(*source.node).inputs == 1) {
    source = source.node->inputs[0];
  }
  return source;
}

// The nearest int16 codes of x; ties round to even.
ir::Source Shorts(ir::Graph& graph, const ir::Node& like, ir::Source x,
                  const QuantParams& quant_params) {
  const ir::Source inverse = NewFloats(graph, like, {}, {InverseOf(quant_params)});
  const ir::Source scaled = NewOperation(graph, like, "Multiply", 1, {x, inverse});
  const ir::Source bounded = NewOperation(
      graph, like, "Clamp", 1, {scaled},
      {{"min", std::to_string(quant_params.low)}, {"max", std::to_string(quant_params.high)}});
  const ir::Source whole =
      NewOperation(graph, like, "Round", 5, {bounded}, {{"mode", "half_to_even"}});
  return NewOperation(graph, like, "Convert", 1, {whole}, {{"destination_type", "i16"}});
}

// The operands of the Multiply that dequantises int16 codes.
std::vector<ir::Source> NumbersOf(ir::Graph& graph, const ir::Node& like, ir::Source shorts,
                                  const QuantParams& quant_params) {
  const ir::Source wide =
      NewOperation(graph, like, "Convert", 1, {shorts}, {{"destination_type", "f32"}});
  return {wide, NewFloats(graph, like, {}, {static_cast<float>(quant_params.scale)})};
}

// Changes a quantiser so that its numbers are computed from integer codes.
void Round(QuantiseSite& site, ir::Node& quantiser) {
  if (quantiser.constant || quantiser.operation == nullptr || IsLongAtRunTime(quantiser)) return;
  const std::optional<Quantiser> codes = QuantiserOf(quantiser);
  if (codes && (!codes->in.is_short() || site.QuantParamsOf(quantiser.inputs[0]) != nullptr)) {
    site.Integers({&quantiser, 0});
  } else if (const std::optional<Quantiser> quant_params = ShortQuantiserOf(quantiser)) {
    ir::Graph& graph = site.graph();
    const ir::Source shorts = Shorts(graph, quantiser, quantiser.inputs[0], quant_params->in);
    Become(quantiser, "Multiply", 1, NumbersOf(graph, quantiser, shorts, quant_params->out));
    site.SetShorts(quantiser, shorts, quant_params->out);
  }
}

// CodedFloats of an int16 quantiser that are kept between runs are quantised again where they are
// read, to the same codes.
void RoundPast(QuantiseSite& site, ir::Node& reader, size_t input, const ir::Node& past) {
  if (past.inputs.size() < 2) return;
  ir::Node& from = *MovedFrom(past.inputs[0]).node;
  const std::optional<Quantiser> quantiser = ShortQuantiserOf(from);
  if (!quantiser && site.ShortsOf(from) == nullptr) return;
  ir::Graph& graph = site.graph();
  if (!IsQuantisable(graph, past, quantiser ? quantiser->out : *site.ShortsOf(from))) return;
  Round(site, from);
  const QuantParams* quant_params = site.ShortsOf(from);
  if (quant_params == nullptr) return;
  const ir::Source shorts = Shorts(graph, reader, reader.inputs[input], *quant_params);
  const std::vector<ir::Source> numbers = NumbersOf(graph, reader, shorts, *quant_params);
  reader.inputs[input] = NewOperation(graph, reader, "Multiply", 1, numbers);
}

// Returns true if an operation of the body multiplies the Parameter by integer weights.
bool IsMultiplied(const ir::Graph& body, const ir::Node& parameter) {
  return std::ranges::any_of(body.nodes, [&](const std::unique_ptr<ir::Node>& node) {
    if (node->constant || !MultipliesByIntegers(*node)) return false;
    for (size_t i = 0; i < ops::TraitsOf(*node).multiplied; ++i) {
      if (MovedFrom(node->inputs[i]).node == &parameter) return true;
    }
    return false;
  });
}

void RoundSlices(QuantiseSite& site, const ir::Node& loop, const ir::Body& body) {
  using Kind = ir::BodyInput::Kind;
  for (const ir::BodyInput& input : body.map.inputs) {
    if (!input.input || (!input.is(Kind::kSliced) && !input.is(Kind::kInvariant))) continue;
    if (!IsMultiplied(*body.graph, *input.parameter)) continue;
    Round(site, *MovedFrom(loop.inputs[*input.input]).node);
  }
}

}  // namespace

void QuantiseData(QuantiseSite& site, ir::Node& node) {
  for (const ir::Body& body : node.bodies) RoundSlices(site, node, body);
  if (!MultipliesByIntegers(node)) return;
  for (size_t i = 0; i < node.operation->traits.multiplied; ++i) {
    ir::Node& from = *MovedFrom(node.inputs[i]).node;
    Round(site, from);
    RoundPast(site, node, i, from);
  }
}

}  // namespace weft::graph
