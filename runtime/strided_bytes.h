// SPDX-License-Identifier: Apache-2.0
// Bytes in evenly spaced runs, in any number of dims, without a heap.
#ifndef WEFT_RUNTIME_STRIDED_BYTES_H_
#define WEFT_RUNTIME_STRIDED_BYTES_H_

#include <cstdint>
#include <initializer_list>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// Runs of `run_bytes` at first_byte + sum of index * stride over all indices below the counts.
// Empty where run_bytes is 0. Strides are positive, ascending, and larger than what lies inside
// them, so that no two runs touch or overlap unless the walk itself does.
struct StridedBytes {
  struct Dim {
    int64_t count, stride_bytes;
  };
  static constexpr uint32_t kMostDims = kMaxRank + format::kMaxSectionDepth;  // a step's, and loops
  int64_t first_byte = 0;
  int64_t run_bytes = 0;
  uint32_t dim_count = 0;
  Dim dims[kMostDims];  // those below dim_count are set

  // How many runs there are; saturates.
  int64_t RunCount() const;
  // Adds the same bytes `stride` further, `count` times in all (at least once).
  void Repeat(int64_t count, int64_t stride_bytes);
  // Calls visit(first byte) for each run.
  template <typename Visit>
  void ForEachRun(Visit visit) const {
    if (run_bytes > 0) Walk(0, first_byte, visit);
  }

 private:
  template <typename Visit>
  void Walk(uint32_t dim, int64_t at, Visit& visit) const {
    if (dim == dim_count) return visit(at);
    for (int64_t i = 0; i < dims[dim].count; ++i) {
      Walk(dim + 1, at + i * dims[dim].stride_bytes, visit);
    }
  }
};

// In elements. Any sign of strides; 0 for what is read again.
struct ElementDim {
  int64_t count, stride;
};

// Elements of `element_bits` at offset + sum of index * stride; any order of dims.
StridedBytes Strided(int64_t element_bits, int64_t offset_elements,
                     std::initializer_list<ElementDim> dims);

// The same step by step: one element, and one more dim; a dim of no elements leaves nothing.
StridedBytes ElementAt(int64_t element_bits, int64_t offset_elements);
void Extend(StridedBytes& bytes, int64_t element_bits, int64_t count, int64_t stride);

}  // namespace weft

#endif  // WEFT_RUNTIME_STRIDED_BYTES_H_
