// SPDX-License-Identifier: Apache-2.0
// Shared by plain and transposed convolutions: their data and filters, and the conv, depthwise and
// dense steps that they are lowered to. Shape inference has checked the sizes.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_CONVOLVE_H_
#define WEFT_CONVERTER_OPS_SUPPORT_CONVOLVE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/operation.h"
#include "converter/ops/support/window.h"

namespace weft::ops {

inline constexpr size_t kData = 0, kFilters = 1;

// Dims of filters: [groups, out_channels, in_channels, window...], with channels per group. Filters
// without groups have one.
struct Filters {
  int64_t groups = 1, out_channels = 1, in_channels = 1;
  Dims window;
};

// The filters of a convolution. A transposed one exchanges input and output channels.
Filters FiltersOf(const NodeScope& scope);

// Checks data and filters: the same type (f32, or an integer type over one or two spatial axes),
// matching ranks, and filters with elements. Returns true if these hold; else reports errors.
bool CheckDataAndFilters(InferScope& scope, bool grouped);

// The windows of a convolution that is not transposed.
Window ConvolvedWindow(const NodeScope& scope);

// Reports an error if the data does not have the filters' number of input channels.
void CheckInChannels(InferScope& scope, const Filters& filters);

// Returns true if one depthwise step computes the convolution.
inline bool IsDepthwise(const Filters& filters) {
  return filters.groups > 1 && filters.in_channels == 1;
}

// The elements of filters in the order of Filters: known, or computed at run time.
struct FilterWeights {
  std::optional<CodedFloats> known;
  program::ValueId computed = program::kNone;
};

// Input 1 of an f32 convolution.
FilterWeights WeightsOf(LowerScope& scope);

// An f32 convolution over one to three spatial axes; with three, the data is in planes.
struct Convolution {
  int64_t batch;
  Filters filters;
  Window window;
  FilterWeights weights;
  format::MapStrides x_strides = {}, y_strides = {};
  bool is_part = false;  // part of a transposed convolution
};

// Sets data and results to planes.
void SetPlanes(Convolution& node);

// Emits y = conv(x). Weights are packed at conversion; weights that are data are packed by copies
// at run time. A volume is processed as images, one per position of the output's depth.
void EmitConvolution(program::Builder& builder, const Convolution& node, program::ValueId x,
                     program::ValueId y);

// f32 steps accept either layout on each side; depthwise steps need the same on both.
void ConvolutionPermutation(PermuteScope& scope);

// Integer convolution with wrap-around sums: copies the patches of the data into one tensor and
// multiplies it with the filters as data. `weights` has the layout of the filters.
void EmitIntegerConv(program::Builder& builder, int64_t batch, const Filters& filters,
                     Window window, program::ValueId x, program::ValueId weights,
                     program::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_CONVOLVE_H_
