// SPDX-License-Identifier: Apache-2.0
#include "runtime/bind/overlapping.h"

#include "kernels/matrix/depthwise_i8.h"
#include "runtime/bind/step.h"
#include "runtime/format/step_functions.h"

namespace weft::bind {
namespace {

// One axis of the maps: output p is written at p * out_pitch and reads from (p * stride - pad) *
// in_pitch on, or from the nearest element inside.
struct OverlapAxis {
  uint32_t in, out, stride, pad;
  uint64_t in_pitch, out_pitch;

  int64_t FirstRead(uint32_t p) const {
    const int64_t first = static_cast<int64_t>(uint64_t{p} * stride) - pad;
    const int64_t inside = first < 0 ? 0 : first < in ? first : int64_t{in} - 1;
    return inside * static_cast<int64_t>(in_pitch);
  }
  // Distance from the first element that output p reads to the end of the `block` outputs from p
  // on.
  int64_t LeadAt(uint32_t p, uint32_t block) const {
    const uint32_t end = out - p < block ? out : p + block;
    return static_cast<int64_t>(end * out_pitch) - FirstRead(p);
  }
  // The maximum over all p. Between its bends LeadAt is linear in p.
  int64_t Lead(uint32_t block) const {
    // (in - 1 + pad) / stride in 32 bits, which small processors can divide.
    const uint32_t last = in - 1;
    const uint64_t last_inside = uint64_t{last / stride} + pad / stride +
                                 (uint64_t{last % stride} + pad % stride >= stride ? 1 : 0);
    const uint64_t bends[] = {0, pad / stride, last_inside, out < block ? 0 : out - block};
    int64_t max = LeadAt(out - 1, block);
    for (const uint64_t bend : bends) {
      for (uint64_t p = bend; p < out && p < bend + 2; ++p) {
        const int64_t lead = LeadAt(static_cast<uint32_t>(p), block);
        if (lead > max) max = lead;
      }
    }
    return max;
  }
};

bool HasNothing(const MapGeometry& geometry) {
  return geometry.batch == 0 || geometry.in_height == 0 || geometry.in_width == 0 ||
         geometry.out_height == 0 || geometry.out_width == 0 || geometry.in_channels == 0 ||
         geometry.out_channels == 0;
}

// Sets unused strides (of axes with one element) to those of a map without gaps.
void SetIdleStrides(MapGeometry& geometry) {
  const auto set = [&](kernels::MapStrides& strides, uint32_t height, uint32_t width,
                       uint32_t channels) {
    if (channels == 1) strides.channel = 1;
    if (width == 1) strides.pixel = (channels - 1) * strides.channel + 1;
    if (height == 1) strides.row = width * strides.pixel;
    if (geometry.batch == 1) strides.image = height * strides.row;
  };
  set(geometry.x, geometry.in_height, geometry.in_width, geometry.in_channels);
  set(geometry.y, geometry.out_height, geometry.out_width, geometry.out_channels);
}

bool HasWholePixels(const kernels::MapStrides& strides, uint32_t channels) {
  return Plus(Times(channels - 1, strides.channel), 1) <= strides.pixel;
}

// Returns true if pixels, rows and images follow one another without gaps.
bool IsOneRow(const kernels::MapStrides& strides, uint32_t height, uint32_t width) {
  return strides.row == Times(width, strides.pixel) && strides.image == Times(height, strides.row);
}

// Returns true if each pixel of y depends only on the pixel of x at the same position.
bool IsPointwise(const MapGeometry& geometry) {
  return geometry.kernel_height == 1 && geometry.kernel_width == 1 && geometry.pad_top == 0 &&
         geometry.pad_left == 0 && geometry.in_height == geometry.out_height &&
         geometry.in_width == geometry.out_width &&
         (geometry.out_height == 1 || geometry.stride_y == 1) &&
         (geometry.out_width == 1 || geometry.stride_x == 1);
}

// Normalises unused strides and merges a pointwise step into one row. Returns false if y has no
// order of pixels.
bool Straighten(MapGeometry& geometry) {
  if (HasNothing(geometry)) return false;
  SetIdleStrides(geometry);
  if (IsPointwise(geometry) && IsOneRow(geometry.x, geometry.in_height, geometry.in_width) &&
      IsOneRow(geometry.y, geometry.out_height, geometry.out_width)) {
    geometry.out_width = geometry.in_width =
        geometry.batch * geometry.out_height * geometry.out_width;
    geometry.batch = geometry.in_height = geometry.out_height = geometry.stride_x = 1;
    SetIdleStrides(geometry);
  }
  return HasWholePixels(geometry.y, geometry.out_channels) &&
         geometry.y.row >= Times(geometry.out_width, geometry.y.pixel) &&
         geometry.y.image >= Times(geometry.out_height, geometry.y.row);
}

// The part of an axis of x from the first element that an output reads.
struct Rest {
  uint32_t skipped, in, pad;
};

Rest RestOf(uint32_t in, uint32_t position, uint32_t stride, uint32_t pad) {
  const int64_t first = static_cast<int64_t>(uint64_t{position} * stride) - pad;
  if (first <= 0) return {0, in, static_cast<uint32_t>(-first)};
  const uint32_t skipped = first < in ? static_cast<uint32_t>(first) : in;
  return {skipped, in - skipped, 0};
}

uint32_t BytesOf(int64_t floats) {
  return floats < 0 ? 0 : Clip(static_cast<uint64_t>(floats) * sizeof(float));
}

}  // namespace

OverlapLimits LimitsOf(MapGeometry geometry) {
  const bool has_order = Straighten(geometry);
  if (!has_order) return {};
  const OverlapAxis images = {geometry.batch,   geometry.batch,  1, 0,
                              geometry.x.image, geometry.y.image};
  const OverlapAxis rows = {geometry.in_height, geometry.out_height, geometry.stride_y,
                            geometry.pad_top,   geometry.x.row,      geometry.y.row};
  const OverlapAxis columns = {geometry.in_width, geometry.out_width, geometry.stride_x,
                               geometry.pad_left, geometry.x.pixel,   geometry.y.pixel};
  OverlapLimits limits;
  limits.before_bytes = BytesOf(images.Lead(0) + rows.Lead(0) + columns.Lead(kOverlapPixels));
  const bool one_row = IsPointwise(geometry) && geometry.batch == 1 && geometry.out_height == 1;
  if (one_row && HasWholePixels(geometry.x, geometry.in_channels)) {
    const OverlapAxis backwards = {geometry.in_width, geometry.in_width, 1, 0,
                                   geometry.y.pixel,  geometry.x.pixel};
    limits.after_bytes = BytesOf(backwards.Lead(kOverlapPixels));
  }
  return limits;
}

OverlapBlocks::OverlapBlocks(const MapGeometry& geometry, bool descending)
    : geometry_(geometry), descending_(descending) {
  if (!Straighten(geometry_)) return;
  blocks_of_row_ = (geometry_.out_width + kOverlapPixels - 1) / kOverlapPixels;
  count_ = left_ = geometry_.batch * geometry_.out_height * blocks_of_row_;
}

bool OverlapBlocks::Next(OverlapBlock* block) {
  if (left_ == 0) return false;
  --left_;
  const uint32_t index = descending_ ? left_ : count_ - 1 - left_;
  const uint32_t line = index / blocks_of_row_;
  const uint32_t column = (index - line * blocks_of_row_) * kOverlapPixels;
  const uint32_t image = line / geometry_.out_height, row = line - image * geometry_.out_height;
  const uint32_t width = geometry_.out_width - column;
  const Rest down = RestOf(geometry_.in_height, row, geometry_.stride_y, geometry_.pad_top);
  const Rest across = RestOf(geometry_.in_width, column, geometry_.stride_x, geometry_.pad_left);
  block->in_height = down.in;
  block->in_width = across.in;
  block->out_width = width < kOverlapPixels ? width : kOverlapPixels;
  block->stride_x = geometry_.stride_x;
  block->pad_top = down.pad;
  block->pad_left = across.pad;
  block->x_pixel = geometry_.x.pixel;
  block->y_pixel = geometry_.y.pixel;
  block->x_offset = size_t{image} * geometry_.x.image + size_t{down.skipped} * geometry_.x.row +
                    size_t{across.skipped} * geometry_.x.pixel;
  block->y_offset = size_t{image} * geometry_.y.image + size_t{row} * geometry_.y.row +
                    size_t{column} * geometry_.y.pixel;
  return true;
}

namespace {

// Finds the channels of the maps of x and y, and the floats from the first to the end of the last.
struct MapFinder : footprint::Visitor {
  using Visitor::Reads;
  using Visitor::Writes;
  void Reads(uint32_t, footprint::Unit, const footprint::Map& map) {
    x_channels = map.channels, x_reach = ReachOf(map);
  }
  void Writes(uint32_t, footprint::Unit, const footprint::Map& map) {
    y_channels = map.channels, y_reach = ReachOf(map);
  }
  uint32_t x_channels = 0, y_channels = 0, x_reach = 0, y_reach = 0;
};

template <typename Params>
MapFinder MapsOf(const Params& params) {
  MapFinder maps;
  footprint::Visit(params, maps);
  return maps;
}

template <typename Params>
MapGeometry GeometryOf(const Params& params, const MapFinder& maps) {
  MapGeometry shape;
  WEFT_FIELDS((batch)(in_height)(in_width)(out_height)(out_width)(kernel_height)(kernel_width))
  WEFT_FIELDS((stride_y)(stride_x)(pad_top)(pad_left)(x)(y))
  shape.in_channels = maps.x_channels;
  shape.out_channels = maps.y_channels;
  return shape;
}

// For a step that is valid except for overlaps. Returns true if y overlaps x only at an allowed
// distance, and no output overlaps any other operand. A slot that moves with a loop is not allowed.
bool Overlaps(const format::Model& model, uint32_t step_index, const OverlapLimits& limits) {
  const format::Step& step = format::RowsOf(model.steps())[step_index];
  const uint32_t* operands = format::RowsOf(model.operands()).data + step.first_operand();
  const format::Slot* slots = format::RowsOf(model.slots()).data;
  const format::Arity arity = format::kArity[step.kind()];
  for (uint32_t output = arity.inputs; output < arity.operands(); ++output) {
    const format::Slot& written = slots[operands[output]];
    for (uint32_t i = 0; i < output; ++i) {
      if (operands[i] == format::kNoSlot) continue;
      const format::Slot& slot = slots[operands[i]];
      if (slot.region() != written.region()) continue;
      if (slot.move_count() != 0 || written.move_count() != 0) return false;
      const int64_t before = int64_t{slot.offset_bytes()} - written.offset_bytes();
      const bool apart = before >= written.bytes() || -before >= slot.bytes();
      const bool overlaps = i == 0 && output == arity.inputs && limits.Allow(before);
      if (!apart && !overlaps) return false;
    }
  }
  return true;
}

// `before`: how many floats before x y starts; negative if y starts after x.
bool Overlap(const MapFinder& maps, int64_t before) {
  return before > 0 ? static_cast<uint64_t>(before) < maps.y_reach
                    : static_cast<uint64_t>(-before) < maps.x_reach;
}

template <typename Params>
constexpr bool MayOverlap(const Params&) {
  return true;
}
// Only if the elements of x are as wide as those of y.
bool MayOverlap(const format::ConvI8Params& params) { return params.max() != 0; }
// Not if channels are processed in groups: later groups would read x after y has overwritten it.
bool MayOverlap(const format::DepthwiseI8Params& params) {
  return kernels::DepthwiseI8WidensAll(params);
}

template <typename Params>
void RunOverlapping(const Params& params, std::byte* const* operands, const format::Arity& arity,
                    void (*run)(const Params& params, std::byte* const* operands)) {
  float* const x = As<float>(operands[0]);
  float* const y = As<float>(operands[arity.inputs]);
  const MapFinder maps = MapsOf(params);
  if (!MayOverlap(params) || !Overlap(maps, x - y)) return run(params, operands);
  OverlapBlocks blocks(GeometryOf(params, maps), y > x);
  Params part = params;
  std::byte* moved[format::kMaxOperands];
  for (uint32_t i = 1; i < arity.operands(); ++i) {
    moved[i] = operands[i];  // NOLINT: `operands` has as many elements
  }
  OverlapBlock block;
  while (blocks.Next(&block)) {
    SetBlock(block, part);
    moved[0] = reinterpret_cast<std::byte*>(x + block.x_offset);
    moved[arity.inputs] = reinterpret_cast<std::byte*>(y + block.y_offset);
    run(part, moved);
  }
}

// Its weights are widened once for all blocks; the blocks then run as depthwise.
void RunOverlapping(const format::DepthwiseI8Params& p, std::byte* const* operands,
                    const format::Arity& arity,
                    void (*run)(const format::DepthwiseI8Params& params,
                                std::byte* const* operands)) {
  if (!Overlap(MapsOf(p), As<float>(operands[0]) - As<float>(operands[arity.inputs]))) {
    return run(p, operands);
  }
  depthwise_i8::Widen(p, operands);
  const format::DepthwiseParams floats(
      p.batch(), p.channels(), p.multiplier(), p.in_height(), p.in_width(), p.out_height(),
      p.out_width(), p.kernel_height(), p.kernel_width(), p.stride_y(), p.stride_x(),
      p.dilation_y(), p.dilation_x(), p.pad_top(), p.pad_left(), p.x(), p.y(), p.activation(),
      format::ElementType::f32, 0, 0);
  std::byte* const own[] = {operands[0], operands[6], operands[4], operands[5]};
  constexpr auto kKind = static_cast<uint32_t>(format::Kind::depthwise);
  RunOverlapping(floats, own, format::kArity[kKind], depthwise::Run);
}

}  // namespace

#define WEFT_OVERLAPPING_STEP(name, Name)                                                        \
  OverlapLimits OverlapLimitsOf(const format::Name##Params& params) {                            \
    return MayOverlap(params) ? LimitsOf(GeometryOf(params, MapsOf(params))) : OverlapLimits();  \
  }                                                                                              \
  bool RunsInBlocks(const format::Name##Params& params, int64_t before, MapGeometry* geometry) { \
    const MapFinder maps = MapsOf(params);                                                       \
    *geometry = GeometryOf(params, maps);                                                        \
    return MayOverlap(params) && Overlap(maps, before);                                          \
  }
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP

}  // namespace weft::bind

