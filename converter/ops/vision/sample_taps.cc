// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/vision/sample_taps.h"

#include <algorithm>
#include <cmath>

#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;
using format::UnaryOp;

// Steps over one number per side and tap, [places, 2, taps].
class SampleSteps {
 public:
  SampleSteps(program::Builder& builder, const SampleSpec& spec)
      : builder_(builder), spec_(spec), taps_(spec.taps()) {}

  SampleTaps Taps(program::ValueId grid) {
    const Dims sides = {spec_.positions, 2, 1};
    const Operand scaled = Of(BinaryOp::multiply, {grid, sides}, OfSides(spec_.Scales()));
    const Operand point = Of(BinaryOp::add, scaled, OfSides(spec_.Shifts()));
    const bool nearest = spec_.mode == SampleMode::kNearest;
    const Operand first = Applied(builder_, nearest ? UnaryOp::round_even : UnaryOp::floor, point);
    const program::ValueId pixels = Joined(BinaryOp::add, Pixels(Positions(first)));
    if (nearest) return {pixels, program::kNone};
    const Operand fraction = Of(BinaryOp::subtract, point, first);
    return {pixels, Joined(BinaryOp::multiply, Weights(fraction))};
  }

 private:
  Operand OfSides(const std::array<float, 2>& numbers) {
    const std::vector<float> both(numbers.begin(), numbers.end());
    return {builder_.WeightsOf({ElementType::f32, {2}}, both), {1, 2, 1}};
  }
  Operand OfSides(const std::array<int64_t, 2>& numbers) {
    return {IntegerWeights(builder_, ElementType::i32, {numbers[0], numbers[1]}), {1, 2, 1}};
  }
  Operand OfTaps(std::span<const float> numbers) {
    const std::vector<float> all(numbers.begin(), numbers.begin() + taps_);
    return {builder_.WeightsOf({ElementType::f32, {taps_}}, all), {1, 1, taps_}};
  }
  Operand Of(BinaryOp op, const Operand& a, const Operand& b) {
    return Combined(builder_, op, a, b);
  }

  Operand Positions(const Operand& first) {
    return taps_ == 1 ? first : Of(BinaryOp::add, first, OfTaps(spec_.Offsets()));
  }

  Operand Whole(const Operand& positions) {
    return {Converted(builder_, positions.value, ElementType::i32), positions.dims};
  }

  // Contribution of each side to the pixel number.
  Operand Pixels(const Operand& positions) {
    const Operand strides = OfSides(std::array<int64_t, 2>{1, spec_.sides[0]});
    switch (spec_.padding) {
      case SamplePadding::kZeros:
        return MaskOutside(positions, Of(BinaryOp::multiply, Whole(positions), strides));
      case SamplePadding::kBorder: {
        const std::array<float, 2> ends = {static_cast<float>(spec_.sides[0] - 1),
                                           static_cast<float>(spec_.sides[1] - 1)};
        const Operand begun = Of(BinaryOp::maximum, positions, OfSides(std::array<float, 2>{}));
        const Operand ended = Of(BinaryOp::minimum, begun, OfSides(ends));
        return Of(BinaryOp::multiply, Whole(ended), strides);
      }
      case SamplePadding::kReflection:
        break;
    }
    const Operand visited = Of(BinaryOp::floor_mod, Whole(positions), OfSides(spec_.Periods()));
    const Operand reflected = Of(BinaryOp::subtract, OfSides(spec_.Lasts()), visited);
    return Of(BinaryOp::multiply, Of(BinaryOp::minimum, visited, reflected), strides);
  }

  // Replaces coordinates outside the image by the number of pixels, which selects no pixel.
  Operand MaskOutside(const Operand& positions, const Operand& pixels) {
    const std::array<float, 2> ends = {static_cast<float>(spec_.sides[0]),
                                       static_cast<float>(spec_.sides[1])};
    const Operand low =
        Compared(builder_, CompareOp::greater_equal, positions, OfSides(std::array<float, 2>{}));
    const Operand high = Compared(builder_, CompareOp::less, positions, OfSides(ends));
    const Operand inside = Of(BinaryOp::logical_and, low, high);
    const Operand none = {IntegerWeights(builder_, ElementType::i32, {spec_.pixels()}), {1, 1, 1}};
    return Selected(builder_, inside, pixels, none);
  }

  Operand Weights(const Operand& fraction) {
    if (spec_.mode == SampleMode::kLinear) {  // 1 - fraction and fraction
      constexpr std::array<float, 2> kFirst = {1, 0};
      return Applied(builder_, UnaryOp::abs, Of(BinaryOp::subtract, OfTaps(kFirst), fraction));
    }
    Operand y = Of(BinaryOp::multiply, fraction, OfTaps(kCubicFactors[0]));
    for (size_t i = 1; i < 4; ++i) {
      if (i > 1) y = Of(BinaryOp::multiply, y, fraction);
      y = Of(BinaryOp::add, y, OfTaps(kCubicFactors[i]));
    }
    return y;
  }

