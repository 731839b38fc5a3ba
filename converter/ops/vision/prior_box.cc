// SPDX-License-Identifier: Apache-2.0
// PriorBox and PriorBoxClustered: boxes around the centre of each grid cell, and their variances.
// They depend only on two sizes and the attributes, so that the result is a constant.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

struct PriorGrid {
  int64_t height, width, image_height, image_width;
};

std::optional<PriorGrid> ReadPriorGrid(NodeScope& scope) {
  const std::optional<Dims> layer = ControlInts(scope, 0, "layer size", 2);
  const std::optional<Dims> image = ControlInts(scope, 1, "image size", 2);
  if (!layer || !image) return std::nullopt;
  const PriorGrid grid = {(*layer)[0], (*layer)[1], (*image)[0], (*image)[1]};
  if (std::min({grid.height, grid.width, grid.image_height, grid.image_width}) >= 1) return grid;
  scope.Fault("layer is {} and image {}; must be at least 1 in height and width", ToString(*layer),
              ToString(*image));
  return std::nullopt;
}

// A box of each cell, in pixels relative to the centre of the cell.
struct PriorShape {
  float x, y, half_width, half_height;
  bool is_cut;  // clip low corners at 0 and high corners at 1
};

struct PriorSteps {
  float offset, step_y, step_x;  // centre i is at (i + offset) * step
};

struct PriorSet {
  std::vector<PriorShape> shapes;
  PriorSteps steps;
  bool is_clipped;
};

std::array<float, 4> PriorVariances(const NodeScope& scope) {
  const std::vector<float> given = scope.attributes.Floats("variance");
  if (given.size() == 4) return {given[0], given[1], given[2], given[3]};
  const float all = given.empty() ? 0.1f : given[0];
  return {all, all, all, all};
}

std::array<float, 4> PriorCorners(const PriorShape& shape, float x, float y,
                                  const PriorGrid& grid) {
  const float width = 1.0f / static_cast<float>(grid.image_width);
  const float height = 1.0f / static_cast<float>(grid.image_height);
  std::array<float, 4> corners = {
      (x + shape.x - shape.half_width) * width, (y + shape.y - shape.half_height) * height,
      (x + shape.x + shape.half_width) * width, (y + shape.y + shape.half_height) * height};
  if (!shape.is_cut) return corners;
  for (size_t i = 0; i < 2; ++i) {
    corners[i] = std::max(corners[i], 0.0f);
    corners[i + 2] = std::min(corners[i + 2], 1.0f);
  }
  return corners;
}

void LowerPriors(LowerScope& scope, const PriorGrid& grid, const PriorSet& set) {
  std::vector<float> numbers;
  numbers.reserve(static_cast<size_t>(ElementCount(scope.output_type(0).dims).value_or(0)));
  for (int64_t row = 0; row < grid.height; ++row) {
    const float y = (static_cast<float>(row) + set.steps.offset) * set.steps.step_y;
    for (int64_t column = 0; column < grid.width; ++column) {
      const float x = (static_cast<float>(column) + set.steps.offset) * set.steps.step_x;
      for (const PriorShape& shape : set.shapes) {
        for (const float corner : PriorCorners(shape, x, y, grid)) {
          numbers.push_back(set.is_clipped ? std::clamp(corner, 0.0f, 1.0f) : corner);
        }
      }
    }
  }
  const std::array<float, 4> variances = PriorVariances(scope);
  const size_t count = numbers.size();
  for (size_t i = 0; i < count; ++i) numbers.push_back(variances[i % 4]);
  scope.SetOutput(0, scope.builder.WeightsOf(scope.output_type(0), numbers));
}

void SetPriorOutput(InferScope& scope, const PriorGrid& grid, int64_t per_cell) {
  const size_t variances = scope.attributes.Floats("variance").size();
  if (variances != 0 && variances != 1 && variances != 4) {
    scope.Fault("variance has {} numbers; must have none, 1 or 4", variances);
  }
  const std::optional<int64_t> cells = CheckedProduct(grid.height, grid.width);
  const std::optional<int64_t> numbers = CheckedProduct(cells.value_or(0), 4 * per_cell);
  if (!cells || !numbers) {
    return scope.Fault("layer of {} x {} has too many cells; must be at most 2^62 boxes",
                       grid.height, grid.width);
  }
  if (!scope.failed()) scope.SetOutput(0, ElementType::f32, {2, *numbers});
}

// PriorBox

struct PriorAttributes {
  explicit PriorAttributes(const Attributes& given)
      : min_size(given.Floats("min_size")),
        max_size(given.Floats("max_size")),
        ratio(given.Floats("aspect_ratio")),
        density(given.Floats("density")),
        fixed_ratio(given.Floats("fixed_ratio")),
        fixed_size(given.Floats("fixed_size")),
        flip(given.Bool("flip", false)),
        scale_all(given.Bool("scale_all_sizes", true)),
        step(given.Float("step", 0)),
        offset(given.Float("offset", 0)) {}

