// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/listing.h"

#include <fmt/format.h>

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "converter/base/elements.h"
#include "converter/base/visible.h"

namespace weft::ir {
namespace {

class Listing {
 public:
  void Print(const Graph& graph, int depth) {
    for (const Node* node : Topological(graph)) Print(*node, depth);
  }
  std::string text;

 private:
  void Print(const Node& node, int depth) {
    const size_t number = numbers_.try_emplace(&node, numbers_.size()).first->second;
    text += fmt::format("{:{}}{}", "", 2 * depth, OneLine(node.type));
    for (size_t port = 0; port < node.outputs.size(); ++port) {
      const OutputPort& output = node.outputs[port];
      text += fmt::format(" {}:{}", NameOf(node, number, port), weft::ToString(output.type));
      if (output.run_time_extent) {
        text += fmt::format(" (axis {} has a run-time length)", output.run_time_extent->axis);
      }
    }
    text += " <-";
    for (const Source& input : node.inputs) text += " " + NameOf(input);
    if (node.constant) text += ElementsOf(*node.constant);
    text += fmt::format("  (\"{}\" {}{}{})", OneLine(node.name), node.id,
                        node.version.empty() ? "" : " ", OneLine(node.version));
    for (const auto& [name, value] : node.attributes) {
      text += fmt::format(" {}={}", OneLine(name), OneLine(value));
    }
    text += "\n";
    for (size_t i = 0; i < node.bodies.size(); ++i) Print(node.bodies[i], i, depth + 1);
  }

  void Print(const Body& body, size_t index, int depth) {
    const std::string indent(static_cast<size_t>(2 * depth), ' ');
    text += fmt::format("{}body {}", indent, index);
    if (body.trips.max > 0) {
      text += fmt::format(", {} {} times", body.trips.exact ? "runs" : "at most", body.trips.max);
    }
    text += "\n";
    for (const BodyInput& input : body.map.inputs) text += indent + LineOf(input);
    for (const BodyOutput& output : body.map.outputs) {
      text += fmt::format("{}output port {}: layer {}{}\n", indent, output.port_id,
                          output.result->id, RangeOf(output.range));
    }
    if (body.map.condition != nullptr) {
      text += fmt::format("{}continues while: layer {}\n", indent, body.map.condition->id);
    }
    Print(*body.graph, depth + 1);
  }

  static std::string LineOf(const BodyInput& input) {
    std::string line = input.input ? fmt::format("input port {}", *input.input) : "iteration";
    line += fmt::format(": layer {}{}", input.parameter->id, RangeOf(input.range));
    if (input.next != nullptr) line += fmt::format(", then layer {}", input.next->id);
    return line + "\n";
  }

  static std::string RangeOf(const std::optional<ChunkRange>& range) {
    if (!range) return "";
    std::string text = fmt::format(" axis={}", range->axis);
    const auto add = [&](std::string_view name, const std::optional<int64_t>& value) {
      if (value) text += fmt::format(" {}={}", name, *value);
    };
    add("start", range->start);
    add("end", range->end);
    add("stride", range->stride);
    add("part_size", range->part_size);
    return text;
  }

  static std::string NameOf(const Node& node, size_t number, size_t port) {
    return node.outputs.size() == 1 ? fmt::format("%{}", number)
                                    : fmt::format("%{}.{}", number, port);
  }
  std::string NameOf(const Source& source) const {
    const auto found = numbers_.find(source.node);
    return found == numbers_.end() ? "-" : NameOf(*source.node, found->second, source.port);
  }

  static std::string ElementsOf(const Constant& constant) {
    constexpr int64_t kMax = 8;
    const std::optional<int64_t> count = ElementCount(constant.type.dims);
    const std::optional<int64_t> bytes = DenseBytes(constant.type);
    if (!count || *count > kMax || bytes != std::ssize(constant.bytes)) return "";
    std::string text = " =";
    for (size_t i = 0; i < static_cast<size_t>(*count); ++i) {
      const ElementType type = constant.type.type;
      text += IsFloat(type) ? fmt::format(" {}", RealAt(type, constant.bytes, i))
                            : fmt::format(" {}", IntegerAt(type, constant.bytes, i));
    }
    return text;
  }

  std::unordered_map<const Node*, size_t> numbers_;
};

}  // namespace

std::string ToString(const Graph& graph) {
  Listing listing;
  listing.Print(graph, 0);
  return std::move(listing.text);
}

}  // namespace weft::ir
