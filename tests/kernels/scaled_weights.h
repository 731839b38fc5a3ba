// SPDX-License-Identifier: Apache-2.0
// Random weights of type Scaled8: scales, then codes.
#ifndef WEFT_TESTS_KERNELS_SCALED_WEIGHTS_H_
#define WEFT_TESTS_KERNELS_SCALED_WEIGHTS_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/matrix/weights.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {

struct ScaledMemory {
  std::vector<float> scales;
  std::vector<int8_t> codes;

  // The products of the codes with most of these scales are rounded.
  explicit ScaledMemory(size_t count) : scales(count) {
    for (size_t i = 0; i < count; ++i) scales[i] = 1.0f / (100.0f + static_cast<float>(i % 97));
  }

  void AddCode(float code) { codes.push_back(static_cast<int8_t>(code)); }
  // Adds a random code and returns its weight.
  float Add(Random* random, size_t scale) {
    codes.push_back(static_cast<int8_t>(random->Below(256)));
    return static_cast<float>(codes.back()) * scales[scale];
  }
  void Append(std::vector<Scaled8>* memory) const {
    const size_t before = memory->size(), scale_bytes = scales.size() * sizeof(float);
    memory->resize(before + scale_bytes + codes.size());
    if (scale_bytes != 0) std::memcpy(memory->data() + before, scales.data(), scale_bytes);
    if (codes.empty()) return;
    std::memcpy(memory->data() + before + scale_bytes, codes.data(), codes.size());
  }
  // At an address that is a multiple of 4 and of no vector.
  Array<Scaled8> Placed() const {
    std::vector<Scaled8> memory;
    Append(&memory);
    return Array<Scaled8>(memory, 4);
  }
};

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_SCALED_WEIGHTS_H_
