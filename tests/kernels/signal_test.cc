// SPDX-License-Identifier: Apache-2.0
// Audio front ends in integers, against the reference kernels. tests/tflite compares them with
// TensorFlow Lite for Microcontrollers.
#include "kernels/reference/signal.h"

#include "kernels/reference/auto_scale.h"
#include "kernels/reference/channel_gain.h"
#include "kernels/reference/filter_bank.h"
#include "kernels/reference/fixed_fourier.h"
#include "kernels/reference/subtract_noise.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

constexpr uint32_t kMaxCount = 40;

// Integers of every magnitude.
template <typename T>
std::vector<T> IntegersAtRandom(Random* random, size_t count) {
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    const auto bits = random->Below(8 * sizeof(T) + 1);
    const uint64_t drawn = random->Next();
    const uint64_t low = bits == 0 ? 0 : drawn >> (64 - bits);
    number = static_cast<T>(random->Below(2) == 0 ? low : ~low);
  }
  return numbers;
}

// The results of an op; of a window in place if `in_place`.
template <typename Y, typename X, typename A>
std::vector<Y> ResultsOf(const SignalShape& shape, const std::vector<X>& x, const std::vector<A>& a,
                         size_t misalignment, bool in_place = false) {
  return OnEveryTarget<Y>(shape.count, misalignment, [&](Y* y) {
    Array<X> from(x, misalignment);
    const Array<A> of_a(a, misalignment);
    void* const to = in_place ? static_cast<void*>(from.data()) : y;
    Signal(shape, from.data(), of_a.data(), to);
    if (in_place && shape.count > 0) std::memcpy(y, from.data(), shape.count * sizeof(Y));
  });
}

TEST(Signal, WindowsMatchTheReference) {
  Random random(1);
  for (uint32_t i = 0; i < 200; ++i) {
    SignalShape shape;
    shape.length = 1 + random.Below(kMaxCount);
    shape.count = random.Below(3) * shape.length;
    shape.shift = random.Below(32);
    const auto x = IntegersAtRandom<int16_t>(&random, shape.count);
    const auto a = IntegersAtRandom<int16_t>(&random, shape.length);
    std::vector<int16_t> must;
    for (size_t k = 0; k < x.size(); ++k) {
      must.push_back(WindowReference(x[k], a[k % shape.length], shape.shift));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf<int16_t>(shape, x, a, i % 4), must));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf<int16_t>(shape, x, a, i % 4, true), must));
  }
}

TEST(AutoScale, MatchesItsReference) {
  Random random(2);
  for (uint32_t i = 0; i < 200; ++i) {
    std::vector<int16_t> x = IntegersAtRandom<int16_t>(&random, random.Below(kMaxCount));
    for (int16_t& number : x) number = static_cast<int16_t>(number >> (i % 16));
    const auto count = static_cast<uint32_t>(x.size());
    if (i % 5 == 0 && count > 0) x[random.Below(count)] = -32768;
    const std::vector<int16_t> must = AutoScaleReference(x);
    Array<int16_t> numbers(x, i % 4), y(count, i % 3);
    int32_t shift = -1;
    AutoScale(count, numbers.data(), y.data(), &shift);
    ASSERT_EQ(shift, must[0]);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y.Values(), {must.begin() + 1, must.end()}));
    AutoScale(count, numbers.data(), numbers.data(), &shift);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(numbers.Values(), y.Values()));
  }
}

TEST(Signal, EnergiesMatchTheReference) {
  Random random(3);
  for (uint32_t i = 0; i < 200; ++i) {
    SignalShape shape;
    shape.op = SignalOp::kEnergy;
    shape.count = random.Below(kMaxCount);
    const uint32_t end = random.Below(shape.count + 1), begin = random.Below(end + 1);
    auto x = IntegersAtRandom<int16_t>(&random, 2 * size_t{shape.count});
    if (i % 5 == 0 && end > 0) x[2 * end - 2] = x[2 * end - 1] = -32768;
    std::vector<uint32_t> must(shape.count);
    for (size_t k = begin; k < end; ++k) must[k] = EnergyReference(x[2 * k], x[2 * k + 1]);
    const std::vector<int32_t> range = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf<uint32_t>(shape, x, range, i % 4), must));
  }
}

TEST(Signal, ARangeMayLeaveTheBins) {
  SignalShape shape;
  shape.op = SignalOp::kEnergy;
  shape.count = 3;
  const std::vector<int16_t> x = {1, 2, 3, 4, 5, 6};
  const std::vector<int32_t> all = {-7, 1000}, none = {2, 1};
  ExpectSame(ResultsOf<uint32_t>(shape, x, all, 0), {5, 25, 61});
  ExpectSame(ResultsOf<uint32_t>(shape, x, none, 0), {0, 0, 0});
}

