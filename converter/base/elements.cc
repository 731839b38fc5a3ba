// SPDX-License-Identifier: Apache-2.0
#include "converter/base/elements.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft {
namespace {

template <typename T>
T Load(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

// Every half is exact in double. Subnormal halves are multiples of 2^-24.
double HalfToDouble(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double magnitude;
  if (exponent == 0x1F) {
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

double RealAt(ElementType type, std::span<const std::byte> bytes, size_t index) {
  switch (type) {
    case ElementType::f32:
      return Load<float>(bytes, index);
    case ElementType::f64:
      return Load<double>(bytes, index);
    case ElementType::f16:
      return HalfToDouble(Load<uint16_t>(bytes, index));
    default:  // bf16: the upper half of a float
      return std::bit_cast<float>(uint32_t{Load<uint16_t>(bytes, index)} << 16);
  }
}

int64_t IntegerAt(ElementType type, std::span<const std::byte> bytes, size_t index) {
  const auto nibble = [&] {
    return std::to_integer<int64_t>(bytes[index / 2]) >> (index % 2 * 4) & 0xF;
  };
  switch (type) {
    case ElementType::i4:
      return (nibble() ^ 8) - 8;
    case ElementType::u4:
      return nibble();
    case ElementType::i8:
      return Load<int8_t>(bytes, index);
    case ElementType::i16:
      return Load<int16_t>(bytes, index);
    case ElementType::i32:
      return Load<int32_t>(bytes, index);
    case ElementType::i64:
      return Load<int64_t>(bytes, index);
    default:  // u8, boolean
      return Load<uint8_t>(bytes, index);
  }
}

uint64_t WidenedAt(const WidenedType& type, std::span<const std::byte> bytes, size_t index) {
  switch (type.bits) {
    case 1:
      return std::to_integer<uint64_t>(bytes[index / 8]) >> (7 - index % 8) & 1;
    case 16:
      return Load<uint16_t>(bytes, index);
    case 32:
      return Load<uint32_t>(bytes, index);
    default:
      return Load<uint64_t>(bytes, index);
  }
}

}  // namespace weft
