// SPDX-License-Identifier: Apache-2.0
// A model file in memory, and engines on it.
#ifndef WEFT_EXAMPLES_SERVER_MODEL_H_
#define WEFT_EXAMPLES_SERVER_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/weft.h"

namespace server {

// Memory with the alignment of every region.
struct alignas(64) Line {
  unsigned char bytes[64];
};
inline std::vector<Line> MemoryOf(size_t bytes) {
  return std::vector<Line>((bytes + sizeof(Line) - 1) / sizeof(Line));
}

class Model {
 public:
  // Prints an error and returns false if the file is no model.
  bool Read(const char* path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
    memory_ = MemoryOf(file.size());
    if (!file.empty()) std::memcpy(memory_.data(), file.data(), file.size());
    size_ = file.size();
    return Passes(path, weft::ReadNeeds(bytes(), &needs));
  }
  weft::Bytes bytes() const { return {memory_.data(), size_}; }

  static bool Passes(const char* where, const weft::Fault& fault) {
    if (fault.ok()) return true;
    char text[160];
    weft::Describe(fault, text, sizeof(text));
    std::fprintf(stderr, "server: %s: %s\n", where, text);
    return false;
  }

  weft::Needs needs;

 private:
  std::vector<Line> memory_;
  size_t size_ = 0;
};

// An engine with its own state. Engines of one thread share a scratch.
class ModelEngine {
 public:
  bool Open(const Model& model, std::vector<Line>& scratch) {
    state_ = MemoryOf(model.needs.state_bytes);
    weft::Memory memory;
    memory.state = {state_.data(), model.needs.state_bytes};
    memory.scratch = {scratch.data(), scratch.size() * sizeof(Line)};
    return Model::Passes("the model",
                         weft::Engine::Open(model.bytes(), weft::AllSteps(), memory, &engine));
  }
  weft::Block state() { return {state_.data(), state_.size() * sizeof(Line)}; }

  weft::Engine engine;

 private:
  std::vector<Line> state_;
};

}  // namespace server

#endif  // WEFT_EXAMPLES_SERVER_MODEL_H_
