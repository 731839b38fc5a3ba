// SPDX-License-Identifier: Apache-2.0
// The elements that each operand of a step accesses, stated once per kind of step:
//
//   Visit(params, visitor)   calls visitor.Reads or visitor.Writes for each operand, and
//                            visitor.MayShare for each output that may overwrite an input
//
// The headers of this folder define Visit for the steps of one folder of kernels/; steps.h includes
// all of them. Visitors:
//
//   bind::ParamChecker   requires that all elements are inside the operand's slot (Engine::Open)
//   AccessOf             returns the bytes of an operand (plan hash, plan validator)
//   MayShare             returns whether an output may have the address of an input (planner)
//
// The parameters must satisfy the rules of their kind (bind/<step>.cc): ranks, op codes and
// divisors are used without a check. Outputs: exactly the elements that the kernel writes. Inputs
// and scratch: at least those that it accesses. The extent of compact is known only at run time, so
// compact counts as reading and writing its maximum.
#ifndef WEFT_RUNTIME_FOOTPRINT_FOOTPRINT_H_
#define WEFT_RUNTIME_FOOTPRINT_FOOTPRINT_H_

#include <cstdint>

#include "runtime/format/listing.h"

// For functions with one caller in a program. Also for those whose struct would be stored twice.
#define WEFT_INLINE __attribute__((always_inline)) inline

namespace weft::footprint {

using format::ElementType;
inline constexpr ElementType kF32 = ElementType::f32, kI8 = ElementType::i8,
                             kI16 = ElementType::i16, kI32 = ElementType::i32;

// The saturated count: this value or more. No slot is that large, so a saturated count never fits.
inline constexpr uint32_t kOutOfReach = 0xFFFFFFFFu;

// Counts saturate instead of overflowing.
constexpr uint32_t Clip(uint64_t count) {
  return count < kOutOfReach ? static_cast<uint32_t>(count) : kOutOfReach;
}
constexpr uint32_t Times(uint32_t a, uint32_t b) { return Clip(uint64_t{a} * b); }
constexpr uint32_t Plus(uint32_t a, uint32_t b) { return Clip(uint64_t{a} + b); }

// The elements of an operand: of one type, or of any type and moved as 1, 2, 4 or 8 bytes each.
class Unit {
 public:
  constexpr Unit(ElementType type) : code_(static_cast<uint32_t>(type)) {}
  static constexpr Unit OfBytes(uint32_t bytes) { return Unit(kAnyType + bytes * 8); }

  // The number of the type; kAnyType or more if any type is allowed.
  constexpr uint32_t code() const { return code_; }
  constexpr uint32_t bits() const {
    return code_ < kAnyType ? format::BitsOf(static_cast<ElementType>(code_)) : code_ - kAnyType;
  }
  static constexpr uint32_t kAnyType = 256;

 private:
  explicit constexpr Unit(uint32_t code) : code_(code) {}
  uint32_t code_;
};

// How the elements of an operand are arranged. A plain number is a count of contiguous elements.
// Strides are in elements; with stride 0 the same element is read again.

// Contiguous elements at an address that is a multiple of 4.
struct Words {
  uint32_t count;
};
struct Rows {
  uint32_t rows, stride, length;
};
struct Dims {
  uint32_t rank;
  const uint32_t* dims;
  const uint32_t* strides;
};
// From `offset` on, with strides of any sign.
struct SignedDims {
  uint32_t offset, rank;
  const uint32_t* dims;
  const int32_t* strides;
};
// Matrices of a batch.
struct Matrices {
  Dims batch;
  uint32_t rows, row_stride, columns, column_stride;
};
// The map of a step with a window; channels over all groups.
struct Map {
  uint32_t images, height, width, channels;
  const format::MapStrides& strides;
};

// Returns the data of a fixed array in a parameter row.
template <typename T, uint16_t N>
const T* Numbers(const flatbuffers::Array<T, N>* array) {
  return reinterpret_cast<const T*>(array->Data());
}
template <uint16_t N>
Dims DimsOf(uint32_t rank, const flatbuffers::Array<uint32_t, N>* dims,
            const flatbuffers::Array<uint32_t, N>* strides) {
  return {rank, Numbers(dims), Numbers(strides)};
}

// Elements of weights of the type that the parameters name. Integers follow the scales of their
// outputs.
template <typename Params>
constexpr uint32_t Weights(const Params& p, uint32_t weights, uint32_t scales) {
  const bool has_scales = p.weights() == kI8;
  return has_scales ? Plus(weights, Times(scales, sizeof(float))) : weights;
}

// For steps with a window.
template <typename Params>
constexpr Map InputMap(const Params& p, uint32_t channels) {
  return {p.batch(), p.in_height(), p.in_width(), channels, p.x()};
}
template <typename Params>
constexpr Map OutputMap(const Params& p, uint32_t channels) {
  return {p.batch(), p.out_height(), p.out_width(), channels, p.y()};
}
// Channels of x and y over all groups.
template <typename Params>
constexpr uint32_t InputsOf(const Params& p) {
  return Times(p.groups(), p.in_channels());
}
template <typename Params>
constexpr uint32_t OutputsOf(const Params& p) {
  return Times(p.groups(), p.out_channels());
}
template <typename Params>
constexpr uint32_t Taps(const Params& p) {
  return Times(p.kernel_height(), p.kernel_width());
}

// Product of the dims.
inline uint32_t CountOf(uint32_t rank, const uint32_t* dims) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) return 0;
    count = Times(count, dims[i]);
  }
  return count;
}

// Returns true if the elements are visited in contiguous order, so that an output may be written
// over the operand that is read.
inline bool IsInOrder(const Dims& x) {
  uint32_t next = 1;
  for (uint32_t i = x.rank; i-- > 0;) {
    if (x.dims[i] > 1 && x.strides[i] != next) return false;
    next = Times(next, x.dims[i]);
  }
  return true;
}

// The functions of a visitor, which do nothing here. Operands are numbered as in the row of
// ops.inc, inputs first.
struct Visitor {
  // False for steps whose quantised values are known to be i8.
  static constexpr bool kHasShorts = true;
  template <typename Elements>
  void Reads(uint32_t /*operand*/, Unit, const Elements&) {}
  // Scratch is written as well.
  template <typename Elements>
  void Writes(uint32_t /*operand*/, Unit, const Elements&) {}
  // If `holds`, the output may be written at the very address of the input.
  void MayShare(uint32_t /*input*/, uint32_t /*output*/, bool /*holds*/) {}
};

// Returns true if the quantised values of a step are i16.
WEFT_INLINE bool IsOfShorts(const format::CodeRange& codes) {
  return codes.results() == format::Results::shorts || codes.results() == format::Results::shorts32;
}

// The type of quantised values of a step.
template <typename V>
WEFT_INLINE ElementType CodeType(const V&, const format::CodeRange& codes) {
  return V::kHasShorts && IsOfShorts(codes) ? kI16 : kI8;
}

#define WEFT_FOOTPRINT(Name) \
  template <typename V>      \
  WEFT_INLINE void Visit(const format::Name##Params& p, V& v)

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_FOOTPRINT_H_
