// SPDX-License-Identifier: Apache-2.0
#include "converter/read_model.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "converter/base/file_kind.h"
#include "converter/base/files.h"
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

// Reads the file once, since a pipe has no second time.
std::optional<std::vector<std::byte>> BytesOf(const std::filesystem::path& model, Faults& faults) {
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = ReadFile(model, &reason);
  if (bytes) return bytes;
  const std::string other = NotAnIr(model, {});  // a folder may be a model of another framework
  faults.Add(
      fmt::format("{}: {}", model.string(), other.empty() ? "cannot be read: " + reason : other));
  return std::nullopt;
}

std::unique_ptr<ir::Graph> ReadOfAnySize(const std::filesystem::path& model,
                                         const std::filesystem::path& weights,
                                         const ir::IrBytes& bytes,
                                         const tflite::ReadOptions& options, Faults& faults) {
  if (model.extension() != ".tflite" && !tflite::IsTflite(bytes.xml)) {
    return ir::ReadWithHoles(model, bytes, weights, faults);
  }
  if (weights.empty()) {
    return tflite::ReadWithHoles(model, {bytes.xml.begin(), bytes.xml.end()}, options, faults);
  }
  faults.Add(fmt::format("{}: is given with weights {}; a TensorFlow Lite model has no other file",
                         model.string(), weights.string()));
  return nullptr;
}

}  // namespace

std::unique_ptr<ir::Graph> ReadModelWithHoles(const std::filesystem::path& model,
                                              const std::filesystem::path& weights,
                                              const std::optional<ir::IrBytes>& in_memory,
                                              const tflite::ReadOptions& options, Faults& faults) {
  std::optional<std::vector<std::byte>> read;
  if (!in_memory) read = BytesOf(model, faults);
  if (!in_memory && !read) return nullptr;
  const ir::IrBytes bytes = in_memory ? *in_memory : ir::IrBytes{*read, std::nullopt};
  std::unique_ptr<ir::Graph> graph = ReadOfAnySize(model, weights, bytes, options, faults);
  if (graph == nullptr) return nullptr;
  const size_t layers = CountLayers(*graph);
  if (layers <= kMaxLayers) return graph;
  faults.Add(
      fmt::format("{}: has {} layers; must have at most {}", model.string(), layers, kMaxLayers));
  return nullptr;
}

std::unique_ptr<ir::Graph> ReadModel(const std::filesystem::path& model,
                                     const std::filesystem::path& weights,
                                     const std::optional<ir::IrBytes>& in_memory, Faults& faults) {
  Faults found;
  std::unique_ptr<ir::Graph> graph = ReadModelWithHoles(model, weights, in_memory, {}, found);
  for (const std::string& line : found.warnings()) faults.Warn(line);
  for (const std::string& line : found.lines()) faults.Add(line);
  return found.ok() ? std::move(graph) : nullptr;
}

}  // namespace weft::pipeline
