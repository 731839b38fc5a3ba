// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary.h"

#include <algorithm>
#include <limits>

#include "kernels/reference/unary.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

Activation Of(UnaryOp op) {
  Activation activation;
  activation.op = op;
  activation.alpha = op == UnaryOp::kClamp ? -0.75f : 1.0f;
  activation.beta = op == UnaryOp::kHardSigmoid ? 0.5f : 1.0f;
  return activation;
}

std::vector<float> RunFloats(const Activation& activation, const std::vector<float>& values,
                             size_t misalignment = 0) {
  const Array<float> x(values, misalignment);
  const UnaryShape shape = {static_cast<uint32_t>(values.size()), activation, Element::kF32};
  return OnEveryTarget<float>(values.size(), misalignment,
                              [&](float* y) { Unary(shape, x.data(), y); });
}

uint32_t BitsAt(double magnitude) {
  const float value = static_cast<float>(magnitude);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Every `step`-th normal float of a domain, with both signs.
std::vector<float> FloatsOf(double low, double high, uint32_t step) {
  const double min = low > 1.2e-38 ? low : 1.2e-38;
  const double largest = -low > high ? -low : high;
  std::vector<float> values;
  for (uint32_t bits = BitsAt(min); bits <= BitsAt(largest); bits += step) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (value >= low && value <= high) values.push_back(value);
    if (-value >= low && -value <= high) values.push_back(-value);
  }
  return values;
}

