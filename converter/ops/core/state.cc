// SPDX-License-Identifier: Apache-2.0
// Variables: values that a model keeps from run to run, and a loop body from iteration to
// iteration. All ReadValue and Assign with one id share a value in the state region. A ReadValue is
// that value itself, so an Assign is lowered after all readers of its variable.
#include <algorithm>
#include <cstdlib>

#include "converter/base/visible.h"
#include "converter/ops/families.h"
#include "converter/ops/support/first_read.h"
#include "converter/ops/support/loop.h"

namespace weft::ops {
namespace {

constexpr std::string_view kId = "variable_id";

std::string Id(const NodeScope& scope) { return scope.attributes.Text(kId, ""); }

void CheckId(InferScope& scope) {
  if (Id(scope).empty()) scope.Fault("attribute {} is missing; must name the variable", kId);
}

// The declared type of a variable, in versions of ReadValue that declare one; -1 marks an open
// extent.
std::optional<TensorType> Declared(InferScope& scope) {
  constexpr std::string_view kOfAnyRank = "...";
  const bool is_declared =
      scope.attributes.Has("variable_type") && scope.attributes.Has("variable_shape");
  if (!is_declared || scope.attributes.Text("variable_shape", "") == kOfAnyRank) {
    return std::nullopt;
  }
  const std::string text = scope.attributes.Text("variable_type", "");
  const std::optional<ElementType> type = ParseElementType(text);
  const std::string shape = scope.attributes.Text("variable_shape", "");
  Dims dims;
  if (shape.find('?') == std::string::npos) {
    dims = scope.attributes.Ints("variable_shape");
  } else {
    for (const std::string& extent : scope.attributes.Texts("variable_shape")) {
      const bool open = extent == "?";
      if (!open && extent.find_first_not_of("0123456789") != std::string::npos) {
        scope.Fault("variable_shape is {}; must hold numbers and ?", shape);
      }
      dims.push_back(open ? -1 : std::strtoll(extent.c_str(), nullptr, 10));
    }
  }
  if (!type) scope.Fault("variable_type is \"{}\"; must be a known element type", text);
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < -1; })) {
    scope.Fault("variable_shape is {}; must hold extents, or -1", ToString(dims));
  }
  return scope.failed() ? std::nullopt : std::optional(TensorType{*type, dims});
}

// The dims of the assigned value in the file, before inference; empty if the file has none.
Dims AssignedDims(const InferScope& scope) {
  for (const ir::Node* sink : scope.graph().sinks) {
    const auto id = sink->attributes.find(std::string(kId));
    if (id == sink->attributes.end() || id->second != Id(scope) || sink->inputs.empty()) continue;
    const ir::Source& source = sink->inputs[0];
    return source.node->outputs[source.port].type.dims;
  }
  return {};
}

// Sets open extents of the declaration: those of the assigned value in the file, else the batch of
// the first input for axis 0, else 1. An Assign of another shape is an error.
void CloseExtents(const InferScope& scope, Dims& dims) {
  const Dims assigned = AssignedDims(scope);
  const std::vector<ir::Node*>& parameters = scope.graph().parameters;
  const Dims first = parameters.empty() ? Dims() : parameters[0]->outputs[0].type.dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0) continue;
    dims[axis] = axis == 0 && !first.empty() && first[0] > 0 ? first[0] : 1;
    if (assigned.size() == dims.size() && assigned[axis] >= 0) dims[axis] = assigned[axis];
  }
}

// Returns true if `given` matches the declared type; open extents match any extent.
bool FitsDeclared(const TensorType& given, const TensorType& declared) {
  return given.type == declared.type &&
         std::ranges::equal(given.dims, declared.dims,
                            [](int64_t is, int64_t must) { return must < 0 || is == must; });
}