namespace weft::steps {

#define WEFT_OVERLAPPING_ENTRY(entry, name, run)                                           \
  extern "C" Fault weft_check_overlapping_##entry(const format::Model& model,              \
                                                  uint32_t step_index) {                   \
    const Fault fault = weft_check_##entry(model, step_index);                             \
    if (fault.code != FaultCode::kOperandOverlap) return fault;                            \
    const uint32_t param = format::RowsOf(model.steps())[step_index].param();              \
    const bind::OverlapLimits limits = bind::OverlapLimitsOf(*model.name()->Get(param));   \
    return bind::Overlaps(model, step_index, limits) ? Fault() : fault;                    \
  }                                                                                        \
  extern "C" void weft_run_overlapping_##entry(const format::Model& model, uint32_t param, \
                                               std::byte* const* operands) {               \
    constexpr uint32_t kKind = static_cast<uint32_t>(format::Kind::name);                  \
    bind::RunOverlapping(*model.name()->Get(param), operands, format::kArity[kKind],       \
                         bind::name::run);                                                 \
  }
#define WEFT_OVERLAPPING_STEP(name, Name) WEFT_OVERLAPPING_ENTRY(name, name, Run)
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) \
  WEFT_OVERLAPPING_ENTRY(narrow_##name, name, RunNarrow)
#include "runtime/format/narrow_steps.inc"
#undef WEFT_OVERLAPPING_NARROW_STEP

}  // namespace weft::steps
