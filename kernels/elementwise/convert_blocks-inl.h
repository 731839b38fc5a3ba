// SPDX-License-Identifier: Apache-2.0
// convert in blocks: each source type is widened to one of four types, and each of those has a loop
// for every target type. All loops have a constant length and no branch, so that the compiler
// vectorises them. Floats are rounded by integer arithmetic on their bits, as in number.h.
// Internal to convert.cc.
#if defined(WEFT_KERNELS_ELEMENTWISE_CONVERT_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_CONVERT_BLOCKS_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_CONVERT_BLOCKS_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_CONVERT_BLOCKS_INL_H_
#endif

#include <cstring>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/element.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

constexpr size_t kConvertBlock = 64;  // elements; even, so that a block of i4 ends with a byte

// One tag for each element type: the type in memory, and the type that it is widened to.
template <typename MemoryType, typename WideType, Element kElementType>
struct ElementTag {
  using Memory = MemoryType;
  using Wide = WideType;
  static constexpr Element kElement = kElementType;
};
using TagF32 = ElementTag<uint32_t, uint32_t, Element::kF32>;
using TagF16 = ElementTag<uint16_t, uint32_t, Element::kF16>;
using TagBF16 = ElementTag<uint16_t, uint32_t, Element::kBF16>;
using TagF64 = ElementTag<uint64_t, uint64_t, Element::kF64>;
using TagI8 = ElementTag<int8_t, int32_t, Element::kI8>;
using TagU8 = ElementTag<uint8_t, int32_t, Element::kU8>;
using TagI16 = ElementTag<int16_t, int32_t, Element::kI16>;
using TagI32 = ElementTag<int32_t, int32_t, Element::kI32>;
using TagI64 = ElementTag<int64_t, int64_t, Element::kI64>;
using TagBoolean = ElementTag<uint8_t, int32_t, Element::kBoolean>;

// Bits of f32 are uint32_t and bits of f64 uint64_t; integers are signed.
template <typename Wide>
inline constexpr bool kIsBits = std::is_unsigned_v<Wide>;

template <typename To, typename From>
inline To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// condition ? a : b for integers, without a branch: GCC keeps a branch around arithmetic of floats,
// and then does not vectorise the loop.
template <typename T>
inline T Select(bool condition, T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  const Bits mask = static_cast<Bits>(Bits{0} - static_cast<Bits>(condition));
  return static_cast<T>((static_cast<Bits>(a) & mask) | (static_cast<Bits>(b) & ~mask));
}

// ---- floats to wider and to narrower floats -----------------------------------------------------

template <typename BitsType, int kFraction, int kExponent>
struct FloatBits {
  using Bits = BitsType;
  static constexpr int kFractionBits = kFraction;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr Bits kSign = Bits{1} << (kFraction + kExponent);
  static constexpr Bits kInfinity = ((Bits{1} << kExponent) - 1) << kFraction;
  static constexpr Bits kQuiet = Bits{1} << (kFraction - 1);
};
using BitsF16 = FloatBits<uint32_t, 10, 5>;
using BitsBF16 = FloatBits<uint32_t, 7, 8>;
using BitsF32 = FloatBits<uint32_t, 23, 8>;
using BitsF64 = FloatBits<uint64_t, 52, 11>;

// To a format that can represent every number of `From`. A signalling NaN becomes quiet.
template <typename From, typename To, typename Float>
inline typename To::Bits Widened(typename From::Bits x) {
  using Bits = typename To::Bits;
  constexpr int kShift = To::kFractionBits - From::kFractionBits;
  constexpr Bits kOffset = static_cast<Bits>(To::kBias - From::kBias) << To::kFractionBits;
  constexpr int kUnit = 1 - From::kBias - From::kFractionBits;  // exponent of the smallest number
  const Bits sign = static_cast<Bits>(x & From::kSign) * (To::kSign / From::kSign);
  const Bits magnitude = static_cast<Bits>(x & (From::kSign - 1));
  Bits result = (magnitude << kShift) + kOffset;
  if constexpr (kOffset != 0) {
    // A subnormal number is an integer times the unit; both are normal in the format `To`.
    const Float unit = BitsAs<Float>(static_cast<Bits>(To::kBias + kUnit) << To::kFractionBits);
    const Float value = static_cast<Float>(static_cast<int32_t>(magnitude)) * unit;
    result = Select(magnitude < (Bits{1} << From::kFractionBits), BitsAs<Bits>(value), result);
  }
  const Bits special = (magnitude << kShift) | To::kInfinity |
                       Select(magnitude > From::kInfinity, To::kQuiet, Bits{0});
  return sign | Select(magnitude >= From::kInfinity, special, result);
}

