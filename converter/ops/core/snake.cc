// SPDX-License-Identifier: Apache-2.0
// Snake, x + height * sin(slope * x)^2: an internal operation that a pass creates from its
// decomposed form. Slopes and heights have one number per position of one axis of x, or a single
// number.
#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {
namespace {

constexpr size_t kSlopes = 1, kHeights = 2;

// Returns true if the numbers have the rank of x, and extent 1 on all axes except at most one.
bool FitsOneAxis(const Dims& x, const Dims& numbers) {
  if (numbers.size() != x.size()) return false;
  size_t several = 0;
  for (size_t axis = 0; axis < x.size(); ++axis) {
    if (numbers[axis] == 1) continue;
    if (numbers[axis] != x[axis]) return false;
    ++several;
  }
  return several <= 1;
}

void InferSnake(InferScope& scope) {
  CheckElements(scope, std::array<size_t, 3>{0, kSlopes, kHeights}, {ElementType::f32});
  for (const size_t i : {kSlopes, kHeights}) {
    if (FitsOneAxis(scope.input_dims(0), scope.input_dims(i))) continue;
    scope.Fault(
        "input {} ({}) is {} and x is {}; must have extent 1 on all axes of x except at most one",
        i, i == kSlopes ? "slopes" : "heights", ToString(scope.input_type(i)),
        ToString(scope.input_type(0)));
  }
  if (scope.input_dims(kSlopes) != scope.input_dims(kHeights)) {
    scope.Fault("slopes are {} and heights {}; must have equal shapes",
                ToString(scope.input_type(kSlopes)), ToString(scope.input_type(kHeights)));
  }
  scope.SetOutput(0, scope.input_type(0));
}

void LowerSnake(LowerScope& scope) {
  const Dims &dims = scope.input_dims(0), &numbers = scope.input_dims(kSlopes);
  const program::ValueId x = scope.input(0), slopes = scope.input(kSlopes);
  const program::ValueId heights = scope.input(kHeights), y = scope.NewOutput(0);
  const auto found = std::ranges::find_if(numbers, [](int64_t count) { return count != 1; });
  const auto axis = static_cast<size_t>(found - numbers.begin());
  const bool has_one = axis == dims.size();
  const format::SnakeParams params(
      Narrow32(has_one ? 1 : ProductOf(dims, 0, axis), "outer"),
      Narrow32(has_one ? 1 : dims[axis], "channels"),
      Narrow32(ProductOf(dims, has_one ? 0 : axis + 1, dims.size()), "inner"));
  scope.builder.Emit(params, {x, slopes, heights}, {y});
}

constexpr Operation kSnakeRows[] = {
    {"Snake", kPassOnly, 3, 3, InferSnake, LowerSnake, kPointwise},
};

}  // namespace

std::span<const Operation> SnakeOperations() { return kSnakeRows; }

}  // namespace weft::ops
