// SPDX-License-Identifier: Apache-2.0
#include "converter/read_model.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "converter/tflite/model.h"
#include "converter/tflite/read.h"

namespace weft::pipeline {
namespace {

size_t CountLayers(const ir::Graph& graph) {
  size_t layers = graph.nodes.size();
  for (const auto& node : graph.nodes) {
    for (const ir::Body& body : node->bodies) layers += CountLayers(*body.graph);
  }
  return layers;
}

std::unique_ptr<ir::Graph> ReadOfAnySize(const std::filesystem::path& model,
                                         const std::filesystem::path& weights,
                                         const std::optional<ir::IrBytes>& in_memory,
                                         bool as_litert, Faults& faults) {
  if (!IsTfliteModel(model, in_memory)) {
    if (in_memory) return ir::ReadWithHoles(model, *in_memory, faults);
    return ir::ReadWithHoles(model, weights, faults);
  }
  if (in_memory) {
    return tflite::ReadWithHoles(model, {in_memory->xml.begin(), in_memory->xml.end()}, as_litert,
                                 faults);
  }
  if (!weights.empty()) {
    faults.Add(
        fmt::format("{}: is given with weights {}; a TensorFlow Lite model has no other "
                    "file",
                    model.string(), weights.string()));
    return nullptr;
  }
  return tflite::ReadWithHoles(model, as_litert, faults);
}

}  // namespace

bool IsTfliteModel(const std::filesystem::path& model,
                   const std::optional<ir::IrBytes>& in_memory) {
  return in_memory ? tflite::IsTflite(in_memory->xml) : tflite::IsTfliteFile(model);
}

std::unique_ptr<ir::Graph> ReadModelWithHoles(const std::filesystem::path& model,
                                              const std::filesystem::path& weights,
                                              const std::optional<ir::IrBytes>& in_memory,
                                              bool as_litert, Faults& faults) {
  std::unique_ptr<ir::Graph> graph = ReadOfAnySize(model, weights, in_memory, as_litert, faults);
  if (graph == nullptr) return nullptr;
  const size_t layers = CountLayers(*graph);
  if (layers <= kMaxLayers) return graph;
  faults.Add(
      fmt::format("{}: has {} layers; must have at most {}", model.string(), layers, kMaxLayers));
  return nullptr;
}

std::unique_ptr<ir::Graph> ReadModel(const std::filesystem::path& model,
                                     const std::filesystem::path& weights, Faults& faults) {
  Faults found;
  std::unique_ptr<ir::Graph> graph = ReadModelWithHoles(model, weights, std::nullopt, false, found);
  for (const std::string& line : found.warnings()) faults.Warn(line);
  for (const std::string& line : found.lines()) faults.Add(line);
  return found.ok() ? std::move(graph) : nullptr;
}

}  // namespace weft::pipeline