// To a format of fewer bits: to nearest, ties to even; too large becomes infinite.
template <typename From, typename To>
inline typename From::Bits Rounded(typename From::Bits x) {
  using Bits = typename From::Bits;
  constexpr int kShift = From::kFractionBits - To::kFractionBits;
  constexpr int kOffset = From::kBias - To::kBias;
  constexpr Bits kOne = 1, kHalf = kOne << (kShift - 1);
  const Bits sign = (x & From::kSign) / (From::kSign / static_cast<Bits>(To::kSign));
  const Bits magnitude = x & (From::kSign - 1);
  const Bits rest = magnitude - (static_cast<Bits>(kOffset) << From::kFractionBits);
  Bits result = (rest + kHalf - 1 + ((rest >> kShift) & 1)) >> kShift;
  result = result > To::kInfinity ? static_cast<Bits>(To::kInfinity) : result;
  if constexpr (kOffset != 0) {
    constexpr Bits kFirstNormal = static_cast<Bits>(kOffset + 1) << From::kFractionBits;
    constexpr Bits kMaxShift = From::kFractionBits + 3;
    const Bits exponent = magnitude >> From::kFractionBits;
    const Bits mantissa =
        (magnitude & ((kOne << From::kFractionBits) - 1)) | (kOne << From::kFractionBits);
    const Bits far = static_cast<Bits>(kShift + kOffset + 1) - exponent;
    const bool is_small = magnitude < kFirstNormal;
    const Bits shift = is_small ? (far < kMaxShift ? far : kMaxShift) : kOne;
    const Bits half = kOne << (shift - 1);
    const Bits small = (mantissa + half - 1 + ((mantissa >> shift) & 1)) >> shift;
    result = Select(is_small, small, result);
  }
  const Bits nan = To::kInfinity | To::kQuiet | (magnitude >> kShift);
  return sign | Select(magnitude > From::kInfinity, nan, result);
}

template <typename Bits>
inline Bits Quieted(Bits x) {
  using Format = std::conditional_t<sizeof(Bits) == 4, BitsF32, BitsF64>;
  return (x & (Format::kSign - 1)) > Format::kInfinity ? (x | Format::kQuiet) : x;
}

// ---- integers and floats ------------------------------------------------------------------------

// Truncates and saturates; NaN gives 0.
template <typename Float, typename Whole>
inline Whole Truncated(Float value, Whole low, Whole high) {
  constexpr Whole kHighest = std::numeric_limits<Whole>::max();
  // One above `high` if that is the maximum of Whole, which no float represents exactly.
  const Float beyond = static_cast<Float>(high) + (sizeof(Float) == 4 && high == kHighest ? 0 : 1);
  const Float min = static_cast<Float>(low);
  using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  const bool is_high = value >= beyond, is_low = value <= min;
  const bool is_inside = (value > min) & (value < beyond);
  const Float inside = BitsAs<Float>(Select(is_inside, BitsAs<Bits>(value), Bits{0}));
  const Whole whole = Select(is_high, high, static_cast<Whole>(inside));
  return Select(is_low, low, whole);
}

