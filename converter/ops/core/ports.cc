// SPDX-License-Identifier: Apache-2.0
// Parameter, Result and Const: the ports and constants of a graph.
#include <fmt/format.h>

#include "converter/base/shell_word.h"
#include "converter/ir/time_length.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"

namespace weft::ops {
namespace {

// Shape text such as "1,?,N,512": "?" for the dynamic time axis, a letter for each other dynamic
// dimension.
std::string OpenShape(const ir::OutputPort& port) {
  std::string text;
  const Dims& dims = port.type.dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const bool is_time = (ir::OpenAxes(port) >> axis & 1U) != 0;
    text += text.empty() ? "" : ",";
    text += is_time ? "?" : dims[axis] < 0 ? "N" : fmt::format("{}", dims[axis]);
  }
  return text;
}

// Keeps the type given by the file, the user or the enclosing loop.
void InferParameter(InferScope& scope) {
  const ir::OutputPort& port = scope.node().outputs.front();
  const std::string name = port.names.empty() ? scope.node().name : port.names.front();
  if (!port.declared) {
    return scope.Fault(
        "its shape is of unknown rank; weft plans memory ahead, so every dimension must be fixed "
        "(--shape {}=..., or reshape the model before export)",
        ShellWord(name));
  }
  for (size_t axis = 0; axis < port.type.dims.size(); ++axis) {
    if (port.type.dims[axis] >= 0) continue;
    const char* streaming =
        ir::OpenAxes(port) == 0 ? ", or --streaming if it is time, with ? for it in --shape" : "";
    return scope.Fault(
        "dimension {} of {} is dynamic; weft plans memory ahead, so every dimension must be fixed "
        "(--shape {}={} with a number for each N{})",
        axis, ir::BoundedText(scope.node()), ShellWord(name), OpenShape(port), streaming);
  }
  scope.SetOutput(0, TensorType(port.type));
}

// The owner of the enclosing graph creates the value of a Parameter.
void LowerParameter(LowerScope&) {}

void InferResult(InferScope& scope) {
  if (scope.output_count() > 0) scope.SetOutput(0, scope.input_type(0));
}

void LowerResult(LowerScope& scope) {
  if (!scope.node().outputs.empty()) scope.Forward(0, 0);
}

void InferConst(InferScope& scope) {
  if (!scope.node().constant) return scope.Fault("has no value; must name its bytes");
  scope.SetOutput(0, scope.node().constant->type);
}

void LowerConst(LowerScope& scope) {
  const ir::Constant& constant = *scope.node().constant;
  scope.SetOutput(
      0, scope.builder.Weights(
             constant.type, std::vector<std::byte>(constant.bytes.begin(), constant.bytes.end())));
}

void ResultAxes(AxisScope& scope) {
  for (int64_t axis = 0; axis < scope.rank(0); ++axis) {
    scope.relation.groups.push_back({{false, 0, axis}});
  }
}

void SourceAxes(AxisScope& scope) {
  for (size_t axis = 0; axis < scope.out(0).size(); ++axis) {
    scope.relation.groups.push_back({{true, 0, static_cast<int64_t>(axis)}});
  }
}

constexpr Traits kSource = {.foldable = false, .axes = SourceAxes, .free = true};
constexpr Traits kSink = {.foldable = false, .axes = ResultAxes, .free = true};

constexpr Operation kPortRows[] = {
    {"Parameter", 1, 0, 0, InferParameter, LowerParameter, kSource},
    {"Result", 1, 1, 1, InferResult, LowerResult, kSink},
    {"Const", 1, 0, 0, InferConst, LowerConst, kSource},
};

}  // namespace

std::span<const Operation> PortOperations() { return kPortRows; }

}  // namespace weft::ops
