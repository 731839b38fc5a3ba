// SPDX-License-Identifier: Apache-2.0
// Files that people give in place of an IR or of a model.weft, known by their first bytes, and the
// command that makes of them what was wanted.
#ifndef WEFT_CONVERTER_BASE_FILE_KIND_H_
#define WEFT_CONVERTER_BASE_FILE_KIND_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace weft {

// For messages, behind the path: "is an ONNX model; must be an OpenVINO IR, as made by: ovc ...".
// Empty where the file may be an IR, or is nothing that is known.
std::string NotAnIr(const std::filesystem::path& path, std::span<const std::byte> bytes);
// The same for a model.weft.
std::string NotAModel(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILE_KIND_H_
