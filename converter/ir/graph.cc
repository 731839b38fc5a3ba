// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "converter/base/elements.h"
#include "converter/base/visible.h"

namespace weft::ir {
namespace {

// Depth-first traversal without recursion, because models may have chains of tens of thousands of
// layers.
class Traversal {
 public:
  void From(Node* root) {
    if (root == nullptr || !seen_.insert(root).second) return;
    stack_.push_back({root, 0});
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next_input == top.node->inputs.size()) {
        order.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      Node* source = top.node->inputs[top.next_input++].node;
      if (source != nullptr && seen_.insert(source).second) stack_.push_back({source, 0});
    }
  }

  std::vector<Node*> order;

 private:
  struct Frame {
    Node* node;
    size_t next_input;
  };
  std::vector<Frame> stack_;
  std::unordered_set<const Node*> seen_;
};

}  // namespace

std::vector<Node*> Topological(const Graph& graph) {
  Traversal traversal;
  for (Node* node : graph.parameters) traversal.From(node);
  for (Node* node : graph.results) traversal.From(node);
  for (Node* node : graph.sinks) traversal.From(node);
  return std::move(traversal.order);
}

Constant OwnedConstant(TensorType type, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {std::move(type), owner, *owner};
}

Constant ZerosOf(TensorType type) {
  std::vector<std::byte> bytes(static_cast<size_t>(DenseBytes(type).value_or(0)));
  return OwnedConstant(std::move(type), std::move(bytes));
}

bool IsOfZeros(const Constant& constant) {
  return std::ranges::all_of(constant.bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

double NumberAt(const Constant& constant, size_t i) {
  const ElementType type = constant.type.type;
  return IsFloat(type) ? RealAt(type, constant.bytes, i)
                       : static_cast<double>(IntegerAt(type, constant.bytes, i));
}

std::vector<int64_t> IntegersOf(const Constant& constant) {
  std::vector<int64_t> integers(static_cast<size_t>(ElementCount(constant.type.dims).value_or(0)));
  for (size_t i = 0; i < integers.size(); ++i) {
    integers[i] = IntegerAt(constant.type.type, constant.bytes, i);
  }
  return integers;
}

std::string Where(const Graph& graph, const Node& node) { return Where(graph, node, node.line); }

std::string Where(const Graph& graph, const Node& node, int line) {
  const std::string at = line > 0 ? fmt::format(":{}", line) : "";
  return fmt::format("{}{}: layer {} \"{}\" ({})", graph.file, at, node.id, OneLine(node.name),
                     OneLine(node.type));
}

std::string BoundedText(const Node& parameter) {
  const TensorType& type = parameter.outputs[0].type;
  if (!parameter.outputs[0].declared) return fmt::format("{}[...]", Name(type.type));
  constexpr size_t kMaxShown = 16;  // as in ToString
  if (parameter.bounds.size() != type.dims.size() || type.dims.size() > kMaxShown) {
    return ToString(type);
  }
  std::string dims;
  for (size_t axis = 0; axis < type.dims.size(); ++axis) {
    const auto [min, max] = parameter.bounds[axis];
    const bool is_open = min == 0 && max == Bounds::kNoLimit;
    if (axis > 0) dims += ",";
    if (type.dims[axis] >= 0 || is_open) {
      dims += type.dims[axis] < 0 ? "?" : fmt::format("{}", type.dims[axis]);
    } else if (min == max) {
      dims += "?";  // fixed in the model, but --shape makes it dynamic
    } else if (max == Bounds::kNoLimit) {
      dims += fmt::format("{}..", min);
    } else {
      dims += fmt::format("{}..{}", min, max);
    }
  }
  return fmt::format("{}[{}]", Name(type.type), dims);
}

}  // namespace weft::ir
