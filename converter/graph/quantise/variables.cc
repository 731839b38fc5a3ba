// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

constexpr const char* kVariable = "variable_id";

// The nodes that use one variable.
struct Uses {
  std::vector<ir::Node*> reads, assigns;
};

std::map<std::string, Uses> UsesIn(const ir::Graph& graph) {
  std::map<std::string, Uses> uses;
  for (ir::Node* node : ir::Topological(graph)) {
    const auto id = node->attributes.find(kVariable);
    if (id == node->attributes.end()) continue;
    if (ir::IsReadValue(*node)) uses[id->second].reads.push_back(node);
    if (ir::IsAssign(*node)) uses[id->second].assigns.push_back(node);
  }
  return uses;
}

// The parameters that all quantisers after a read share; nullopt if another node reads it.
std::optional<QuantParams> ParamsOfReaders(const std::vector<ir::Node*>& readers) {
  std::optional<QuantParams> shared;
  for (const ir::Node* reader : readers) {
    const auto quantiser = reader->constant ? std::nullopt : QuantiserOf(*reader);
    if (!quantiser || !quantiser->in.AgreesWith(quantiser->out)) return std::nullopt;
    if (shared && !shared->AgreesWith(quantiser->in)) return std::nullopt;
    shared = quantiser->in;
  }
  return shared;
}

}  // namespace

std::vector<ir::Node*> ReadCodes(QuantiseSite& site) {
  ir::Graph& graph = site.graph();
  const auto readers = Readers(graph);
  std::vector<ir::Node*> assigns;
  for (const auto& [name, uses] : UsesIn(graph)) {
    if (uses.reads.size() != 1 || uses.assigns.size() != 1) continue;
    const ir::Node& read = *uses.reads[0];
    if (read.inputs.empty() || site.KeepsFloats(read)) continue;
    const std::vector<ir::Node*>& quantisers = ReadersIn(readers, read);
    const std::optional<QuantParams> params = ParamsOfReaders(quantisers);
    const QuantParams* assigned = site.QuantParamsOf(uses.assigns[0]->inputs[0]);
    if (!params || assigned == nullptr || !params->AgreesWith(*assigned)) continue;
    const ir::Constant* constant = ConstantOf(read.inputs[0]);
    const auto codes = constant == nullptr ? std::nullopt : CodesOf(*constant, *params);
    if (!codes) continue;
    const TensorType type = {params->type, read.outputs[0].type.dims};
    const ir::Source initial = NewInts(graph, read, type, *codes);
    const ir::Source integers = NewReadValue(graph, read, name, initial);
    for (ir::Node* quantiser : quantisers) site.SetIntegers(*quantiser, integers);
    assigns.push_back(uses.assigns[0]);
  }
  return assigns;
}

void AssignCodes(QuantiseSite& site, const std::vector<ir::Node*>& assigns) {
  for (ir::Node* assign : assigns) {
    assign->inputs[0] = site.Integers(assign->inputs[0]);
    assign->outputs[0].type = TypeOf(assign->inputs[0]);
  }
}

}  // namespace weft::graph
