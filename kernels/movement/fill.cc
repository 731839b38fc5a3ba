// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/fill.h"

namespace weft::kernels {
namespace {

template <typename T>
void FillAs(uint64_t bits, void* y, size_t count) {
  Raw<T>* out = static_cast<Raw<T>*>(y);
  for (size_t i = 0; i < count; ++i) out[i].bits = static_cast<T>(bits);
}

}  // namespace

void Fill(const FillShape& shape, void* y) {
  const uint64_t bits = uint64_t{shape.bits_high} << 32 | shape.bits_low;
  switch (shape.element_bytes) {
    case 1:
      return FillAs<uint8_t>(bits, y, shape.count);
    case 2:
      return FillAs<uint16_t>(bits, y, shape.count);
    case 4:
      return FillAs<uint32_t>(bits, y, shape.count);
    default:
      return FillAs<uint64_t>(bits, y, shape.count);
  }
}

}  // namespace weft::kernels
