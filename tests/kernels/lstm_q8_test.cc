// SPDX-License-Identifier: Apache-2.0
// Integer LSTMs: against the reference kernel, and against results of TensorFlow Lite.
#include "kernels/reference/lstm_q8.h"

#include <algorithm>

#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

// Weights before packing, numbers, and operands of `steps` calls.
template <typename Code>
struct LstmQ8Case {
  LstmQ8Shape shape;
  std::vector<int8_t> w, r;
  std::vector<Code> x, h;
  std::vector<int32_t> numbers;
  std::vector<int16_t> c;

  uint32_t outputs() const { return LstmQ8GatesOf(shape.is_coupled) * shape.cells; }
  std::vector<int8_t> Packed() const {
    const size_t of_x = PackedDenseI8Bytes(outputs(), shape.inputs);
    std::vector<int8_t> packed(of_x + PackedDenseI8Bytes(outputs(), shape.outputs));
    PackDenseI8(w.data(), outputs(), shape.inputs, packed.data());
    PackDenseI8(r.data(), outputs(), shape.outputs, packed.data() + of_x);
    return packed;
  }
};

Multiplier MultiplierAtRandom(Random* random, int32_t min, int32_t max) {
  const auto mantissa = static_cast<int32_t>((1u << 30) + random->Below(1u << 30));
  return {mantissa, min + static_cast<int32_t>(random->Below(static_cast<uint32_t>(max - min)))};
}
int32_t NumberAtRandom(Random* random, uint32_t limit) {
  return static_cast<int32_t>(random->Below(2 * limit + 1)) - static_cast<int32_t>(limit);
}

// Sums of this many products become values of a few thousand.
void SetMultipliers(Random* random, LstmQ8Shape* s) {
  for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
    s->of_x[gate] = MultiplierAtRandom(random, -6, 1);
    s->of_h[gate] = MultiplierAtRandom(random, -6, 1);
    s->of_c[gate] = MultiplierAtRandom(random, -18, -13);
    s->of_norm[gate] = MultiplierAtRandom(random, -16, -12);
    s->min_variance[gate] = 1 + static_cast<int32_t>(random->Below(3));
  }
  s->result = MultiplierAtRandom(random, -24, -22);
  s->zero = NumberAtRandom(random, 40);
}

std::vector<int16_t> ShortsAtRandom(Random* random, size_t count) {
  std::vector<int16_t> shorts(count);
  for (int16_t& number : shorts) number = static_cast<int16_t>(NumberAtRandom(random, 32767));
  return shorts;
}
template <typename Code>
std::vector<Code> OperandAtRandom(Random* random, size_t count) {
  if constexpr (sizeof(Code) == sizeof(int16_t)) {
    return ShortsAtRandom(random, count);
  } else {
    return CodesAtRandom(random, count);
  }
}

template <typename Code>
LstmQ8Case<Code> CaseOf(Random* random, LstmQ8Shape shape) {
  LstmQ8Case<Code> made;
  SetMultipliers(random, &shape);
  made.shape = shape;
  made.w = CodesAtRandom(random, size_t{made.outputs()} * shape.inputs);
  made.r = CodesAtRandom(random, size_t{made.outputs()} * shape.outputs);
  made.x = OperandAtRandom<Code>(random, size_t{shape.rows} * shape.x_row_stride);
  made.h = OperandAtRandom<Code>(random, size_t{shape.rows} * shape.outputs);
  made.c = ShortsAtRandom(random, size_t{shape.rows} * shape.cells);
  made.numbers.resize(
      LstmQ8Numbers(shape.cells, shape.is_coupled, shape.has_peepholes, shape.has_norm));
  const size_t firsts = size_t{2} * made.outputs();
  for (size_t i = 0; i < made.numbers.size(); ++i) {
    made.numbers[i] = NumberAtRandom(random, i < firsts ? 3000 : 32767);
  }
  return made;
}