  std::vector<float> min_size, max_size, ratio, density, fixed_ratio, fixed_size;
  bool flip, scale_all;
  float step, offset;
};

constexpr float kSameRatio = 1e-6f;

// 1, then the given ratios, without duplicates; with flip each is followed by its inverse.
std::vector<float> PriorRatios(const PriorAttributes& given) {
  std::vector<float> ratios = {1};
  for (const float ratio : given.ratio) {
    const auto is_same = [&](float known) { return std::abs(ratio - known) < kSameRatio; };
    if (std::ranges::any_of(ratios, is_same)) continue;
    ratios.push_back(ratio);
    if (given.flip) ratios.push_back(1 / ratio);
  }
  return ratios;
}

// The number of boxes according to OpenVINO's shape rule, which may differ from the boxes computed.
int64_t DeclaredPriors(const PriorAttributes& given) {
  const auto rounded = [](double ratio) { return std::round(ratio * 1e6) / 1e6; };
  std::set<double> ratios = {1};
  for (const float ratio : given.ratio) {
    ratios.insert(rounded(ratio));
    if (given.flip) ratios.insert(rounded(1.0 / ratio));
  }
  const int64_t count = std::ssize(ratios);
  int64_t priors = given.scale_all ? count * std::ssize(given.min_size) + std::ssize(given.max_size)
                                   : count + std::ssize(given.min_size) - 1;
  if (!given.fixed_size.empty()) priors = count * std::ssize(given.fixed_size);
  for (const float density : given.density) {
    const auto rows = static_cast<int64_t>(density);
    const int64_t of_each = given.fixed_ratio.empty() ? count : std::ssize(given.fixed_ratio);
    priors += of_each * (rows * rows - 1);
  }
  return priors;
}

class PriorShapes {
 public:
  PriorShapes(const PriorAttributes& given, float scale, bool max_first)
      : given_(given), ratios_(PriorRatios(given)), scale_(scale), max_first_(max_first) {}

  std::vector<PriorShape> All() {
    for (size_t i = 0; i < given_.fixed_size.size(); ++i) AddFixed(i);
    for (size_t i = 0; i < given_.min_size.size(); ++i) AddSized(i);
    return std::move(shapes_);
  }

 private:
  static bool IsOne(float ratio) { return std::abs(ratio - 1) < kSameRatio; }

  void AddAround(float width, float height) {
    shapes_.push_back({0, 0, width * 0.5f, height * 0.5f, false});
  }

  // Adds a grid of density x density boxes of equal size.
  void AddGrid(size_t i, float half_width, float half_height) {
    const auto density = static_cast<int64_t>(given_.density[i]);
    const float shift = std::trunc(given_.fixed_size[i] / static_cast<float>(density));
    const auto whole_half = static_cast<float>(static_cast<int64_t>(given_.fixed_size[i]) / 2);
    const float first = shift / 2 - whole_half;
    for (int64_t row = 0; row < density; ++row) {
      for (int64_t column = 0; column < density; ++column) {
        shapes_.push_back({first + static_cast<float>(column) * shift,
                           first + static_cast<float>(row) * shift, half_width, half_height, true});
      }
    }
  }

  void AddFixed(size_t i) {
    const float half = given_.fixed_size[i] * 0.5f;
    const float whole_half = std::trunc(given_.fixed_size[i]) * 0.5f;
    const bool has_own = !given_.fixed_ratio.empty();
    if (!has_own) AddGrid(i, whole_half, whole_half);
    for (const float ratio : has_own ? given_.fixed_ratio : ratios_) {
      if (has_own || !IsOne(ratio)) AddGrid(i, half * std::sqrt(ratio), half / std::sqrt(ratio));
    }
  }

  void AddRatios(float size) {
    for (const float ratio : ratios_) {
      if (!IsOne(ratio)) AddAround(size * std::sqrt(ratio), size / std::sqrt(ratio));
    }
  }

  void AddSized(size_t i) {
    const float size = given_.min_size[i] * scale_;
    const auto add_largest = [&] {
      if (i >= given_.max_size.size()) return;
      const float side = std::sqrt(size * given_.max_size[i]);
      AddAround(side, side);
    };
    AddAround(size, size);
    if (max_first_) add_largest();
    if (given_.scale_all) {
      AddRatios(size);
    } else if (i + 1 == given_.min_size.size()) {
      AddRatios(given_.min_size[0] * scale_);
    }
    if (!max_first_) add_largest();
  }

  const PriorAttributes& given_;
  const std::vector<float> ratios_;
  const float scale_;
  const bool max_first_;
  std::vector<PriorShape> shapes_;
};

template <bool has_order>
PriorSet PriorsOf(const NodeScope& scope, const PriorGrid& grid) {
  const PriorAttributes given(scope.attributes);
  const bool max_first = !has_order || scope.attributes.Bool("min_max_aspect_ratios_order", true);
  const auto image_height = static_cast<float>(grid.image_height);
  float step = given.step;
  if (!given.scale_all) {  // steps are fractions of the image height
    step = step == -1 ? image_height / static_cast<float>(grid.height) : step * image_height;
  }
  PriorSteps steps = {given.offset, step, step};
  if (step == 0) {
    steps = {0.5f, image_height / static_cast<float>(grid.height),
             static_cast<float>(grid.image_width) / static_cast<float>(grid.width)};
  }
  PriorShapes shapes(given, given.scale_all ? 1 : image_height, max_first);
  return {shapes.All(), steps, scope.attributes.Bool("clip", false)};
}

