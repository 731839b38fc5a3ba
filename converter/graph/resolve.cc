// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/resolve.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "converter/base/visible.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int kNewest = 1 << 20;  // for a layer that names no version

// 8 of "opset8"; nullopt for anything else.
std::optional<int> OpsetNumber(std::string_view version) {
  constexpr std::string_view kPrefix = "opset";
  if (!version.starts_with(kPrefix)) return std::nullopt;
  version.remove_prefix(kPrefix.size());
  int number = 0;
  const char* end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number >= kNewest) return std::nullopt;
  return number;
}

// The version under which OpenVINO knows some operations of opset6 besides.
bool IsExtension(std::string_view version) {
  return version == "experimental" || version == "extension";
}

const ops::Operation* FindRow(const ir::Node& node) {
  if (node.version.empty()) return ops::Find(node.type, kNewest);
  if (IsExtension(node.version)) {
    const ops::Operation* row = ops::Find(node.type, 6);
    return row != nullptr && row->traits.is_extension ? row : nullptr;
  }
  const std::optional<int> opset = OpsetNumber(node.version);
  const ops::Operation* row = opset ? ops::Find(node.type, *opset) : nullptr;
  if (row == nullptr) return nullptr;
  const int replaced_in = row->traits.replaced_in;
  return replaced_in != 0 && replaced_in <= *opset ? nullptr : row;
}

class Unknowns {
 public:
  void Note(const ir::Node& node) {
    std::string version = node.version;
    if (const std::optional<int> opset = OpsetNumber(version)) version = fmt::format("{}", *opset);
    std::string name = node.type + (version.empty() ? "" : "-" + version);
    const auto [found, fresh] = index_.emplace(name, rows_.size());
    if (fresh) rows_.push_back({.name = OneLine(name), .count = 0, .line = node.line});
    ++rows_[found->second].count;
  }

  void Report(const std::string& file, Faults& faults) const {
    if (rows_.empty()) return;
    std::string list;
    for (const Row& row : rows_) {
      if (!list.empty()) list += ", ";
      list += row.count == 1
                  ? fmt::format("{} (line {})", row.name, row.line)
                  : fmt::format("{} ({} times, first at line {})", row.name, row.count, row.line);
    }
    faults.Add(fmt::format("{}: {} {} no lowering: {}; \"weft ops\" lists those that do", file,
                           rows_.size(), rows_.size() == 1 ? "operation has" : "operations have",
                           list));
  }

 private:
  struct Row {
    std::string name;
    int count;
    int line;  // of the first
  };
  std::vector<Row> rows_;  // in file order
  std::map<std::string, size_t> index_;
};

void ResolveAll(ir::Graph& graph, Unknowns& unknowns) {
  for (const auto& node : graph.nodes) {
    node->operation = FindRow(*node);
    // Without a type it stands for what the reader has found at fault.
    if (node->operation == nullptr && !node->type.empty()) unknowns.Note(*node);
    for (ir::Body& body : node->bodies) ResolveAll(*body.graph, unknowns);
  }
}

}  // namespace

void FindOperations(ir::Graph& graph) {
  for (const auto& node : graph.nodes) {
    node->operation = FindRow(*node);
    for (ir::Body& body : node->bodies) FindOperations(*body.graph);
  }
}

bool Resolve(ir::Graph& graph, Faults& faults) {
  Unknowns unknowns;
  ResolveAll(graph, unknowns);
  const size_t before = faults.lines().size();
  unknowns.Report(graph.file, faults);
  return faults.lines().size() == before;
}

}  // namespace weft::graph
