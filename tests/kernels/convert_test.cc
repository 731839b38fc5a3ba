// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/convert.h"

#include <algorithm>
#include <limits>

#include "kernels/reference/convert.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr Element kFloats[] = {Element::kF32, Element::kF16, Element::kBF16, Element::kF64};
constexpr Element kIntegers[] = {Element::kI8,  Element::kU8,  Element::kI16,
                                 Element::kI32, Element::kI64, Element::kBoolean};

size_t BytesOf(Element type) {
  switch (type) {
    case Element::kI8:
    case Element::kU8:
    case Element::kBoolean:
      return 1;
    case Element::kF16:
    case Element::kBF16:
    case Element::kI16:
      return 2;
    case Element::kF64:
    case Element::kI64:
      return 8;
    default:
      return 4;
  }
}

bool IsFloat(Element type) { return type <= Element::kF64; }

// The elements as bit patterns of their size, low bytes first.
std::vector<uint8_t> Encode(Element type, const std::vector<uint64_t>& patterns) {
  std::vector<uint8_t> bytes(patterns.size() * BytesOf(type));
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::memcpy(bytes.data() + i * BytesOf(type), &patterns[i], BytesOf(type));
  }
  return bytes;
}

uint64_t PatternAt(Element type, const std::vector<uint8_t>& bytes, size_t index) {
  uint64_t pattern = 0;
  std::memcpy(&pattern, bytes.data() + index * BytesOf(type), BytesOf(type));
  return pattern;
}

long double ValueOf(Element type, uint64_t pattern) {
  switch (type) {
    case Element::kI8:
      return static_cast<int8_t>(pattern);
    case Element::kU8:
      return static_cast<uint8_t>(pattern);
    case Element::kI16:
      return static_cast<int16_t>(pattern);
    case Element::kI32:
      return static_cast<int32_t>(pattern);
    case Element::kI64:
      return static_cast<long double>(static_cast<int64_t>(pattern));
    case Element::kBoolean:
      return (pattern & 0xFF) != 0 ? 1 : 0;
    default:
      return DecodeReference(pattern, type);
  }
}

// The limits of the integer types; the upper limit of i64 is the largest long double below it.
void ExpectReference(Element from, Element to, uint64_t pattern, uint64_t is) {
  const long double value = ValueOf(from, pattern);
  if (IsFloat(to)) {
    const long double must = RoundReference(value, to);
    const long double got = DecodeReference(is, to);
    ASSERT_TRUE(std::isnan(must) ? std::isnan(got) : got == must)
        << std::hex << pattern << ": " << is << ", must be " << static_cast<double>(must);
    if (std::isnan(must)) return;
    ASSERT_EQ(std::signbit(got), std::signbit(value));
    return;
  }
  if (to ==
      Element::kBoolean) {  // compares bits: a processor that flushes subnormals compares them as 0
    const uint64_t sign = IsFloat(from) ? uint64_t{1} << (8 * BytesOf(from) - 1) : 0;
    ASSERT_EQ(is, (pattern & ~sign) != 0 ? 1u : 0u) << std::hex << pattern;
    return;
  }
  const int bits = static_cast<int>(8 * BytesOf(to));
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  uint64_t must = pattern;
  if (IsFloat(from)) {
    const int64_t high = static_cast<int64_t>(mask >> (to == Element::kU8 ? 0 : 1));
    must =
        static_cast<uint64_t>(TruncateReference(value, to == Element::kU8 ? 0 : -high - 1, high));
  } else if (from != Element::kI64) {
    must = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  ASSERT_EQ(is, must & mask) << std::hex << pattern;
}

void ExpectPair(Element from, Element to, const std::vector<uint64_t>& patterns,
                size_t misalignment) {
  SCOPED_TRACE(static_cast<int>(from) * 100 + static_cast<int>(to));
  const Array<uint8_t> x(Encode(from, patterns), misalignment * BytesOf(from));
  const ConvertShape shape = {static_cast<uint32_t>(patterns.size()), from, to};
  const std::vector<uint8_t> y =
      OnEveryTarget<uint8_t>(patterns.size() * BytesOf(to), misalignment * BytesOf(to),
                             [&](uint8_t* out) { Convert(shape, x.data(), out); });
  for (size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectReference(from, to, patterns[i], PatternAt(to, y, i)));
  }
}