// h' and c' of the reference.
template <typename Code>
std::vector<int16_t> ReferenceOf(const LstmQ8Case<Code>& of) {
  const LstmQ8Shape& s = of.shape;
  std::vector<int16_t> results, c = of.c;
  for (size_t row = 0; row < s.rows; ++row) {
    const LstmQ8RowReference<Code> reference = {s,
                                                of.x.data() + row * s.x_row_stride,
                                                of.w.data(),
                                                of.r.data(),
                                                of.numbers.data(),
                                                of.h.data() + row * s.outputs};
    for (const Code h : reference.Run(c.data() + row * s.cells)) results.push_back(h);
  }
  results.insert(results.end(), c.begin(), c.end());
  return results;
}

// h' and c' of the kernel, which overwrite h and c if `in_place`.
template <typename Code>
std::vector<int16_t> ResultsOf(const LstmQ8Case<Code>& of, bool in_place, size_t misalignment) {
  const LstmQ8Shape& s = of.shape;
  const Array<int8_t> weights(of.Packed(), 4);
  const Array<Code> x(of.x, misalignment);
  const Array<int32_t> numbers(of.numbers, misalignment);
  Array<int16_t> scratch(LstmQ8ScratchShorts(s.cells, s.is_coupled), 2);
  const size_t count = size_t{s.rows} * s.cells;
  return OnEveryTarget<int16_t>(2 * count, 0, [&](int16_t* y) {
    Array<Code> h(of.h, misalignment), h_next(count, misalignment);
    Array<int16_t> c(of.c, misalignment), c_next(count, misalignment);
    Code* const to_h = in_place ? h.data() : h_next.data();
    int16_t* const to_c = in_place ? c.data() : c_next.data();
    const auto run = [&](auto* function) {
      function(s, x.data(), weights.data(), numbers.data(), h.data(), c.data(), to_h, to_c,
               scratch.data());
    };
    if constexpr (sizeof(Code) == sizeof(int16_t)) {
      run(LstmQ8Shorts);
    } else {
      run(s.rounding == Rounding::kMicro ? LstmQ8 : LstmQ8LiteRt);
    }
    std::copy(to_h, to_h + count, y);
    std::copy(to_c, to_c + count, y + count);
  });
}

template <typename Code>
void ExpectReference(const LstmQ8Case<Code>& of, size_t misalignment) {
  const std::vector<int16_t> must = ReferenceOf(of);
  ASSERT_NO_FATAL_FAILURE(ExpectSame(ResultsOf(of, false, misalignment), must));
  if (of.shape.outputs != of.shape.cells) return;
  ExpectSame(ResultsOf(of, true, misalignment), must);
}

LstmQ8Shape ShapeAtRandom(Random* random, uint32_t max) {
  LstmQ8Shape shape;
  shape.rows = random->Below(4);
  shape.inputs = random->Below(max);
  shape.cells = random->Below(max);
  shape.outputs = random->Below(3) == 0 ? random->Below(max) : shape.cells;
  shape.x_row_stride = shape.inputs + random->Below(3);
  shape.rounding = random->Below(2) == 0 ? Rounding::kMicro : Rounding::kLiteRt;
  shape.cell_power = static_cast<int8_t>(-15 + static_cast<int32_t>(random->Below(7)));
  if (shape.rounding == Rounding::kMicro && random->Below(4) == 0) {
    shape.cell_power = static_cast<int8_t>(-static_cast<int32_t>(random->Below(9)));
  }
  if (random->Below(2) == 0) shape.cell_clip = 1 + static_cast<int32_t>(random->Below(32768));
  shape.is_coupled = random->Below(3) == 0;
  shape.has_peepholes = random->Below(3) == 0;
  shape.has_norm = random->Below(3) == 0 && shape.cells != 0;
  return shape;
}

TEST(LstmQ8, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 700; i += kThinning) {
    const LstmQ8Case<int8_t> of =
        CaseOf<int8_t>(&random, ShapeAtRandom(&random, i % 20 == 0 ? 200 : 40));
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReference(of, kMisalignments[i % 3]));
  }
}

