// SPDX-License-Identifier: Apache-2.0
#include "converter/passes/fold.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <utility>

#include "converter/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/ops/operation.h"
#include "converter/plan/builder.h"
#include "converter/plan/coalesce.h"
#include "runtime/weft.h"

namespace weft::passes {

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

}  // namespace

std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Faults& faults) {
  plan::Program program;
  plan::Builder builder(program);
  ops::LowerScope::Values values;
  ops::LowerScope scope(graph, node, faults, builder, values);
  scope.KeepAllOutputs();
  node.operation->lower(scope);
  if (scope.failed()) return {};
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    plan::Port output;
    output.value = values.at({&node, port});
    output.names = {fmt::format("{}", port)};
    program.outputs.push_back(std::move(output));
  }
  plan::Coalesce(program);
  const emit::ModelFile file = emit::WriteModelFile(program, {.names = false}, faults);
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
  return Outputs(node, engine);
}

}  // namespace weft::passes
