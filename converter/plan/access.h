// SPDX-License-Identifier: Apache-2.0
// Which bytes of an operand a step touches, taken from the step's parameters. Outputs: exactly the
// bytes that the kernel writes. Inputs: at least the bytes that it reads. (compact, whose extent is
// known at run time alone, counts as reading and writing all it may.)
#ifndef WEFT_CONVERTER_PLAN_ACCESS_H_
#define WEFT_CONVERTER_PLAN_ACCESS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// Runs of `run_bytes` at first_byte + sum of index * stride over all indices below the counts.
// Empty where run_bytes is 0. Strides are positive, ascending, and larger than what lies inside
// them, so that no two runs touch or overlap unless the walk itself does.
struct StridedBytes {
  struct Dim {
    int64_t count, stride_bytes;
  };
  int64_t first_byte = 0;
  int64_t run_bytes = 0;
  std::vector<Dim> dims;

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
  void Walk(size_t dim, int64_t at, Visit& visit) const {
    if (dim == dims.size()) return visit(at);
    for (int64_t i = 0; i < dims[dim].count; ++i) {
      Walk(dim + 1, at + i * dims[dim].stride_bytes, visit);
    }
  }
};

// Elements of `element_bits` at offset + sum of index * stride, in elements; any order of dims, any
// sign of strides, strides of 0 for what is read again.
StridedBytes Strided(int64_t element_bits, int64_t offset_elements,
                     const std::vector<std::pair<int64_t, int64_t>>& counts_and_strides);

// The bytes of operand `operand` (inputs first), seen from the address of its slot. The step is one
// of a verified model, and not a section.
StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ACCESS_H_
