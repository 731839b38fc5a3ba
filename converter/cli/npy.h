// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy files (.npy, format versions 1 to 3), little-endian and in C order. Other byte
// orders, Fortran order, structured and unknown types are errors.
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

// Returns true if the file begins as a .npy file.
bool IsNpy(std::span<const std::byte> file);
// On failure returns nullopt and a reason without the path ("is big endian (>f4); must be little
// endian").
std::optional<Array> ReadNpy(const std::filesystem::path& path, std::string* reason);
std::optional<Array> ParseNpy(std::vector<std::byte> file, std::string* reason);

// NumPy appends arrays to one file if np.save is called several times. Reads the first array of
// `bytes` and sets `used_bytes` to its size, which is the offset of the next array.
std::optional<Array> ParseFirstNpy(std::span<const std::byte> bytes, size_t* used_bytes,
                                   std::string* reason);

// Gives an array of packed bytes, u8[bytes] or u8[N,bytes] for N calls, the type of its port: i4 or
// u4 with the port's dims, after N if there is one. Each call starts at a byte. Leaves any other
// array unchanged.
void TakePackedBytes(const TensorType& port, Array& array);
// The inverse. `dims` is the rank of one call. Other types are returned unchanged.
Array ToPackedBytes(Array array, size_t dims);

// "<f4" for f32, "<u2" for bf16, whose bits are stored; empty for i4 and u4.
std::string_view NpyName(ElementType type);
// Returns the bytes of a .npy file. NpyName of the type must not be empty.
std::vector<std::byte> NpyBytes(const Array& array);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_NPY_H_