class UnaryOfOp : public testing::TestWithParam<int> {
 protected:
  UnaryOp op() const { return static_cast<UnaryOp>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(All, UnaryOfOp, testing::Range(0, int{kUnaryOpCount}));

// Both signs, every exponent, and more values around zero.
std::vector<float> WholeDomain(const UnaryDomain& domain) {
  std::vector<float> x = FloatsOf(domain.low, domain.high, 20011);
  for (int i = -40000; i <= 40000; ++i) {
    const float value = static_cast<float>(i) / 2048.0f;
    if (value >= domain.low && value <= domain.high) x.push_back(value);
  }
  EXPECT_GT(x.size(), 50000u);
  return x;
}

// For these values no intermediate result is subnormal; processors treat subnormals differently.
bool IsAwayFromSubnormals(float x) { return std::abs(x) >= 1e-36f; }

std::vector<float> Flushed(std::vector<float> y) {
  for (float& value : y) {
    if (std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0f, value);
  }
  return y;
}

#if defined(__ARM_FP) && (__ARM_FP & 8) == 0
constexpr bool kComputesDoublesInSoftware = true;
#else
constexpr bool kComputesDoublesInSoftware = false;
#endif

// If doubles are computed in software, only the values that the next test does not compare across
// processors.
TEST_P(UnaryOfOp, MeetsItsToleranceOverItsWholeDomain) {
  const Activation activation = Of(op());
  UnaryDomain domain = UnaryDomainOf(op());
  domain.tolerance.absolute += 1.2e-38;  // a result that would be subnormal may be zero
  std::vector<float> x = WholeDomain(domain);
  if (kComputesDoublesInSoftware) {
    x.erase(std::remove_if(x.begin(), x.end(), IsAwayFromSubnormals), x.end());
  }
  const std::vector<float> y = RunFloats(activation, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const double must = UnaryReference(op(), activation.alpha, activation.beta, x[i]);
    ASSERT_TRUE(IsClose(y[i], must, domain.tolerance))
        << "f(" << x[i] << ") is " << y[i] << ", must be " << must;
  }
}

constexpr uint64_t kWholeDomainBits[kUnaryOpCount] = {
    0x1122D41D126B34FDu, 0xC4DCDDBBF6222AFDu, 0xE15DAF77D212B1BCu, 0x42A119A0A3FEAB18u,
    0xF7B4DEDEC82FFDFDu, 0xCDBA7B1CB73946E5u, 0x2B6EEC43E83E1A5Du, 0x52AA9C48B9F108C9u,
    0x789E8109EA74FC85u, 0xB67386A2BC7E071Eu, 0x6DD089FDFF5054BBu, 0x90FBFBD4CB852D51u,
    0x1D46623B6B0ADB35u, 0xCAE7B581DC19A171u, 0xA3473FBAD38D93FBu, 0x46BD0F4B82CC780Au,
    0x5DD1CC7566847929u, 0x12E3878AD2CD5DF6u, 0xEFF15CF938FF810Du, 0x78248C322EB4EAACu,
    0x6B991FBC071D88FAu, 0xEE582FFE55DDC82Eu, 0x7A140A60F89560E6u, 0x9D695802822B83D3u,
    0x76518DF22E99477Fu, 0xFD4E54FC9FD105C2u, 0xA194C0868C5669FFu, 0xB8CD15E6E35EB4E9u,
    0x5DD1CC7566847929u, 0xB518BED21D19B6A5u, 0x26F7691D6B4EF87Du, 0x2DA4F9EA34114F41u,
    0x0F32B46EAD5F8339u, 0x043F5496745F4EF1u, 0x3BDD86553DF6BBD5u, 0x4E244516374DE575u,
    0x795D61E8B8F9BCFDu, 0x418EACC9E478D0E4u, 0xD2471B541898BFBDu};

TEST_P(UnaryOfOp, HasTheSameBitsOnEveryProcessorOverItsWholeDomain) {
  std::vector<float> x = WholeDomain(UnaryDomainOf(op()));
  x.erase(std::remove_if(x.begin(), x.end(), [](float v) { return !IsAwayFromSubnormals(v); }),
          x.end());
  const FloatMode scope;
  Fingerprint fingerprint;
  fingerprint.Add(Flushed(RunFloats(Of(op()), x)));
  EXPECT_EQ(fingerprint.value(), kWholeDomainBits[GetParam()]);
}

TEST_P(UnaryOfOp, DependsOnNeitherSizeNorAlignmentNorPlace) {
  const Activation activation = Of(op());
  Random random(7);
  const std::vector<float> all = random.Floats(2 * kWidestPanel + 1, 9);
  const std::vector<float> whole = RunFloats(activation, all);
  for (size_t count = 0; count <= all.size(); ++count) {
    const std::vector<float> x(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
    const std::vector<float> must(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(count));
    for (const size_t misalignment : kMisalignments) {
      ExpectSame(RunFloats(activation, x, misalignment), must);
    }
    const UnaryShape shape = {static_cast<uint32_t>(count), activation, Element::kF32};
    ExpectSame(OnEveryTarget<float>(count, 1,
                                    [&](float* y) {
                                      std::copy(x.begin(), x.end(), y);
                                      Unary(shape, y, y);
                                    }),
               must);
  }
}

TEST_P(UnaryOfOp, KeepsNan) {
  const std::vector<float> y = RunFloats(Of(op()), {kNan, 1.0f, -kNan, 1.0f, kNan});
  if (op() == UnaryOp::kLogicalNot) return;
  for (const size_t i : {0, 2, 4}) EXPECT_TRUE(std::isnan(y[i])) << i;
  EXPECT_FALSE(std::isnan(y[1]));
  EXPECT_FALSE(std::isnan(y[3]));
}

// The limits of each op as x grows; NaN means "any".
TEST(Unary, GoesToItsLimits) {
  const struct {
    UnaryOp op;
    float at_minus_infinity;
    float at_infinity;
    float at_huge;  // 1e30
  } kLimits[] = {
      {UnaryOp::kExp, 0, kInfinity, kInfinity},
      {UnaryOp::kSigmoid, 0, 1, 1},
      {UnaryOp::kTanh, -1, 1, 1},
      {UnaryOp::kErf, -1, 1, 1},
      {UnaryOp::kRelu, 0, kInfinity, 1e30f},
      {UnaryOp::kElu, -1, kInfinity, 1e30f},
      {UnaryOp::kHardSigmoid, 0, 1, 1},
      {UnaryOp::kHSigmoid, 0, 1, 1},
      {UnaryOp::kSoftPlus, 0, kInfinity, 1e30f},
      {UnaryOp::kClamp, -0.75f, 1, 1},
      {UnaryOp::kSqrt, kNan, kInfinity, 1e15f},
      {UnaryOp::kSelu, -1, kInfinity, 1e30f},
      {UnaryOp::kSign, -1, 1, 1},
      {UnaryOp::kAbs, kInfinity, kInfinity, 1e30f},
      {UnaryOp::kFloor, -kInfinity, kInfinity, 1e30f},
      {UnaryOp::kRoundAway, -kInfinity, kInfinity, 1e30f},
  };
  for (const auto& limit : kLimits) {
    SCOPED_TRACE(static_cast<int>(limit.op));
    const std::vector<float> y = RunFloats(Of(limit.op), {-kInfinity, kInfinity, 1e30f});
    EXPECT_TRUE(SameBits(y[0], limit.at_minus_infinity) || y[0] == limit.at_minus_infinity) << y[0];
    EXPECT_EQ(y[1], limit.at_infinity);
    EXPECT_EQ(y[2], limit.at_huge);
  }
}

TEST(Unary, LogarithmHasCsSpecialValues) {
  const std::vector<float> y = RunFloats(Of(UnaryOp::kLog), {0.0f, -0.0f, -1.0f, kInfinity, 1.0f});
  EXPECT_EQ(y[0], -kInfinity);
  EXPECT_EQ(y[1], -kInfinity);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], kInfinity);
  EXPECT_EQ(y[4], 0.0f);
}

TEST(Unary, InverseFunctionsHaveCsSpecialValues) {
  const struct {
    UnaryOp op;
    float x, y;
  } kSpecial[] = {
      {UnaryOp::kAsin, 1, 1.5707964f},
      {UnaryOp::kAsin, -1.0000001f, kNan},
      {UnaryOp::kAcos, 1, 0},
      {UnaryOp::kAcos, -1, 3.1415927f},
      {UnaryOp::kAcos, 1.0000001f, kNan},
      {UnaryOp::kAtan, -kInfinity, -1.5707964f},
      {UnaryOp::kAcosh, 1, 0},
      {UnaryOp::kAcosh, 0.99999994f, kNan},
      {UnaryOp::kAcosh, -3, kNan},
      {UnaryOp::kAcosh, kInfinity, kInfinity},
      {UnaryOp::kAtanh, -1, -kInfinity},
      {UnaryOp::kAtanh, 1.0000001f, kNan},
      {UnaryOp::kAsinh, -kInfinity, -kInfinity},
      {UnaryOp::kSinh, -100, -kInfinity},
      {UnaryOp::kCosh, -100, kInfinity},
      {UnaryOp::kTan, kInfinity, kNan},
  };
  for (const auto& special : kSpecial) {
    const float y = RunFloats(Of(special.op), {special.x})[0];
    EXPECT_TRUE(y == special.y || (std::isnan(y) && std::isnan(special.y)))
        << static_cast<int>(special.op) << " of " << special.x << " is " << y;
  }
}

TEST(Unary, OddFunctionsKeepSmallNumbersAndTheSignOfZero) {
  for (const UnaryOp op : {UnaryOp::kTan, UnaryOp::kAtan, UnaryOp::kAsin, UnaryOp::kSinh,
                           UnaryOp::kAsinh, UnaryOp::kAtanh}) {
    ExpectSame(RunFloats(Of(op), {0.0f, -0.0f, 1e-30f, -1e-30f}), {0.0f, -0.0f, 1e-30f, -1e-30f});
  }
}

TEST(Unary, SignOfASubnormalNumberIsOneOrZero) {
  for (const float y : RunFloats(Of(UnaryOp::kSign), std::vector<float>(33, 1e-40f))) {
    EXPECT_TRUE(y == 0 || y == 1) << y;
  }
}

TEST(Unary, SineOfInfinityIsNanAndOfHugeNumbersBounded) {
  for (const UnaryOp op : {UnaryOp::kSin, UnaryOp::kCos}) {
    EXPECT_TRUE(std::isnan(RunFloats(Of(op), {kInfinity})[0]));
    for (const float y : RunFloats(Of(op), FloatsOf(1e5, 3e38, 100003)))
      ASSERT_LE(std::fabs(y), 1.0f);
  }
}

TEST(Unary, TanhAndErfNeverLeaveTheirRange) {
  for (const UnaryOp op : {UnaryOp::kTanh, UnaryOp::kErf}) {
    for (float low = 3; low < 10; ++low) {  // in parts, for boards with little memory
      for (const float y : RunFloats(Of(op), FloatsOf(low, low + 1, 7 * kThinning)))
        ASSERT_LE(std::fabs(y), 1.0f);
    }
  }
}

TEST(Unary, RoundsHalvesAsItsNameSays) {
  const std::vector<float> x = {0.5f,  1.5f,        2.5f,       -0.5f,       -1.5f,
                                -2.5f, 0.49999997f, 8388607.5f, -8388607.5f, 4194304.5f};
  ExpectSame(RunFloats(Of(UnaryOp::kRoundEven), x),
             {0, 2, 2, -0.0f, -2, -2, 0, 8388608, -8388608, 4194304});
  ExpectSame(RunFloats(Of(UnaryOp::kRoundAway), x),
             {1, 2, 3, -1, -2, -3, 0, 8388608, -8388608, 4194305});
}

TEST(Unary, ClipsBeforeTheOp) {
  Activation activation = Of(UnaryOp::kExp);
  activation.clip = 1.5f;
  const std::vector<float> y = RunFloats(activation, {-9, -1, 0, 1, 9, kNan});
  const std::vector<float> must = RunFloats(Of(UnaryOp::kExp), {-1.5f, -1, 0, 1, 1.5f, kNan});
  ExpectSame(y, must);
}

TEST(Unary, AgreesOnEveryTargetWhenSubnormalNumbersAreFlushed) {
  std::vector<float> x = FloatsOf(-3e38, 3e38, 1000003);
  for (int i = 1; i < 40; ++i) x.push_back(std::ldexp(1.0f, -127 - i % 22));
  x.insert(x.end(), {0.0f, -0.0f, kInfinity, -kInfinity, kNan});
  const FloatMode scope;
  for (int op = 0; op < kUnaryOpCount; ++op) RunFloats(Of(static_cast<UnaryOp>(op)), x);
}

std::vector<float> EveryScale() {
  Random random(11);
  std::vector<float> x = random.Floats(4096, 20);
  for (const float value : FloatsOf(-3e38, 3e38, 4000037)) x.push_back(value);
  return x;
}

#if !defined(__riscv)  // has no mode that flushes subnormals
TEST(Unary, HasTheSameBitsOnEveryProcessorThatFlushes) {
  ASSERT_TRUE(FloatMode::kFlushes);
  const std::vector<float> x = EveryScale();
  const FloatMode scope;  // armv7 always flushes
  Fingerprint fingerprint;
  for (int op = 0; op < kUnaryOpCount; ++op) {
    fingerprint.Add(RunFloats(Of(static_cast<UnaryOp>(op)), x));
  }
  EXPECT_EQ(fingerprint.value(), 0x5710C5680E3C1ACFu);
}
#endif

TEST(Unary, HasTheSameBitsOnEveryProcessorAwayFromSubnormalNumbers) {
  std::vector<float> x;
  for (const float value : EveryScale()) {
    if (IsAwayFromSubnormals(value)) x.push_back(value);
  }
  const FloatMode scope;
  Fingerprint fingerprint;
  for (int op = 0; op < kUnaryOpCount; ++op) {
    fingerprint.Add(Flushed(RunFloats(Of(static_cast<UnaryOp>(op)), x)));
  }
  EXPECT_EQ(fingerprint.value(), 0xD9EA5A6BBE4F7DD1u);
}

// Runs x repeated 9 times; all repetitions must have the results of the first.
template <typename T>
std::vector<T> RunIntegers(const Activation& activation, Element type, const std::vector<T>& x) {
  constexpr size_t kRepeats = 9;
  std::vector<T> repeated(kRepeats * x.size());
  for (size_t i = 0; i < repeated.size(); ++i) repeated[i] = x[i % x.size()];
  const UnaryShape shape = {static_cast<uint32_t>(repeated.size()), activation, type};
  std::vector<T> y =
      OnEveryTarget<T>(repeated.size(), 1, [&](T* out) { Unary(shape, repeated.data(), out); });
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], y[i % x.size()]) << i;
  y.resize(x.size());
  return y;
}

