// SPDX-License-Identifier: Apache-2.0
#include "converter/read_model.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "converter/tflite/model.h"
#include "converter/tflite/read.h"

namespace weft::pipeline {

std::unique_ptr<ir::Graph> ReadModelWithHoles(const std::filesystem::path& model,
                                              const std::filesystem::path& weights,
                                              const std::optional<ir::IrBytes>& in_memory,
                                              bool as_litert, Faults& faults) {
  if (in_memory) {
    if (!tflite::IsTflite(in_memory->xml)) return ir::ReadWithHoles(model, *in_memory, faults);
    return tflite::ReadWithHoles(model, {in_memory->xml.begin(), in_memory->xml.end()}, as_litert,
                                 faults);
  }
  if (!tflite::IsTfliteFile(model)) return ir::ReadWithHoles(model, weights, faults);
  if (!weights.empty()) {
    faults.Add(
        fmt::format("{}: is given with weights {}; a TensorFlow Lite model has no other "
                    "file",
                    model.string(), weights.string()));
    return nullptr;
  }
  return tflite::ReadWithHoles(model, as_litert, faults);
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
