// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/convert.h"

#include <cstring>
#include <limits>

#include "kernels/element.h"
#include "kernels/elementwise/number.h"

// Blocks need functions of libgcc on a microcontroller.
#if WEFT_MICROCONTROLLER
#define WEFT_CONVERTS_BLOCKS 0
#else
#define WEFT_CONVERTS_BLOCKS 1
#endif

#if WEFT_CONVERTS_BLOCKS
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/convert.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/convert_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline uint32_t BitsIn(Element type) {
  constexpr uint8_t kBits[] = {
#define WEFT_TYPE(name, Name, bits, ...) bits,
#include "kernels/types.inc"
#undef WEFT_TYPE
  };
  return kBits[static_cast<size_t>(type)];
}

// A block is read completely before its results are written: y may be x.
void ConvertBlocks(const ConvertShape& shape, const void* x, void* y) {
  const uint32_t from_bits = BitsIn(shape.from), to_bits = BitsIn(shape.to);
  const ReadFunction read = kReads[static_cast<size_t>(shape.from)];
  const WriteFunction write = WriteOf(shape.from, shape.to);
  alignas(64) unsigned char wide[kConvertBlock * sizeof(uint64_t)];
  for (size_t first = 0; first < shape.count; first += kConvertBlock) {
    const size_t left = shape.count - first;
    const size_t count = left < kConvertBlock ? left : kConvertBlock;
    read(static_cast<const unsigned char*>(x) + first * from_bits / 8, count, wide);
    write(wide, count, static_cast<unsigned char*>(y) + first * to_bits / 8);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // WEFT_CONVERTS_BLOCKS

#if !WEFT_CONVERTS_BLOCKS || HWY_ONCE
namespace weft::kernels {
namespace {

#if WEFT_CONVERTS_BLOCKS
HWY_EXPORT(ConvertBlocks);
#endif

// A microcontroller converts element by element, which needs less code: through one exact form,
// int64_t or Number. The pairs that models use often have their own loops with the same results.

bool IsFloat(Element type) {
  return type == Element::kF32 || type == Element::kF16 || type == Element::kBF16 ||
         type == Element::kF64;
}

FloatFormat FormatOf(Element type) {
  switch (type) {
    case Element::kF16:
      return kFormatF16;
    case Element::kBF16:
      return kFormatBF16;
    case Element::kF64:
      return kFormatF64;
    default:
      return kFormatF32;
  }
}

struct Limits {
  int64_t low;
  int64_t high;
};

Limits LimitsOf(Element type) {
  switch (type) {
    case Element::kI8:
      return {-128, 127};
    case Element::kU8:
      return {0, 255};
    case Element::kI16:
      return {-32768, 32767};
    case Element::kI32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

// ---- one element at an index --------------------------------------------------------------------

// x and y may be one array of two types. Only byte copies may access such an array.
template <typename T>
T At(const void* x, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(x) + index, sizeof value);
  return value;
}

template <typename T, typename U>
void Put(void* y, size_t index, U value) {
  const T converted = static_cast<T>(value);
  std::memcpy(static_cast<T*>(y) + index, &converted, sizeof converted);
}

int64_t ReadInteger(Element type, const void* x, size_t index) {
  switch (type) {
    case Element::kI4:
    case Element::kU4: {
      const int32_t byte = At<uint8_t>(x, index / 2);
      const int32_t nibble = index % 2 == 0 ? byte & 15 : byte >> 4;
      return type == Element::kI4 && nibble >= 8 ? nibble - 16 : nibble;
    }
    case Element::kI8:
      return At<int8_t>(x, index);
    case Element::kU8:
      return At<uint8_t>(x, index);
    case Element::kI16:
      return At<int16_t>(x, index);
    case Element::kI32:
      return At<int32_t>(x, index);
    case Element::kI64:
      return At<int64_t>(x, index);
    default:
      return At<uint8_t>(x, index) != 0;
  }
}

uint64_t ReadBits(Element type, const void* x, size_t index) {
  switch (type) {
    case Element::kF64:
      return At<uint64_t>(x, index);
    case Element::kF32:
      return At<uint32_t>(x, index);
    default:
      return At<uint16_t>(x, index);
  }
}

void WriteBits(Element type, uint64_t bits, void* y, size_t index) {
  switch (type) {
    case Element::kF64:
    case Element::kI64:
      return Put<uint64_t>(y, index, bits);
    case Element::kF32:
    case Element::kI32:
      return Put<uint32_t>(y, index, bits);
    case Element::kF16:
    case Element::kBF16:
    case Element::kI16:
      return Put<uint16_t>(y, index, bits);
    default:
      return Put<uint8_t>(y, index, bits);
  }
}

// The bits of `number` in type `to`.
uint64_t EncodeAs(Element to, const Number& number) {
  if (IsFloat(to)) return EncodeFloat(number, FormatOf(to));
  if (to == Element::kBoolean) {
    return number.kind != Number::kFinite || number.mantissa != 0 ? 1 : 0;
  }
  const Limits limits = LimitsOf(to);
  return static_cast<uint64_t>(ToInteger(number, limits.low, limits.high));
}

uint64_t EncodeInteger(Element to, int64_t value) {
  if (IsFloat(to)) return EncodeFloat(DecodeInteger(value), FormatOf(to));
  if (to == Element::kBoolean) return value != 0 ? 1 : 0;
  return static_cast<uint64_t>(value);
}

void ConvertAny(const ConvertShape& shape, const void* x, void* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const uint64_t bits =
        IsFloat(shape.from)
            ? EncodeAs(shape.to, DecodeFloat(ReadBits(shape.from, x, i), FormatOf(shape.from)))
            : EncodeInteger(shape.to, ReadInteger(shape.from, x, i));
    WriteBits(shape.to, bits, y, i);
  }
}

// ---- frequent pairs -----------------------------------------------------------------------------

// Integers of up to 32 bits: every processor's own conversion rounds to nearest, ties to even.
template <typename T>
void IntegersToFloats(const void* x, void* y, size_t count) {
  for (size_t i = 0; i < count; ++i) Put<float>(y, i, At<T>(x, i));
}

// Uses the processor's conversion where it is defined, and the limits of the range elsewhere.
template <typename T>
void FloatsToIntegers(const void* x, void* y, size_t count) {
  constexpr T kLow = std::numeric_limits<T>::min();
  constexpr T kHigh = std::numeric_limits<T>::max();
  constexpr float kBeyond = sizeof(T) == 4 ? 2147483648.0f : static_cast<float>(kHigh) + 1.0f;
  for (size_t i = 0; i < count; ++i) {
    const float value = At<float>(x, i);
    T result = 0;
    if (value >= kBeyond) {
      result = kHigh;
    } else if (value <= static_cast<float>(kLow)) {
      result = kLow;
    } else if (value == value) {
      result = static_cast<T>(static_cast<int32_t>(value));
    }
    Put<T>(y, i, result);
  }
}

template <typename From, typename To>
void IntegersToIntegers(const void* x, void* y, size_t count) {
  for (size_t i = 0; i < count; ++i) Put<To>(y, i, At<From>(x, i));
}

using Loop = void (*)(const void* x, void* y, size_t count);

Loop FrequentLoop(Element from, Element to) {
  if (to == Element::kF32) {
    switch (from) {
      case Element::kI8:
        return IntegersToFloats<int8_t>;
      case Element::kU8:
        return IntegersToFloats<uint8_t>;
      case Element::kI16:
        return IntegersToFloats<int16_t>;
      case Element::kI32:
        return IntegersToFloats<int32_t>;
      default:
        return nullptr;
    }
  }
  if (from == Element::kF32) {
    switch (to) {
      case Element::kI8:
        return FloatsToIntegers<int8_t>;
      case Element::kU8:
        return FloatsToIntegers<uint8_t>;
      case Element::kI16:
        return FloatsToIntegers<int16_t>;
      case Element::kI32:
        return FloatsToIntegers<int32_t>;
      default:
        return nullptr;
    }
  }
  if (from == Element::kI64 && to == Element::kI32) return IntegersToIntegers<int64_t, int32_t>;
  if (from == Element::kI32 && to == Element::kI64) return IntegersToIntegers<int32_t, int64_t>;
  return nullptr;
}

}  // namespace

bool ConvertKnows(Element from, Element to) {
  return from <= Element::kBoolean && to <= Element::kBoolean && to != Element::kI4 &&
         to != Element::kU4;
}

void Convert(const ConvertShape& shape, const void* x, void* y) {
  if (!ConvertKnows(shape.from, shape.to)) return;
#if WEFT_CONVERTS_BLOCKS
  if (!kIsMicrocontroller) return HWY_DYNAMIC_DISPATCH(ConvertBlocks)(shape, x, y);
#endif
  const Loop loop = FrequentLoop(shape.from, shape.to);
  if (loop != nullptr) return loop(x, y, shape.count);
  ConvertAny(shape, x, y);
}

}  // namespace weft::kernels
#endif  // !WEFT_CONVERTS_BLOCKS || HWY_ONCE
