// SPDX-License-Identifier: Apache-2.0
// The fused cells compared with their reference kernels, and bit for bit with the separate steps
// that they replace: products and gates, with weights of every type.
#include "kernels/elementwise/convert.h"
#include "kernels/matrix/pack.h"
#include "kernels/recurrent/gru_cell.h"
#include "kernels/recurrent/lstm_cell.h"
#include "kernels/reference/dense.h"
#include "kernels/reference/gru_cell.h"
#include "kernels/reference/gru_reset_cell.h"
#include "kernels/reference/lstm_cell.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/scaled_weights.h"

namespace weft::kernels {
namespace {

// Row-major [gates * hidden, inputs] and [gates * hidden, hidden], and the same weights in the
// layout of a cell.
struct CellSample {
  CellSample(uint32_t gate_count, uint32_t inputs, uint32_t hidden, Random* random)
      : gates(gate_count),
        w(random->Floats(size_t{gates} * hidden * inputs, 1)),
        r(random->Floats(size_t{gates} * hidden * hidden, 1)),
        weights(CellWeights(gates, inputs, hidden)),
        x(random->Floats(inputs, 1)),
        h(random->Floats(hidden, 1)),
        c(random->Floats(hidden, 2)),
        start(random->Floats(size_t{gates} * hidden, 1)),
        r_start(random->Floats(size_t{gates} * hidden, 1)) {
    shape.inputs = inputs;
    shape.hidden = hidden;
    Narrow();
    for (uint32_t gate = 0; gate < gates; ++gate) {
      for (uint32_t unit = 0; unit < hidden; ++unit) {
        for (size_t k = 0; k < size_t{inputs} + hidden; ++k) {
          const size_t row = size_t{gate} * hidden + unit;
          weights[CellWeightAt(shape, gates, gate, unit, k)] =
              k < inputs ? w[row * inputs + k] : r[row * hidden + k - inputs];
        }
      }
    }
  }

  // Rounds every weight to a value that each weight type represents.
  void Narrow() {
    for (std::vector<float>* values : {&w, &r}) {
      for (float& value : *values) value = std::ldexp(std::round(std::ldexp(value, 6)), -6);
    }
  }

  // start + row-major weights * input
  std::vector<float> Product(const std::vector<float>& matrix, const std::vector<float>& input,
                             const std::vector<float>& from) const {
    const uint32_t outputs = static_cast<uint32_t>(from.size());
    const uint32_t inputs = static_cast<uint32_t>(input.size());
    std::vector<float> packed(PackedDenseFloats(outputs, inputs)), y(outputs);
    PackDense(matrix.data(), inputs, 1, outputs, inputs, packed.data());
    Dense({1, inputs, outputs, 0, 0, 0, {}}, input.data(), packed.data(), from.data(), y.data());
    return y;
  }

