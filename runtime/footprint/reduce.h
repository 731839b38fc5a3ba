// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_REDUCE_H_
#define WEFT_RUNTIME_FOOTPRINT_REDUCE_H_

#include "kernels/reduce/softmax_q16.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

WEFT_FOOTPRINT(Reduce) {
  const Dims x = DimsOf(p.kept_rank() + p.reduced_rank(), p.dims(), p.strides());
  v.Reads(0, p.type(), x);
  v.Writes(1, p.type(), CountOf(p.kept_rank(), x.dims));
}

// x and y of lines along one axis.
template <typename Params, typename V>
WEFT_INLINE void VisitLines(const Params& p, V& v) {
  const uint32_t count = Times(Times(p.outer(), p.axis()), p.inner());
  v.Reads(0, kF32, count);
  v.Writes(1, kF32, count);
  v.MayShare(0, 1, true);
}
WEFT_FOOTPRINT(Softmax) { VisitLines(p, v); }
WEFT_FOOTPRINT(Normalize) { VisitLines(p, v); }

WEFT_FOOTPRINT(Top) {
  const uint32_t lines = Times(p.outer(), p.inner());
  v.Reads(0, p.type(), Times(lines, p.axis()));
  v.Writes(1, p.type(), Times(lines, p.k()));
  v.Writes(2, p.index_type(), Times(lines, p.k()));
}

WEFT_FOOTPRINT(Pool) {
  v.Reads(0, kF32, InputMap(p, p.channels()));
  v.Writes(1, kF32, OutputMap(p, p.channels()));
}
WEFT_FOOTPRINT(PoolQ8) {
  const ElementType type = CodeType(v, p.codes());
  v.Reads(0, type, InputMap(p, p.channels()));
  v.Writes(1, type, OutputMap(p, p.channels()));
}
WEFT_FOOTPRINT(SoftmaxQ8) {
  const uint32_t count = Times(p.rows(), p.length());
  v.Reads(0, kI8, count);
  v.Writes(1, p.gives_shorts() != 0 ? kI16 : kI8, count);
  v.MayShare(0, 1, p.gives_shorts() == 0);
}

WEFT_FOOTPRINT(SoftmaxQ16) {
  const uint32_t count = Times(p.rows(), p.length());
  v.Reads(0, kI16, count);
  v.Reads(1, kI16, kernels::kSoftmaxTables);
  v.Writes(2, kI16, count);
  v.MayShare(0, 2, true);
}

WEFT_FOOTPRINT(NormalizeQ8) {
  const uint32_t count = Times(p.rows(), p.length());
  v.Reads(0, kI8, count);
  v.Writes(1, kI8, count);
  v.MayShare(0, 1, true);
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_REDUCE_H_
