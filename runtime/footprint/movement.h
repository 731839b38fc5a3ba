// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_MOVEMENT_H_
#define WEFT_RUNTIME_FOOTPRINT_MOVEMENT_H_

#include "runtime/footprint/footprint.h"

namespace weft::footprint {

WEFT_FOOTPRINT(Copy) {
  const Unit unit = Unit::OfBytes(p.element_bytes());
  const uint32_t* dims = Numbers(p.dims());
  v.Reads(0, unit, SignedDims{p.src_offset(), p.rank(), dims, Numbers(p.src_strides())});
  v.Writes(1, unit, SignedDims{p.dst_offset(), p.rank(), dims, Numbers(p.dst_strides())});
}

WEFT_FOOTPRINT(Fill) { v.Writes(0, Unit::OfBytes(p.element_bytes()), p.count()); }

WEFT_FOOTPRINT(Gather) {
  const Unit unit = Unit::OfBytes(p.element_bytes());
  const uint32_t slices = Times(p.batch(), p.outer());
  v.Reads(0, unit, Times(Times(slices, p.axis()), p.inner()));
  v.Reads(1, p.index_type(), Times(p.batch(), p.indices()));
  v.Writes(2, unit, Times(Times(slices, p.indices()), p.inner()));
}

WEFT_FOOTPRINT(Compact) {
  const Unit unit = Unit::OfBytes(p.element_bytes());
  const uint32_t elements = Times(Times(p.outer(), p.max()), p.inner());
  v.Reads(0, unit, elements);
  v.Reads(1, kI32, 1u);
  v.Writes(2, unit, elements);
  v.MayShare(0, 2, true);
}

WEFT_FOOTPRINT(Ring) {
  const Unit unit = Unit::OfBytes(p.element_bytes());
  const uint32_t step = Times(p.outer(), p.inner());
  v.Reads(0, unit, Times(step, p.positions()));
  v.Reads(1, unit, Times(step, p.past()));
  v.Reads(2, kI32, 1u);
  v.Writes(3, unit, Times(step, Times(p.taps(), p.length())));
  v.Writes(4, unit, Times(step, p.past()));
  v.Writes(5, kI32, 1u);
  v.MayShare(1, 4, true);
  v.MayShare(2, 5, true);
}

WEFT_FOOTPRINT(Positions) {
  const uint32_t count = CountOf(p.rank(), Numbers(p.dims()));
  v.Reads(0, p.type(), Times(p.batch(), count));
  v.Writes(1, p.index_type(), Times(Times(p.batch(), p.rank()), p.max()));
  v.Writes(2, kI32, p.batch());
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_MOVEMENT_H_