  uint32_t gates;
  CellShape shape;
  std::vector<float> w, r, weights, x, h, c, start, r_start;
};

template <class Weight>
std::vector<Weight> WeightsAs(const std::vector<float>& floats, Element type) {
  std::vector<Weight> weights(floats.size());
  Convert({static_cast<uint32_t>(floats.size()), Element::kF32, type}, floats.data(),
          weights.data());
  return weights;
}

// h', then c'.
template <class Weight>
std::vector<float> LstmOf(const CellSample& s, const Weight* weights, size_t misalignment) {
  return OnEveryTarget<float>(2 * s.shape.hidden, misalignment, [&](float* y) {
    const float* x = s.shape.inputs == 0 ? nullptr : s.x.data();
    LstmCell(s.shape, x, weights, s.h.data(), s.c.data(), s.start.data(), y, y + s.shape.hidden);
  });
}
template <class Weight>
std::vector<float> GruOf(const CellSample& s, const Weight* weights, size_t misalignment) {
  return OnEveryTarget<float>(s.shape.hidden, misalignment, [&](float* y) {
    const float* x = s.shape.inputs == 0 ? nullptr : s.x.data();
    GruCell(s.shape, x, weights, s.h.data(), s.start.data(), s.r_start.data(), y);
  });
}

// h', then reset_h.
template <class Weight>
std::vector<float> GruResetOf(const CellSample& s, const Weight* weights, size_t misalignment) {
  return OnEveryTarget<float>(2 * s.shape.hidden, misalignment, [&](float* y) {
    const float* x = s.shape.inputs == 0 ? nullptr : s.x.data();
    GruResetCell(s.shape, x, weights, s.h.data(), s.start.data(), y, y + s.shape.hidden);
  });
}

// The weights in the layout of gru_reset_cell.
CellSample GruResetSample(uint32_t inputs, uint32_t hidden, Random* random) {
  CellSample s(kGruGates, inputs, hidden, random);
  s.weights.assign(GruResetWeights(inputs, hidden), 0.0f);
  for (uint32_t gate = 0; gate < kGruGates; ++gate) {
    for (uint32_t unit = 0; unit < hidden; ++unit) {
      for (size_t k = 0; k < size_t{inputs} + hidden; ++k) {
        const size_t row = size_t{gate} * hidden + unit;
        s.weights[GruResetWeightAt(s.shape, gate, unit, k)] =
            k < inputs ? s.w[row * inputs + k] : s.r[row * hidden + k - inputs];
      }
    }
  }
  return s;
}

std::vector<float> LstmApart(const CellSample& s) {
  const std::vector<float> pre = s.Product(s.r, s.h, s.Product(s.w, s.x, s.start));
  return OnEveryTarget<float>(2 * s.shape.hidden, 0, [&](float* y) {
    LstmGatesShape gates;
    gates.rows = 1;
    gates.hidden = s.shape.hidden;
    gates.f.op = UnaryOp::kSigmoid;
    gates.g.op = gates.h.op = UnaryOp::kTanh;
    LstmGates(gates, pre.data(), s.c.data(), y, y + s.shape.hidden);
  });
}
std::vector<float> GruApart(const CellSample& s) {
  const std::vector<float> x_part = s.Product(s.w, s.x, s.start);
  const std::vector<float> r_part = s.Product(s.r, s.h, s.r_start);
  return OnEveryTarget<float>(s.shape.hidden, 0, [&](float* y) {
    GruGatesShape gates;
    gates.rows = 1;
    gates.hidden = s.shape.hidden;
    gates.f.op = UnaryOp::kSigmoid;
    gates.g.op = UnaryOp::kTanh;
    GruGates(gates, x_part.data(), r_part.data(), s.h.data(), y);
  });
}

// h', then reset_h.
std::vector<float> GruResetApart(const CellSample& s) {
  const size_t hidden = s.shape.hidden;
  const auto part = [](const std::vector<float>& of, size_t first, size_t count) {
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const std::vector<float> x_part = s.Product(s.w, s.x, s.start);
  const std::vector<float> both =
      s.Product(part(s.r, 0, 2 * hidden * hidden), s.h, part(x_part, 0, 2 * hidden));
  GruResetShape reset;
  reset.rows = 1;
  reset.hidden = s.shape.hidden;
  reset.f.op = UnaryOp::kSigmoid;
  std::vector<float> y = OnEveryTarget<float>(
      2 * hidden, 0, [&](float* to) { GruReset(reset, both.data(), s.h.data(), to, to + hidden); });
  const std::vector<float> reset_h = part(y, hidden, hidden);
  const std::vector<float> candidate = s.Product(part(s.r, 2 * hidden * hidden, hidden * hidden),
                                                 reset_h, part(x_part, 2 * hidden, hidden));
  GruUpdateShape update;
  update.rows = 1;
  update.hidden = s.shape.hidden;
  update.g.op = UnaryOp::kTanh;
  const std::vector<float> next = OnEveryTarget<float>(
      hidden, 0, [&](float* to) { GruUpdate(update, candidate.data(), y.data(), s.h.data(), to); });
  std::copy(next.begin(), next.end(), y.begin());
  return y;
}

constexpr uint32_t kHidden[] = {0,  1,  3,  4,  5,  8,  12, 15,  16,  17,  24,
                                31, 32, 40, 48, 57, 72, 80, 112, 133, 150, 240};
constexpr uint32_t kInputs[] = {0, 1, 2, 3, 4, 7, 40};

struct Extent {
  uint32_t inputs, hidden;
};

// Every pair; under emulation a third of them, with each number of inputs and of hidden units.
std::vector<Extent> Extents() {
  std::vector<Extent> extents;
  for (size_t i = 0; i < std::size(kHidden); ++i) {
    for (size_t k = 0; k < std::size(kInputs); ++k) {
      if (kThinning == 1 || (i + k) % 3 == 0) extents.push_back({kInputs[k], kHidden[i]});
    }
  }
  return extents;
}

// With float weights at any alignment, and with each narrow type.
template <class Run>
void ExpectOfEveryType(const CellSample& s, const std::vector<float>& must, const Run& run) {
  for (const size_t misalignment : kMisalignments) {
    const Array<float> weights(s.weights, misalignment);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(run(weights.data(), misalignment), must));
  }
#define WEFT_WEIGHTS(name, Name, ...)                                         \
  const Array<Name> name##s(WeightsAs<Name>(s.weights, Element::k##Name), 2); \
  ASSERT_NO_FATAL_FAILURE(ExpectSame(run(name##s.data(), size_t{0}), must));
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}

// Replaces each weight by a code times the scale of its row in w or in r. Returns the codes and
// scales of cells with `parts` gates each, one after the other.
std::vector<Scaled8> ScaleWeights(CellSample* s, const std::vector<uint32_t>& parts) {
  const uint32_t hidden = s->shape.hidden, inputs = s->shape.inputs;
  const auto scale_of = [](uint32_t row, bool is_r) {
    return 1.0f / static_cast<float>((is_r ? 300 : 100) + row % 97);
  };
  std::vector<Scaled8> memory;
  uint32_t row = 0;
  for (const uint32_t gates : parts) {
    ScaledMemory part(CellScales(gates, hidden));
    part.codes.resize(CellWeights(gates, inputs, hidden));
    for (uint32_t gate = 0; gate < gates; ++gate) {
      for (uint32_t unit = 0; unit < hidden; ++unit, ++row) {
        for (uint32_t k = 0; k < inputs + hidden; ++k) {
          const bool is_r = k >= inputs;
          float& weight = is_r ? s->r[row * hidden + k - inputs] : s->w[row * inputs + k];
          const auto code = static_cast<int8_t>(weight * 127);
          weight = code * scale_of(row, is_r);
          const uint64_t at = CellWeightAt(s->shape, gates, gate, unit, k);
          part.codes[at] = code;
          part.scales[CellScaleOf(s->shape, gates, at)] = scale_of(row, is_r);
        }
      }
    }
    part.Append(&memory);
  }
  return memory;
}

TEST(LstmCell, HasTheBitsOfItsProductsAndGates) {
  Random random(1);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s(kLstmGates, inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const std::vector<float> must = LstmApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ExpectOfEveryType(s, must, [&](const auto* weights, size_t misalignment) {
        return LstmOf(s, weights, misalignment);
      });
    }
  }
}

TEST(LstmCell, HasTheBitsOfScaledCodesAsFloats) {
  Random random(21);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s(kLstmGates, inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const Array<Scaled8> weights(ScaleWeights(&s, {kLstmGates}), 4);
    const std::vector<float> must = LstmApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(LstmOf(s, weights.data(), 0), must));
    }
  }
}

TEST(LstmCell, MatchesItsReference) {
  Random random(2);
  const CellSample s(kLstmGates, 5, 59, &random);
  const std::vector<float> y = LstmOf(s, s.weights.data(), 0);
  for (uint32_t unit = 0; unit < s.shape.hidden; ++unit) {
    const LstmGatesResult must = LstmCellReference(s.shape, s.x.data(), s.weights.data(),
                                                   s.h.data(), s.c.data(), s.start.data(), unit);
    EXPECT_TRUE(IsClose(y[unit], must.h, kLstmGatesTolerance)) << unit;
    EXPECT_TRUE(IsClose(y[s.shape.hidden + unit], must.c, kLstmGatesTolerance)) << unit;
  }
}

TEST(LstmCell, MayWriteTheCellOverItself) {
  Random random(3);
  const CellSample s(kLstmGates, 3, 52, &random);
  const std::vector<float> must = LstmOf(s, s.weights.data(), 0);
  ExpectSame(OnEveryTarget<float>(2 * s.shape.hidden, 0,
                                  [&](float* y) {
                                    float* c = y + s.shape.hidden;
                                    std::copy(s.c.begin(), s.c.end(), c);
                                    LstmCell(s.shape, s.x.data(), s.weights.data(), s.h.data(), c,
                                             s.start.data(), y, c);
                                  }),
             must);
}

TEST(GruCell, HasTheBitsOfItsProductsAndGates) {
  Random random(4);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s(kGruGates, inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const std::vector<float> must = GruApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ExpectOfEveryType(s, must, [&](const auto* weights, size_t misalignment) {
        return GruOf(s, weights, misalignment);
      });
    }
  }
}

TEST(GruCell, HasTheBitsOfScaledCodesAsFloats) {
  Random random(21);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s(kGruGates, inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const Array<Scaled8> weights(ScaleWeights(&s, {kGruGates}), 4);
    const std::vector<float> must = GruApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(GruOf(s, weights.data(), 0), must));
    }
  }
}

