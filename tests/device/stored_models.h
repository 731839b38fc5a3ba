// SPDX-License-Identifier: Apache-2.0
// The models that the target weft_models has converted, by the lists it wrote beside them, and the
// arrays of the conformance cases they come from. No folder is listed: boards reach the host's
// files by their names alone.
#ifndef WEFT_TESTS_DEVICE_STORED_MODELS_H_
#define WEFT_TESTS_DEVICE_STORED_MODELS_H_

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/weft.h"

namespace weft {

using Buffer = std::vector<unsigned char>;

// "gru/forward", and how its case.json says that outputs are judged. With `calls` other than 0 all
// arrays of the case have a leading axis, one entry per call.
struct StoredCase {
  std::string name;
  size_t calls = 0;
  double rtol = 0, atol = 0;
};

inline std::vector<StoredCase> StoredCases() {
  std::vector<StoredCase> cases;
  std::ifstream stream(WEFT_MODELS_DIR "/index.txt");
  for (StoredCase row; stream >> row.name >> row.calls >> row.rtol >> row.atol;) {
    cases.push_back(row);
  }
  return cases;
}

// "sequence/gru_relu.1", the number being the steps of one run.
inline std::vector<std::string> StreamedModels() {
  std::ifstream stream(WEFT_MODELS_DIR "-streamed/index.txt");
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

inline std::string ModelPath(const std::string& name) {
  return WEFT_MODELS_DIR "/" + name + ".weft";
}
inline std::string StreamedPath(const std::string& name) {
  return WEFT_MODELS_DIR "-streamed/" + name + ".weft";
}

// Array `port` of a case, `kind` being "inputs" or "expected".
inline std::string ArrayPath(const std::string& name, const char* kind, size_t port) {
  return WEFT_SOURCE_DIR "/tests/conformance/cases/" + name + "/" + kind + "/" +
         std::to_string(port) + ".npy";
}

// A .npy file of version 1: the text of its header and the bytes behind it; both empty if the file
// is none.
struct StoredArray {
  std::string header;
  Buffer elements;
};

inline StoredArray ReadArray(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  unsigned char prefix[10] = {};
  stream.read(reinterpret_cast<char*>(prefix), sizeof(prefix));
  if (!stream || prefix[0] != 0x93 || prefix[6] != 1) return {};
  StoredArray array;
  array.header.resize(prefix[8] + 256u * prefix[9]);
  stream.read(array.header.data(), static_cast<std::streamsize>(array.header.size()));
  array.elements.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  return array;
}

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_STORED_MODELS_H_
