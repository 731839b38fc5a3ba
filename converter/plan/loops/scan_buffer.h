// SPDX-License-Identifier: Apache-2.0
// Chunks of a tensor along one axis, one per iteration of a loop. Time-major chunks are parts of
// the tensor itself and need no copy. If an axis before the sliced one has more than one element,
// one transpose outside the loop makes the chunks time-major.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_SCAN_BUFFER_H_
#define WEFT_CONVERTER_PLAN_LOOPS_SCAN_BUFFER_H_

#include <cstddef>
#include <cstdint>

#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::plan {

// A tensor as [outer, trips, chunk]: rows of `row_elements` per outer index, with the first chunk
// `begin_elements` into each row.
struct AxisView {
  int64_t outer = 1, trips = 1, row_elements = 0, begin_elements = 0, chunk_elements = 0;
  int64_t element_bytes = 1;
  int64_t chunk_bytes() const { return outer * chunk_elements * element_bytes; }
  bool operator==(const AxisView&) const = default;
};
// The views of a sliced input and of a scan output with `trips` chunks.
AxisView ViewOfSlice(const program::Program& program, const program::Loop::Sliced& slice,
                     int64_t trips);
AxisView ViewOfScan(const program::Program& program, const program::Loop::Scan& scan,
                    int64_t trips);

// Makes `value`, which must not have storage of its own yet, a view.
void MakeView(program::Program& program, program::ValueId value, program::ValueId parent,
              int64_t offset_bytes, std::vector<program::Move> moves = {});

// Makes input.chunk the part of input.whole that each iteration of `section` reads; kNone means
// that there is only one iteration.
void BindSlice(program::Builder& builder, const program::Loop::Sliced& input, int64_t trips,
               program::SectionId section);

// The buffer in which a scan output is gathered: one chunk per iteration, in time order (reversed
// if backward). `halo` additional chunks before that of the first iteration (the halo) hold the
// initial values of a delay line that is stored here. Chunks are numbered from 0; -1 is the
// youngest one of the halo.
class ScanBuffer {
 public:
  static ScanBuffer Of(program::Builder& builder, const program::Loop::Scan& scan, int64_t trips,
                       size_t halo);

  program::ValueId whole() const { return whole_; }
  int64_t chunk_bytes() const { return view_.chunk_bytes(); }
  // Bytes from the chunk of one iteration to that of the next.
  int64_t stride_bytes() const { return backward_ ? -chunk_bytes() : chunk_bytes(); }
  // Offset in bytes of chunk `number` within whole().
  int64_t OffsetOf(int64_t number) const {
    return base_bytes_ + (backward_ ? view_.trips - 1 - number : number) * chunk_bytes();
  }
  // A view of the value computed `age` iterations before the current one.
  program::ValueId MovingChunk(program::Builder& builder, program::SectionId section, int64_t age,
                               TensorType type) const;
  // A view of chunk `number`, which does not move.
  program::ValueId Chunk(program::Builder& builder, int64_t number, TensorType type) const;
  // Makes `scanned` all chunks from number `first` on (up to `first`, if backward), one per
  // iteration.
  void BindScan(program::Builder& builder, int64_t first, program::ValueId scanned) const;

 private:
  program::ValueId whole_ = program::kNone;  // including the halo
  int64_t base_bytes_ = 0;
  AxisView view_;
  bool backward_ = false;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_SCAN_BUFFER_H_