TEST(GruCell, MatchesItsReference) {
  Random random(5);
  const CellSample s(kGruGates, 5, 59, &random);
  const std::vector<float> y = GruOf(s, s.weights.data(), 0);
  for (uint32_t unit = 0; unit < s.shape.hidden; ++unit) {
    const double must = GruCellReference(s.shape, s.x.data(), s.weights.data(), s.h.data(),
                                         s.start.data(), s.r_start.data(), unit);
    EXPECT_TRUE(IsClose(y[unit], must, kGruTolerance)) << unit;
  }
}

TEST(GruResetCell, HasTheBitsOfItsProductsAndGates) {
  Random random(9);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s = GruResetSample(inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const std::vector<float> must = GruResetApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ExpectOfEveryType(s, must, [&](const auto* weights, size_t misalignment) {
        return GruResetOf(s, weights, misalignment);
      });
    }
  }
}

TEST(GruResetCell, HasTheBitsOfScaledCodesAsFloats) {
  Random random(21);
  for (const auto [inputs, hidden] : Extents()) {
    CellSample s = GruResetSample(inputs, hidden, &random);
    SCOPED_TRACE(testing::Message() << inputs << " to " << hidden);
    const Array<Scaled8> weights(ScaleWeights(&s, {kGruResetGates, 1}), 4);
    const std::vector<float> must = GruResetApart(s);
    for (const bool backward : {false, true}) {
      s.shape.backward = backward;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(GruResetOf(s, weights.data(), 0), must));
    }
  }
}

