// SPDX-License-Identifier: Apache-2.0
#include "runtime/strided_bytes.h"

namespace weft {
namespace {

// Returns start + count * stride. Wraps only if a later dim of 0 elements makes the access empty:
// the verifier has bounded all others.
int64_t After(int64_t start, int64_t count, int64_t stride) {
  return static_cast<int64_t>(static_cast<uint64_t>(start) +
                              static_cast<uint64_t>(count) * static_cast<uint64_t>(stride));
}

}  // namespace

int64_t StridedBytes::RunCount() const {
  int64_t count = run_bytes > 0 ? 1 : 0;
  for (uint32_t i = 0; i < dim_count; ++i) {
    if (__builtin_mul_overflow(count, dims[i].count, &count)) return INT64_MAX;
  }
  return count;
}

void StridedBytes::Repeat(int64_t count, int64_t stride) {
  if (stride < 0) first_byte = After(first_byte, count - 1, stride);
  if (count > 1 && stride != 0) {
    const int64_t distance = stride < 0 ? -stride : stride;
    uint32_t position = dim_count++;
    for (; position > 0 && dims[position - 1].stride_bytes > distance; --position) {
      dims[position] = dims[position - 1];
    }
    dims[position] = {count, distance};
  }
  // Dims without a gap between their elements extend the run.
  uint32_t absorbed = 0;
  for (; absorbed < dim_count && dims[absorbed].stride_bytes <= run_bytes; ++absorbed) {
    run_bytes = After(run_bytes, dims[absorbed].count - 1, dims[absorbed].stride_bytes);
  }
  if (absorbed == 0) return;
  dim_count -= absorbed;
  for (uint32_t i = 0; i < dim_count; ++i) dims[i] = dims[i + absorbed];
}

// Elements smaller than a byte are only accessed contiguously, in ascending order.
StridedBytes ElementAt(int64_t element_bits, int64_t offset_elements) {
  const int64_t element_bytes = element_bits < 8 ? 1 : element_bits / 8;
  StridedBytes bytes;
  bytes.first_byte = offset_elements * element_bytes;
  bytes.run_bytes = element_bytes;
  return bytes;
}

void Extend(StridedBytes& bytes, int64_t element_bits, int64_t count, int64_t stride) {
  if (bytes.run_bytes == 0) return;
  if (count == 0) {
    bytes.first_byte = bytes.run_bytes = bytes.dim_count = 0;
  } else if (element_bits < 8) {
    bytes.Repeat((count * element_bits + 7) / 8, stride);
  } else {
    bytes.Repeat(count, stride * (element_bits / 8));
  }
}

}  // namespace weft
