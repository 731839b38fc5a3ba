// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/positions.h"

namespace weft::kernels {
namespace {

bool HasSign(Element type) {
  return type == Element::kF32 || type == Element::kF16 || type == Element::kBF16 ||
         type == Element::kF64;
}

// Advances to the next position in row-major order; returns false after the last one.
bool Advance(const PositionsShape& shape, uint32_t* at) {
  for (uint32_t d = shape.rank; d-- > 0;) {
    if (++at[d] < shape.dims[d]) return true;
    at[d] = 0;
  }
  return false;
}

void WriteIndex(Element type, void* positions, size_t index, uint32_t value) {
  if (type == Element::kI64) {
    static_cast<int64_t*>(positions)[index] = value;
  } else {
    static_cast<int32_t*>(positions)[index] = static_cast<int32_t>(value);
  }
}

// Compares elements by their bits; the sign bit of a float is ignored.
template <typename Bits>
void PositionsByBits(const PositionsShape& shape, const void* x, void* positions, int32_t* counts) {
  const Bits all = static_cast<Bits>(~Bits{0});
  const Bits counted = HasSign(shape.type) ? static_cast<Bits>(all >> 1) : all;
  const Raw<Bits>* from = static_cast<const Raw<Bits>*>(x);
  const size_t max = shape.max;
  size_t count = 1;
  for (uint32_t d = 0; d < shape.rank; ++d) count *= shape.dims[d];
  for (size_t b = 0; b < shape.batch; ++b) {
    const size_t first = b * shape.rank * max;
    uint32_t at[kMaxRank] = {};
    size_t found = 0;
    for (size_t i = 0; i < count && found < max; ++i, Advance(shape, at)) {
      if ((from[i].bits & counted) == 0) continue;
      for (uint32_t d = 0; d < shape.rank; ++d) {
        WriteIndex(shape.index_type, positions, first + d * max + found, at[d]);
      }
      ++found;
    }
    counts[b] = static_cast<int32_t>(found);
    for (uint32_t d = 0; d < shape.rank; ++d) {
      for (size_t i = found; i < max; ++i) {
        WriteIndex(shape.index_type, positions, first + d * max + i, 0);
      }
    }
    from += count;
  }
}

}  // namespace

bool PositionsSupports(Element type) { return type != Element::kI4 && type != Element::kU4; }

void Positions(const PositionsShape& shape, const void* x, void* positions, int32_t* counts) {
  switch (shape.type) {
    case Element::kI4:
    case Element::kU4:
      return;
    case Element::kI8:
    case Element::kU8:
    case Element::kBoolean:
      return PositionsByBits<uint8_t>(shape, x, positions, counts);
    case Element::kF16:
    case Element::kBF16:
    case Element::kI16:
      return PositionsByBits<uint16_t>(shape, x, positions, counts);
    case Element::kF32:
    case Element::kI32:
      return PositionsByBits<uint32_t>(shape, x, positions, counts);
    case Element::kF64:
    case Element::kI64:
      return PositionsByBits<uint64_t>(shape, x, positions, counts);
  }
}

}  // namespace weft::kernels