// The bits of an integer as a float. An integer with more bits than the fraction keeps its upper
// bits; the last of these is set if a lower bit is set (sticky bit). So rounding the result to f16
// or bf16 is the only rounding.
inline uint32_t SmallIntegerAsF32(int32_t value) {
  const uint32_t sign = value < 0 ? ~uint32_t{0} : 0;
  const uint32_t magnitude = (static_cast<uint32_t>(value) ^ sign) - sign;
  const uint32_t folded = (magnitude & ~uint32_t{0xFF}) | ((magnitude & 0xFF) != 0 ? 0x100u : 0u);
  const uint32_t kept = magnitude < (1u << 24) ? magnitude : folded;
  // 2^31 does not fit in int32_t, but half of an even number does.
  const bool is_large = magnitude >= (1u << 24);
  const float half = static_cast<float>(static_cast<int32_t>(Select(is_large, kept >> 1, kept)));
  const uint32_t bits = BitsAs<uint32_t>(half);
  return Select(is_large, bits + (1u << 23), bits) | (sign & 0x80000000u);
}
inline uint64_t LargeIntegerAsF64(int64_t value) {
  const uint64_t sign = value < 0 ? ~uint64_t{0} : 0;
  const uint64_t magnitude = (static_cast<uint64_t>(value) ^ sign) - sign;
  const uint64_t folded = (magnitude & ~uint64_t{0x7FF}) | ((magnitude & 0x7FF) != 0 ? 0x800u : 0u);
  const bool is_large = magnitude >= (uint64_t{1} << 53);
  const double half =
      static_cast<double>(static_cast<int64_t>(Select(is_large, folded >> 1, magnitude)));
  const uint64_t bits = BitsAs<uint64_t>(half);
  return Select(is_large, bits + (uint64_t{1} << 52), bits) | (sign & (uint64_t{1} << 63));
}

// ---- one element --------------------------------------------------------------------------------

template <typename Tag>
inline typename Tag::Wide Widen(typename Tag::Memory x) {
  if constexpr (Tag::kElement == Element::kF16) return Widened<BitsF16, BitsF32, float>(x);
  if constexpr (Tag::kElement == Element::kBF16) return Widened<BitsBF16, BitsF32, float>(x);
  if constexpr (Tag::kElement == Element::kBoolean) return x != 0 ? 1 : 0;
  return static_cast<typename Tag::Wide>(x);
}

template <typename Tag, typename Wide>
inline typename Tag::Memory FromInteger(Wide x) {
  using Memory = typename Tag::Memory;
  constexpr Element kTo = Tag::kElement;
  if constexpr (kTo == Element::kF32) return BitsAs<uint32_t>(static_cast<float>(x));
  if constexpr (kTo == Element::kF64) return BitsAs<uint64_t>(static_cast<double>(x));
  if constexpr (kTo == Element::kBoolean) return x != 0 ? 1 : 0;
  if constexpr (kTo == Element::kF16 || kTo == Element::kBF16) {
    using To = std::conditional_t<kTo == Element::kF16, BitsF16, BitsBF16>;
    if constexpr (sizeof(Wide) == 4) {
      return static_cast<Memory>(Rounded<BitsF32, To>(SmallIntegerAsF32(x)));
    } else {
      return static_cast<Memory>(Rounded<BitsF64, To>(LargeIntegerAsF64(x)));
    }
  }
  return static_cast<Memory>(x);
}

template <typename Tag, typename Wide>
inline typename Tag::Memory FromFloat(Wide x) {
  using Memory = typename Tag::Memory;
  using From = std::conditional_t<sizeof(Wide) == 4, BitsF32, BitsF64>;
  using Float = std::conditional_t<sizeof(Wide) == 4, float, double>;
  constexpr Element kTo = Tag::kElement;
  if constexpr (kTo == Element::kBoolean) return (x & (From::kSign - 1)) != 0 ? 1 : 0;
  if constexpr (kTo == Element::kF16) return static_cast<Memory>(Rounded<From, BitsF16>(x));
  if constexpr (kTo == Element::kBF16) return static_cast<Memory>(Rounded<From, BitsBF16>(x));
  if constexpr (kTo == Element::kF32 || kTo == Element::kF64) {
    if constexpr (sizeof(Memory) == sizeof(Wide)) return Quieted(x);
    if constexpr (sizeof(Memory) > sizeof(Wide)) return Widened<BitsF32, BitsF64, double>(x);
    if constexpr (sizeof(Memory) < sizeof(Wide)) {
      return static_cast<Memory>(Rounded<BitsF64, BitsF32>(x));
    }
  } else {
    using Whole = std::conditional_t<sizeof(Memory) == 8, int64_t, int32_t>;
    constexpr Whole kLow = std::numeric_limits<Memory>::min();
    constexpr Whole kHigh = std::numeric_limits<Memory>::max();
    return static_cast<Memory>(Truncated<Float, Whole>(BitsAs<Float>(x), kLow, kHigh));
  }
}

