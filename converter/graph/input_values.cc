// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/input_values.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "converter/base/elements.h"
#include "converter/base/packed.h"
#include "converter/base/visible.h"
#include "converter/graph/input_shapes.h"
#include "converter/graph/number_value.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// A dynamic dimension accepts any length.
bool FitsInput(const ir::OutputPort& port, const TensorType& type) {
  if (type.type != port.type.type) return false;
  if (!port.declared) return true;
  const Dims& dims = port.type.dims;
  if (dims.size() != type.dims.size()) return false;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0 && dims[axis] != type.dims[axis]) return false;
  }
  return true;
}

// Returns the elements of `numbers` in the shape of the input: one number for all elements of a
// fixed shape, or one per element. A dynamic rank 1 shape takes its length from the numbers.
// Returns nullopt with a fault if they do not fit.
std::optional<InputValue> ValueOfNumbers(const std::string& name, const std::string& numbers,
                                         const ir::Node& parameter, Faults& faults) {
  const TensorType& type = parameter.outputs[0].type;
  const size_t given = CountOfNumbers(numbers);
  Dims dims = type.dims;
  if (dims.size() == 1 && dims[0] < 0) dims[0] = static_cast<int64_t>(given);
  const std::optional<int64_t> count = ElementCount(dims);
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = BytesOfNumbers(numbers, type.type, &reason);
  if (bytes && (!count || (given != 1 && given != static_cast<size_t>(*count)))) {
    reason = fmt::format("has {} numbers; must be one per element of {}, or one for a fixed shape",
                         given, ir::BoundedText(parameter));
  }
  if (!reason.empty()) {
    faults.Add(fmt::format("--value: input \"{}\": {}", OneLine(name), reason));
    return std::nullopt;
  }
  InputValue value{{type.type, dims}, {}, {}};
  for (int64_t i = 0; i < *count; i += static_cast<int64_t>(given)) {
    value.bytes.insert(value.bytes.end(), bytes->begin(), bytes->end());
  }
  return value;
}

// Returns true if a call of the model converts numbers between these types.
bool AreConvertible(ElementType from, ElementType to) {
  const auto has_numbers = [](ElementType type) {
    return ElementBytes(type) != 0 && type != ElementType::boolean;
  };
  const bool is_half = to == ElementType::f16 || to == ElementType::bf16;
  return has_numbers(from) && has_numbers(to) && !is_half && (!IsFloat(from) || IsFloat(to));
}

std::string NumbersOf(const InputValue& value) {
  std::string text;
  const auto count = static_cast<size_t>(ElementCount(value.type.dims).value_or(0));
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += IsFloat(value.type.type)
                ? fmt::format("{}", RealAt(value.type.type, value.bytes, i))
                : fmt::format("{}", IntegerAt(value.type.type, value.bytes, i));
  }
  return text;
}

// Returns the value in the type of the input; nullopt with a fault if it does not fit.
std::optional<InputValue> Converted(const std::string& name, InputValue value,
                                    const ir::Node& parameter, Faults& faults) {
  const TensorType& type = parameter.outputs[0].type;
  const bool is_filling = value.type.dims.empty() && !type.dims.empty();
  const bool is_other = value.type.type != type.type || is_filling;
  if (!is_other || value.bytes.empty() || !AreConvertible(value.type.type, type.type)) return value;
  const std::string numbers = NumbersOf(value);
  if (is_filling) return ValueOfNumbers(name, numbers, parameter, faults);
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = BytesOfNumbers(numbers, type.type, &reason);
  if (!bytes) {
    faults.Add(fmt::format("--value: input \"{}\": {}", OneLine(name), reason));
    return std::nullopt;
  }
  return InputValue{{type.type, value.type.dims}, *std::move(bytes)};
}

}  // namespace

void ApplyValues(ir::Graph& graph, const std::map<std::string, InputValue>& values,
                 Faults& faults) {
  const std::string must = MustBeOf(graph);
  std::map<ir::Node*, InputValue> given;
  for (const auto& [name, as_given] : values) {
    ir::Node* const parameter = FindInput(graph, "--value", name, must, faults);
    if (parameter == nullptr) continue;
    std::optional<InputValue> value = as_given;
    if (!as_given.numbers.empty()) {
      value = ValueOfNumbers(name, as_given.numbers, *parameter, faults);
    } else if (as_given.may_convert) {
      value = Converted(name, as_given, *parameter, faults);
    }
    if (!value) continue;
    const TensorType& type = parameter->outputs[0].type;
    if (as_given.numbers.empty() && ArePackedBytes(value->type, type)) value->type = type;
    if (!given.emplace(parameter, *value).second) {
      faults.Add(
          fmt::format("--value: \"{}\" is another name of an input that has a value; "
                      "must be given once",
                      OneLine(name)));
    } else if (!FitsInput(parameter->outputs[0], value->type)) {
      faults.Add(fmt::format("--value: input \"{}\": is {}; must be {}", OneLine(name),
                             ToString(value->type), ir::BoundedText(*parameter)));
    }
  }
  if (!faults.ok()) return;
  for (const auto& [parameter, value] : given) {
    parameter->bounds.clear();
    BecomeConstant(*parameter, ir::OwnedConstant(value.type, value.bytes));
  }
  std::erase_if(graph.parameters,
                [&](const ir::Node* parameter) { return !ir::IsParameter(*parameter); });
}

}  // namespace weft::graph