// Sums must fit 32 bits.
TEST(LstmQ8, MatchesItsReferenceForShorts) {
  Random random(5);
  for (uint32_t i = 0; i < 300; i += kThinning) {
    LstmQ8Shape shape = ShapeAtRandom(&random, i % 20 == 0 ? 200 : 40);
    shape.rounding = Rounding::kMicro;
    shape.is_coupled = shape.has_peepholes = shape.has_norm = false;
    LstmQ8Case<int16_t> of = CaseOf<int16_t>(&random, shape);
    for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
      of.shape.of_x[gate] = MultiplierAtRandom(&random, -16, -8);
      of.shape.of_h[gate] =
          MultiplierAtRandom(&random, i % 5 == 0 ? -20 : -16, i % 5 == 0 ? 15 : -8);
    }
    of.shape.of_x[0] = {0x7FFF8000, -12};
    of.shape.result = MultiplierAtRandom(&random, -16, -13);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReference(of, kMisalignments[i % 3]));
  }
}

// Sums, multipliers and numbers without the limits of converted models.
TEST(LstmQ8, SaturatesAsItsReference) {
  Random random(2);
  for (uint32_t i = 0; i < 200; i += kThinning) {
    LstmQ8Case<int8_t> of = CaseOf<int8_t>(&random, ShapeAtRandom(&random, 24));
    for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
      of.shape.of_x[gate] = MultiplierAtRandom(&random, -31, 31);
      of.shape.of_h[gate] = MultiplierAtRandom(&random, -31, 31);
    }
    of.shape.result = MultiplierAtRandom(&random, -31, 1);
    for (int32_t& number : of.numbers) {
      if (random.Below(4) == 0) number = NumberAtRandom(&random, 1 << 28);
    }
    of.shape.has_peepholes = of.shape.has_norm = false;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReference(of, kMisalignments[i % 3]));
  }
}

// The largest products, for complete and incomplete blocks and panels.
TEST(LstmQ8, MatchesItsReferenceForExtremeCodes) {
  Random random(7);
  uint32_t i = 0;
  for (const uint32_t inputs : {1, 2, 3, 5, 16, 17, 40}) {
    for (const uint32_t cells : {1, 3, 24, 25}) {
      for (const int8_t weight : {int8_t{-128}, int8_t{127}}) {
        for (const int8_t code : {int8_t{-128}, int8_t{127}}) {
          LstmQ8Shape shape;
          shape.rows = 1;
          shape.inputs = shape.x_row_stride = inputs;
          shape.cells = shape.outputs = cells;
          shape.cell_power = -11;
          shape.rounding = ++i % 3 == 0 ? Rounding::kLiteRt : Rounding::kMicro;
          LstmQ8Case<int8_t> of = CaseOf<int8_t>(&random, shape);
          std::fill(of.w.begin(), of.w.end(), weight);
          std::fill(of.r.begin(), of.r.end(), weight);
          std::fill(of.x.begin(), of.x.end(), code);
          std::fill(of.h.begin(), of.h.end(), code);
          SCOPED_TRACE(i);
          ASSERT_NO_FATAL_FAILURE(ExpectReference(of, kMisalignments[i % 3]));
        }
      }
    }
  }
}

// Sums around powers of two, with each exponent of a factor.
TEST(LstmQ8, MatchesItsReferenceForEverySizeOfSums) {
  Random random(8);
  constexpr int32_t kMantissas[] = {1 << 30, 0x5A000000, 0x7FFFFFFF, 12345, 0};
  for (int32_t exponent = -31; exponent <= 2; ++exponent) {
    for (const Rounding rounding : {Rounding::kMicro, Rounding::kLiteRt}) {
      LstmQ8Shape shape;
      shape.rows = 1;
      shape.cells = 320;
      shape.cell_power = -11;
      shape.rounding = rounding;
      LstmQ8Case<int8_t> of = CaseOf<int8_t>(&random, shape);
      for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
        of.shape.of_x[gate] = {kMantissas[random.Below(5)], exponent};
        of.shape.of_h[gate] = {kMantissas[gate], exponent == -31 ? exponent : exponent - 1};
      }
      for (int32_t& number : of.numbers) {
        const int32_t power = 1 << (13 + random.Below(12));
        number =
            power + power / 256 * NumberAtRandom(&random, 256) / 2 * NumberAtRandom(&random, 1);
        number += NumberAtRandom(&random, 70);
        if (random.Below(2) == 0) number = -number;
      }
      ASSERT_NO_FATAL_FAILURE(ExpectReference(of, 0)) << exponent;
    }
  }
}

