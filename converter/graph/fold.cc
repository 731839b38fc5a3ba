// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/fold.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/emit/model_file.h"
#include "converter/graph/lower.h"
#include "converter/ops/operation.h"
#include "converter/plan/coalesce.h"
#include "converter/program/builder.h"
#include "runtime/weft.h"

namespace weft::graph {

namespace {

std::vector<ir::Constant> Outputs(const ir::Node& node, const Engine& engine) {
  std::vector<ir::Constant> constants;
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const Tensor tensor = engine.output(port);
    const auto* first = static_cast<const std::byte*>(tensor.data);
    auto bytes = std::make_shared<std::vector<std::byte>>(first, first + tensor.bytes);
    ir::Constant constant;
    constant.type = node.outputs[port].type;
    constant.bytes = *bytes;
    constant.owner = std::move(bytes);
    constants.push_back(std::move(constant));
  }
  return constants;
}

// They are copied into the model that computes the node.
int64_t BytesOfInputs(const ir::Node& node) {
  int64_t bytes = 0;
  for (const ir::Source& input : node.inputs) {
    if (!node.operation->shape_only && input.node->constant)
      bytes += std::ssize(input.node->constant->bytes);
  }
  return bytes;
}

int64_t BytesOfOutputs(const ir::Node& node) {
  int64_t bytes = 0;
  for (const ir::OutputPort& output : node.outputs) bytes += DenseBytes(output.type).value_or(0);
  return bytes;
}

// Asked before anything of that size is allocated.
bool Fits(int64_t bytes, const FoldBudget& budget, ops::NodeScope& scope) {
  if (bytes <= budget.limit_bytes - budget.used_bytes) return true;
  scope.Fault(
      "folding needs {} bytes beyond the {} of the constants made before; must be at most "
      "{} in all (--fold-budget)",
      bytes, budget.used_bytes, budget.limit_bytes);
  return false;
}

}  // namespace

std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, FoldBudget& budget,
                               Faults& faults) {
  plan::Program program;
  plan::Builder builder(program);
  ops::LowerScope::Values values;
  ops::LowerScope scope(graph, node, faults, builder, values);
  scope.lower_body = LowerBody;
  scope.KeepAllOutputs();
  const int64_t input_bytes = BytesOfInputs(node);
  if (!Fits(input_bytes + BytesOfOutputs(node), budget, scope)) return {};
  try {
    node.operation->lower(scope);
  } catch (const TooWide& wide) {
    scope.Fault("could not be computed ahead of time: {}", wide.what());
  }
  if (scope.failed()) return {};
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    plan::Port output;
    output.value = values.at({&node, port});
    output.names = {fmt::format("{}", port)};
    program.outputs.push_back(std::move(output));
  }
  plan::Coalesce(program);
  Faults of_file;
  const emit::ModelFile file = emit::WriteModelFile(program, {.names = false}, of_file);
  if (!of_file.ok()) {
    scope.Fault("could not be computed ahead of time: {}", of_file.lines()[0]);
    return {};
  }
  if (!Fits(input_bytes + file.scratch_bytes, budget, scope)) return {};
  AlignedBytes model(file.bytes.size());
  std::memcpy(model.data(), file.bytes.data(), file.bytes.size());
  AlignedBytes scratch(static_cast<size_t>(file.scratch_bytes));
  Engine engine;
  Memory memory;
  memory.scratch = {scratch.data(), scratch.size()};
  weft::Fault fault = Engine::Open({model.data(), model.size()}, AllSteps(), memory, &engine);
  if (fault.ok()) fault = engine.Run();
  if (!fault.ok()) {
    char text[160];
    Describe(fault, text, sizeof(text));
    scope.Fault("could not be computed ahead of time: {}", text);
    return {};
  }
  budget.used_bytes += BytesOfOutputs(node);
  return Outputs(node, engine);
}

}  // namespace weft::graph
