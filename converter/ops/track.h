// SPDX-License-Identifier: Apache-2.0
// Chunks of a tensor along one axis as the iterations of a loop meet them. Time-major chunks are
// parts of the tensor itself and cost nothing; where axes before the sliced one have more than one
// element, one transpose outside the loop makes them so.
#ifndef WEFT_CONVERTER_OPS_TRACK_H_
#define WEFT_CONVERTER_OPS_TRACK_H_

#include <cstdint>

#include "converter/ops/loop.h"
#include "converter/program/builder.h"

namespace weft::ops {

// [outer, trips, chunk]: rows of `row_elements` per outer index, the first chunk `begin_elements`
// into each.
struct AxisView {
  int64_t outer = 1, trips = 1, row_elements = 0, begin_elements = 0, chunk_elements = 0;
  int64_t element_bytes = 1;
  int64_t chunk_bytes() const { return outer * chunk_elements * element_bytes; }
};

// The chunk of `input` that each iteration of `section` works on; kNone as section: the only one.
plan::ValueId SliceOf(plan::Builder& builder, const SlicedInput& input, int64_t trips,
                      plan::SectionId section);

// Where a scan output is gathered: one chunk per iteration, in time order (reversed, when
// backward), with `guards` more of them before the first iteration's for the initial values of a
// delay line that lives here. Born values are counted from 0; -1 is the youngest guard.
class Track {
 public:
  static Track Of(plan::Builder& builder, const ScanOutput& scan, int64_t trips, size_t guards);

  plan::ValueId whole() const { return whole_; }
  int64_t chunk_bytes() const { return view_.chunk_bytes(); }
  // The value born `age` iterations before the present one.
  plan::ValueId MovingChunk(plan::Builder& builder, plan::SectionId section, int64_t age,
                            TensorType type) const;
  plan::ValueId Chunk(plan::Builder& builder, int64_t birth, TensorType type) const;
  // All values born from `birth` on (up to it, when backward), one per iteration, of the scan's
  // own type and order.
  plan::ValueId Gathered(plan::Builder& builder, int64_t birth, const TensorType& type) const;

 private:
  int64_t OffsetOf(int64_t birth) const {
    return base_bytes_ + (backward_ ? view_.trips - 1 - birth : birth) * chunk_bytes();
  }

  plan::ValueId whole_ = plan::kNone;  // with the guards
  int64_t base_bytes_ = 0;
  AxisView view_;
  bool backward_ = false;
};

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_TRACK_H_