// ---- a block ------------------------------------------------------------------------------------

// Reads `count` elements of x into a block of the wide type; the remaining elements are zero.
template <typename Tag>
void ReadBlock(const void* x, size_t count, void* wide) {
  alignas(64) typename Tag::Memory in[kConvertBlock];
  if (count == kConvertBlock) {
    std::memcpy(in, x, sizeof in);
  } else {
    std::memset(in, 0, sizeof in);
    std::memcpy(in, x, count * sizeof in[0]);
  }
  auto* const to = static_cast<typename Tag::Wide*>(wide);
  for (size_t i = 0; i < kConvertBlock; ++i) to[i] = Widen<Tag>(in[i]);
}

template <bool kIsSigned>
void ReadNibbles(const void* x, size_t count, void* wide) {
  uint8_t in[kConvertBlock / 2] = {};
  std::memcpy(in, x, (count + 1) / 2);
  auto* const to = static_cast<int32_t*>(wide);
  for (size_t i = 0; i < kConvertBlock / 2; ++i) {
    const int32_t low = in[i] & 15, high = in[i] >> 4;
    to[2 * i] = kIsSigned ? (low ^ 8) - 8 : low;
    to[2 * i + 1] = kIsSigned ? (high ^ 8) - 8 : high;
  }
}

template <typename Tag, typename Wide>
void WriteBlock(const void* wide, size_t count, void* y) {
  alignas(64) typename Tag::Memory out[kConvertBlock];
  const Wide* const from = static_cast<const Wide*>(wide);
  for (size_t i = 0; i < kConvertBlock; ++i) {
    if constexpr (kIsBits<Wide>) {
      out[i] = FromFloat<Tag>(from[i]);
    } else {
      out[i] = FromInteger<Tag>(from[i]);
    }
  }
  if (count == kConvertBlock) {
    std::memcpy(y, out, sizeof out);
  } else {
    std::memcpy(y, out, count * sizeof out[0]);
  }
}

using ReadFunction = void (*)(const void* x, size_t count, void* wide);
using WriteFunction = void (*)(const void* wide, size_t count, void* y);

// In the order of Element, to kBoolean.
constexpr ReadFunction kReads[] = {ReadBlock<TagF32>, ReadBlock<TagF16>, ReadBlock<TagBF16>,
                                   ReadBlock<TagF64>, ReadNibbles<true>, ReadNibbles<false>,
                                   ReadBlock<TagI8>,  ReadBlock<TagU8>,  ReadBlock<TagI16>,
                                   ReadBlock<TagI32>, ReadBlock<TagI64>, ReadBlock<TagBoolean>};

template <typename Wide>
constexpr WriteFunction kWrites[] = {WriteBlock<TagF32, Wide>,
                                     WriteBlock<TagF16, Wide>,
                                     WriteBlock<TagBF16, Wide>,
                                     WriteBlock<TagF64, Wide>,
                                     nullptr,
                                     nullptr,
                                     WriteBlock<TagI8, Wide>,
                                     WriteBlock<TagU8, Wide>,
                                     WriteBlock<TagI16, Wide>,
                                     WriteBlock<TagI32, Wide>,
                                     WriteBlock<TagI64, Wide>,
                                     WriteBlock<TagBoolean, Wide>};

inline WriteFunction WriteOf(Element from, Element to) {
  const auto at = static_cast<size_t>(to);
  if (from <= Element::kBF16) return kWrites<uint32_t>[at];
  if (from == Element::kF64) return kWrites<uint64_t>[at];
  return from == Element::kI64 ? kWrites<int64_t>[at] : kWrites<int32_t>[at];
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_CONVERT_BLOCKS_INL_H_
