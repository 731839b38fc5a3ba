// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy stores them (.npy, format versions 1 to 3), little-endian and in C order. Another
// byte order, Fortran order, structured and unknown types are refused by name; nothing is
// converted.
#ifndef WEFT_CONVERTER_CLI_NPY_H_
#define WEFT_CONVERTER_CLI_NPY_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/element_type.h"

namespace weft::cli {

struct Array {
  TensorType type;
  std::vector<std::byte> bytes;  // dense, row-major
};

// Nullopt and a reason without the path ("is big endian (>f4); must be little endian").
std::optional<Array> ReadNpy(const std::filesystem::path& path, std::string* reason);
std::optional<Array> ParseNpy(std::vector<std::byte> file, std::string* reason);

// NumPy appends arrays to one file when np.save is called on it several times. This reads the
// first array of `bytes` and sets `used_bytes` to what it takes, where the next one begins.
std::optional<Array> ParseFirstNpy(std::span<const std::byte> bytes, size_t* used_bytes,
                                   std::string* reason);

// Gives an array of packed bytes, u8[bytes] or u8[N,bytes] for N calls, the type of its port: i4 or
// u4 with the port's dims, after N if there is one. Each call begins at a whole byte. Leaves any
// other array unchanged.
void TakePackedBytes(const TensorType& port, Array& array);
// The reverse. `dims` counts the dims of one call; all other types are returned unchanged.
Array ToPackedBytes(Array array, size_t dims);

// "<f4" of f32, "<u2" of bf16, whose bits the file holds; empty for i4 and u4.
std::string_view NpyName(ElementType type);
// The file's bytes; the type must have a name.
std::vector<std::byte> NpyBytes(const Array& array);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_NPY_H_
