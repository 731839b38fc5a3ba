// SPDX-License-Identifier: Apache-2.0
// What plain and transposed convolutions share: their data and filters, and the conv, depthwise and
// dense steps that they become. Sizes were checked by shape inference.
#ifndef WEFT_CONVERTER_OPS_CONVOLVE_H_
#define WEFT_CONVERTER_OPS_CONVOLVE_H_

#include <cstdint>
#include <initializer_list>

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

// Data and filters are of one type among `allowed` and of fitting ranks, and the filters have
// elements; else faults.
bool CheckDataAndFilters(InferScope& scope, bool grouped,
                         std::initializer_list<ElementType> allowed = {ElementType::f32});

// The data has the channels that the filters take; else a fault.
void CheckInChannels(InferScope& scope, const Filters& filters);

// One depthwise step takes it.
inline bool IsDepthwise(const Filters& filters) {
  return filters.groups > 1 && filters.in_channels == 1;
}
// `weights` as the filters are.
void EmitDepthwise(plan::Builder& builder, int64_t batch, const Filters& filters,
                   const Window& window, plan::ValueId x, plan::ValueId weights, plan::ValueId y);

// Of integers, whose sums wrap around: the patches of the data are copied behind each other and
// multiplied by the filters as data. `weights` as the filters are.
void EmitIntegerConv(plan::Builder& builder, int64_t batch, const Filters& filters,
                     const Window& window, plan::ValueId x, plan::ValueId weights, plan::ValueId y);

format::ConvParams ConvParamsOf(int64_t batch, const Filters& filters, const Window& window);
// `weights` are packed. One window that covers everything is a dense layer over the same panels.
void EmitConv(plan::Builder& builder, const format::ConvParams& params, plan::ValueId x,
              plan::ValueId weights, plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CONVOLVE_H_
