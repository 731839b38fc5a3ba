// SPDX-License-Identifier: Apache-2.0
// y is contiguous. It may overwrite an operand that is not broadcast: an element of the operand is
// read before that of y is written.
#ifndef WEFT_RUNTIME_FOOTPRINT_ELEMENTWISE_H_
#define WEFT_RUNTIME_FOOTPRINT_ELEMENTWISE_H_

#include "kernels/elementwise/chain.h"
#include "kernels/elementwise/lookup.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

// x and y of `count` elements each, of which y may overwrite x if they have equal sizes.
template <typename V>
WEFT_INLINE void VisitPair(V& v, uint32_t count, ElementType x, ElementType y) {
  v.Reads(0, x, count);
  v.Writes(1, y, count);
  v.MayShare(0, 1, format::BitsOf(x) == format::BitsOf(y));
}

// a and b with broadcast, and y. Only elements of equal sizes may share an address.
template <typename Params, typename V>
WEFT_INLINE void VisitBroadcast(const Params& p, V& v, ElementType type, ElementType result,
                                bool has_equal_sizes = true) {
  const Dims a = DimsOf(p.rank(), p.dims(), p.a_strides());
  const Dims b = DimsOf(p.rank(), p.dims(), p.b_strides());
  v.Reads(0, type, a);
  v.Reads(1, type, b);
  v.Writes(2, result, CountOf(a.rank, a.dims));
  v.MayShare(0, 2, has_equal_sizes && IsInOrder(a));
  v.MayShare(1, 2, has_equal_sizes && IsInOrder(b));
}

WEFT_FOOTPRINT(Unary) { VisitPair(v, p.count(), p.type(), p.type()); }
WEFT_FOOTPRINT(Convert) { VisitPair(v, p.count(), p.from(), p.to()); }
WEFT_FOOTPRINT(Quantize) { VisitPair(v, p.count(), kF32, kI8); }
WEFT_FOOTPRINT(Dequantize) { VisitPair(v, p.count(), kI8, kF32); }
WEFT_FOOTPRINT(Binary) { VisitBroadcast(p, v, p.type(), p.type()); }
WEFT_FOOTPRINT(Compare) {
  VisitBroadcast(p, v, p.type(), ElementType::boolean, format::BitsOf(p.type()) == 8);
}
WEFT_FOOTPRINT(BinaryQ8) {
  const ElementType type = CodeType(v, p.codes());
  VisitBroadcast(p, v, type, type);
}
WEFT_FOOTPRINT(UnaryQ8) { VisitPair(v, p.count(), p.from(), p.to()); }

WEFT_FOOTPRINT(Lookup) {
  v.Reads(0, kI8, p.count());
  v.Reads(1, kI8, kernels::kLookupBytes);
  v.Writes(2, kI8, p.count());
  v.MayShare(0, 2, true);
}

WEFT_FOOTPRINT(Select) {
  const Unit unit = Unit::OfBytes(p.element_bytes());
  const Dims condition = DimsOf(p.rank(), p.dims(), p.condition_strides());
  const Dims a = DimsOf(p.rank(), p.dims(), p.a_strides());
  const Dims b = DimsOf(p.rank(), p.dims(), p.b_strides());
  v.Reads(0, ElementType::boolean, condition);
  v.Reads(1, unit, a);
  v.Reads(2, unit, b);
  v.Writes(3, unit, CountOf(a.rank, a.dims));
  v.MayShare(0, 3, p.element_bytes() == 1 && IsInOrder(condition));
  v.MayShare(1, 3, IsInOrder(a));
  v.MayShare(2, 3, IsInOrder(b));
}

WEFT_FOOTPRINT(Snake) {
  const uint32_t count = Times(Times(p.outer(), p.channels()), p.inner());
  v.Reads(0, kF32, count);
  v.Reads(1, kF32, p.channels());
  v.Reads(2, kF32, p.channels());
  v.Writes(3, kF32, count);
  v.MayShare(0, 3, true);
}

inline bool IsStaged(const format::ChainParams& p, uint32_t input) {
  return (p.staged() >> input & 1) != 0;
}
inline Dims InputOf(const format::ChainParams& p, uint32_t input) {
  return {p.rank(), Numbers(p.dims()), Numbers(p.strides()) + size_t{input} * kernels::kChainRank};
}

// Inputs that are not staged are read in the order of y. Only the last instruction writes y, after
// it and the earlier ones have read that block.
WEFT_FOOTPRINT(Chain) {
  for (uint32_t i = 0; i < kernels::kChainInputs; ++i) {
    v.Reads(i, kF32, InputOf(p, i));
    v.MayShare(i, kernels::kChainInputs, !IsStaged(p, i));
  }
  v.Writes(kernels::kChainInputs, kF32, CountOf(p.rank(), Numbers(p.dims())));
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_ELEMENTWISE_H_
