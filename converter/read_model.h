// SPDX-License-Identifier: Apache-2.0
// Reads a model of any supported format: an OpenVINO IR or a .tflite file.
#ifndef WEFT_CONVERTER_READ_MODEL_H_
#define WEFT_CONVERTER_READ_MODEL_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ir/read.h"
#include "converter/tflite/read.h"

namespace weft::pipeline {

// Layers of a model, including those of bodies. Time and memory of a conversion grow with them.
inline constexpr size_t kMaxLayers = size_t{1} << 18;

// Like ir::ReadWithHoles. Reads the file once if the model is not in memory. A model of more than
// kMaxLayers is refused. A format is recognised by its first bytes or its extension. `options`
// are those of a .tflite file.
std::unique_ptr<ir::Graph> ReadModelWithHoles(const std::filesystem::path& model,
                                              const std::filesystem::path& weights,
                                              const std::optional<ir::IrBytes>& in_memory,
                                              const tflite::ReadOptions& options, Faults& faults);
// Returns null if faults were added.
std::unique_ptr<ir::Graph> ReadModel(const std::filesystem::path& model,
                                     const std::filesystem::path& weights,
                                     const std::optional<ir::IrBytes>& in_memory, Faults& faults);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_READ_MODEL_H_
