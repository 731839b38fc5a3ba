// SPDX-License-Identifier: Apache-2.0
// Runs a new model file on this machine with generated inputs.
#ifndef WEFT_CONVERTER_EMIT_FILE_ENGINE_H_
#define WEFT_CONVERTER_EMIT_FILE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/faults.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::emit {

// The runtime's text of a fault.
std::string Words(const Fault& fault);
// Adds the fault of a file that the converter wrote.
void AddBrokenRule(const Fault& fault, Faults& faults);

// An engine and its memory.
class OwnEngine {
 public:
  // `needs` are ReadNeeds(model). The bytes of `model` must outlive the engine.
  Fault Open(weft::Bytes model, const Needs& needs, StepTable steps = AllSteps());
  // The state region; the engine must be open.
  std::span<std::byte> state() { return {memory_[0].data(), memory_[0].size()}; }

  Engine engine;

 private:
  std::vector<AlignedBytes> memory_;
};

// An engine with its memory and a copy of its model.
class FileEngine : public OwnEngine {
 public:
  explicit FileEngine(std::span<const std::byte> file) : model_(file) {}

  Fault Open();
  // Adds a fault and returns false if the file breaks a rule.
  bool Open(Faults& faults);
  weft::Bytes bytes() const { return {model_.data(), model_.size()}; }
  const format::Model& model() const { return *format::GetModel(model_.data()); }

 private:
  AlignedBytes model_;
};

// Generator of 13-bit numbers, deterministic on every machine.
class MadeNumbers {
 public:
  explicit MadeNumbers(uint32_t seed = 1) : state_(seed) {}
  uint32_t Next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 19;
  }

 private:
  uint32_t state_;
};

// Fills an input: floats with numbers in [-1, 1) that are multiples of 2^-12, which f16 and bf16
// round; integers with 0 to 3, so that counts and indices are valid; booleans with both values.
void Fill(const Tensor& tensor, MadeNumbers& random);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_FILE_ENGINE_H_
