// SPDX-License-Identifier: Apache-2.0
// The hash of a model, which hashes.txt pins, without the standard library of C++.
#ifndef WEFT_TESTS_DEVICE_MODEL_HASH_H_
#define WEFT_TESTS_DEVICE_MODEL_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/weft.h"
#include "tests/device/made_inputs.h"

namespace weft {

// Returns true if this target tests the model: all models, or one in WEFT_MODEL_THINNING, chosen by
// the name, so that every list of models gives the same sample.
inline bool IsSampled(const char* name) {
  uint32_t hash = 0x811C9DC5u;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x01000193u;
  return hash % WEFT_MODEL_THINNING == 0;
}

inline uint64_t Hash(const void* data, size_t bytes, uint64_t hash) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001B3u;
  return hash;
}

// All NaNs are equal: x86 and ARM disagree on the sign of generated NaNs (of sqrt(-1), say), and
// IEEE 754 leaves it open. Every other bit counts.
inline uint64_t Hash(const Tensor& tensor, uint64_t hash) {
  if (tensor.type != Type::kF32) return Hash(tensor.data, tensor.bytes, hash);
  for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, tensor.as<float>() + i, sizeof(bits));
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) bits = 0x7FC00000u;
    hash = Hash(&bits, sizeof(bits), hash);
  }
  return hash;
}

// Hash over the outputs of three runs; the second and third continue from the previous state.
// Returns false if a run fails.
inline bool HashModel(Engine& engine, uint64_t* hash) {
  *hash = 0xCBF29CE484222325u;
  uint32_t random = 1;
  bool ok = true;
  for (int run = 0; run < 3; ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    // These inputs may set a count above its maximum.
    const FaultCode code = engine.Run().code;
    ok = ok && (code == FaultCode::kNone || code == FaultCode::kTripLimit);
    for (uint32_t i = 0; i < engine.output_count(); ++i) *hash = Hash(engine.output(i), *hash);
  }
  return ok;
}

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_MODEL_HASH_H_
