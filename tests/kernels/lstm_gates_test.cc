// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_gates.h"

#include <limits>

#include "kernels/reference/lstm_gates.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

Activation LstmActivation(UnaryOp op) { return {1.0f, 0.5f, 0.0f, op}; }

struct Gates {
  Gates(uint32_t rows, uint32_t hidden, size_t shift, Random* random)
      : shape{rows,
              hidden,
              4 * hidden + 2,
              LstmActivation(UnaryOp::kSigmoid),
              LstmActivation(UnaryOp::kTanh),
              LstmActivation(UnaryOp::kTanh)},
        pre(random->Floats(size_t{rows} * shape.pre_row_stride, 6), shift),
        c(random->Floats(size_t{rows} * hidden, 3), shift),
        misalignment(shift) {}

  // h', then c', each rows * hidden.
  std::vector<float> Run() const {
    const size_t count = size_t{shape.rows} * shape.hidden;
    return OnEveryTarget<float>(2 * count, misalignment, [&](float* y) {
      LstmGates(shape, pre.data(), c.data(), y, y + count);
    });
  }

  void ExpectReference(const std::vector<float>& y) const {
    const size_t count = size_t{shape.rows} * shape.hidden;
    for (size_t i = 0; i < count; ++i) {
      const LstmGatesResult must =
          LstmGatesReference(shape, pre.data(), c.data(), i / shape.hidden, i % shape.hidden);
      ASSERT_TRUE(IsClose(y[i], must.h, kLstmGatesTolerance))
          << i << ": " << y[i] << ", " << must.h;
      ASSERT_TRUE(IsClose(y[count + i], must.c, kLstmGatesTolerance));
    }
  }

  LstmGatesShape shape;
  Array<float> pre;
  Array<float> c;
  size_t misalignment;
};

TEST(LstmGates, MatchesItsReferenceForEverySizeAndMisalignment) {
  Random random(1);
  for (uint32_t hidden = 0; hidden <= 2 * kWidestPanel + 1; ++hidden) {
    for (const size_t misalignment : kMisalignments) {
      const Gates gates(3, hidden, misalignment, &random);
      gates.ExpectReference(gates.Run());
    }
  }
}

TEST(LstmGates, TakesAnyActivations) {
  Random random(2);
  for (const uint32_t hidden : {5u, 48u, 49u, 130u}) {
    Gates gates(2, hidden, 1, &random);
    gates.shape.f = LstmActivation(UnaryOp::kHardSigmoid);
    gates.shape.g = LstmActivation(UnaryOp::kRelu);
    gates.shape.h = LstmActivation(UnaryOp::kSoftSign);
    gates.ExpectReference(gates.Run());
    gates.shape.g = {1.0f, 1.0f, 0.25f, UnaryOp::kTanh};
    gates.ExpectReference(gates.Run());
  }
}

TEST(LstmGates, SaturatesAndKeepsNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Activation sigmoid = LstmActivation(UnaryOp::kSigmoid);
  const Activation tanh = LstmActivation(UnaryOp::kTanh);
  const LstmGatesShape shape = {1, 4, 0, sigmoid, tanh, tanh};
  const float huge = 1e30f;
  const std::vector<float> pre = {huge, -huge, huge,  nan, huge, -huge, huge, 0,   // f, i
                                  huge, huge,  -huge, 0,   huge, huge,  huge, 0};  // g, o
  const std::vector<float> c = {0.5f, 0.5f, 2.0f, 0.5f};
  const std::vector<float> y = OnEveryTarget<float>(
      8, 0, [&](float* out) { LstmGates(shape, pre.data(), c.data(), out, out + 4); });
  EXPECT_NEAR(y[4], 1.5f, 1e-6f);
  EXPECT_NEAR(y[5], 0.0f, 1e-37f);
  EXPECT_NEAR(y[6], 1.0f, 1e-6f);
  EXPECT_TRUE(std::isnan(y[7]));
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(LstmGates, MayWriteTheCellOverItself) {
  Random random(4);
  for (const float clip : {0.0f, 1e30f}) {
    Gates gates(2, 61, 0, &random);
    gates.shape.g.clip = clip;
    const std::vector<float> apart = gates.Run();
    const size_t count = size_t{gates.shape.rows} * gates.shape.hidden;
    const std::vector<float> in_place = OnEveryTarget<float>(2 * count, 0, [&](float* y) {
      std::memcpy(y + count, gates.c.data(), count * sizeof(float));
      LstmGates(gates.shape, gates.pre.data(), y + count, y, y + count);
    });
    ExpectSame(in_place, apart);
  }
}

TEST(LstmGates, HasTheSameBitsOnEveryProcessor) {
  Random random(5);
  const Gates gates(4, 100, 0, &random);
  Fingerprint fingerprint;
  fingerprint.Add(gates.Run());
  EXPECT_EQ(fingerprint.value(), 0xDD35E6E44810551u);
}

}  // namespace
}  // namespace weft::kernels
