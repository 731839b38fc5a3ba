// SPDX-License-Identifier: Apache-2.0

#include "examples/dtmf/npy.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "examples/dtmf/file.h"

namespace dtmf {

std::string ReadNpy(const char* path, std::vector<float>* values) {
  constexpr size_t kPrefixBytes = 10;  // magic, version, length of the header text
  MappedFile file;
  if (!file.Open(path)) return std::string(path) + ": cannot be read";
  const auto* bytes = static_cast<const unsigned char*>(file.data());
  if (file.size() < kPrefixBytes || std::memcmp(bytes, "\x93NUMPY\x01\x00", 8) != 0) {
    return std::string(path) + ": not a NumPy file of version 1.0";
  }
  const size_t begin = kPrefixBytes + bytes[8] + (static_cast<size_t>(bytes[9]) << 8);
  if (begin > file.size()) return std::string(path) + ": the header is truncated";
  const std::string header(bytes + kPrefixBytes, bytes + begin);
  if (header.find("'descr': '<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos) {
    return std::string(path) + ": is " + header + "; must be little-endian f32 in C order";
  }
  values->resize((file.size() - begin) / sizeof(float));
  if (!values->empty()) {
    std::memcpy(values->data(), bytes + begin, values->size() * sizeof(float));
  }
  return "";
}

}  // namespace dtmf