TEST(GruResetCell, MatchesItsReference) {
  Random random(10);
  const CellSample s = GruResetSample(5, 59, &random);
  const uint32_t hidden = s.shape.hidden;
  const std::vector<float> y = GruResetOf(s, s.weights.data(), 0);
  for (uint32_t unit = 0; unit < hidden; ++unit) {
    const GruResetResult gates = GruResetGatesReference(s.shape, s.x.data(), s.weights.data(),
                                                        s.h.data(), s.start.data(), unit);
    EXPECT_TRUE(IsClose(y[hidden + unit], gates.reset_h, kGruTolerance)) << unit;
    const double must = GruResetCellReference(s.shape, s.x.data(), s.weights.data(), s.h.data(),
                                              y.data() + hidden, s.start.data(), unit);
    EXPECT_TRUE(IsClose(y[unit], must, kGruTolerance)) << unit;
  }
}

// A null x counts as zeros: its weights are skipped.
TEST(GruResetCell, TakesNoInputsFromNowhere) {
  Random random(11);
  CellSample s = GruResetSample(3, 53, &random);
  for (float& x : s.x) x = 0.0f;
  ExpectSame(OnEveryTarget<float>(2 * s.shape.hidden, 0,
                                  [&](float* y) {
                                    GruResetCell(s.shape, nullptr, s.weights.data(), s.h.data(),
                                                 s.start.data(), y, y + s.shape.hidden);
                                  }),
             GruResetOf(s, s.weights.data(), 0));
}

// Sets some units to sums at and beyond the limits that their gates resolve, or to NaN.
void Strain(CellSample* s) {
  constexpr float kSums[] = {1e30f, -1e30f, 88.5f, -88.5f, 87.4f, -87.4f,
                             86.0f, -86.0f, 9.5f,  -9.5f,  NAN};
  constexpr size_t kCount = sizeof kSums / sizeof kSums[0];
  for (size_t i = 0; i < s->start.size(); i += 3) s->start[i] = kSums[i / 3 % kCount];
  for (size_t i = 0; i < s->c.size(); i += 5) s->c[i] = kSums[2 + i / 5 % 8];
}

