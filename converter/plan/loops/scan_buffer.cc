// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/scan_buffer.h"

#include <utility>

namespace weft::plan {

namespace {

AxisView ViewOf(const TensorType& type, int64_t axis, int64_t trips, int64_t begin, int64_t part) {
  const auto position = static_cast<size_t>(axis);
  const int64_t inner = ProductOf(type.dims, position + 1, type.dims.size());
  return {ProductOf(type.dims, 0, position),
          trips,
          type.dims[position] * inner,
          begin * inner,
          part * inner,
          ElementBytes(type.type)};
}

// [outer, trips, chunk] <-> [trips, outer, chunk], as one strided copy.
void MoveAxisOut(program::Builder& builder, program::ValueId source, program::ValueId target,
                 const AxisView& view) {
  const program::Because because(builder, format::Reason::slice_axis);
  builder.CopyStrided(source, target, {view.trips, view.outer, view.chunk_elements},
                      {view.chunk_elements, view.row_elements, 1}, view.begin_elements,
                      {view.outer * view.chunk_elements, view.chunk_elements, 1}, 0);
}
void MoveAxisIn(program::Builder& builder, program::ValueId source, program::ValueId target,
                const AxisView& view) {
  const program::Because because(builder, format::Reason::scan_axis);
  builder.CopyStrided(source, target, {view.outer, view.trips, view.chunk_elements},
                      {view.chunk_elements, view.outer * view.chunk_elements, 1}, 0,
                      {view.row_elements, view.chunk_elements, 1}, 0);
}

}  // namespace

AxisView ViewOfSlice(const program::Program& program, const program::Loop::Sliced& slice,
                     int64_t trips) {
  return ViewOf(program.values[slice.whole].type, slice.axis, trips, slice.begin, slice.part);
}

AxisView ViewOfScan(const program::Program& program, const program::Loop::Scan& scan,
                    int64_t trips) {
  const TensorType& type = program.values[scan.whole].type;
  return ViewOf(type, scan.axis, trips, 0, type.dims[static_cast<size_t>(scan.axis)] / trips);
}

void MakeView(program::Program& program, program::ValueId value, program::ValueId parent,
              int64_t offset_bytes, std::vector<program::Move> moves) {
  program::Value& view = program.values[value];
  view.parent = parent;
  view.offset_bytes = offset_bytes;
  view.moves = std::move(moves);
}

void BindSlice(program::Builder& builder, const program::Loop::Sliced& input, int64_t trips,
               program::SectionId section) {
  const TensorType& type = builder.value(input.whole).type;
  const AxisView view = ViewOfSlice(builder.program(), input, trips);
  program::ValueId whole = input.whole;
  int64_t base_bytes = view.begin_elements * view.element_bytes;
  if (view.outer != 1) {
    whole = builder.Scratch({type.type, {view.trips, view.outer, view.chunk_elements}});
    MoveAxisOut(builder, input.whole, whole, view);
    base_bytes = 0;
  }
  if (section == program::kNone) return MakeView(builder.program(), input.chunk, whole, base_bytes);
  const int64_t chunk_bytes = view.chunk_bytes();
  if (input.backward) base_bytes += (trips - 1) * chunk_bytes;
  MakeView(builder.program(), input.chunk, whole, base_bytes,
           {program::Move{section, input.backward ? -chunk_bytes : chunk_bytes}});
}

ScanBuffer ScanBuffer::Of(program::Builder& builder, const program::Loop::Scan& scan, int64_t trips,
                          size_t halo) {
  ScanBuffer scan_buffer;
  const program::Value& scanned = builder.value(scan.whole);
  scan_buffer.view_ = ViewOfScan(builder.program(), scan, trips);
  scan_buffer.backward_ = scan.backward;
  if (scanned.parent != program::kNone) {
    scan_buffer.whole_ = scanned.parent;
    scan_buffer.base_bytes_ = scanned.offset_bytes;
    return scan_buffer;
  }
  const auto halo_count = static_cast<int64_t>(halo);
  scan_buffer.whole_ = builder.Scratch(
      {scanned.type.type,
       {trips + halo_count, scan_buffer.view_.outer * scan_buffer.view_.chunk_elements}});
  if (!scan.backward) scan_buffer.base_bytes_ = halo_count * scan_buffer.chunk_bytes();
  return scan_buffer;
}

program::ValueId ScanBuffer::MovingChunk(program::Builder& builder, program::SectionId section,
                                         int64_t age, TensorType type) const {
  return builder.View(whole_, OffsetOf(-age), std::move(type),
                      {program::Move{section, stride_bytes()}});
}

program::ValueId ScanBuffer::Chunk(program::Builder& builder, int64_t number,
                                   TensorType type) const {
  return builder.View(whole_, OffsetOf(number), std::move(type));
}

void ScanBuffer::BindScan(program::Builder& builder, int64_t first,
                          program::ValueId scanned) const {
  if (builder.value(scanned).parent != program::kNone)
    return;  // is a part of the scan buffer already
  const int64_t offset = OffsetOf(backward_ ? first + view_.trips - 1 : first);
  if (view_.outer == 1) return MakeView(builder.program(), scanned, whole_, offset);
  const program::ValueId slices = builder.View(
      whole_, offset, {builder.type(scanned), {view_.trips, view_.outer, view_.chunk_elements}});
  MoveAxisIn(builder, slices, scanned, view_);
}

}  // namespace weft::plan
