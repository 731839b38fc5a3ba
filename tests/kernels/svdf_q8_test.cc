// SPDX-License-Identifier: Apache-2.0
// Integer SVDF layers: against the reference kernel, and against results of TensorFlow Lite.
#include "kernels/reference/svdf_q8.h"

#include "kernels/matrix/pack.h"
#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

template <typename State>
struct SvdfQ8Case {
  SvdfQ8Shape shape;
  std::vector<int8_t> x, feature;
  std::vector<State> time, state;
  std::vector<int32_t> numbers;

  // y, then the state.
  std::vector<int16_t> Reference() const {
    std::vector<State> next = state;
    std::vector<int16_t> results;
    const size_t of_row = size_t{shape.units} * shape.rank * shape.memory;
    for (size_t row = 0; row < shape.rows; ++row) {
      for (const int8_t y :
           SvdfQ8Reference(shape, x.data() + row * shape.x_row_stride, feature.data(), time.data(),
                           numbers.data(), next.data() + row * of_row)) {
        results.push_back(y);
      }
    }
    results.insert(results.end(), next.begin(), next.end());
    return results;
  }

  std::vector<int16_t> Results(bool in_place, size_t misalignment) const {
    const uint32_t filters = shape.units * shape.rank;
    std::vector<int8_t> packed(PackedDenseI8Bytes(filters, shape.inputs));
    PackDenseI8(feature.data(), filters, shape.inputs, packed.data());
    const Array<int8_t> weights(packed, 4), of_x(x, misalignment);
    const Array<State> of_time(time, misalignment);
    const Array<int32_t> of_numbers(numbers, misalignment);
    const size_t outputs = size_t{shape.rows} * shape.units;
    return OnEveryTarget<int16_t>(outputs + state.size(), 0, [&](int16_t* results) {
      Array<State> old(state, misalignment), next(state.size(), misalignment);
      Array<int8_t> y(outputs, misalignment);
      State* const to = in_place ? old.data() : next.data();
      SvdfQ8(shape, of_x.data(), weights.data(), of_time.data(), of_numbers.data(), old.data(),
             y.data(), to);
      std::copy(y.data(), y.data() + outputs, results);
      std::copy(to, to + state.size(), results + outputs);
    });
  }
};

template <typename State>
SvdfQ8Case<State> SvdfAtRandom(Random* random, uint32_t max) {
  constexpr uint32_t kLimit = sizeof(State) == 1 ? 127 : 32767;
  SvdfQ8Case<State> of;
  SvdfQ8Shape& shape = of.shape;
  shape.rows = random->Below(4);
  shape.inputs = random->Below(max);
  shape.units = random->Below(max);
  shape.rank = 1 + random->Below(3);
  shape.memory = 1 + random->Below(12);
  shape.x_row_stride = shape.inputs + random->Below(3);
  const auto factor = [&](int32_t min) {
    const auto mantissa = static_cast<int32_t>((1u << 30) + random->Below(1u << 30));
    return Multiplier{mantissa, min + static_cast<int32_t>(random->Below(6))};
  };
  shape.of_x = factor(sizeof(State) == 1 ? -12 : -4);
  shape.of_state = factor(sizeof(State) == 1 ? -10 : -24);
  shape.codes = CodesCase(random);
  const size_t filters = size_t{shape.units} * shape.rank;
  of.x = CodesAtRandom(random, size_t{shape.rows} * shape.x_row_stride);
  of.feature = CodesAtRandom(random, filters * shape.inputs);
  const auto number = [&](uint32_t limit) {
    return static_cast<int32_t>(random->Below(2 * limit + 1)) - static_cast<int32_t>(limit);
  };
  of.time.resize(filters * shape.memory);
  for (State& time : of.time) time = static_cast<State>(number(kLimit));
  of.state.resize(shape.rows * filters * shape.memory);
  for (State& state : of.state) state = static_cast<State>(number(kLimit));
  of.numbers.resize(SvdfQ8Numbers(shape.units, shape.rank));
  for (int32_t& n : of.numbers) n = number(random->Below(8) == 0 ? 1u << 30 : 20000);
  return of;
}

template <typename State>
void ExpectSvdf(Random* random, uint32_t i) {
  SCOPED_TRACE(i);
  const SvdfQ8Case<State> of = SvdfAtRandom<State>(random, i % 20 == 0 ? 100 : 36);
  const std::vector<int16_t> must = of.Reference();
  ASSERT_NO_FATAL_FAILURE(ExpectSame(of.Results(false, kMisalignments[i % 3]), must));
  ASSERT_NO_FATAL_FAILURE(ExpectSame(of.Results(true, kMisalignments[i % 3]), must));
}

TEST(SvdfQ8, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 400; i += kThinning) {
    ASSERT_NO_FATAL_FAILURE(ExpectSvdf<int16_t>(&random, i));
    ASSERT_NO_FATAL_FAILURE(ExpectSvdf<int8_t>(&random, i));
  }
}

struct SvdfQ8Result {
  uint64_t seed;
  uint32_t calls;
  SvdfQ8Shape shape;
  std::vector<int16_t> time;
  std::vector<int32_t> numbers;
  std::vector<int16_t> y, state;
};

template <typename State>
void ExpectTensorFlowLite(const SvdfQ8Result& must) {
  Random random(must.seed);
  const auto codes = [&](size_t count) {
    std::vector<int8_t> drawn(count);
    for (int8_t& code : drawn) {
      code = static_cast<int8_t>(static_cast<int32_t>(random.Below(256)) - 128);
    }
    return drawn;
  };
  const size_t filters = size_t{must.shape.units} * must.shape.rank;
  SvdfQ8Case<State> of;
  of.shape = must.shape;
  of.feature = codes(filters * must.shape.inputs);
  of.time.assign(must.time.begin(), must.time.end());
  of.numbers = must.numbers;
  of.state.assign(must.state.size(), 0);
  std::vector<int16_t> y;
  for (uint32_t call = 0; call < must.calls; ++call) {
    of.x = codes(size_t{must.shape.rows} * must.shape.inputs);
    const std::vector<int16_t> results = of.Results(true, 1);
    const auto end = results.end() - std::ssize(of.state);
    y.insert(y.end(), results.begin(), end);
    of.state.assign(end, results.end());
  }
  ExpectSame(y, must.y);
  ExpectSame(std::vector<int16_t>(of.state.begin(), of.state.end()), must.state);
}

TEST(SvdfQ8, EqualsTensorFlowLite) {
  const SvdfQ8Result kResults[] = {
#include "tests/kernels/svdf_q8_results.inc"
  };
  for (const SvdfQ8Result& must : kResults) {
    SCOPED_TRACE(must.seed);
    if (must.seed == 3) {
      ExpectTensorFlowLite<int8_t>(must);
    } else {
      ExpectTensorFlowLite<int16_t>(must);
    }
  }
}

}  // namespace
}  // namespace weft::kernels