TEST(LstmCell, TakesSumsBeyondItsRanges) {
  Random random(6);
  for (const uint32_t hidden : {29u, 64u}) {
    CellSample s(kLstmGates, 0, hidden, &random);
    Strain(&s);
    const std::vector<float> weights(s.weights.size());
    const std::vector<float> y = LstmOf(s, weights.data(), 0);
    for (uint32_t unit = 0; unit < hidden; ++unit) {
      const LstmGatesResult must = LstmCellReference(s.shape, nullptr, weights.data(), s.h.data(),
                                                     s.c.data(), s.start.data(), unit);
      EXPECT_EQ(std::isnan(y[unit]), std::isnan(must.h)) << unit;
      EXPECT_EQ(std::isnan(y[hidden + unit]), std::isnan(must.c)) << unit;
      if (std::isnan(must.h) || std::isnan(must.c)) continue;
      EXPECT_TRUE(IsClose(y[unit], must.h, kLstmGatesTolerance)) << unit;
      EXPECT_TRUE(IsClose(y[hidden + unit], must.c, kLstmGatesTolerance)) << unit;
    }
  }
}

TEST(GruCell, TakesSumsBeyondItsRanges) {
  Random random(7);
  for (const uint32_t hidden : {29u, 64u}) {
    CellSample s(kGruGates, 0, hidden, &random);
    Strain(&s);
    const std::vector<float> weights(s.weights.size());
    const std::vector<float> y = GruOf(s, weights.data(), 0);
    for (uint32_t unit = 0; unit < hidden; ++unit) {
      const double must = GruCellReference(s.shape, nullptr, weights.data(), s.h.data(),
                                           s.start.data(), s.r_start.data(), unit);
      EXPECT_EQ(std::isnan(y[unit]), std::isnan(must)) << unit;
      if (std::isnan(must)) continue;
      EXPECT_TRUE(IsClose(y[unit], must, kGruTolerance)) << unit;
    }
  }
}

// A null x counts as zeros: its weights are skipped.
TEST(Cells, TakeNoInputsFromNowhere) {
  Random random(8);
  CellSample lstm(kLstmGates, 3, 53, &random), gru(kGruGates, 3, 53, &random);
  for (CellSample* s : {&lstm, &gru}) {
    for (float& x : s->x) x = 0.0f;
  }
  ExpectSame(OnEveryTarget<float>(2 * lstm.shape.hidden, 0,
                                  [&](float* y) {
                                    LstmCell(lstm.shape, nullptr, lstm.weights.data(),
                                             lstm.h.data(), lstm.c.data(), lstm.start.data(), y,
                                             y + lstm.shape.hidden);
                                  }),
             LstmOf(lstm, lstm.weights.data(), 0));
  ExpectSame(OnEveryTarget<float>(gru.shape.hidden, 0,
                                  [&](float* y) {
                                    GruCell(gru.shape, nullptr, gru.weights.data(), gru.h.data(),
                                            gru.start.data(), gru.r_start.data(), y);
                                  }),
             GruOf(gru, gru.weights.data(), 0));
}

TEST(Cells, KeepNan) {
  Random random(6);
  CellSample lstm(kLstmGates, 2, 21, &random), gru(kGruGates, 2, 21, &random);
  lstm.x[1] = gru.x[1] = kNan;
  for (const float value : LstmOf(lstm, lstm.weights.data(), 0)) EXPECT_TRUE(std::isnan(value));
  for (const float value : GruOf(gru, gru.weights.data(), 0)) EXPECT_TRUE(std::isnan(value));
}

TEST(Cells, HaveTheSameBitsOnEveryProcessor) {
  Random random(7);
  const CellSample lstm(kLstmGates, 40, 64, &random), gru(kGruGates, 40, 64, &random);
  Fingerprint fingerprint;
  fingerprint.Add(LstmOf(lstm, lstm.weights.data(), 0));
  fingerprint.Add(GruOf(gru, gru.weights.data(), 0));
  EXPECT_EQ(fingerprint.value(), 0xD41C848FB5D895E9u);
}

}  // namespace
}  // namespace weft::kernels
