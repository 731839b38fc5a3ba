// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernels for reduce: the documented order in float, to be matched bit for bit,
// and sums in double to measure the error of that order. Integers modulo 2^64, then truncated to
// the type.
#ifndef WEFT_KERNELS_REFERENCE_REDUCE_H_
#define WEFT_KERNELS_REFERENCE_REDUCE_H_

#include "kernels/reduce/reduce.h"
#include "kernels/reference/reference.h"
#include "kernels/simd/sum.h"

namespace weft::kernels {

inline float ReduceNeutralReference(ReduceOp op) {
  if (op == ReduceOp::kMax) return -INFINITY;
  if (op == ReduceOp::kMin) return INFINITY;
  return op == ReduceOp::kProduct ? 1.0f : 0.0f;
}

// Joins two partial results.
inline float ReduceJoinReference(ReduceOp op, float a, float b) {
  if (op == ReduceOp::kMax) return std::isnan(a) || a > b ? a : b;
  if (op == ReduceOp::kMin) return std::isnan(a) || a < b ? a : b;
  return op == ReduceOp::kProduct ? a * b : a + b;
}

// Adds one element.
inline float ReduceStepReference(ReduceOp op, float sum, float x) {
  if (op == ReduceOp::kL1) return sum + std::fabs(x);
  if (op == ReduceOp::kL2) return std::fmaf(x, x, sum);
  if (op == ReduceOp::kMax || op == ReduceOp::kMin) return ReduceJoinReference(op, x, sum);
  return op == ReduceOp::kProduct ? sum * x : sum + x;
}

// Output `index` of a reduction of floats.
inline float ReduceReference(const ReduceShape& s, const float* x, size_t index) {
  const uint32_t* dims = s.dims + s.kept_rank;
  const uint32_t* strides = s.strides + s.kept_rank;
  const size_t count = CountOf(dims, s.reduced_rank);
  const float* from = x + OffsetOf(index, s.kept_rank, s.dims, s.strides);
  const bool has_runs = HasRuns(s);
  const bool adds = s.op != ReduceOp::kMax && s.op != ReduceOp::kMin && s.op != ReduceOp::kProduct;
  const size_t run = has_runs ? dims[s.reduced_rank - 1] : 1;
  float partials[16], groups[16] = {}, totals[16] = {};
  for (float& partial : partials) partial = ReduceNeutralReference(s.op);
  for (size_t i = 0, term = 0; i < count; ++i) {
    const size_t p = has_runs ? i % run % 16 : 0;
    if (i != 0 && p == 0) ++term;
    const bool is_block = adds && p == 0 && term % kSumBlock == 0;
    const bool is_group = is_block && term % (kSumBlock * kSumBlock) == 0;
    for (size_t lane = 0; is_block && lane < 16; ++lane) {
      groups[lane] += partials[lane];
      partials[lane] = 0.0f;
      if (is_group) totals[lane] += groups[lane];
      if (is_group) groups[lane] = 0.0f;
    }
    const float value = from[OffsetOf(i, s.reduced_rank, dims, strides)];
    partials[p] = ReduceStepReference(s.op, partials[p], value);
  }
  for (size_t lane = 0; adds && lane < 16; ++lane) {
    partials[lane] = totals[lane] + (groups[lane] + partials[lane]);
  }
  for (size_t apart = 8; has_runs && apart != 0; apart /= 2) {
    for (size_t i = 0; i < apart; ++i) {
      partials[i] = ReduceJoinReference(s.op, partials[i], partials[i + apart]);
    }
  }
  if (s.op == ReduceOp::kMean && count != 0) return partials[0] / static_cast<float>(count);
  return s.op == ReduceOp::kL2 ? std::sqrt(partials[0]) : partials[0];
}

// The sum of output `index` (kSum, kMean, kL1, kL2) in double.
inline double ReduceReferenceInDouble(const ReduceShape& s, const float* x, size_t index) {
  const uint32_t* dims = s.dims + s.kept_rank;
  const size_t count = CountOf(dims, s.reduced_rank);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = x[OffsetOf(index, s.kept_rank, s.dims, s.strides) +
                           OffsetOf(i, s.reduced_rank, dims, s.strides + s.kept_rank)];
    sum +=
        s.op == ReduceOp::kL1 ? std::fabs(value) : (s.op == ReduceOp::kL2 ? value * value : value);
  }
  if (s.op == ReduceOp::kMean) return sum / static_cast<double>(count);
  return s.op == ReduceOp::kL2 ? std::sqrt(sum) : sum;
}

// Output `index` of a reduction of integers or booleans (as 0 and 1), before truncation to the
// type: its low 64 bits. `lowest` and `highest` are the limits of the type.
template <typename T>
int64_t ReduceIntegersReference(const ReduceShape& s, const T* x, size_t index, T lowest,
                                T highest) {
  const uint32_t* dims = s.dims + s.kept_rank;
  const size_t count = CountOf(dims, s.reduced_rank);
  int64_t sum = 0;
  const auto wrapped = [](uint64_t bits) { return static_cast<int64_t>(bits); };
  if (s.op == ReduceOp::kProduct || s.op == ReduceOp::kLogicalAnd) sum = 1;
  if (s.op == ReduceOp::kMax) sum = lowest;
  if (s.op == ReduceOp::kMin) sum = highest;
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = x[OffsetOf(index, s.kept_rank, s.dims, s.strides) +
                            OffsetOf(i, s.reduced_rank, dims, s.strides + s.kept_rank)];
    if (s.op == ReduceOp::kMax) sum = value > sum ? value : sum;
    if (s.op == ReduceOp::kMin) sum = value < sum ? value : sum;
    const uint64_t bits = static_cast<uint64_t>(value), so_far = static_cast<uint64_t>(sum);
    if (s.op == ReduceOp::kProduct) sum = wrapped(so_far * bits);
    if (s.op == ReduceOp::kLogicalAnd) sum = sum != 0 && value != 0;
    if (s.op == ReduceOp::kLogicalOr) sum = sum != 0 || value != 0;
    if (s.op == ReduceOp::kSum || s.op == ReduceOp::kMean) sum = wrapped(so_far + bits);
    if (s.op == ReduceOp::kL1) sum = wrapped(value < 0 ? so_far - bits : so_far + bits);
  }
  return s.op == ReduceOp::kMean && count != 0 ? sum / static_cast<int64_t>(count) : sum;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_REDUCE_H_
