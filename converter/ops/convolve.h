// SPDX-License-Identifier: Apache-2.0
// What plain and transposed convolutions share: their data and filters, and the conv, depthwise and
// dense steps that they become. Sizes were checked by shape inference.
#ifndef WEFT_CONVERTER_OPS_CONVOLVE_H_
#define WEFT_CONVERTER_OPS_CONVOLVE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/operation.h"
#include "converter/ops/window.h"

namespace weft::ops {

inline constexpr size_t kData = 0, kFilters = 1;

// Filters as [groups, out_channels, in_channels, window...], channels per group; those without
// groups have one.
struct Filters {
  int64_t groups = 1, out_channels = 1, in_channels = 1;
  Dims window;
};

// The filters of a convolution. A transposed one has its channels the other way round.
Filters FiltersOf(const NodeScope& scope);

// Data and filters are of one type, f32 or over one or two axes integers, and of fitting ranks, and
// the filters have elements; else faults.
bool CheckDataAndFilters(InferScope& scope, bool grouped);

// The windows of a convolution that is none of the transposed.
Window ConvolvedWindow(const NodeScope& scope);

// The data has the channels that the filters take; else a fault.
void CheckInChannels(InferScope& scope, const Filters& filters);

// One depthwise step takes it.
inline bool IsDepthwise(const Filters& filters) {
  return filters.groups > 1 && filters.in_channels == 1;
}

// The elements of filters, in the order of Filters: known, or computed at run time.
struct FilterWeights {
  std::optional<std::vector<float>> known;
  plan::ValueId computed = plan::kNone;
};

// As input 1 of a convolution, of f32, has them.
FilterWeights WeightsOf(LowerScope& scope);

// A convolution of f32 over one to three axes; the data of three are planes.
struct Convolution {
  int64_t batch;
  Filters filters;
  Window window;
  FilterWeights weights;
  format::MapStrides x_strides = {}, y_strides = {};
  bool is_part = false;  // of a transposed one
};

// Data and results in planes.
void SetPlanes(Convolution& node);

// y = x under it. Weights are packed at conversion; where they are data, copies pack them at run
// time. A volume becomes images, one for each place of the output's depth.
void EmitConvolution(plan::Builder& builder, const Convolution& node, plan::ValueId x,
                     plan::ValueId y);

// Steps of f32 take either order on each side; channels one by one need the same on both.
void ConvolutionTurn(TurnScope& scope);

// Of integers, whose sums wrap around: the patches of the data are copied behind each other and
// multiplied by the filters as data. `weights` as the filters are.
void EmitIntegerConv(plan::Builder& builder, int64_t batch, const Filters& filters,
                     const Window& window, plan::ValueId x, plan::ValueId weights, plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CONVOLVE_H_
