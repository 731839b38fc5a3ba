// SPDX-License-Identifier: Apache-2.0
// Where GridSample reads an image: for each place of the grid 1, 2 or 4 taps along each side and
// what they weigh, worked out at conversion where the grid is known, else by steps.
#ifndef WEFT_CONVERTER_OPS_SAMPLE_TAPS_H_
#define WEFT_CONVERTER_OPS_SAMPLE_TAPS_H_

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
  int64_t places = 1;                     // of the grid, in all batches
  std::array<int64_t, 2> sides = {1, 1};  // width and height, in the order of the grid's numbers

  int64_t pixels() const { return sides[0] * sides[1]; }
  int64_t taps() const;  // along a side
  // Pixel 0 and the last one stand at -1 and 1, or half a pixel further in: grid * scale + shift.
  std::array<float, 2> Scales() const;
  std::array<float, 2> Shifts() const;
  // Of a tap from the first place that is not behind the point.
  std::vector<float> Offsets() const;
  // Reflected along a side: place mod period, or `last` less that where it is less.
  std::array<int64_t, 2> Periods() const;
  std::array<int64_t, 2> Lasts() const;
};

// Weights of the taps of a side as polynomials of the fraction, [4, taps], the cube's factors
// first.
inline constexpr std::array<std::array<float, 4>, 4> kCubicFactors = {
    {{-0.75f, 1.25f, -1.25f, 0.75f},
     {1.5f, -2.25f, 1.5f, -0.75f},
     {-0.75f, 0, 0.75f, 0},
     {0, 1, 0, 0}}};

struct SampleTaps {
  plan::ValueId pixels;   // i32 [places, taps, taps]: a pixel each, or one behind the last
  plan::ValueId weights;  // f32 of the same dims; none for the nearest pixel
};

// grid is [places, 2].
SampleTaps EmitSampleTaps(plan::Builder& builder, const SampleSpec& spec, plan::ValueId grid);
SampleTaps KnownSampleTaps(plan::Builder& builder, const SampleSpec& spec,
                           std::span<const float> grid);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SAMPLE_TAPS_H_
