// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/resource_names.h"

#include <algorithm>

namespace weft::tflite {
namespace {

constexpr int kVarHandle = 142;

}  // namespace

bool IsVarHandle(const Operator& op) { return op.number == kVarHandle; }

std::string NameOfResource(const Operator& op) {
  const auto text = [](const flatbuffers::String* part) {
    return part == nullptr ? std::string() : part->str();
  };
  const schema::VarHandleOptions* options = op.table->options_as_VarHandleOptions();
  if (options == nullptr) return "variable";
  const std::string container = text(options->container()), name = text(options->shared_name());
  return container.empty() ? (name.empty() ? "variable" : name) : container + "/" + name;
}

bool IsNameOfResource(const Model& model, const std::string& name) {
  return std::ranges::any_of(model.subgraphs, [&](const Subgraph& subgraph) {
    return std::ranges::any_of(subgraph.operators, [&](const Operator& op) {
      return IsVarHandle(op) && NameOfResource(op) == name;
    });
  });
}

}  // namespace weft::tflite