template <typename T>
void ExpectIntegerOps(Element type) {
  constexpr T kLow = std::numeric_limits<T>::min();
  constexpr T kHigh = std::numeric_limits<T>::max();
  const std::vector<T> x = {kLow, -5, -1, 0, 1, 7, kHigh};
  using Values = std::vector<T>;
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kIdentity), type, x), x);
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kAbs), type, x), (Values{kLow, 5, 1, 0, 1, 7, kHigh}));
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kNegative), type, x), (Values{kLow, 5, 1, 0, -1, -7, -kHigh}));
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kSign), type, x), (Values{-1, -1, -1, 0, 1, 1, 1}));
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kRelu), type, x), (Values{0, 0, 0, 0, 1, 7, kHigh}));
  Activation clamp = Of(UnaryOp::kClamp);
  clamp.alpha = -3.9f;
  clamp.beta = 1e30f;
  EXPECT_EQ(RunIntegers(clamp, type, x), (Values{-3, -3, -1, 0, 1, 7, kHigh}));
  clamp.alpha = -kInfinity;
  clamp.beta = 2.0f;
  EXPECT_EQ(RunIntegers(clamp, type, x), (Values{kLow, -5, -1, 0, 1, 2, 2}));
}

TEST(Unary, KnowsItsIntegerOps) {
  ExpectIntegerOps<int32_t>(Element::kI32);
  ExpectIntegerOps<int64_t>(Element::kI64);
}

TEST(Unary, NegatesBooleans) {
  const std::vector<uint8_t> x = {0, 1, 255, 0};
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kLogicalNot), Element::kBoolean, x),
            (std::vector<uint8_t>{1, 0, 0, 1}));
  EXPECT_EQ(RunIntegers(Of(UnaryOp::kIdentity), Element::kBoolean, x),
            (std::vector<uint8_t>{0, 1, 1, 0}));
}

TEST(Unary, WritesNothingForAPairItDoesNotKnow) {
  EXPECT_FALSE(UnaryKnows(UnaryOp::kExp, Element::kI32));
  EXPECT_FALSE(UnaryKnows(UnaryOp::kIdentity, Element::kI8));
  const std::vector<int32_t> y = RunIntegers<int32_t>(Of(UnaryOp::kExp), Element::kI32, {1, 2});
  EXPECT_EQ(y[0], static_cast<int32_t>(0xA5A5A5A5));
}

}  // namespace
}  // namespace weft::kernels
