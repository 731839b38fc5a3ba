// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/resample.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

constexpr std::string_view kFirstResampleModes[] = {"nearest", "linear", "cubic", "area"};
constexpr std::string_view kResampleModes[] = {"nearest", "linear", "linear_onnx", "cubic"};
constexpr std::string_view kPillowModes[] = {"nearest", "linear",          "linear_onnx",
                                             "cubic",   "bilinear_pillow", "bicubic_pillow"};
constexpr std::string_view kShapeModes[] = {"sizes", "scales"};
constexpr std::string_view kCoordinateModes[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                 "tf_half_pixel_for_nn", "align_corners"};
constexpr std::string_view kNearestModes[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                              "ceil", "simple"};

constexpr int64_t kMaxResampled = int64_t{1} << 31;  // keeps sums of extents and pads in 64 bits

// A table has an element for each output position, or with a filter for each pair of an output and
// an input position.
constexpr int64_t kMaxTable = int64_t{1} << 24;

bool ReadResamplePads(NodeScope& scope, std::vector<ResampledAxis>& axes) {
  for (const std::string_view key : {"pads_begin", "pads_end"}) {
    const Dims pads = scope.attributes.Ints(key);
    for (size_t i = 0; i < pads.size(); ++i) {
      if (pads[i] < 0 || pads[i] >= kMaxResampled) {
        scope.Fault("attribute {} is {}; numbers must be from 0 to {}", key, ToString(pads),
                    kMaxResampled - 1);
        return false;
      }
      if (i >= axes.size() && pads[i] != 0) {
        scope.Fault("attribute {} is {} for data of rank {}; must have at most one number per axis",
                    key, ToString(pads), axes.size());
        return false;
      }
      if (i < axes.size()) (key == "pads_begin" ? axes[i].pad_begin : axes[i].pad_end) = pads[i];
    }
  }
  return true;
}

std::optional<Dims> ReadListedAxes(NodeScope& scope, int opset) {
  const size_t input = opset == 4 ? 3 : 2;
  const int64_t rank = scope.rank(0);
  Dims axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (opset == 1) {
    axes = scope.attributes.Ints("axes");
    std::ranges::sort(axes);  // the order of the attribute has no meaning
  } else if (scope.has_input(input)) {
    const std::optional<Dims> given = ControlInts(scope, input, "axes");
    if (!given) return std::nullopt;
    axes = *given;
  }
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= rank || seen[static_cast<size_t>(axis)]) {
      scope.Fault("axes are {} for data of rank {}; must be different, each from 0 to {}",
                  ToString(axes), rank, rank - 1);
      return std::nullopt;
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return axes;
}

bool ReadResampleSizes(NodeScope& scope, Resampling& resampling) {
  const std::optional<Dims> sizes =
      ControlInts(scope, 1, "sizes", static_cast<int64_t>(resampling.listed.size()));
  if (!sizes) return false;
  for (size_t i = 0; i < sizes->size(); ++i) {
    if ((*sizes)[i] < 0 || (*sizes)[i] >= kMaxResampled) {
      scope.Fault("sizes are {}; must be from 0 to {}", ToString(*sizes), kMaxResampled - 1);
      return false;
    }
    ResampledAxis& axis = resampling.axes[static_cast<size_t>(resampling.listed[i])];
    axis.out = (*sizes)[i];
    axis.scale = static_cast<float>(axis.out) / static_cast<float>(axis.padded());
  }
  return true;
}

