// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/conversion.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "converter/convert.h"
#include "converter/program/narrow_weights.h"
#include "converter/read_model.h"
#include "tests/fuzz/model_run.h"

namespace weft::fuzz {
namespace {

// The values of --precision.
const std::vector<std::string>& PrecisionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    std::string text = program::PrecisionNames();
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (program::PrecisionOf(word)) list.push_back(word);
    }
    return list;
  }();
  return names;
}

// A constant for input `number`, with the declared type of the input; bytes are 0 or 1.
struct InputValue {
  std::string type;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
};

std::optional<InputValue> ValueOf(Input model, Input weights, const char* name, size_t number) {
  constexpr int64_t kMaxElements = 1 << 13;
  Faults faults;
  const auto graph =
      pipeline::ReadModelWithHoles(name, {}, ir::IrBytes{model, weights}, {}, faults);
  if (!faults.ok() || graph == nullptr || number >= graph->parameters.size()) return std::nullopt;
  const TensorType& type = graph->parameters[number]->outputs[0].type;
  int64_t elements = 1;
  for (const int64_t dim : type.dims) {
    if (dim < 0 || dim > kMaxElements || elements * dim > kMaxElements) return std::nullopt;
    elements *= dim;
  }
  const auto bytes = static_cast<size_t>(DenseBytes(type).value_or(0));
  InputValue value = {std::string(Name(type.type)), type.dims, std::vector<std::byte>(bytes)};
  for (size_t i = 0; i < bytes; i += 8) value.bytes[i] = std::byte{1};
  return value;
}

// Returns true if a small model is also converted with a self test.
bool Choose(Choices& choices, converter::Options& options) {
  const unsigned streaming = choices.Choose(6);
  if (streaming > 2) options.streaming_steps = 1 << (streaming - 3);  // 1, 2 or 4 steps
  const auto& precisions = PrecisionNames();
  options.precision = precisions[choices.Choose(static_cast<unsigned>(precisions.size()))];
  const unsigned state = choices.Choose(16);  // the pair (input, output), mostly none
  if (state >= 12) options.states = {{std::to_string(state & 1), std::to_string(state >> 1 & 1)}};
  constexpr converter::Aim kAims[] = {converter::Aim::kBalanced, converter::Aim::kSmallest,
                                      converter::Aim::kFastest};
  const unsigned arena = choices.Choose(8);
  options.arena_aim = kAims[arena % 3];
  if (arena == 7) options.arena_budget_bytes = 4096;
  constexpr int64_t kIterations[] = {20, 0, 1, 300};
  options.max_iterations = kIterations[choices.Choose(4)];
  const unsigned rest = choices.Choose(12);
  constexpr const char* kArithmetic[] = {"auto", "micro", "xnnpack"};
  options.arithmetic = kArithmetic[rest % 3];
  options.fold_budget_bytes = rest / 3 == 2 ? 1 << 10 : 1 << 24;
  return rest / 3 == 3;
}

// Converts a model; returns its file, or no bytes after errors.
std::vector<std::byte> Convert(Input model, Input weights, const converter::Options& options,
                               int64_t* scratch_bytes) {
  converter::Result result = converter::Convert(model, weights, options);
  if (result.faults.empty() == result.model.file.empty())
    Finding(result.ok() ? "neither errors nor a file" : "errors and a file");
  CheckLines(result.faults);
  CheckLines(result.warnings);
  *scratch_bytes = result.model.scratch_bytes;
  return std::move(result.model.file);
}

}  // namespace

void ConvertInput(Choices& choices, Input model, Input weights, const char* name) {
  converter::Options options;
  options.name = name;
  const bool tests = Choose(choices, options);
  const unsigned constant = choices.Choose(16);  // the input that becomes a constant, mostly none
  std::optional<InputValue> value;
  if (constant >= 13) value = ValueOf(model, weights, name, constant - 13);
  if (value)
    options.values[std::to_string(constant - 13)] = {value->type, value->dims, value->bytes};
  const unsigned variation = choices.Choose(kVariations);

  int64_t scratch_bytes = 0;
  std::vector<std::byte> file = Convert(model, weights, options, &scratch_bytes);
  // A self test runs the model, which takes long for large ones.
  if (tests && !file.empty() && scratch_bytes < 1 << 16) {
    options.self_test_runs = 2;
    file = Convert(model, weights, options, &scratch_bytes);
  }
  if (file.empty()) return;
  Variation first = VariationOf(variation), second = first;
  second.fill = (first.fill + 1 + variation % (kFills - 1)) % kFills;
  const auto outputs = OutputsOf(file, first);
  if (outputs && outputs != OutputsOf(file, second).value_or(*outputs))
    Finding("the outputs depend on the contents of memory before Open");
}

}  // namespace weft::fuzz
