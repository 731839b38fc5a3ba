// SPDX-License-Identifier: Apache-2.0
// A set of bytes in evenly spaced runs, in any number of dims, without a heap.
#ifndef WEFT_RUNTIME_STRIDED_BYTES_H_
#define WEFT_RUNTIME_STRIDED_BYTES_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// Runs of `run_bytes` at first_byte + sum of index * stride over all indices below the counts.
// Empty if run_bytes is 0. Strides are positive, ascending, and larger than the extent of the inner
// dims, so that no two runs touch or overlap unless the accesses themselves do.
struct StridedBytes {
  struct Dim {
    int64_t count, stride_bytes;
  };
  static constexpr uint32_t kMaxDims =
      kMaxRank + format::kMaxSectionDepth;  // those of a step and of its loops
  int64_t first_byte = 0;
  int64_t run_bytes = 0;
  uint32_t dim_count = 0;
  Dim dims[kMaxDims];  // those below dim_count are set

  // Returns the number of runs; saturates.
  int64_t RunCount() const;
  // Adds copies of the same bytes at multiples of `stride_bytes`, `count` in all (at least one).
  void Repeat(int64_t count, int64_t stride_bytes);
  // Calls visit(first byte) for each run.
  template <typename Visit>
  void ForEachRun(Visit visit) const {
    if (run_bytes > 0) Iterate(0, first_byte, visit);
  }

 private:
  template <typename Visit>
  void Iterate(uint32_t dim, int64_t at, Visit& visit) const {
    if (dim == dim_count) return visit(at);
    for (int64_t i = 0; i < dims[dim].count; ++i) {
      Iterate(dim + 1, at + i * dims[dim].stride_bytes, visit);
    }
  }
};

// Return the bytes of elements of `element_bits` at offset + sum of index * stride: first those of
// one element, then with one more dim at a time, in any order. Strides may have any sign; 0 means
// that the same element is read again. A dim of 0 elements makes the set empty.
StridedBytes ElementAt(int64_t element_bits, int64_t offset_elements);
void Extend(StridedBytes& bytes, int64_t element_bits, int64_t count, int64_t stride);

}  // namespace weft

#endif  // WEFT_RUNTIME_STRIDED_BYTES_H_
