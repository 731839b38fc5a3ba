// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/track.h"

#include <utility>

namespace weft::ops {

namespace {

using plan::Builder;
using plan::kNone;
using plan::Move;
using plan::ValueId;

int64_t Product(const Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= dims[i];
  return product;
}

AxisView ViewOf(const TensorType& type, int64_t axis, int64_t trips, int64_t begin, int64_t part) {
  const auto position = static_cast<size_t>(axis);
  const int64_t inner = Product(type.dims, position + 1, type.dims.size());
  return {Product(type.dims, 0, position),
          trips,
          type.dims[position] * inner,
          begin * inner,
          part * inner,
          ElementBytes(type.type)};
}

// [outer, trips, chunk] <-> [trips, outer, chunk], in one strided copy.
void MoveAxisOut(Builder& builder, ValueId source, ValueId target, const AxisView& view) {
  const plan::Because because(builder, format::Reason::slice_axis);
  builder.CopyStrided(source, target, {view.trips, view.outer, view.chunk_elements},
                      {view.chunk_elements, view.row_elements, 1}, view.begin_elements,
                      {view.outer * view.chunk_elements, view.chunk_elements, 1}, 0);
}
void MoveAxisIn(Builder& builder, ValueId source, ValueId target, const AxisView& view) {
  const plan::Because because(builder, format::Reason::scan_axis);
  builder.CopyStrided(source, target, {view.outer, view.trips, view.chunk_elements},
                      {view.chunk_elements, view.outer * view.chunk_elements, 1}, 0,
                      {view.row_elements, view.chunk_elements, 1}, 0);
}

}  // namespace

ValueId SliceOf(Builder& builder, const SlicedInput& input, int64_t trips,
                plan::SectionId section) {
  const TensorType& whole_type = builder.value(input.value).type;
  const AxisView view = ViewOf(whole_type, input.axis, trips, input.begin, input.part);
  TensorType type = whole_type;
  type.dims[static_cast<size_t>(input.axis)] = input.part;
  ValueId whole = input.value;
  int64_t base_bytes = view.begin_elements * view.element_bytes;
  if (view.outer != 1) {
    whole = builder.Scratch({type.type, {view.trips, view.outer, view.chunk_elements}});
    MoveAxisOut(builder, input.value, whole, view);
    base_bytes = 0;
  }
  if (section == kNone) return builder.View(whole, base_bytes, std::move(type));
  const int64_t chunk_bytes = view.chunk_bytes();
  if (input.backward) base_bytes += (trips - 1) * chunk_bytes;
  return builder.View(whole, base_bytes, std::move(type),
                      {Move{section, input.backward ? -chunk_bytes : chunk_bytes}});
}

Track Track::Of(Builder& builder, const ScanOutput& scan, int64_t trips, size_t guards) {
  Track track;
  const int64_t extent = scan.type.dims[static_cast<size_t>(scan.axis)];
  track.view_ = ViewOf(scan.type, scan.axis, trips, 0, extent / trips);
  track.backward_ = scan.backward;
  if (scan.whole != kNone) {
    track.whole_ = scan.whole;
    track.base_bytes_ = scan.base_bytes;
    return track;
  }
  const auto guard_count = static_cast<int64_t>(guards);
  track.whole_ = builder.Scratch(
      {scan.type.type, {trips + guard_count, track.view_.outer * track.view_.chunk_elements}});
  if (!scan.backward) track.base_bytes_ = guard_count * track.chunk_bytes();
  return track;
}

ValueId Track::MovingChunk(Builder& builder, plan::SectionId section, int64_t age,
                           TensorType type) const {
  const int64_t stride = backward_ ? -chunk_bytes() : chunk_bytes();
  return builder.View(whole_, OffsetOf(-age), std::move(type), {Move{section, stride}});
}

ValueId Track::Chunk(Builder& builder, int64_t birth, TensorType type) const {
  return builder.View(whole_, OffsetOf(birth), std::move(type));
}

ValueId Track::Gathered(Builder& builder, int64_t birth, const TensorType& type) const {
  const int64_t first = backward_ ? birth + view_.trips - 1 : birth;
  if (view_.outer == 1) return builder.View(whole_, OffsetOf(first), type);
  const ValueId slices = builder.View(
      whole_, OffsetOf(first), {type.type, {view_.trips, view_.outer, view_.chunk_elements}});
  const ValueId gathered = builder.Scratch(type);
  MoveAxisIn(builder, slices, gathered, view_);
  return gathered;
}

}  // namespace weft::ops