// Every argument of the functions: the cell passes through tanh alone if the output gate is open.
TEST(LstmQ8, ComputesEveryValueOfItsFunctions) {
  Random random(3);
  for (int32_t power = -15; power <= -9; ++power) {
    for (const Rounding rounding : {Rounding::kMicro, Rounding::kLiteRt}) {
      LstmQ8Shape shape;
      shape.rows = 1;
      shape.cells = 65536 / kThinning;
      shape.cell_power = static_cast<int8_t>(power);
      shape.rounding = rounding;
      LstmQ8Case<int8_t> of = CaseOf<int8_t>(&random, shape);
      of.shape.result = {1 << 30, -14};
      for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) of.shape.of_x[gate] = {1 << 30, 1};
      for (size_t i = 0; i < of.numbers.size(); ++i) {
        const size_t unit = i % shape.cells, block = i / shape.cells;
        of.numbers[i] = block >= 4 ? 0 : static_cast<int16_t>(unit * kThinning + block);
      }
      for (size_t i = 0; i < of.c.size(); ++i) of.c[i] = static_cast<int16_t>(i * kThinning);
      ASSERT_NO_FATAL_FAILURE(ExpectReference(of, 0)) << power;
    }
  }
}

struct LstmQ8Result {
  uint64_t seed;
  uint32_t calls;
  int16_t h_start;
  LstmQ8Shape shape;
  std::vector<int32_t> numbers;
  std::vector<int16_t> h, c;
};

// Numbers of the range of T.
template <typename T>
std::vector<T> PlainCodes(Random* random, size_t count) {
  constexpr int32_t kCount = sizeof(T) == 1 ? 256 : 65536;
  std::vector<T> codes(count);
  for (T& code : codes) {
    code = static_cast<T>(static_cast<int32_t>(random->Below(kCount)) - kCount / 2);
  }
  return codes;
}

template <typename Code>
void ExpectTensorFlowLite(const LstmQ8Result& must) {
  Random random(must.seed);
  LstmQ8Case<Code> of;
  of.shape = must.shape;
  of.w = PlainCodes<int8_t>(&random, size_t{of.outputs()} * must.shape.inputs);
  of.r = PlainCodes<int8_t>(&random, size_t{of.outputs()} * must.shape.cells);
  of.numbers = must.numbers;
  of.h.assign(must.h.size(), static_cast<Code>(must.h_start));
  of.c.assign(must.c.size(), 0);
  for (uint32_t call = 0; call < must.calls; ++call) {
    of.x = PlainCodes<Code>(&random, size_t{must.shape.rows} * must.shape.inputs);
    const std::vector<int16_t> results = ResultsOf(of, true, 1);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(results, ReferenceOf(of)));
    const auto end = results.begin() + std::ssize(of.h);
    std::transform(results.begin(), end, of.h.begin(),
                   [](int16_t code) { return static_cast<Code>(code); });
    of.c.assign(end, results.end());
  }
  ExpectSame(std::vector<int16_t>(of.h.begin(), of.h.end()), must.h);
  ExpectSame(of.c, must.c);
}

TEST(LstmQ8, EqualsTensorFlowLite) {
  const LstmQ8Result kResults[] = {
#include "tests/kernels/lstm_q8_results.inc"
  };
  for (const LstmQ8Result& must : kResults) {
    SCOPED_TRACE(must.seed);
    if (must.seed >= 100) {  // int16 codes
      ASSERT_NO_FATAL_FAILURE(ExpectTensorFlowLite<int16_t>(must));
    } else {
      ASSERT_NO_FATAL_FAILURE(ExpectTensorFlowLite<int8_t>(must));
    }
  }
}

}  // namespace
}  // namespace weft::kernels