TEST(Signal, SquareRootsMatchTheReference) {
  Random random(4);
  for (uint32_t i = 0; i < 200; ++i) {
    SignalShape shape;
    shape.op = SignalOp::kSquareRoot;
    auto x = IntegersAtRandom<uint64_t>(&random, random.Below(kMaxCount));
    // Around squares, and where the number of bits changes.
    for (size_t k = 0; k + 1 < x.size(); k += 2) {
      const uint64_t root = x[k] & 0xFFFFFFFF;
      x[k] = root * root + root + random.Below(3) - 1;
    }
    x.insert(x.end(), {0, 1, 0xFFFFFFFF, uint64_t{1} << 32, ~uint64_t{0}, 65535ull * 65535});
    shape.count = static_cast<uint32_t>(x.size());
    const std::vector<int32_t> shift = {static_cast<int32_t>(i % 32)};
    std::vector<uint32_t> must;
    for (const uint64_t number : x) must.push_back(SquareRootReference(number, i % 32));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf<uint32_t>(shape, x, shift, i % 4), must));
  }
}

TEST(Signal, AShiftBeyondTheWordIsReduced) {
  SignalShape shape;
  shape.op = SignalOp::kSquareRoot;
  shape.count = 1;
  const std::vector<uint64_t> x = {1 << 20};
  for (const int32_t shift : {33, -31, 1}) {
    EXPECT_EQ(ResultsOf<uint32_t>(shape, x, std::vector<int32_t>{shift}, 0)[0], 512u);
  }
}

TEST(ChannelGain, MatchesItsReference) {
  Random random(5);
  for (uint32_t i = 0; i < 200; ++i) {
    const ChannelGainShape shape = {random.Below(kMaxCount), random.Below(32)};
    const auto x = IntegersAtRandom<uint32_t>(&random, shape.count);
    const auto noise = IntegersAtRandom<uint32_t>(&random, shape.count);
    const auto table = IntegersAtRandom<int16_t>(&random, kChannelGainTable);
    std::vector<uint32_t> must;
    for (size_t k = 0; k < x.size(); ++k) {
      must.push_back(ChannelGainReference(x[k], noise[k], table.data(), shape.shift));
    }
    Array<uint32_t> of_x(x, i % 4), of_noise(noise, i % 3), y(shape.count, 0);
    const Array<int16_t> of_table(table, i % 5);
    ChannelGain(shape, of_x.data(), of_noise.data(), of_table.data(), y.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y.Values(), must));
    Array<uint32_t> over_x(x, 0);
    ChannelGain(shape, over_x.data(), of_noise.data(), of_table.data(), over_x.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(over_x.Values(), must));
    ChannelGain(shape, of_x.data(), of_noise.data(), of_table.data(), of_noise.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(of_noise.Values(), must));
  }
}

TEST(Signal, LogarithmsMatchTheReference) {
  Random random(6);
  const std::vector<int16_t> table = LogarithmTable();
  for (uint32_t i = 0; i < 200; ++i) {
    SignalShape shape;
    shape.op = SignalOp::kLogarithm;
    shape.scale = i % 3 == 0 ? static_cast<uint32_t>(random.Next()) : random.Below(4000);
    shape.shift = random.Below(32);
    auto x = IntegersAtRandom<uint32_t>(&random, random.Below(kMaxCount));
    x.insert(x.end(), {0, 1, 2, 0xFFFF, 0x10000, 0xFFFFFFFF});
    shape.count = static_cast<uint32_t>(x.size());
    std::vector<int16_t> must;
    for (const uint32_t number : x) {
      must.push_back(LogarithmReference(number, table.data(), shape.scale, shape.shift));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf<int16_t>(shape, x, table, i % 4), must));
  }
}

TEST(SubtractNoise, MatchesItsReference) {
  Random random(7);
  for (uint32_t i = 0; i < 300; ++i) {
    SubtractNoiseShape shape;
    shape.count = random.Below(kMaxCount);
    for (const uint32_t odd : {0u, 1u}) {
      shape.smoothing[odd] = static_cast<uint32_t>(random.Next()) >> random.Below(32);
      shape.rest[odd] = static_cast<uint32_t>(random.Next()) >> random.Below(32);
    }
    shape.min_remaining = random.Below(1 << 14);
    shape.smoothing_bits = random.Below(32);
    shape.bits = random.Below(32);
    shape.clamping = i % 2 != 0;
    const auto x = IntegersAtRandom<uint32_t>(&random, shape.count);
    const auto noise = IntegersAtRandom<uint32_t>(&random, shape.count);
    std::vector<uint32_t> must, next = noise;
    for (uint32_t k = 0; k < shape.count; ++k) {
      must.push_back(SubtractNoiseReference(shape, k, x[k], &next[k]));
    }
    Array<uint32_t> y(x, i % 4), state(noise, i % 3), apart(shape.count, 0), other(shape.count, 0);
    SubtractNoise(shape, y.data(), state.data(), apart.data(), other.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(apart.Values(), must));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(other.Values(), next));
    SubtractNoise(shape, y.data(), state.data(), y.data(), state.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y.Values(), must));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(state.Values(), next));
  }
}

