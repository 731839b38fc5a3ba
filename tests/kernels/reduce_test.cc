// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include <limits>

#include "kernels/reference/reduce.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

bool IsSum(ReduceOp op) {
  return op == ReduceOp::kSum || op == ReduceOp::kMean || op == ReduceOp::kL1 ||
         op == ReduceOp::kL2;
}

// Every float op of `shape`, in every order, over x, compared with both references.
void ExpectReference(ReduceShape shape, const std::vector<float>& x, size_t misalignment) {
  const FloatMode scope;  // as in the engine: a product of many terms may be subnormal
  const Array<float> from(x, misalignment);
  const size_t outputs = CountOf(shape.dims, shape.kept_rank);
  const double elements =
      static_cast<double>(CountOf(shape.dims + shape.kept_rank, shape.reduced_rank));
  for (int index = 0; index < kReduceOpCount * kReduceOrderCount; ++index) {
    shape.op = static_cast<ReduceOp>(index / kReduceOrderCount);
    shape.order = static_cast<ReduceOrder>(index % kReduceOrderCount);
    if (!ReduceKnows(shape.op, Element::kF32)) continue;
    SCOPED_TRACE(index);
    const std::vector<float> y = OnEveryTarget<float>(
        outputs, misalignment, [&](float* out) { Reduce(shape, from.data(), out); });
    for (size_t i = 0; i < outputs; ++i) {
      const float must = ReduceReference(shape, from.data(), i);
      ASSERT_TRUE(SameBits(y[i], must)) << i << ": " << y[i] << ", " << must;
      if (!IsSum(shape.op) || elements == 0) continue;
      ASSERT_NEAR(y[i], ReduceReferenceInDouble(shape, from.data(), i), 1e-6 * (elements + 1));
    }
  }
}

TEST(Reduce, MatchesItsReferenceForEverySizeOfTheLastAxis) {
  Random random(1);
  for (uint32_t count = 0; count <= 2 * kWidestPanel + 1; ++count) {
    for (const size_t misalignment : kMisalignments) {
      ExpectReference({1, 1, {3, count}, {count, 1}}, random.Floats(3 * count, 2), misalignment);
    }
  }
}

TEST(Reduce, MatchesItsReferenceForEveryNumberOfKeptColumns) {
  Random random(2);
  for (uint32_t count = 0; count <= 2 * kWidestPanel + 1; ++count) {
    for (const size_t misalignment : kMisalignments) {
      ExpectReference({1, 1, {count, 5}, {1, count}}, random.Floats(5 * count, 2), misalignment);
    }
  }
}

TEST(Reduce, MatchesItsReferenceForAnySetOfAxes) {
  Random random(3);
  const std::vector<float> x = random.Floats(2 * 3 * 4 * 37, 2);
  const uint32_t dims[4] = {2, 3, 4, 37};
  const uint32_t strides[4] = {444, 148, 37, 1};
  for (uint32_t reduced = 0; reduced < 16; ++reduced) {
    ReduceShape shape = {};
    for (const bool is_reduced : {false, true}) {
      for (uint32_t d = 0; d < 4; ++d) {
        if (((reduced >> d) & 1) != is_reduced) continue;
        const uint32_t at = shape.kept_rank + shape.reduced_rank;
        shape.dims[at] = dims[d];
        shape.strides[at] = strides[d];
        ++(is_reduced ? shape.reduced_rank : shape.kept_rank);
      }
    }
    SCOPED_TRACE(reduced);
    ExpectReference(shape, x, 1);
  }
}

// Lengths around the end of the first block and of the first group.
TEST(Reduce, MatchesItsReferenceForLongSums) {
  Random random(5);
  const std::vector<float> x = random.Floats(16 * 3, 2);
  for (const uint32_t terms : {kSumBlock - 1, kSumBlock, kSumBlock + 1, 3 * kSumBlock + 7,
                               kSumBlock * kSumBlock, 2 * kSumBlock * kSumBlock + 70}) {
    SCOPED_TRACE(terms);
    ExpectReference({0, 2, {terms, 16}, {0, 1}}, x, 0);
    ExpectReference({1, 2, {2, terms, 5}, {5, 0, 1}}, x, 1);
    ExpectReference({1, 1, {2, terms}, {1, 2}}, random.Floats(2 * terms, 2), 0);
    ExpectReference({1, 1, {19, terms}, {1, 19}}, random.Floats(19 * terms, 2), 0);
  }
}

// A requested order gives the same result as a copy with the strides of that order.
TEST(Reduce, SumsInAnOrderThatTheStridesDoNotHave) {
  Random random(6);
  for (const uint32_t positions : {1u, 5u, 16u, 17u, 160u, 1100u}) {
    for (const uint32_t columns : {1u, 3u, 16u, 35u}) {
      const std::vector<float> side_by_side = random.Floats(positions * columns, 2);
      std::vector<float> apart(side_by_side.size());
      for (uint32_t i = 0; i < apart.size(); ++i) {
        apart[i % positions * columns + i / positions] = side_by_side[i];
      }
      ReduceShape run = {1, 1, {columns, positions}, {positions, 1}, ReduceOp::kMean};
      ReduceShape permuted = {1, 1, {columns, positions}, {1, columns}, ReduceOp::kMean};
      for (const ReduceOrder order : {ReduceOrder::kRuns, ReduceOrder::kChains}) {
        run.order = permuted.order = order;
        std::vector<float> must(columns), is(columns);
        Reduce(run, side_by_side.data(), must.data());
        Reduce(permuted, apart.data(), is.data());
        for (uint32_t i = 0; i < columns; ++i) EXPECT_TRUE(SameBits(is[i], must[i])) << i;
      }
    }
  }
}