  // Combines each row tap with each column tap.
  program::ValueId Joined(BinaryOp op, const Operand& sides) {
    const ElementType type = builder_.type(sides.value);
    const Dims dims = {spec_.positions, taps_, taps_};
    const program::ValueId y = builder_.Scratch({type, dims});
    const program::ValueId rows = builder_.View(sides.value, taps_ * ElementBytes(type),
                                                {type, {2 * taps_ * spec_.positions - taps_}});
    const std::array strides = {Dims{2 * taps_, 1, 0}, Dims{2 * taps_, 0, 1}};
    EmitBinary(builder_, op, JoinedNest(dims, strides), rows, sides.value, y);
    return y;
  }

  program::Builder& builder_;
  const SampleSpec spec_;
  const int64_t taps_;
};

// The same for a known grid. The operation order equals that of the steps, so results are
// bit-identical.

int64_t KnownPixel(const SampleSpec& spec, size_t side, float position) {
  const int64_t extent = spec.sides[side], stride = side == 0 ? 1 : spec.sides[0];
  const auto last = static_cast<float>(extent - 1);
  if (spec.padding == SamplePadding::kZeros) {
    return position >= 0 && position <= last ? static_cast<int64_t>(position) * stride
                                             : spec.pixels();
  }
  if (std::isnan(position)) return 0;
  if (spec.padding == SamplePadding::kBorder) {
    return static_cast<int64_t>(std::clamp(position, 0.0f, last)) * stride;
  }
  constexpr float kMin = -2147483648.0f, kMax = 2147483520.0f;
  const auto whole = static_cast<int64_t>(std::clamp(position, kMin, kMax));
  const int64_t period = spec.Periods()[side];
  const int64_t visited = (whole % period + period) % period;
  return std::min(visited, spec.Lasts()[side] - visited) * stride;
}

float KnownWeight(const SampleSpec& spec, size_t tap, float fraction) {
  if (spec.mode == SampleMode::kLinear) return tap == 0 ? 1 - fraction : fraction;
  float weight = fraction * kCubicFactors[0][tap];
  for (size_t i = 1; i < 4; ++i) {
    if (i > 1) weight *= fraction;
    weight += kCubicFactors[i][tap];
  }
  return weight;
}

}  // namespace

int64_t SampleSpec::taps() const {
  if (mode == SampleMode::kNearest) return 1;
  return mode == SampleMode::kLinear ? 2 : 4;
}

std::array<float, 2> SampleSpec::Scales() const {
  std::array<float, 2> scales = {};
  for (size_t i = 0; i < 2; ++i) {
    scales[i] = static_cast<float>(align_corners ? sides[i] - 1 : sides[i]) / 2;
  }
  return scales;
}

std::array<float, 2> SampleSpec::Shifts() const {
  return {static_cast<float>(sides[0] - 1) / 2, static_cast<float>(sides[1] - 1) / 2};
}

std::vector<float> SampleSpec::Offsets() const {
  if (mode == SampleMode::kNearest) return {0};
  return mode == SampleMode::kLinear ? std::vector<float>{0, 1} : std::vector<float>{-1, 0, 1, 2};
}

std::array<int64_t, 2> SampleSpec::Periods() const {
  std::array<int64_t, 2> periods = {};
  for (size_t i = 0; i < 2; ++i) {
    periods[i] = align_corners ? std::max<int64_t>(2 * (sides[i] - 1), 1) : 2 * sides[i];
  }
  return periods;
}

std::array<int64_t, 2> SampleSpec::Lasts() const {
  const std::array<int64_t, 2> periods = Periods();
  if (!align_corners) return {periods[0] - 1, periods[1] - 1};
  return {2 * (sides[0] - 1), 2 * (sides[1] - 1)};
}

SampleTaps EmitSampleTaps(program::Builder& builder, const SampleSpec& spec,
                          program::ValueId grid) {
  return SampleSteps(builder, spec).Taps(grid);
}

SampleTaps KnownSampleTaps(program::Builder& builder, const SampleSpec& spec,
                           std::span<const float> grid) {
  const auto taps = static_cast<size_t>(spec.taps());
  const std::vector<float> offsets = spec.Offsets();
  const std::array<float, 2> scales = spec.Scales(), shifts = spec.Shifts();
  Dims pixels;
  std::vector<float> weights;
  for (size_t at = 0; at < grid.size(); at += 2) {
    std::array<std::vector<int64_t>, 2> parts;
    std::array<std::vector<float>, 2> shares;
    for (size_t side = 0; side < 2; ++side) {
      const float point = grid[at + side] * scales[side] + shifts[side];
      const float first =
          spec.mode == SampleMode::kNearest ? std::nearbyint(point) : std::floor(point);
      for (size_t tap = 0; tap < taps; ++tap) {
        parts[side].push_back(KnownPixel(spec, side, first + offsets[tap]));
        shares[side].push_back(KnownWeight(spec, tap, point - first));
      }
    }
    for (size_t row = 0; row < taps; ++row) {
      for (size_t column = 0; column < taps; ++column) {
        pixels.push_back(std::min(parts[1][row] + parts[0][column], spec.pixels()));
        weights.push_back(shares[1][row] * shares[0][column]);
      }
    }
  }
  const program::ValueId stored = IntegerWeights(builder, ElementType::i32, pixels);
  if (spec.mode == SampleMode::kNearest) return {stored, program::kNone};
  const TensorType type = {ElementType::f32, {static_cast<int64_t>(weights.size())}};
  return {stored, builder.WeightsOf(type, weights)};
}

}  // namespace weft::ops