// Bands that leave x or the weights are among the cases.
TEST(FilterBank, MatchesItsReference) {
  Random random(8);
  for (uint32_t i = 0; i < 400; ++i) {
    FilterBankShape shape = {random.Below(12), random.Below(kMaxCount), random.Below(100)};
    const auto x = IntegersAtRandom<uint32_t>(&random, shape.bins);
    const auto weights = IntegersAtRandom<int16_t>(&random, 2 * size_t{shape.pairs});
    std::vector<int16_t> bands;
    for (uint32_t band = 0; band <= shape.channels; ++band) {
      const int32_t odd = random.Below(10) == 0 ? -3 : 0;
      bands.push_back(static_cast<int16_t>(static_cast<int32_t>(random.Below(kMaxCount)) + odd));
      bands.push_back(static_cast<int16_t>(static_cast<int32_t>(random.Below(12)) + odd));
    }
    const Array<uint32_t> of_x(x, i % 4);
    const Array<int16_t> of_weights(weights, i % 3), of_bands(bands, i % 5);
    Array<uint64_t> y(shape.channels, 0);
    FilterBank(shape, of_x.data(), of_weights.data(), of_bands.data(), y.data());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y.Values(), FilterBankReference(shape, x, weights, bands)));
  }
}

template <typename T>
void ExpectFourier(Random* random, uint32_t size, bool is_inverse) {
  FixedFourierShape shape;
  shape.lines = random->Below(3);
  shape.size = size;
  shape.inputs = is_inverse ? 0 : size - random->Below(size / 2);
  shape.is_inverse = is_inverse;
  const auto pairs = static_cast<size_t>(FixedFourierPairs(size));
  const size_t from = is_inverse ? pairs : shape.inputs;
  const auto x = IntegersAtRandom<T>(random, from * shape.lines);
  const FixedFourierReference<T> reference(size, is_inverse);
  std::vector<T> must;
  for (uint32_t line = 0; line < shape.lines; ++line) {
    const auto begin = x.begin() + static_cast<int64_t>(line * from);
    const std::vector<T> numbers(begin, begin + static_cast<int64_t>(from));
    const std::vector<T> y = is_inverse ? reference.Inverse(numbers) : reference.Forward(numbers);
    must.insert(must.end(), y.begin(), y.end());
  }
  const Array<T> of_x(x, 1), table(FixedFourierTableOf<T>(size, is_inverse), 3);
  Array<T> y(must.size(), 1);
  FixedFourier(shape, of_x.data(), table.data(), y.data());
  ExpectSame(y.Values(), must);
}

TEST(FixedFourier, MatchesItsReferenceForEverySize) {
  Random random(9);
  for (uint32_t size = 4; size <= 1024; size *= 2) {
    for (uint32_t i = 0; i < 12; i += kThinning) {
      SCOPED_TRACE(size);
      ASSERT_NO_FATAL_FAILURE(ExpectFourier<int16_t>(&random, size, i % 2 != 0));
      ASSERT_NO_FATAL_FAILURE(ExpectFourier<int32_t>(&random, size, i % 2 != 0));
      ASSERT_NO_FATAL_FAILURE(ExpectFourier<int16_t>(&random, size, i % 2 == 0));
      ASSERT_NO_FATAL_FAILURE(ExpectFourier<int32_t>(&random, size, i % 2 == 0));
    }
  }
}

// A sine has one line in its spectrum: half of its amplitude.
TEST(FixedFourier, FindsASine) {
  constexpr uint32_t kSize = 64, kPeriods = 5;
  FixedFourierShape shape = {1, kSize, kSize, false};
  Array<int32_t> x(kSize, 0), y(kSize + 2, 0);
  for (uint32_t i = 0; i < kSize; ++i) {
    x[i] = static_cast<int32_t>(1e9 * std::cos(2 * 3.141592653589793 * kPeriods * i / kSize));
  }
  const Array<int32_t> table(FixedFourierTableOf<int32_t>(kSize, false), 0);
  FixedFourier(shape, x.data(), table.data(), y.data());
  for (uint32_t k = 0; k < kSize + 2; ++k) {
    EXPECT_NEAR(y[k], k == 2 * kPeriods ? 5e8 : 0, 50) << k;
  }
}

TEST(FixedFourier, HasSizesOfPowersOfTwo) {
  for (const uint32_t size : {0u, 1u, 2u, 3u, 6u, 12u, 0xFFFFFFFFu}) {
    EXPECT_FALSE(IsFixedFourierSize(size)) << size;
  }
  for (const uint32_t size : {4u, 8u, 512u, 1u << 31}) EXPECT_TRUE(IsFixedFourierSize(size));
}

}  // namespace
}  // namespace weft::kernels
