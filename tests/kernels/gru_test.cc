// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/gru_gates.h"
#include "kernels/reference/gru_reset.h"
#include "kernels/reference/gru_update.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

Activation GruActivation(UnaryOp op) { return {1.0f, 0.5f, 0.0f, op}; }
const Activation kSigmoid = GruActivation(UnaryOp::kSigmoid);
const Activation kTanh = GruActivation(UnaryOp::kTanh);

// Sizes around the kernels' block of 64 units and around a vector.
std::vector<uint32_t> Sizes() {
  std::vector<uint32_t> sizes = {63, 64, 65, 127, 129, 200};
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) sizes.push_back(size);
  return sizes;
}

void ExpectClose(double is, double must) {
  ASSERT_TRUE(IsClose(is, must, kGruTolerance)) << is << ", " << must;
}

TEST(GruGates, MatchesItsReferenceForEverySizeAndMisalignment) {
  Random random(1);
  for (const uint32_t hidden : Sizes()) {
    for (const size_t misalignment : kMisalignments) {
      const GruGatesShape shape = {2, hidden, 3 * hidden + 1, 3 * hidden, kSigmoid, kTanh};
      const Array<float> x(random.Floats(2 * shape.x_row_stride, 4), misalignment);
      const Array<float> r(random.Floats(2 * shape.r_row_stride, 4), misalignment);
      const std::vector<float> h = random.Floats(2 * hidden, 1);
      const std::vector<float> y = OnEveryTarget<float>(2 * hidden, misalignment, [&](float* out) {
        std::copy(h.begin(), h.end(), out);
        GruGates(shape, x.data(), r.data(), out, out);
      });
      for (size_t i = 0; i < y.size(); ++i) {
        ExpectClose(y[i],
                    GruGatesReference(shape, x.data(), r.data(), h.data(), i / hidden, i % hidden));
      }
      ExpectSame(OnEveryTarget<float>(
                     2 * hidden, 0,
                     [&](float* out) { GruGates(shape, x.data(), r.data(), h.data(), out); }),
                 y);
    }
  }
}

TEST(GruReset, MatchesItsReferenceForEverySizeAndMisalignment) {
  Random random(2);
  for (const uint32_t hidden : Sizes()) {
    for (const size_t misalignment : kMisalignments) {
      const GruResetShape shape = {2, hidden, 2 * hidden + 3, kSigmoid};
      const Array<float> pre(random.Floats(2 * shape.pre_row_stride, 4), misalignment);
      const Array<float> h(random.Floats(2 * hidden, 1), misalignment);
      const std::vector<float> y = OnEveryTarget<float>(4 * hidden, misalignment, [&](float* out) {
        GruReset(shape, pre.data(), h.data(), out, out + 2 * hidden);
      });
      for (size_t i = 0; i < 2 * hidden; ++i) {
        const GruResetResult must =
            GruResetReference(shape, pre.data(), h.data(), i / hidden, i % hidden);
        ExpectClose(y[i], must.z);
        ExpectClose(y[2 * hidden + i], must.reset_h);
      }
    }
  }
}

TEST(GruReset, MayWriteOverItsOperandsWithOneRow) {
  Random random(3);
  for (const uint32_t hidden : {5u, 64u, 150u}) {
    const GruResetShape shape = {1, hidden, 2 * hidden, kSigmoid};
    const std::vector<float> pre = random.Floats(2 * hidden, 4);
    const std::vector<float> h = random.Floats(hidden, 1);
    const std::vector<float> apart = OnEveryTarget<float>(
        2 * hidden, 0, [&](float* y) { GruReset(shape, pre.data(), h.data(), y, y + hidden); });
    const std::vector<float> in_place = OnEveryTarget<float>(3 * hidden, 0, [&](float* y) {
      std::copy(pre.begin(), pre.end(), y);
      std::copy(h.begin(), h.end(), y + 2 * hidden);
      GruReset(shape, y, y + 2 * hidden, y, y + 2 * hidden);
    });
    for (size_t i = 0; i < hidden; ++i) {
      EXPECT_EQ(in_place[i], apart[i]);
      EXPECT_EQ(in_place[2 * hidden + i], apart[hidden + i]);
    }
  }
}

TEST(GruUpdate, MatchesItsReferenceForEverySizeAndMisalignment) {
  Random random(4);
  for (const uint32_t hidden : Sizes()) {
    for (const size_t misalignment : kMisalignments) {
      const GruUpdateShape shape = {2, hidden, hidden + 5, kTanh};
      const Array<float> pre(random.Floats(2 * shape.pre_row_stride, 4), misalignment);
      const Array<float> z(random.Floats(2 * hidden, 1), misalignment);
      const Array<float> h(random.Floats(2 * hidden, 1), misalignment);
      const std::vector<float> y = OnEveryTarget<float>(2 * hidden, misalignment, [&](float* out) {
        GruUpdate(shape, pre.data(), z.data(), h.data(), out);
      });
      for (size_t i = 0; i < y.size(); ++i) {
        ExpectClose(y[i], GruUpdateReference(shape, pre.data(), z.data(), h.data(), i / hidden,
                                             i % hidden));
      }
    }
  }
}

TEST(GruUpdate, MayWriteOverAnyOperand) {
  Random random(5);
  const uint32_t hidden = 150;
  const GruUpdateShape shape = {2, hidden, hidden, kTanh};
  std::vector<float> operands[3];
  for (std::vector<float>& operand : operands) operand = random.Floats(2 * hidden, 1);
  const std::vector<float> apart = OnEveryTarget<float>(2 * hidden, 0, [&](float* y) {
    GruUpdate(shape, operands[0].data(), operands[1].data(), operands[2].data(), y);
  });
  for (size_t shared = 0; shared < 3; ++shared) {
    const std::vector<float> in_place = OnEveryTarget<float>(2 * hidden, 0, [&](float* y) {
      std::copy(operands[shared].begin(), operands[shared].end(), y);
      const float* at[3] = {operands[0].data(), operands[1].data(), operands[2].data()};
      at[shared] = y;
      GruUpdate(shape, at[0], at[1], at[2], y);
    });
    ExpectSame(in_place, apart);
  }
}

TEST(Gru, HasTheSameBitsOnEveryProcessor) {
  Random random(6);
  const uint32_t hidden = 100;
  const std::vector<float> x = random.Floats(3 * hidden, 4);
  const std::vector<float> r = random.Floats(3 * hidden, 4);
  const std::vector<float> h = random.Floats(hidden, 1);
  Fingerprint fingerprint;
  fingerprint.Add(OnEveryTarget<float>(hidden, 0, [&](float* y) {
    GruGates({1, hidden, 0, 0, kSigmoid, kTanh}, x.data(), r.data(), h.data(), y);
  }));
  fingerprint.Add(OnEveryTarget<float>(2 * hidden, 0, [&](float* y) {
    GruReset({1, hidden, 0, kSigmoid}, x.data(), h.data(), y, y + hidden);
  }));
  fingerprint.Add(OnEveryTarget<float>(hidden, 0, [&](float* y) {
    GruUpdate({1, hidden, 0, kTanh}, x.data(), r.data(), h.data(), y);
  }));
  EXPECT_EQ(fingerprint.value(), 0x6C3AAFF7B431B75Bu);
}

}  // namespace
}  // namespace weft::kernels
