// SPDX-License-Identifier: Apache-2.0
// The bytes of an operand that a step accesses, by its footprint (runtime/footprint/). A program
// that does not check a plan (Engine::OpenChecked) does not link this.
#ifndef WEFT_RUNTIME_ACCESS_H_
#define WEFT_RUNTIME_ACCESS_H_

#include <cstdint>

#include "runtime/footprint/steps.h"
#include "runtime/strided_bytes.h"

namespace weft {

// Finds the bytes of one operand.
class BytesFinder : public footprint::Visitor {
 public:
  BytesFinder(uint32_t operand, StridedBytes* bytes) : operand_(operand), bytes_(*bytes) {}
  template <typename Elements>
  void Reads(uint32_t operand, footprint::Unit unit, const Elements& elements) {
    if (operand != operand_) return;
    bits_ = unit.bits();
    Set(elements);
  }
  template <typename Elements>
  void Writes(uint32_t operand, footprint::Unit unit, const Elements& elements) {
    Reads(operand, unit, elements);
  }

 private:
  void Begin(uint32_t offset = 0) { bytes_ = ElementAt(bits_, offset); }
  void Add(int64_t count, int64_t stride) { Extend(bytes_, bits_, count, stride); }

  void Set(uint32_t count) {
    Begin();
    Add(count, 1);
  }
  void Set(const footprint::Words& x) { Set(x.count); }
  void Set(const footprint::Rows& x) {
    Begin();
    Add(x.rows, x.stride);
    Add(x.length, 1);
  }
  void Set(const footprint::Dims& x) {
    Begin();
    for (uint32_t i = 0; i < x.rank; ++i) Add(x.dims[i], x.strides[i]);
  }
  void Set(const footprint::SignedDims& x) {
    Begin(x.offset);
    for (uint32_t i = 0; i < x.rank; ++i) Add(x.dims[i], x.strides[i]);
  }
  void Set(const footprint::Matrices& x) {
    Set(x.batch);
    Add(x.rows, x.row_stride);
    Add(x.columns, x.column_stride);
  }
  void Set(const footprint::Map& x) {
    Begin();
    Add(x.images, x.strides.image());
    Add(x.height, x.strides.row());
    Add(x.width, x.strides.pixel());
    Add(x.channels, x.strides.channel());
  }

  const uint32_t operand_;
  uint32_t bits_ = 0;
  StridedBytes& bytes_;
};

// Returns the bytes of operand `operand` (inputs first), relative to the address of its slot.
template <typename Params>
StridedBytes AccessOf(const Params& params, uint32_t operand) {
  StridedBytes bytes;
  BytesFinder finder(operand, &bytes);
  footprint::Visit(params, finder);
  return bytes;
}

// The same for a step of a verified model that is not a section.
StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand);

}  // namespace weft

#endif  // WEFT_RUNTIME_ACCESS_H_
