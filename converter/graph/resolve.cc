// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/parse_number.h"
#include "converter/base/visible.h"
#include "converter/graph/graph_passes.h"
#include "converter/graph/missing.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int kNewest = 1 << 20;  // for a layer that names no version

// Returns 8 for "opset8"; nullopt for other text.
std::optional<int> OpsetNumber(std::string_view version) {
  constexpr std::string_view kPrefix = "opset";
  if (!version.starts_with(kPrefix)) return std::nullopt;
  version.remove_prefix(kPrefix.size());
  const std::optional<int> number = ParseNumber<int>(version);
  return number && *number >= 1 && *number < kNewest ? number : std::nullopt;
}

// Returns true for the version names under which OpenVINO also registers some operations of opset6.
bool IsExtension(std::string_view version) {
  return version == "experimental" || version == "extension";
}

// Returns the row of an operation in OpenVINO's opsets; null for operations created by passes.
const ops::Operation* FindDocumented(const std::string& type, int opset) {
  const ops::Operation* row = ops::Find(type, opset);
  return row == nullptr || row->opset == ops::kPassOnly ? nullptr : row;
}

const ops::Operation* FindRow(const ir::Node& node) {
  if (node.version.empty()) return FindDocumented(node.type, kNewest);
  if (node.version == ops::kReaderVersion) {
    const ops::Operation* row = ops::Find(node.type, ops::kPassOnly);
    return row != nullptr && row->traits.is_extension ? row : nullptr;
  }
  if (IsExtension(node.version)) {
    const ops::Operation* row = FindDocumented(node.type, 6);
    return row != nullptr && row->traits.is_extension ? row : nullptr;
  }
  const std::optional<int> opset = OpsetNumber(node.version);
  const ops::Operation* row = opset ? FindDocumented(node.type, *opset) : nullptr;
  if (row == nullptr) return nullptr;
  const int replaced_in = row->traits.replaced_in;
  return replaced_in != 0 && replaced_in <= *opset ? nullptr : row;
}

// "1, 7 or 8".
std::string JoinedByOr(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " or " : ", ";
    text += fmt::format("{}", numbers[i]);
  }
  return text;
}

// Returns the last part of the message for a layer without a row.
std::string MustOf(const std::string& type, const MissingOperation* missing) {
  std::vector<int> versions;
  const ops::Operation* newest = FindDocumented(type, kNewest);
  for (const ops::Operation& row : ops::Table()) {
    if (newest != nullptr && row.name == newest->name) versions.push_back(row.opset);
  }
  if (!versions.empty()) return "must be of version " + JoinedByOr(versions);
  if (missing != nullptr) return std::string(missing->must);
  return "must be one that \"weft ops\" lists";
}

class Unknowns {
 public:
  void Note(const ir::Node& node) {
    std::string version = node.version;
    if (const std::optional<int> opset = OpsetNumber(version)) version = fmt::format("{}", *opset);
    std::string name = node.type + (version.empty() ? "" : "-" + version);
    const auto [found, fresh] = index_.emplace(name, rows_.size());
    if (fresh) rows_.push_back({.name = name, .type = node.type, .line = node.line});
    Row& row = rows_[found->second];
    if (row.count++ < kMaxShown) {
      row.layers.push_back(node.name.empty() ? fmt::format("{}", node.id)
                                             : fmt::format("\"{}\"", OneLine(node.name)));
    }
  }

  void Report(const std::string& file, Faults& faults) const {
    for (const Row& row : rows_) {
      const MissingOperation* missing = FindMissing(row.type);
      const bool has_words = missing != nullptr && !missing->words.empty();
      faults.Add(fmt::format("{}{}: {}{}, {}: has no lowering{}; {}", file,
                             row.line > 0 ? fmt::format(":{}", row.line) : "", OneLine(row.name),
                             has_words ? fmt::format(" ({})", missing->words) : "", LayersOf(row),
                             missing != nullptr ? fmt::format(": {}", missing->reason) : "",
                             MustOf(row.type, missing)));
    }
  }

 private:
  static constexpr size_t kMaxShown = 2;

  struct Row {
    std::string name, type;
    int line = 0;  // of the first layer
    size_t count = 0;
    std::vector<std::string> layers = {};  // the first ones
  };

  // `layer "a"`, `layers "a" and "b"`, `layers "a", "b" and 3 more`.
  static std::string LayersOf(const Row& row) {
    if (row.count == 1) return "layer " + row.layers[0];
    if (row.count == 2) return fmt::format("layers {} and {}", row.layers[0], row.layers[1]);
    return fmt::format("layers {}, {} and {} more", row.layers[0], row.layers[1],
                       row.count - kMaxShown);
  }

  std::vector<Row> rows_;  // in file order
  std::map<std::string, size_t> index_;
};

void ResolveAll(ir::Graph& graph, Unknowns& unknowns) {
  for (const auto& node : graph.nodes) {
    node->operation = FindRow(*node);
    // A node without a type was already reported by the reader.
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
