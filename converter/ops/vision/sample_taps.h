// SPDX-License-Identifier: Apache-2.0
// The pixels and weights with which GridSample reads an image: 1, 2 or 4 taps along each side for
// every grid point. Computed at conversion if the grid is known, else by steps.
#ifndef WEFT_CONVERTER_OPS_VISION_SAMPLE_TAPS_H_
#define WEFT_CONVERTER_OPS_VISION_SAMPLE_TAPS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/builder.h"

namespace weft::ops {

enum class SampleMode { kNearest, kLinear, kCubic };
enum class SamplePadding { kZeros, kBorder, kReflection };

struct SampleSpec {
  SampleMode mode = SampleMode::kLinear;
  SamplePadding padding = SamplePadding::kZeros;
  bool align_corners = false;
  int64_t positions = 1;  // grid points of all batches
  // Width and height, in the order of a grid point's coordinates.
  std::array<int64_t, 2> sides = {1, 1};

  int64_t pixels() const { return sides[0] * sides[1]; }
  int64_t taps() const;  // along a side
  // pixel = grid * scale + shift. Grid coordinates -1 and 1 are the centres of the first and last
  // pixel, or their outer edges (align_corners false).
  std::array<float, 2> Scales() const;
  std::array<float, 2> Shifts() const;
  // Pixel offset of each tap from floor(coordinate); for nearest from the rounded coordinate.
  std::vector<float> Offsets() const;
  // Reflection along a side: p = pixel mod period, then min(p, last - p).
  std::array<int64_t, 2> Periods() const;
  std::array<int64_t, 2> Lasts() const;
};

// Weights of the cubic taps along a side as polynomials of the fraction, [4, taps], coefficients of
// the third power first.
inline constexpr std::array<std::array<float, 4>, 4> kCubicFactors = {
    {{-0.75f, 1.25f, -1.25f, 0.75f},
     {1.5f, -2.25f, 1.5f, -0.75f},
     {-0.75f, 0, 0.75f, 0},
     {0, 1, 0, 0}}};

struct SampleTaps {
  program::ValueId
      pixels;  // i32 [places, taps, taps]: pixel numbers; >= pixels(): outside the image
  program::ValueId weights;  // f32 of the same dims; none in nearest mode
};

// `grid` is [places, 2], (x, y) per point.
SampleTaps EmitSampleTaps(program::Builder& builder, const SampleSpec& spec, program::ValueId grid);
SampleTaps KnownSampleTaps(program::Builder& builder, const SampleSpec& spec,
                           std::span<const float> grid);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_VISION_SAMPLE_TAPS_H_
