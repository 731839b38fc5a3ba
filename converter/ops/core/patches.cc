// SPDX-License-Identifier: Apache-2.0
// Operations that cut images into patches. Each is one copy with overlapping strides, from the
// image itself or from a zero-padded copy.
#include <algorithm>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/window.h"

namespace weft::ops {
namespace {

bool CheckImage(InferScope& scope) {
  if (scope.rank(0) != 4) {
    scope.Fault("data is {}; must have rank 4", ToString(scope.input_type(0)));
  }
  return HasByteElements(scope, 0) && !scope.failed();
}

// ExtractImagePatches: [N, C, H, W] to [N, kernel H * kernel W * C, out H, out W].

// Reads the attributes; shape inference checks them, with this function or before it.
Window PatchesOf(const NodeScope& scope) {
  constexpr std::string_view kPatchPads[] = {"valid", "same_upper", "same_lower"};
  const std::string pad = scope.attributes.Choice("auto_pad", "valid", kPatchPads);
  Window patches;
  const Dims sizes = scope.attributes.Ints("sizes"), strides = scope.attributes.Ints("strides");
  const Dims rates = scope.attributes.Ints("rates");
  for (size_t i = 0; i < 2; ++i) {
    WindowAxis& axis = patches.axis(i);
    axis = {scope.input_dims(0)[2 + i], sizes[i], strides[i], rates[i]};
    if (pad != "valid") PadToSame(axis, pad == "same_upper");
    axis.out = OutExtent(axis, "floor");
  }
  return patches;
}

void InferPatches(InferScope& scope) {
  for (const std::string_view key : {"sizes", "strides", "rates"}) {
    const Dims numbers = scope.attributes.Ints(key);
    if (numbers.size() == 2 && std::ranges::min(numbers) >= 1) continue;
    scope.Fault("attribute {} is {}; must be two numbers of at least 1", key, ToString(numbers));
  }
  if (!CheckImage(scope)) return;
  const Window patches = PatchesOf(scope);
  const Dims& dims = scope.input_dims(0);
  const int64_t taps = patches.y.kernel * patches.x.kernel;
  scope.SetOutput(0, scope.input_element(0),
                  {dims[0], taps * dims[1], patches.y.out, patches.x.out});
}

void LowerPatches(LowerScope& scope) {
  const program::ValueId y = scope.NewOutput(0);
  Window patches = PatchesOf(scope);
  const Dims& in = scope.input_dims(0);
  const program::ValueId image = Padded(scope.builder, scope.input(0), in[0] * in[1], 0, patches);
  const int64_t row = patches.x.in, plane = patches.y.in * row;
  const Dims dims = {in[0], patches.y.kernel, patches.x.kernel,
                     in[1], patches.y.out,    patches.x.out};
  scope.builder.CopyStrided(image, y, dims,
                            {in[1] * plane, patches.y.dilation * row, patches.x.dilation, plane,
                             patches.y.stride * row, patches.x.stride},
                            0, program::DenseStrides(dims), 0);
}

// ReorgYolo. The elements are viewed as [N, C / stride^2, H * stride, W * stride] and split into
// phases by rows and columns. The result is viewed as [N, C * stride^2, H / stride, W / stride].

void InferReorg(InferScope& scope) {
  const Dims strides = scope.attributes.Ints("stride");
  if (strides.empty() || strides[0] < 1) {
    scope.Fault("attribute stride is {}; must be a number of at least 1", ToString(strides));
  }
  if (!CheckImage(scope)) return;
  const Dims& dims = scope.input_dims(0);
  const int64_t stride = strides[0];
  if (dims[1] % (stride * stride) != 0 || dims[2] % stride != 0 || dims[3] % stride != 0) {
    scope.Fault(
        "data is {}; must have channels that stride {} divides twice and sides that it "
        "divides",
        ToString(scope.input_type(0)), stride);
    return;
  }
  scope.SetOutput(0, scope.input_element(0),
                  {dims[0], dims[1] * stride * stride, dims[2] / stride, dims[3] / stride});
}

void LowerReorg(LowerScope& scope) {
  const program::ValueId y = scope.NewOutput(0);
  const Dims& in = scope.input_dims(0);
  const int64_t stride = scope.attributes.Ints("stride")[0];
  const int64_t row = in[3] * stride, plane = in[2] * stride * row;
  const Dims dims = {in[0], stride, stride, in[1] / (stride * stride), in[2], in[3]};
  scope.builder.CopyStrided(scope.input(0), y, dims,
                            {in[1] * in[2] * in[3], row, 1, plane, stride * row, stride}, 0,
                            program::DenseStrides(dims), 0);
}

void PatchAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "splits time into patches";
}

constexpr Operation kPatchRows[] = {
    {"ExtractImagePatches", 3, 1, 1, InferPatches, LowerPatches, Apart(PatchAxes)},
    {"ReorgYolo", 1, 1, 1, InferReorg, LowerReorg, Apart(PatchAxes)},
};

}  // namespace

std::span<const Operation> PatchOperations() { return kPatchRows; }

}  // namespace weft::ops
