// SPDX-License-Identifier: Apache-2.0
// Weights of a product in the types of the file.
#ifndef WEFT_CONVERTER_PROGRAM_ENCODED_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_ENCODED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/base/element_type.h"

namespace weft::program {

// Elements of one constant; without bytes there is no such constant.
struct StoredElements {
  ElementType type = ElementType::f32;
  std::vector<std::byte> bytes = {};
};
template <typename T>
StoredElements Stored(ElementType type, std::span<const T> elements) {
  const auto bytes = std::as_bytes(elements);
  return {type, {bytes.begin(), bytes.end()}};
}

struct EncodedWeights {
  // Constants for the inputs [first, first + count) of all outputs.
  struct Part {
    uint32_t first = 0, count = 0;
    StoredElements numbers = {};  // in the layout of the kernel (kernels/matrix/pack.h)
    // Of integers, padded to complete panels in each group.
    StoredElements scales = {};
    // i4: zero points. i8: each output of rows adds its offset times the sum of the row of x. For
    // patches the same, with the sum of a patch as one more output of its group. For taps these are
    // zero points. No bytes if all are 0, or 8 for i4.
    StoredElements offsets = {};
  };
  std::vector<Part> parts = {};  // only i8 has several
  uint32_t group_blocks = 0;     // of i4 (kernels/matrix/dense_i4.h)
  // If they are rounded: the weights that the kernels read, laid out like the original floats.
  std::vector<float> floats = {};

  int64_t bytes() const {
    int64_t sum = 0;
    for (const Part& part : parts) {
      for (const StoredElements* one : {&part.numbers, &part.scales, &part.offsets}) {
        sum += std::ssize(one->bytes);
      }
    }
    return sum;
  }
};

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_ENCODED_WEIGHTS_H_
