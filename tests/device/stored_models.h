// SPDX-License-Identifier: Apache-2.0
// The models that the target weft_models has converted, from the lists that it wrote next to them,
// and the arrays of their conformance cases. No folder is listed, because boards can access the
// host's files only by name.
#ifndef WEFT_TESTS_DEVICE_STORED_MODELS_H_
#define WEFT_TESTS_DEVICE_STORED_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/model_hash.h"

namespace weft {

using Buffer = std::vector<unsigned char>;

// "gru/forward" or "tflite/shorts/add_0", and how its case.json compares outputs. If `calls` is not
// 0, all arrays of the case have a leading axis with one entry per call.
struct StoredCase {
  std::string name;
  size_t calls = 0;
  double rtol = 0, atol = 0;
};

inline std::vector<StoredCase> StoredCases() {
  std::vector<StoredCase> cases;
  std::ifstream stream(WEFT_MODELS_DIR "/index.txt");
  for (StoredCase row; stream >> row.name >> row.calls >> row.rtol >> row.atol;) {
    if (IsSampled(row.name.c_str())) cases.push_back(row);
  }
  return cases;
}

// A streaming model: the complete runs of the whole sequence and the latency of each output in
// steps.
struct StreamedModel {
  size_t runs = 0;
  std::vector<size_t> latencies;
};

// By name, such as "sequence/gru_relu.1" (1 step per run).
inline std::map<std::string, StreamedModel> StreamedModels() {
  std::map<std::string, StreamedModel> models;
  std::ifstream stream(WEFT_MODELS_DIR "-streamed/index.txt");
  std::string name, numbers;
  for (size_t runs = 0; stream >> name >> runs >> numbers;) {
    models[name].runs = runs;
    std::istringstream row(numbers);
    for (std::string number; std::getline(row, number, ',');) {
      models[name].latencies.push_back(
          static_cast<size_t>(std::strtoul(number.c_str(), nullptr, 10)));
    }
  }
  return models;
}

inline std::string ModelPath(const std::string& name) {
  return WEFT_MODELS_DIR "/" + name + ".weft";
}
inline std::string StreamedPath(const std::string& name) {
  return WEFT_MODELS_DIR "-streamed/" + name + ".weft";
}

// The files of every stored model, then of every streaming model.
inline std::vector<std::string> ModelPaths() {
  std::vector<std::string> paths;
  for (const StoredCase& stored : StoredCases()) paths.push_back(ModelPath(stored.name));
  for (const auto& [name, model] : StreamedModels()) paths.push_back(StreamedPath(name));
  return paths;
}

// An array as NumPy stores it, version 1: the text of its header and its elements.
struct StoredArray {
  std::string header;
  Buffer elements;
};

// Bytes of the elements that a header describes, {'descr': '<f4', .., 'shape': (2, 3), }.
inline size_t ElementBytes(const std::string& header) {
  const size_t descr = header.find("'descr': '"), shape = header.find("'shape': (");
  if (descr == std::string::npos || shape == std::string::npos) return 0;
  size_t bytes = static_cast<size_t>(header[descr + 12] - '0');
  std::istringstream dims(header.substr(shape + 10));
  for (size_t dim = 0; dims >> dim; dims.ignore(1, ',')) bytes *= dim;
  return bytes;
}

// The arrays of a case, its inputs before its outputs, both in port order. A truncated file, or one
// that is no array file, gives fewer.
inline std::vector<StoredArray> ReadArrays(const std::string& name) {
  std::vector<StoredArray> arrays;
  const char* folder = name.rfind("tflite/", 0) == 0 ? "/" : "/cases/";
  std::ifstream stream(WEFT_FIXTURES_DIR + (folder + name) + "/arrays.npy", std::ios::binary);
  const auto read = [&stream](void* to, size_t bytes) {
    stream.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    return static_cast<bool>(stream);
  };
  unsigned char prefix[10] = {};
  while (read(prefix, sizeof(prefix)) && prefix[0] == 0x93 && prefix[6] == 1) {
    StoredArray array;
    array.header.resize(prefix[8] + 256u * prefix[9]);
    if (!read(array.header.data(), array.header.size())) break;
    array.elements.resize(ElementBytes(array.header));
    if (!read(array.elements.data(), array.elements.size())) break;
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_STORED_MODELS_H_