struct PriorRange {
  float low, high;
};

void CheckPriorNumbers(InferScope& scope, std::string_view what, const std::vector<float>& numbers,
                       const PriorRange& range) {
  const auto fits = [&](float number) { return number >= range.low && number <= range.high; };
  if (std::ranges::all_of(numbers, fits)) return;
  scope.Fault("{} has a number out of range; must be from {} to {}", what, range.low, range.high);
}

bool CheckPriors(InferScope& scope) {
  const PriorAttributes given(scope.attributes);
  constexpr PriorRange kSizes = {0, 1e6f}, kRatios = {kSameRatio, 1e6f}, kDensities = {1, 256};
  CheckPriorNumbers(scope, "min_size", given.min_size, kSizes);
  CheckPriorNumbers(scope, "max_size", given.max_size, kSizes);
  CheckPriorNumbers(scope, "fixed_size", given.fixed_size, kSizes);
  CheckPriorNumbers(scope, "aspect_ratio", given.ratio, kRatios);
  CheckPriorNumbers(scope, "fixed_ratio", given.fixed_ratio, kRatios);
  CheckPriorNumbers(scope, "density", given.density, kDensities);
  if (!given.fixed_size.empty() && given.fixed_size.size() != given.density.size()) {
    scope.Fault("density has {} numbers and fixed_size {}; must be equal", given.density.size(),
                given.fixed_size.size());
  }
  return !scope.failed();
}

template <bool has_order>
void InferPriorBox(InferScope& scope) {
  const std::optional<PriorGrid> grid = ReadPriorGrid(scope);
  if (!CheckPriors(scope) || !grid) return;
  const int64_t declared = DeclaredPriors(PriorAttributes(scope.attributes));
  SetPriorOutput(scope, *grid, declared);
  if (scope.failed()) return;  // too many boxes to compute
  const int64_t count = std::ssize(PriorsOf<has_order>(scope, *grid).shapes);
  if (declared == count) return;
  scope.Fault("sizes and ratios define {} boxes per cell and the output has {}; both must be equal",
              count, declared);
}

template <bool has_order>
void LowerPriorBox(LowerScope& scope) {
  const PriorGrid grid = ReadPriorGrid(scope).value();
  LowerPriors(scope, grid, PriorsOf<has_order>(scope, grid));
}

// PriorBoxClustered

PriorSet ClusteredPriorsOf(const NodeScope& scope, const PriorGrid& grid) {
  const Attributes& given = scope.attributes;
  const std::vector<float> widths = given.Floats("width"), heights = given.Floats("height");
  const float step = given.Float("step", 0);
  const float step_x = given.Float("step_w", 0), step_y = given.Float("step_h", 0);
  PriorSteps steps = {given.Float("offset", 0), step_y == 0 ? step : step_y,
                      step_x == 0 ? step : step_x};
  if (steps.step_x == 0 && steps.step_y == 0) {
    steps.step_x = static_cast<float>(grid.image_width) / static_cast<float>(grid.width);
    steps.step_y = static_cast<float>(grid.image_height) / static_cast<float>(grid.height);
  }
  std::vector<PriorShape> shapes;
  for (size_t i = 0; i < widths.size(); ++i) {
    shapes.push_back({0, 0, widths[i] * 0.5f, heights[i] * 0.5f, false});
  }
  return {std::move(shapes), steps, given.Bool("clip", true)};
}

void InferClustered(InferScope& scope) {
  const std::optional<PriorGrid> grid = ReadPriorGrid(scope);
  const size_t widths = scope.attributes.Floats("width").size();
  const size_t heights = scope.attributes.Floats("height").size();
  if (widths != heights) {
    scope.Fault("width has {} numbers and height {}; must be equal", widths, heights);
  }
  if (grid && !scope.failed()) SetPriorOutput(scope, *grid, static_cast<int64_t>(widths));
}

void LowerClustered(LowerScope& scope) {
  const PriorGrid grid = ReadPriorGrid(scope).value();
  LowerPriors(scope, grid, ClusteredPriorsOf(scope, grid));
}

constexpr Traits kPriors = {.steering = Steering::kShape};

constexpr Operation kPriorRows[] = {
    {"PriorBox", 1, 2, 2, InferPriorBox<false>, LowerPriorBox<false>, kPriors},
    {"PriorBox", 8, 2, 2, InferPriorBox<true>, LowerPriorBox<true>, kPriors},
    {"PriorBoxClustered", 1, 2, 2, InferClustered, LowerClustered, kPriors},
};

}  // namespace

std::span<const Operation> PriorOperations() { return kPriorRows; }

}  // namespace weft::ops
