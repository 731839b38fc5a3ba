// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/read.h"

#include <utility>

#include "converter/tflite/graph_reader.h"
#include "converter/tflite/model.h"

namespace weft::tflite {

std::unique_ptr<ir::Graph> ReadWithHoles(const std::filesystem::path& path,
                                         std::vector<std::byte> bytes, const ReadOptions& options,
                                         Faults& faults) {
  const std::unique_ptr<Model> model = ReadModel(path.string(), std::move(bytes), faults);
  if (model == nullptr) return nullptr;
  Unsupported unsupported;
  Reading reading{*model, faults, unsupported, options};
  std::unique_ptr<ir::Graph> graph = GraphReader(reading, 0).ReadMain();
  unsupported.Report(model->file, faults);
  return graph;
}

}  // namespace weft::tflite
