// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/lower.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/port_names.h"
#include "converter/ops/support/lengths.h"

namespace weft::graph {

namespace {

// Copies the rows in use of a value with a run-time length, because the view of a port with that
// length must be contiguous.
program::ValueId Compacted(program::Builder& builder, program::ValueId value,
                           program::ValueId length, size_t axis) {
  const TensorType type = builder.value(value).type;
  const auto count = [&](size_t begin, size_t end) {
    int64_t product = 1;
    for (size_t i = begin; i < end; ++i) product *= type.dims[i];
    return Narrow32(product, "elements");
  };
  const uint32_t outer = count(0, axis);
  if (outer == 1) return value;
  format::CompactParams params;
  params.mutate_outer(outer);
  params.mutate_max(Narrow32(type.dims[axis], "most"));
  params.mutate_inner(count(axis + 1, type.dims.size()));
  params.mutate_element_bytes(Narrow32(ElementBytes(type.type), "element bytes"));
  const program::ValueId compacted = builder.Scratch(type);
  const program::Because because(builder, format::Reason::output);
  builder.Emit(params, {value, length}, {compacted});
  return compacted;
}

// An output or a body's result must not be stored in state, because Assigns overwrite the state
// before the value is read.
program::ValueId Stable(program::Builder& builder, program::ValueId value) {
  const program::Location location = program::Resolve(builder.program(), value);
  if (builder.value(location.root).storage != program::Storage::kState) return value;
  const program::Because because(builder, format::Reason::output);
  const program::ValueId copy = builder.Scratch(builder.value(value).type);
  builder.Copy(value, copy);
  return copy;
}

// Excludes steps of the current block, starting at item `first`, from fusion.
void KeepApart(program::Builder& builder, size_t first) {
  std::vector<program::Item>& items = builder.program().blocks[builder.block()].items;
  for (size_t item = first; item < items.size(); ++item) {
    if (auto* step = std::get_if<program::Step>(&items[item])) step->is_never_fused = true;
  }
}

void LowerNode(const ir::Graph& graph, ir::Node& node, program::Builder& builder,
               ops::LowerScope::Values& values, ops::LowerShared& shared, Faults& faults) {
  ops::LowerScope scope(graph, node, faults, builder, values, &shared);
  scope.lower_body = LowerBody;
  try {
    ops::Lower(scope);
  } catch (TooWide& wide) {
    wide.SayWhere(ir::Where(graph, node));
    throw;
  }
  for (uint32_t i = 0; i < node.outputs.size(); ++i) {
    assert(scope.failed() || !scope.IsUsed(i) || values.contains({&node, i}));
  }
}

}  // namespace

void SetPortValue(program::Builder& builder, const ops::LowerScope::Values& values,
                  const ir::OutputPort& source, program::ValueId value, program::Port& port) {
  port.value = value;
  if (const auto& extent = source.run_time_extent) {
    port.length = ops::EmitLength(builder, values, *extent);
    port.length_axis = Narrow<uint8_t>(extent->axis, "axis");
    port.value = Compacted(builder, value, port.length, extent->axis);
  }
}

bool LowerNodes(ir::Graph& graph, program::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults) {
  const size_t faults_before = faults.lines().size();
  ops::LowerShared shared;
  for (ir::Node* node : ir::Topological(graph)) {
    if (ir::IsParameter(*node) || ir::IsResult(*node) || node->constant) continue;
    if (node->operation == nullptr) continue;
    builder.SetLayer(node->name);
    if (ir::IsAssign(*node)) {
      // Its output is the assigned value; the variable changes after all reads.
      ops::LowerScope scope(graph, *node, faults, builder, values, &shared);
      scope.SetOutput(0, scope.input(0));
      continue;
    }
    const size_t first = builder.program().blocks[builder.block()].items.size();
    LowerNode(graph, *node, builder, values, shared, faults);
    if (node->attributes.contains(kRoundsApart)) KeepApart(builder, first);
  }
  return faults.lines().size() == faults_before;
}

void LowerSinks(ir::Graph& graph, program::Builder& builder, ops::LowerScope::Values& values,
                Faults& faults) {
  ops::LowerShared shared;
  for (size_t sink = 0; sink < graph.sinks.size(); ++sink) {
    const ir::Source& source = graph.sinks[sink]->inputs[0];
    const auto found = values.find({source.node, source.port});
    if (found == values.end()) continue;
    shared.sinks.emplace(program::Resolve(builder.program(), found->second).root, sink);
  }
  for (; shared.sink < graph.sinks.size(); ++shared.sink) {
    ir::Node* node = graph.sinks[shared.sink];
    builder.SetLayer(node->name);
    LowerNode(graph, *node, builder, values, shared, faults);
  }
}

std::vector<program::ValueId> LowerBody(ir::Graph& body, program::Builder& builder,
                                        ops::LowerScope::Values& values, Faults& faults) {
  const std::string layer = builder.layer();
  LowerNodes(body, builder, values, faults);
  builder.SetLayer(layer);
  std::vector<program::ValueId> results;
  for (ir::Node* result : body.results) {
    ops::LowerScope scope(body, *result, faults, builder, values);
    const program::ValueId value = scope.input(0);
    results.push_back(body.sinks.empty() ? value : Stable(builder, value));
  }
  LowerSinks(body, builder, values, faults);
  return results;
}

bool Lower(ir::Graph& graph, program::Program& program, Faults& faults) {
  program::Builder builder(program);
  ops::LowerScope::Values values;
  PortNames names = NamesOfInputs(graph);
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    ir::Node* const parameter = graph.parameters[i];
    builder.SetLayer(parameter->name);
    program::Port port;
    port.value = builder.Scratch(parameter->outputs[0].type);
    port.names = std::move(names[i]);
    values[{parameter, 0}] = port.value;
    program.inputs.push_back(std::move(port));
  }
  if (!LowerNodes(graph, builder, values, faults)) return false;
  names = NamesOfOutputs(graph);
  for (size_t i = 0; i < graph.results.size(); ++i) {
    ir::Node* const result = graph.results[i];
    builder.SetLayer(result->name);
    ops::LowerScope scope(graph, *result, faults, builder, values);
    const ir::Source source = result->inputs[0];
    program::Port port;
    SetPortValue(builder, values, source.node->outputs[source.port],
                 Stable(builder, scope.input(0)), port);
    port.names = std::move(names[i]);
    program.outputs.push_back(std::move(port));
  }
  LowerSinks(graph, builder, values, faults);
  // Sorted, because streaming models of different numbers of steps must share the state layout.
  std::ranges::sort(program.variables, {}, &program::Variable::name);
  return faults.ok();
}

}  // namespace weft::graph
