// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Versions that mean something else than the one before them. The table of operations may lack one:
// an older row must not stand in for it. Versions that only widen the types they take need no row
// here.
struct VersionRow {
  std::string_view name;  // lower case
  int opset;
};
constexpr VersionRow kVersions[] = {
    {"avgpool", 14},     {"avgpool", 16}, {"gather", 7},
    {"gather", 8},       {"gathernd", 8}, {"interpolate", 4},
    {"interpolate", 11}, {"lstmcell", 4}, {"lstmsequence", 5},
    {"maxpool", 8},      {"maxpool", 14}, {"multiclassnms", 9},
    {"mvn", 6},          {"onehot", 16},  {"pad", 12},
    {"priorbox", 8},     {"proposal", 4}, {"range", 4},
    {"roialign", 9},     {"softmax", 8},  {"scatterelementsupdate", 12},
    {"squeeze", 15},     {"topk", 11},    {"scatterndupdate", 15},
    {"broadcast", 3},    {"gelu", 7},     {"deformableconvolution", 8},
    {"readvalue", 6},    {"assign", 6},   {"batchnorminference", 5},
    {"topk", 3},         {"shapeof", 3},  {"detectionoutput", 8},
};

// OpenVINO knows these also under the versions "experimental" and "extension", as of opset6.
constexpr std::array<std::string_view, 8> kExperimental = {
    "experimentaldetectrondetectionoutput",
    "experimentaldetectrongenerateproposalssingleimage",
    "experimentaldetectronpriorgridgenerator",
    "experimentaldetectronroifeatureextractor",
    "experimentaldetectrontopkrois",
    "grucell",
    "rnncell",
    "proposal"};
// Written as opset1 by old converters, though they came with opset2.
constexpr std::array<std::string_view, 3> kEarly = {"mvn", "roipooling", "reorgyolo"};

constexpr int kNewest = 1 << 20;  // for a layer that names no version

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

template <size_t n>
bool Contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

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

std::optional<int> Opset(const ir::Node& node, std::string_view name) {
  if (node.version.empty()) return kNewest;
  if (node.version == "experimental" || node.version == "extension") {
    return Contains(kExperimental, name) ? std::optional(6) : std::nullopt;
  }
  const std::optional<int> opset = OpsetNumber(node.version);
  return opset == 1 && Contains(kEarly, name) ? 2 : opset;
}

const ops::Operation* FindRow(const ir::Node& node) {
  const std::string name = LowerCase(node.type);
  const std::optional<int> opset = Opset(node, name);
  if (!opset) return nullptr;
  const ops::Operation* row = ops::Find(node.type, *opset);
  if (row == nullptr || *opset == kNewest) return row;
  const bool overtaken = std::ranges::any_of(kVersions, [&](const VersionRow& version) {
    return version.name == name && version.opset > row->opset && version.opset <= *opset;
  });
  return overtaken ? nullptr : row;
}

class Unknowns {
 public:
  void Note(const ir::Node& node) {
    std::string version = node.version;
    if (const std::optional<int> opset = OpsetNumber(version)) version = fmt::format("{}", *opset);
    std::string name = node.type + (version.empty() ? "" : "-" + version);
    const auto [found, fresh] = index_.emplace(name, rows_.size());
    if (fresh) rows_.push_back({.name = ir::OneLine(name), .count = 0, .line = node.line});
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

bool Resolve(ir::Graph& graph, Faults& faults) {
  Unknowns unknowns;
  ResolveAll(graph, unknowns);
  const size_t before = faults.lines().size();
  unknowns.Report(graph.file, faults);
  return faults.lines().size() == before;
}

}  // namespace weft::graph
