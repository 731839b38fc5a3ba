// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/fold.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/graph/fold_quantisation.h"
#include "converter/graph/lower.h"
#include "converter/ops/operation.h"
#include "converter/program/builder.h"

namespace weft::graph {

namespace {

// The bytes determine an extent that the operation computes.
TensorType TypeOfBytes(const ir::OutputPort& output, int64_t bytes) {
  TensorType type = output.type;
  if (const auto& extent = output.run_time_extent) {
    type.dims[extent->axis] = 1;
    type.dims[extent->axis] = bytes / DenseBytes(type).value_or(1);
  }
  return type;
}

std::vector<ir::Constant> Constants(const ir::Node& node, NodeOutputs outputs,
                                    std::vector<QuantisationPtr> quantisations) {
  std::vector<ir::Constant> constants;
  for (size_t port = 0; port < node.outputs.size(); ++port) {
    const TensorType type = TypeOfBytes(node.outputs[port], std::ssize(outputs[port]));
    constants.push_back(ir::OwnedConstant(type, std::move(outputs[port])));
    constants.back().quantisation = std::move(quantisations[port]);
  }
  return constants;
}

// Inputs are copied into the program that computes the node.
int64_t BytesOfInputs(const ir::Node& node) {
  int64_t bytes = 0;
  for (const ir::Source& input : node.inputs) {
    if (!node.operation->traits.shape_only && input.node->constant)
      bytes += std::ssize(input.node->constant->bytes);
  }
  return bytes;
}

int64_t BytesOfOutputs(const ir::Node& node) {
  int64_t bytes = 0;
  for (const ir::OutputPort& output : node.outputs) bytes += DenseBytes(output.type).value_or(0);
  return bytes;
}

// Called before memory of this size is allocated.
bool Fits(int64_t bytes, const Folding& folding, ops::NodeScope& scope) {
  if (bytes <= folding.limit_bytes - folding.used_bytes) return true;
  scope.Fault(
      "folding needs {} bytes in addition to the {} of earlier constants; must be at most "
      "{} in total (--fold-budget)",
      bytes, folding.used_bytes, folding.limit_bytes);
  return false;
}

int64_t ElementsOf(const ir::Node& node) {
  int64_t count = 0;
  for (const ir::OutputPort& output : node.outputs) {
    count += ElementCount(output.type.dims).value_or(0);
  }
  return count;
}

// Adds `work` to that of earlier constants, unless the sum exceeds the limit.
bool TakeWork(double work, Folding& folding, ops::NodeScope& scope) {
  if (work <= static_cast<double>(folding.limit_work - folding.used_work)) {
    folding.used_work += static_cast<int64_t>(work);
    return true;
  }
  scope.Fault(
      "folding needs about {:.0f} operations in addition to the {} of earlier constants; must be "
      "at "
      "most {} in total (increase it with --fold-budget)",
      work, folding.used_work, folding.limit_work);
  return false;
}

// Returns the constant whose elements the output holds in the same order and type; null if it holds
// others.
const ir::Constant* SameElements(const ir::Node& node) {
  if (node.outputs.size() != 1 || node.inputs.empty() || !node.inputs[0].node->constant) {
    return nullptr;
  }
  const ops::Traits& traits = node.operation->traits;
  const ir::Constant& from = *node.inputs[0].node->constant;
  const TensorType& to = node.outputs[0].type;
  if (!(traits.reshapes || traits.converts) || from.type.type != to.type) return nullptr;
  const bool is_complete = DenseBytes(to) == std::ssize(from.bytes);
  return is_complete && !node.outputs[0].run_time_extent ? &from : nullptr;
}

NodeOutputs RunNode(const ir::Graph& graph, ir::Node& node, Folding& folding, Faults& faults) {
  program::Program program;
  program::Builder builder(program);
  ops::LowerScope::Values values;
  ops::LowerScope scope(graph, node, faults, builder, values);
  scope.lower_body = LowerBody;
  scope.KeepAllOutputs();
  const int64_t input_bytes = BytesOfInputs(node);
  if (!Fits(input_bytes + BytesOfOutputs(node), folding, scope)) return {};
  // Lowering may compute tables as large as the outputs.
  if (folding.work && !TakeWork(static_cast<double>(ElementsOf(node)), folding, scope)) return {};
  try {
    ops::Lower(scope);
  } catch (const TooWide& wide) {
    scope.Fault("could not be folded: {}", wide.what());
  }
  if (scope.failed()) return {};
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    program::Port output;
    SetPortValue(builder, values, node.outputs[port], values.at({&node, port}), output);
    output.names = {fmt::format("{}", port)};
    program.outputs.push_back(std::move(output));
  }
  if (folding.work && !TakeWork(folding.work(program), folding, scope)) return {};
  const int64_t max_scratch_bytes = folding.limit_bytes - folding.used_bytes - input_bytes;
  program::ProgramRun run = folding.run(std::move(program), max_scratch_bytes);
  if (!run.fault.empty()) {
    scope.Fault("could not be folded: {}", run.fault);
    return {};
  }
  if (!Fits(input_bytes + run.scratch_bytes, folding, scope)) return {};
  return std::move(run.outputs);
}

}  // namespace

std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Folding& folding,
                               Faults& faults) {
  if (const ir::Constant* same = SameElements(node)) {
    return {{node.outputs[0].type, same->owner, same->bytes, same->quantisation}};
  }
  NodeOutputs outputs = RunNode(graph, node, folding, faults);
  if (outputs.empty()) return {};
  // Later runs only find where integers went: they count in no limit, and their faults are dropped.
  std::vector<QuantisationPtr> quantisations = QuantisationsOf(node, outputs, [&] {
    Folding again = folding.OfCopy();
    again.work = nullptr;
    Faults discarded;
    return RunNode(graph, node, again, discarded);
  });
  folding.used_bytes += BytesOfOutputs(node);
  return Constants(node, std::move(outputs), std::move(quantisations));
}

}  // namespace weft::graph