bool ReadResampleScales(NodeScope& scope, size_t input, Resampling& resampling) {
  const size_t count = resampling.listed.size();
  if (!IsFloat(scope.input_element(input))) {
    scope.Fault("input {} (scales) is {}; must be of a float type", input,
                Name(scope.input_element(input)));
    return false;
  }
  const std::optional<std::vector<double>> scales = scope.Numbers(input);
  if (!scales) {
    scope.FaultComputed(input, "scales");
    return false;
  }
  if (scope.rank(input) != 1 || scales->size() != count) {
    scope.Fault("input {} (scales) is {}; must be one-dimensional, a number for each of {} axes",
                input, ToString(scope.input_type(input)), count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    ResampledAxis& axis = resampling.axes[static_cast<size_t>(resampling.listed[i])];
    axis.scale = static_cast<float>((*scales)[i]);
    const float extent = std::floor(static_cast<float>(axis.padded()) * axis.scale);
    if (!(axis.scale > 0 && extent < static_cast<float>(kMaxResampled))) {
      scope.Fault("the scale of axis {} is {}; must be above 0 and the output's extent below {}",
                  resampling.listed[i], axis.scale, kMaxResampled);
      return false;
    }
    axis.out = static_cast<int64_t>(extent);
  }
  return true;
}

bool Shrinks(const Resampling& resampling) {
  return std::ranges::any_of(resampling.axes,
                             [](const ResampledAxis& axis) { return axis.scale < 1; });
}

// Version 1 has fewer attributes. OpenVINO derives the missing modes from the data.
void ReadFirstResampleModes(const NodeScope& scope, Resampling& resampling) {
  resampling.mode = scope.attributes.Choice("mode", "nearest", kFirstResampleModes);
  resampling.rounding = "simple";
  const bool corners = scope.attributes.Bool("align_corners", true);
  const bool padded = std::ranges::any_of(resampling.axes, [](const ResampledAxis& axis) {
    return axis.pad_begin != 0 || axis.pad_end != 0;
  });
  const bool is_image = resampling.axes.size() == 4 && resampling.listed == Dims{2, 3};
  const bool is_centred = resampling.mode == "linear" && !padded && !is_image;
  resampling.coordinates = corners ? "align_corners" : is_centred ? "half_pixel" : "asymmetric";
}

void ReadResampleModes(const NodeScope& scope, int opset, Resampling& resampling) {
  const Attributes& given = scope.attributes;
  resampling.mode = opset == 4 ? given.Choice("mode", "nearest", kResampleModes)
                               : given.Choice("mode", "nearest", kPillowModes);
  resampling.coordinates =
      given.Choice("coordinate_transformation_mode", "half_pixel", kCoordinateModes);
  resampling.rounding = given.Choice("nearest_mode", "round_prefer_floor", kNearestModes);
  resampling.by_scales = given.Choice("shape_calculation_mode", "sizes", kShapeModes) == "scales";
  resampling.cube_coeff = given.Float("cube_coeff", -0.75f);
}

// Coordinate in the padded axis, not clamped to it.
float ResampleCoordinate(const ResampledAxis& axis, const std::string& mode, int64_t position) {
  const auto x = static_cast<float>(position);
  const auto in = static_cast<float>(axis.padded()), out = static_cast<float>(axis.out);
  if (axis.scale == 1.0f || in == out) return x;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / axis.scale;
  if (mode == "align_corners") return out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (mode == "pytorch_half_pixel" && out <= 1) return 0;
  return (x + 0.5f) / axis.scale - 0.5f;
}

int64_t NearestPosition(float x, const std::string& mode, bool shrinks) {
  const auto truncated = static_cast<int64_t>(x);
  if (mode == "simple") return shrinks ? static_cast<int64_t>(std::ceil(x)) : truncated;
  const bool is_half = x == static_cast<float>(truncated) + 0.5f;
  if (mode == "floor" || (mode == "round_prefer_floor" && is_half)) {
    return static_cast<int64_t>(std::floor(x));
  }
  return static_cast<int64_t>(mode == "ceil" ? std::ceil(x) : std::round(x));
}

// Positions beyond the padded axis read its first or last element; the padding is zeros.
void AddTerm(ResampleTap& tap, const ResampledAxis& axis, int64_t padded_position, float weight) {
  const int64_t position =
      std::clamp<int64_t>(padded_position, 0, axis.padded() - 1) - axis.pad_begin;
  const bool is_zero = position < 0 || position >= axis.in || weight == 0;
  tap.positions.push_back(is_zero ? axis.in : position);
  tap.weights.push_back(weight);
}

// Weights of the four positions around a coordinate, which is `x` after the second one.
std::vector<float> CubicWeights(float a, float x) {
  return {a * (x - 1) * (x - 1) * x, ((a + 2) * x - (a + 3)) * x * x + 1,
          (((-a - 2) * x + (2 * a + 3)) * x - a) * x, -a * x * x * (x - 1)};
}

// Unnormalised weight of an input position by its distance, as in Pillow's filters.
double PillowShare(const Resampling& resampling, double distance) {
  const double x = std::abs(distance), a = resampling.cube_coeff;
  if (resampling.mode == "bilinear_pillow") return std::max(0.0, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// Pillow's resampling. The filter covers an output position if the axis shrinks; it is cut at the
// ends of the axis, and its weights are divided by their sum. It depends on extents only, not on
// scales.
std::vector<ResampleTap> PillowTaps(const Resampling& resampling, const ResampledAxis& axis) {
  const double apart = static_cast<double>(axis.padded()) / static_cast<double>(axis.out);
  const double width = std::max(apart, 1.0);
  const double reach = (resampling.mode == "bilinear_pillow" ? 1 : 2) * width;
  std::vector<ResampleTap> taps(static_cast<size_t>(std::ceil(reach)) * 2 + 1);
  for (int64_t i = 0; i < axis.out; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * apart;
    const auto first = static_cast<int64_t>(std::max(centre - reach + 0.5, 0.0));
    const int64_t end = std::min(static_cast<int64_t>(centre + reach + 0.5), axis.padded());
    std::vector<double> shares(taps.size(), 0);
    for (int64_t position = first; position < end; ++position) {
      shares[static_cast<size_t>(position - first)] =
          PillowShare(resampling, (static_cast<double>(position) - centre + 0.5) / width);
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (size_t k = 0; k < taps.size(); ++k) {
      AddTerm(taps[k], axis, first + static_cast<int64_t>(k), static_cast<float>(shares[k] / sum));
    }
  }
  return taps;
}

// Linear with antialiasing: a triangle around the coordinate with a width inverse to the scale, cut
// at the ends of the axis. Its weights are divided by their sum.
std::vector<ResampleTap> TriangleTaps(const Resampling& resampling, const ResampledAxis& axis) {
  const auto reach =
      axis.scale > 1 ? int64_t{2} : static_cast<int64_t>(std::ceil(2.0f / axis.scale));
  std::vector<ResampleTap> taps(static_cast<size_t>(2 * reach + 1));
  for (int64_t i = 0; i < axis.out; ++i) {
    const float x = ResampleCoordinate(axis, resampling.coordinates, i);
    const int64_t first = static_cast<int64_t>(std::round(x)) - reach;
    std::vector<float> shares;
    float sum = 0;
    for (int64_t position = first; position <= first + 2 * reach; ++position) {
      const bool is_inside = position >= 0 && position < axis.padded();
      const float distance = axis.scale * (x - static_cast<float>(position));
      shares.push_back(is_inside ? std::max(0.0f, 1 - std::abs(distance)) : 0.0f);
      sum += shares.back();
    }
    for (size_t k = 0; k < taps.size(); ++k) {
      AddTerm(taps[k], axis, first + static_cast<int64_t>(k), sum == 0 ? 0 : shares[k] / sum);
    }
  }
  return taps;
}

// Rejects axes whose tables would need gigabytes.
bool CheckTables(NodeScope& scope, const Resampling& resampling) {
  const bool filters = resampling.antialias || resampling.mode.ends_with("_pillow");
  for (size_t i = 0; i < resampling.axes.size(); ++i) {
    const ResampledAxis& axis = resampling.axes[i];
    if (axis.stays()) continue;
    if (axis.out > kMaxTable) {
      scope.Fault("axis {} of {} would become {}; must be at most {}", i, axis.in, axis.out,
                  kMaxTable);
      return false;
    }
    if (filters && axis.padded() > kMaxTable / std::max<int64_t>(axis.out, 1)) {
      scope.Fault("axis {} of {} would become {} by a filter; the product must be at most {}", i,
                  axis.padded(), axis.out, kMaxTable);
      return false;
    }
  }
  return true;
}

}  // namespace

bool ResampleTap::moves() const {
  return std::ranges::all_of(weights, [](float weight) { return weight == 1; });
}

std::optional<Resampling> ReadResampling(NodeScope& scope, int opset) {
  Resampling resampling;
  for (const int64_t dim : scope.input_dims(0)) resampling.axes.push_back({.in = dim});
  if (!ReadResamplePads(scope, resampling.axes)) return std::nullopt;
  for (ResampledAxis& axis : resampling.axes) axis.out = axis.padded();
  const std::optional<Dims> listed = ReadListedAxes(scope, opset);
  if (!listed) return std::nullopt;
  resampling.listed = *listed;
  if (opset == 1) {
    ReadFirstResampleModes(scope, resampling);
  } else {
    ReadResampleModes(scope, opset, resampling);
  }
  const bool read = resampling.by_scales ? ReadResampleScales(scope, opset == 4 ? 2 : 1, resampling)
                                         : ReadResampleSizes(scope, resampling);
  if (!read) return std::nullopt;
  // In version 1 linear is linear_onnx, except for data of rank above 4.
  resampling.antialias = resampling.mode == "linear" && (opset != 1 || scope.rank(0) > 4) &&
                         scope.attributes.Bool("antialias", false) && Shrinks(resampling);
  if (!CheckTables(scope, resampling)) return std::nullopt;
  return resampling;
}

namespace {

std::vector<ResampleTap> CoordinateTaps(const Resampling& resampling, const ResampledAxis& axis) {
  const bool nearest = resampling.mode == "nearest", cubic = resampling.mode == "cubic";
  std::vector<ResampleTap> taps(nearest ? 1 : cubic ? 4 : 2);
  for (int64_t i = 0; i < axis.out; ++i) {
    const float x = ResampleCoordinate(axis, resampling.coordinates, i);
    if (nearest) {
      AddTerm(taps[0], axis, NearestPosition(x, resampling.rounding, axis.scale < 1), 1);
    } else if (cubic) {
      const float floor = std::floor(x);
      const std::vector<float> weights = CubicWeights(resampling.cube_coeff, x - floor);
      for (int64_t k = 0; k < 4; ++k) {
        AddTerm(taps[static_cast<size_t>(k)], axis, static_cast<int64_t>(floor) + k - 1,
                weights[static_cast<size_t>(k)]);
      }
    } else {
      const float inside = std::clamp(x, 0.0f, static_cast<float>(axis.padded() - 1));
      const float share = inside - std::floor(inside);
      AddTerm(taps[0], axis, static_cast<int64_t>(inside), 1 - share);
      AddTerm(taps[1], axis, static_cast<int64_t>(inside) + 1, share);
    }
  }
  return taps;
}

}  // namespace

std::vector<ResampleTap> ResampleTaps(const Resampling& resampling, const ResampledAxis& axis) {
  const bool as_pillow = resampling.mode.ends_with("_pillow");
  std::vector<ResampleTap> taps = resampling.antialias ? TriangleTaps(resampling, axis)
                                  : as_pillow          ? PillowTaps(resampling, axis)
                                                       : CoordinateTaps(resampling, axis);
  std::erase_if(taps, [](const ResampleTap& tap) {
    return std::ranges::all_of(tap.weights, [](float weight) { return weight == 0; });
  });
  if (!taps.empty()) return taps;
  const auto out = static_cast<size_t>(axis.out);
  return {{Dims(out, axis.in), std::vector<float>(out, 0.0f)}};
}

}  // namespace weft::ops