// Random patterns, and patterns around every boundary of every type.
std::vector<uint64_t> Patterns(Element type, size_t count) {
  Random random(static_cast<uint64_t>(type) + 1);
  const uint64_t mask = ~uint64_t{0} >> (64 - 8 * BytesOf(type));
  std::vector<uint64_t> patterns;
  for (size_t i = 0; i < count; ++i) patterns.push_back(random.Next() & mask);
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t around : {(uint64_t{1} << bit) - 1, uint64_t{1} << bit}) {
      patterns.push_back(around & mask);
      patterns.push_back(~around & mask);
    }
  }
  if (!IsFloat(type)) return patterns;
  // Values near the limits of every integer type and the roundings of every smaller float.
  for (int exponent = -30; exponent <= 64; ++exponent) {
    for (const double factor :
         {1.0, 1.5, 1.00048828125, 1.0009765625, 1.00146484375, 1.00390625, 1.998, 1.9999999}) {
      const double value = std::ldexp(factor, exponent);
      const float narrow = static_cast<float>(value);
      uint64_t bits = 0;
      if (type == Element::kF64) std::memcpy(&bits, &value, 8);
      if (type == Element::kF32) std::memcpy(&bits, &narrow, 4);
      patterns.push_back(bits);
      patterns.push_back(bits | (mask ^ (mask >> 1)));  // negative
    }
  }
  return patterns;
}

TEST(Convert, MatchesItsReferenceForEveryPairOfTypes) {
  std::vector<Element> types(std::begin(kFloats), std::end(kFloats));
  types.insert(types.end(), std::begin(kIntegers), std::end(kIntegers));
  for (const Element from : types) {
    const std::vector<uint64_t> patterns = Patterns(from, 3000);
    for (const Element to : types) ExpectPair(from, to, patterns, 1);
  }
}

TEST(Convert, KnowsEveryHalfPrecisionNumber) {
  std::vector<uint64_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const Element from : {Element::kF16, Element::kBF16}) {
    for (const Element to : kFloats) ExpectPair(from, to, all, 0);
  }
}

std::vector<Element> AllTypes() {
  std::vector<Element> types;
  for (const Element type : kFloats) types.push_back(type);
  for (const Element type : kIntegers) types.push_back(type);
  return types;
}

// Around one and two blocks of 64 elements.
constexpr size_t kSizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129};

TEST(Convert, ConvertsEverySizeAndMisalignmentOfEveryPair) {
  for (const Element from : AllTypes()) {
    const std::vector<uint64_t> all = Patterns(from, 0);
    for (const size_t count : kSizes) {
      const std::vector<uint64_t> patterns(all.begin(), all.begin() + static_cast<int>(count));
      for (const Element to : AllTypes()) {
        for (const size_t misalignment : kMisalignments) {
          ExpectPair(from, to, patterns, misalignment);
        }
      }
    }
  }
}

TEST(Convert, ConvertsEveryByteToEveryType) {
  std::vector<uint64_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const Element from : {Element::kI8, Element::kU8, Element::kBoolean}) {
    for (const Element to : AllTypes()) ExpectPair(from, to, all, 1);
  }
}

// Integers around each power of two, where rounding twice gives another result than rounding once.
TEST(Convert, RoundsLargeIntegersOnce) {
  std::vector<uint64_t> patterns;
  // The expected values are long doubles, which hold 53 bits on 32-bit ARM.
  const int bits = std::min(63, std::numeric_limits<long double>::digits);
  for (int bit = 8; bit < bits; ++bit) {
    for (int half = 0; half < bit; ++half) {
      for (int64_t more = -1; more <= 1; ++more) {
        const int64_t value = (int64_t{1} << bit) + (int64_t{1} << half) + more;
        patterns.push_back(static_cast<uint64_t>(value));
        patterns.push_back(static_cast<uint64_t>(-value));
      }
    }
  }
  for (const Element to : kFloats) ExpectPair(Element::kI64, to, patterns, 0);
  for (uint64_t& pattern : patterns) pattern &= 0xFFFFFFFF;
  for (const Element to : kFloats) ExpectPair(Element::kI32, to, patterns, 0);
}

