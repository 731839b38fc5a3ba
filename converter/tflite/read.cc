// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/read.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "converter/base/files.h"
#include "converter/tflite/graph_reader.h"
#include "converter/tflite/model.h"

namespace weft::tflite {

bool IsTfliteFile(const std::filesystem::path& path) {
  if (path.extension() == ".tflite") return true;
  std::array<char, 8> start = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return IsTflite(std::as_bytes(std::span(start)));
}

std::unique_ptr<ir::Graph> ReadWithHoles(const std::filesystem::path& path, bool as_litert,
                                         Faults& faults) {
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = ReadFile(path, &reason);
  if (bytes) return ReadWithHoles(path, *std::move(bytes), as_litert, faults);
  faults.Add(fmt::format("{}: cannot be read: {}", path.string(), reason));
  return nullptr;
}

std::unique_ptr<ir::Graph> ReadWithHoles(const std::filesystem::path& path,
                                         std::vector<std::byte> bytes, bool as_litert,
                                         Faults& faults) {
  const std::unique_ptr<Model> model = ReadModel(path.string(), std::move(bytes), faults);
  if (model == nullptr) return nullptr;
  Unsupported unsupported;
  Reading reading{*model, faults, unsupported, as_litert};
  std::unique_ptr<ir::Graph> graph = GraphReader(reading, 0).ReadMain();
  unsupported.Report(model->file, faults);
  return graph;
}

}  // namespace weft::tflite
