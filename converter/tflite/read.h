// SPDX-License-Identifier: Apache-2.0
// Reads a .tflite file into the graph that the XML of an IR gives: layers of the IR, in f32 where
// the file has quantised tensors. Inputs and outputs keep their types, and have the names of the
// signature, else of the tensor. Reports all errors of the file.
#ifndef WEFT_CONVERTER_TFLITE_READ_H_
#define WEFT_CONVERTER_TFLITE_READ_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::tflite {

struct ReadOptions {
  // Integer layers that LiteRT and tflite-micro round differently are rounded as in LiteRT.
  bool as_litert = false;
  // Inputs may get other shapes than those of the file.
  bool has_own_shapes = false;
};

// Like ir::ReadWithHoles. `path` is the name in messages.
std::unique_ptr<ir::Graph> ReadWithHoles(const std::filesystem::path& path,
                                         std::vector<std::byte> bytes, const ReadOptions& options,
                                         Faults& faults);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_READ_H_
