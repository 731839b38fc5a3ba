// SPDX-License-Identifier: Apache-2.0
// Recognises files of other formats by their first bytes, and names the command that converts them
// to an IR or to a model.weft.
#ifndef WEFT_CONVERTER_BASE_FILE_KIND_H_
#define WEFT_CONVERTER_BASE_FILE_KIND_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace weft {

// Returns a message to append to the path: "is an ONNX model; must be an OpenVINO IR, as made by:
// ovc
// ...". Returns an empty text if the file may be an IR or is not recognised.
std::string NotAnIr(const std::filesystem::path& path, std::span<const std::byte> bytes);
// Likewise for a file that must be a TensorFlow Lite model. The text is not empty unless the bytes
// have its identifier.
std::string NotATflite(const std::filesystem::path& path, std::span<const std::byte> bytes);
// Likewise for a file that must be a model.weft.
std::string NotAModel(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILE_KIND_H_