void InferRead(InferScope& scope) {
  CheckId(scope);
  const std::optional<TensorType> declared = Declared(scope);
  if (scope.failed()) return;
  if (!declared && !scope.has_input(0)) {
    scope.Fault("variable \"{}\" has neither an initial value nor variable_shape and variable_type",
                Id(scope));
    return;
  }
  TensorType type = declared ? *declared : scope.input_type(0);
  if (declared && scope.has_input(0)) {
    if (FitsDeclared(scope.input_type(0), *declared)) {
      type = scope.input_type(0);
    } else {
      scope.Fault("variable \"{}\" is {} and its initial value {}; both must be equal", Id(scope),
                  ToString(type), ToString(scope.input_type(0)));
    }
  }
  CloseExtents(scope, type.dims);
  scope.SetOutput(0, type);
}

void InferAssign(InferScope& scope) {
  CheckId(scope);
  scope.SetOutput(0, scope.input_type(0));
  const std::string id = Id(scope);
  for (const ir::Node* node : scope.ReadsOf(id)) {
    if (node->outputs.empty()) continue;
    const TensorType& type = node->outputs[0].type;
    if (type == scope.input_type(0)) continue;
    if (const auto output = node->attributes.find(ir::kDeclaredState);
        output != node->attributes.end()) {
      scope.Fault(
          "--state {0}={1}: input \"{0}\" is {2} and output \"{1}\" is {3}; both must be "
          "equal",
          OneLine(id), output->second, ToString(type), ToString(scope.input_type(0)));
      continue;
    }
    scope.Fault("variable \"{}\" is {} and the value assigned {}; both must be equal", id,
                ToString(type), ToString(scope.input_type(0)));
  }
}

// Stores an initial value that only a run can compute at the first read after a reset.
void SetOnFirstRead(LowerScope& scope, program::ValueId variable, program::ValueId initial) {
  program::Builder& builder = scope.builder;
  const program::ValueId flag =
      builder.VariableNamed(FlagOf(Id(scope)), {ElementType::boolean, {}}).value;
  EmitIf(builder, flag, false, [&] {
    const program::Because because(builder, format::Reason::initial_value);
    builder.Copy(initial, variable);
    builder.Fill(flag, 1);
  });
}

void LowerRead(LowerScope& scope) {
  const bool known = scope.has_input(0) && scope.constant(0) != nullptr;
  const program::ValueId value = scope.builder.VariableNamed(Id(scope), scope.output_type(0)).value;
  if (scope.has_input(0) && !known) {
    SetOnFirstRead(scope, value, scope.input(0));
  } else if (known && !IsOfZeros(*scope.constant(0))) {  // zeros need no bytes in the file
    scope.builder.SetInitial(Id(scope), scope.input(0));
  }
  scope.SetOutput(0, value);
}

// Assigns are simultaneous. A later one may store the present value of this variable (a delay line,
// or two variables that swap). That value is therefore copied before it is overwritten.
void SetAside(LowerScope& scope, program::ValueId variable) {
  for (const ir::Node* sink : scope.SinksIn(variable)) {
    const ir::Source& source = sink->inputs[0];
    const auto found = scope.values().find({source.node, source.port});
    if (found == scope.values().end()) continue;
    program::Builder& builder = scope.builder;
    if (program::Resolve(builder.program(), found->second).root != variable) continue;
    const program::ValueId aside = builder.Scratch(builder.value(found->second).type);
    const program::Because because(builder, format::Reason::variable);
    builder.Copy(found->second, aside);
    found->second = aside;
  }
}

void LowerAssign(LowerScope& scope) {
  const program::ValueId value = scope.builder.VariableNamed(Id(scope), scope.input_type(0)).value;
  SetAside(scope, value);
  const program::ValueId source = scope.input(0);
  const bool itself = program::Resolve(scope.builder.program(), source).root == value;
  const program::Because because(scope.builder, format::Reason::variable);
  if (!itself) scope.builder.Copy(source, value);
}

constexpr Operation kStateRows[] = {
    {"ReadValue", 3, 1, 1, InferRead, LowerRead, {.foldable = false}},
    {"ReadValue", 6, 0, 1, InferRead, LowerRead, {.foldable = false}},
    {"Assign", 3, 1, 1, InferAssign, LowerAssign, {.foldable = false}},
    {"Assign", 6, 1, 1, InferAssign, LowerAssign, {.foldable = false}},
};

}  // namespace

std::span<const Operation> StateOperations() { return kStateRows; }

}  // namespace weft::ops
