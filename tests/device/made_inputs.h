// SPDX-License-Identifier: Apache-2.0
// Inputs computed with integers only, so that they are the same on all targets.
#ifndef WEFT_TESTS_DEVICE_MADE_INPUTS_H_
#define WEFT_TESTS_DEVICE_MADE_INPUTS_H_

#include <cstdint>
#include <cstring>

#include "runtime/weft.h"

namespace weft {

// f32 in [-1, 1) in steps of 2^-12; small counts for integers; both values of boolean.
inline void FillInput(const Tensor& tensor, uint32_t& state) {
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return state >> 19;  // 13 bits
  };
  if (tensor.type == Type::kF32) {
    for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
      tensor.as<float>()[i] = (static_cast<float>(next()) - 4096.0f) / 4096.0f;
    }
    return;
  }
  const size_t element_bytes = BitsOf(tensor.type) / 8;
  if (element_bytes == 0) __builtin_trap();  // no port has such a type
  std::memset(tensor.data, 0, tensor.bytes);
  const bool boolean = tensor.type == Type::kBool;
  for (size_t i = 0; i < tensor.bytes; i += element_bytes) {
    tensor.as<unsigned char>()[i] = static_cast<unsigned char>(next() & (boolean ? 1 : 3));
  }
}

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_MADE_INPUTS_H_
