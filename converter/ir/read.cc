// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/read.h"

#include <fmt/format.h>

#include "converter/base/visible.h"
#include "converter/ir/reading.h"

namespace weft::ir {
namespace {

// Checks that the root element is <net> of a supported version.
bool CheckRoot(const Document& document, pugi::xml_node root, Faults& faults) {
  const int line = document.LineOf(root);
  if (std::string_view(root.name()) != "net") {
    faults.Add(fmt::format("{}:{}: root element is <{}>; must be <net>, as in an OpenVINO IR",
                           document.file, line, root.name()));
    return false;
  }
  const std::optional<int64_t> version = ParseInt(root.attribute("version").value());
  if (!version || (*version != 10 && *version != 11)) {
    faults.Add(fmt::format("{}:{}: IR version is \"{}\"; must be 10 or 11", document.file, line,
                           OneLine(root.attribute("version").value())));
    return false;
  }
  return true;
}

// Returns null if the root element is not that of an IR.
std::unique_ptr<Graph> ReadDocument(const Document& document, WeightsFile& weights,
                                    Faults& faults) {
  const pugi::xml_node root = document.xml.document_element();
  if (!CheckRoot(document, root, faults)) return nullptr;
  Reading reading{document, weights, faults};
  std::unique_ptr<Graph> graph = ReadGraph(reading, root, 0);
  // A Result with faults is dropped from the graph but must not be reported as missing.
  const bool has_result =
      static_cast<bool>(root.child("layers").find_child_by_attribute("layer", "type", "Result"));
  if (!has_result && graph->results.empty() && graph->sinks.empty()) {
    faults.Add(fmt::format("{}:{}: the model has no Result; must have at least one", document.file,
                           document.LineOf(root)));
  }
  weights.ReportMissing(faults);
  return graph;
}

}  // namespace

std::unique_ptr<Graph> ReadWithHoles(const std::filesystem::path& model, const IrBytes& ir,
                                     const std::filesystem::path& weights, Faults& faults) {
  const std::unique_ptr<Document> document =
      ParseDocument(model, {ir.xml.begin(), ir.xml.end()}, faults);
  if (document == nullptr) return nullptr;
  const std::filesystem::path bin =
      weights.empty() ? std::filesystem::path(model).replace_extension(".bin") : weights;
  WeightsFile weights_file =
      ir.weights ? WeightsFile(model.string() + " (weights)", *ir.weights) : WeightsFile(bin);
  return ReadDocument(*document, weights_file, faults);
}

}  // namespace weft::ir
