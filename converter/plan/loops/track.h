// SPDX-License-Identifier: Apache-2.0
// Chunks of a tensor along one axis as the iterations of a loop meet them. Time-major chunks are
// parts of the tensor itself and cost nothing; where axes before the sliced one have more than one
// element, one transpose outside the loop makes them so.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TRACK_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TRACK_H_

#include <cstddef>
#include <cstdint>

#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// [outer, trips, chunk]: rows of `row_elements` per outer index, the first chunk `begin_elements`
// into each.
struct AxisView {
  int64_t outer = 1, trips = 1, row_elements = 0, begin_elements = 0, chunk_elements = 0;
  int64_t element_bytes = 1;
  int64_t chunk_bytes() const { return outer * chunk_elements * element_bytes; }
  bool operator==(const AxisView&) const = default;
};
AxisView ViewOfSlice(const Program& program, const Loop::Sliced& slice, int64_t trips);
AxisView ViewOfScan(const Program& program, const Loop::Scan& scan, int64_t trips);

// Makes `value`, which has no storage of its own yet, a view.
void MakeView(Program& program, ValueId value, ValueId parent, int64_t offset_bytes,
              std::vector<Move> moves = {});

// Makes input.chunk the part of input.whole that each iteration of `section` works on; without a
// section (kNone) there is one iteration only.
void BindSlice(Builder& builder, const Loop::Sliced& input, int64_t trips, SectionId section);

// Where a scan output is gathered: one chunk per iteration, in time order (reversed, when
// backward), with `guards` more of them before the first iteration's for the initial values of a
// delay line that is kept here. Values are counted from 0; -1 is the youngest guard.
class Track {
 public:
  static Track Of(Builder& builder, const Loop::Scan& scan, int64_t trips, size_t guards);

  ValueId whole() const { return whole_; }
  int64_t chunk_bytes() const { return view_.chunk_bytes(); }
  // Bytes from one iteration's chunk to the next one's.
  int64_t stride_bytes() const { return backward_ ? -chunk_bytes() : chunk_bytes(); }
  int64_t OffsetOf(int64_t number) const {
    return base_bytes_ + (backward_ ? view_.trips - 1 - number : number) * chunk_bytes();
  }
  // The value made `age` iterations before the present one.
  ValueId MovingChunk(Builder& builder, SectionId section, int64_t age, TensorType type) const;
  ValueId Chunk(Builder& builder, int64_t number, TensorType type) const;
  // Makes `scanned` all values from number `first` on (up to it, when backward), one per iteration.
  void BindScan(Builder& builder, int64_t first, ValueId scanned) const;

 private:
  ValueId whole_ = kNone;  // with the guards
  int64_t base_bytes_ = 0;
  AxisView view_;
  bool backward_ = false;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TRACK_H_
