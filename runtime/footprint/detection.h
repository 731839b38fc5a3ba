// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_DETECTION_H_
#define WEFT_RUNTIME_FOOTPRINT_DETECTION_H_

#include "kernels/detection/region.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

// The last operand holds indices of boxes and, if scores are lowered, as many floats after them.
WEFT_FOOTPRINT(Suppress) {
  const uint32_t lines = Times(p.batch(), p.classes());
  const uint32_t numbers = Times(Times(lines, p.max()), 3);
  v.Reads(0, kF32, Times(Times(p.batch(), p.boxes()), 4));
  v.Reads(1, kF32, Times(lines, p.boxes()));
  v.Writes(2, kI32, numbers);
  v.Writes(3, kF32, numbers);
  v.Writes(4, kI32, 1u);
  v.Writes(5, kI32, Times(p.boxes(), p.decay() != 0 ? 2 : 1));
}

WEFT_FOOTPRINT(Detect) {
  const uint32_t priors = Times(p.batch(), p.priors());
  v.Reads(0, kF32, Times(Times(priors, p.box_classes()), 4));
  v.Reads(1, kF32, Times(priors, p.classes()));
  v.Writes(2, kF32, Times(Times(p.batch(), p.rows()), 7));
  v.Writes(3, kI32, Plus(p.priors(), p.kept()));
}

WEFT_FOOTPRINT(Region) {
  const uint32_t bins = Times(p.pooled_height(), p.pooled_width());
  const uint32_t channels =
      kernels::RegionChannels(static_cast<kernels::RegionOp>(p.op()), p.channels(), bins);
  v.Reads(0, kF32, Times(Times(p.batch(), p.channels()), Times(p.height(), p.width())));
  v.Reads(1, kF32, Times(p.regions(), 4));
  v.Reads(2, p.index_type(), p.regions());
  v.Writes(3, kF32, Times(Times(p.regions(), channels), bins));
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_DETECTION_H_