TEST(Convert, KeepsSubnormalNumbersWhereTheProcessorFlushesThem) {
  std::vector<uint64_t> singles, doubles;
  for (int bit = 0; bit < 52; ++bit) {
    if (bit < 23) singles.push_back((uint64_t{1} << bit) | 1);
    if (bit < 23) singles.push_back((uint64_t{1} << bit) | 0x80000001);
    doubles.push_back((uint64_t{1} << bit) | 1);
    doubles.push_back((uint64_t{873 + static_cast<uint64_t>(bit)} << 52) | 1);  // subnormal as f32
  }
  const FloatMode scope;
  for (const Element to : AllTypes()) {
    ExpectPair(Element::kF32, to, singles, 0);
    ExpectPair(Element::kF64, to, doubles, 0);
  }
}

// Every pair of types of the same size, over more than a block.
TEST(Convert, WritesEveryPairOverItself) {
  for (const Element from : AllTypes()) {
    const std::vector<uint8_t> x = Encode(from, Patterns(from, 20));
    for (const Element to : AllTypes()) {
      if (BytesOf(from) != BytesOf(to)) continue;
      const ConvertShape shape = {static_cast<uint32_t>(x.size() / BytesOf(from)), from, to};
      std::vector<uint8_t> apart(x.size()), over = x;
      Convert(shape, x.data(), apart.data());
      Convert(shape, over.data(), over.data());
      EXPECT_EQ(over, apart) << static_cast<int>(from) << ' ' << static_cast<int>(to);
    }
  }
}

TEST(Convert, UnpacksNibblesOfEverySizeToEveryType) {
  for (const size_t count : kSizes) {
    std::vector<uint8_t> packed((count + 1) / 2), bytes(count);
    for (size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<uint8_t>(i * 37 + 11);
    for (const bool is_signed : {false, true}) {
      for (size_t i = 0; i < count; ++i) {
        const int nibble = (packed[i / 2] >> (i % 2 * 4)) & 15;
        bytes[i] = static_cast<uint8_t>(is_signed && nibble >= 8 ? nibble - 16 : nibble);
      }
      const Array<uint8_t> x(packed, 1);
      const uint32_t elements = static_cast<uint32_t>(count);
      for (const Element to : AllTypes()) {
        const Element narrow = is_signed ? Element::kI4 : Element::kU4;
        const Element wide = is_signed ? Element::kI8 : Element::kU8;
        const auto run = [&](Element from, const uint8_t* data) {
          return OnEveryTarget<uint8_t>(count * BytesOf(to), 0, [&](uint8_t* out) {
            Convert({elements, from, to}, data, out);
          });
        };
        EXPECT_EQ(run(narrow, x.data()), run(wide, bytes.data())) << count;
      }
    }
  }
}

TEST(Convert, UnpacksNibblesLowFirst) {
  const std::vector<uint8_t> x = {0x21, 0xF8, 0x07};
  std::vector<int8_t> signed_bytes(5);
  Convert({5, Element::kI4, Element::kI8}, x.data(), signed_bytes.data());
  EXPECT_EQ(signed_bytes, (std::vector<int8_t>{1, 2, -8, -1, 7}));
  std::vector<uint8_t> bytes(5);
  Convert({5, Element::kU4, Element::kU8}, x.data(), bytes.data());
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2, 8, 15, 7}));
  std::vector<float> floats(5);
  Convert({5, Element::kI4, Element::kF32}, x.data(), floats.data());
  EXPECT_EQ(floats, (std::vector<float>{1, 2, -8, -1, 7}));
  Convert({5, Element::kU4, Element::kF32}, x.data(), floats.data());
  EXPECT_EQ(floats, (std::vector<float>{1, 2, 8, 15, 7}));
  EXPECT_FALSE(ConvertKnows(Element::kF32, Element::kI4));
}

TEST(Convert, KeepsASignallingNanNanAndItsSign) {
  const uint32_t nan = 0xFF800001;
  uint16_t half = 0;
  Convert({1, Element::kF32, Element::kF16}, &nan, &half);
  EXPECT_EQ(half, 0xFE00);
}

TEST(Convert, MayWriteOverItselfWhereSizesAreEqual) {
  std::vector<float> values = {1.75f, -2.5f, 3e10f};
  Convert({3, Element::kF32, Element::kI32}, values.data(), values.data());
  int32_t integers[3];
  std::memcpy(integers, values.data(), sizeof integers);
  EXPECT_EQ(integers[0], 1);
  EXPECT_EQ(integers[1], -2);
  EXPECT_EQ(integers[2], INT32_MAX);
}

}  // namespace
}  // namespace weft::kernels