TEST(Reduce, AddsManyEqualTermsWithoutDrift) {
  const std::vector<float> x(16, 0.1f);
  const double term = x[0];
  const ReduceShape run = {0, 2, {15625, 16}, {0, 1}, ReduceOp::kSum, Element::kF32};
  const ReduceShape chain = {1, 1, {2, 250000}, {1, 0}, ReduceOp::kSum, Element::kF32};
  for (ReduceShape shape : {run, chain}) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kL1, ReduceOp::kL2}) {
      shape.op = op;
      const double must = op == ReduceOp::kMean ? term
                          : op == ReduceOp::kL2 ? term * 500
                                                : term * 250000;
      const size_t outputs = shape.kept_rank == 0 ? 1 : 2;
      for (const float y :
           OnEveryTarget<float>(outputs, 0, [&](float* out) { Reduce(shape, x.data(), out); })) {
        EXPECT_NEAR(y / must, 1.0, 2e-6) << static_cast<int>(op);
      }
    }
  }
}

TEST(Reduce, LetsANanWin) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t at = 0; at < 40; ++at) {
    std::vector<float> x(40, 1.0f);
    x[at] = nan;
    for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kSum}) {
      const ReduceShape shape = {0, 1, {40}, {1}, op, Element::kF32};
      EXPECT_TRUE(
          std::isnan(OnEveryTarget<float>(1, 0, [&](float* y) { Reduce(shape, x.data(), y); })[0]));
      // Sixteen columns of 40 rows, one of which has the number.
      std::vector<float> columns(40 * 16, 1.0f);
      columns[at * 16 + 5] = nan;
      const ReduceShape apart = {1, 1, {16, 40}, {1, 16}, op, Element::kF32, ReduceOrder::kRuns};
      const std::vector<float> y =
          OnEveryTarget<float>(16, 0, [&](float* out) { Reduce(apart, columns.data(), out); });
      for (size_t i = 0; i < 16; ++i) EXPECT_EQ(std::isnan(y[i]), i == 5) << i;
    }
  }
}

template <typename T>
void ExpectIntegers(Element type, const std::vector<T>& values) {
  const uint32_t count = static_cast<uint32_t>(values.size());
  for (int index = 0; index < kReduceOpCount; ++index) {
    for (const uint32_t length : {uint32_t{0}, uint32_t{1}, count}) {
      const ReduceShape shape = {1, 1, {2, length}, {0, 1}, static_cast<ReduceOp>(index), type};
      if (!ReduceKnows(shape.op, type)) continue;
      const std::vector<T> y =
          OnEveryTarget<T>(2, 1, [&](T* out) { Reduce(shape, values.data(), out); });
      const int64_t must = ReduceIntegersReference(
          shape, values.data(), 0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      EXPECT_EQ(y[0], static_cast<T>(must)) << "op " << index << " over " << length;
      EXPECT_EQ(y[1], y[0]);
    }
  }
}

TEST(Reduce, IntegersWrapAround) {
  ExpectIntegers<int32_t>(Element::kI32, {5, -3, INT32_MAX, 7, -1, 9});
  ExpectIntegers<int32_t>(Element::kI32, {INT32_MIN, -1, INT32_MIN});
  ExpectIntegers<int64_t>(Element::kI64, {5, -3, int64_t{1} << 40, 7, -1, 9});
}

TEST(Reduce, JoinsBooleansOfAnyByte) {
  ExpectIntegers<uint8_t>(Element::kBoolean, {1, 255, 3});
  ExpectIntegers<uint8_t>(Element::kBoolean, {1, 0, 2});
  ExpectIntegers<uint8_t>(Element::kBoolean, {0, 0, 0});
  EXPECT_FALSE(ReduceKnows(ReduceOp::kSum, Element::kBoolean));
  EXPECT_FALSE(ReduceKnows(ReduceOp::kL2, Element::kI32));
}

TEST(Reduce, HasTheSameBitsOnEveryProcessor) {
  Random random(4);
  const std::vector<float> x = random.Floats(50 * 333, 2);
  Fingerprint fingerprint;
  for (int index = 0; index < kReduceOpCount; ++index) {
    const ReduceOp op = static_cast<ReduceOp>(index);
    if (!ReduceKnows(op, Element::kF32)) continue;
    const ReduceShape rows = {1, 1, {50, 333}, {333, 1}, op, Element::kF32};
    const ReduceShape columns = {1, 1, {333, 50}, {1, 333}, op, Element::kF32};
    fingerprint.Add(OnEveryTarget<float>(50, 0, [&](float* y) { Reduce(rows, x.data(), y); }));
    fingerprint.Add(OnEveryTarget<float>(333, 0, [&](float* y) { Reduce(columns, x.data(), y); }));
  }
  EXPECT_EQ(fingerprint.value(), 0x4CC2806DF26A8815u);
}

}  // namespace
}  // namespace weft::kernels
