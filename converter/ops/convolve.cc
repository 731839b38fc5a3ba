// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/convolve.h"

#include "converter/base/narrow.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/packed.h"

namespace weft::ops {

Filters FiltersOf(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(kFilters);
  const bool grouped = scope.rank(kFilters) > scope.rank(kData);
  const size_t first = grouped ? 1 : 0;
  return {grouped ? dims[0] : 1, dims[first], dims[first + 1],
          Dims(dims.begin() + static_cast<std::ptrdiff_t>(first) + 2, dims.end())};
}

bool CheckDataAndFilters(InferScope& scope, bool grouped,
                         std::initializer_list<ElementType> allowed) {
  constexpr size_t kDataAndFilters[] = {kData, kFilters};
  CheckElements(scope, kDataAndFilters, allowed);
  const int64_t rank = scope.rank(kData), filter_rank = rank + (grouped ? 1 : 0);
  if (rank < 3 || scope.rank(kFilters) != filter_rank) {
    scope.Fault("data is {} and filters are {}; must have ranks 3 and {}, 4 and {}, or 5 and {}",
                ToString(scope.input_type(kData)), ToString(scope.input_type(kFilters)),
                grouped ? 4 : 3, grouped ? 5 : 4, grouped ? 6 : 5);
    return false;
  }
  if (ElementCount(scope.input_dims(kFilters)) != 0) return true;
  scope.Fault("filters are {}; no dimension may be 0", ToString(scope.input_type(kFilters)));
  return false;
}

void CheckInChannels(InferScope& scope, const Filters& filters) {
  const int64_t channels = scope.input_dims(kData)[1];
  if (channels == filters.groups * filters.in_channels) return;
  scope.Fault("data has {} channels and filters take {}; both must be equal", channels,
              filters.groups * filters.in_channels);
}

void EmitDepthwise(plan::Builder& builder, int64_t batch, const Filters& filters,
                   const Window& window, plan::ValueId x, plan::ValueId weights, plan::ValueId y) {
  format::DepthwiseParams params;
  params.mutate_batch(Narrow32(batch, "batch"));
  params.mutate_channels(Narrow32(filters.groups * filters.out_channels, "channels"));
  params.mutate_multiplier(Narrow32(filters.out_channels, "multiplier"));
  WriteWindow(params, window);
  builder.Emit(params, {x, weights, plan::kNone}, {y});
}

format::ConvParams ConvParamsOf(int64_t batch, const Filters& filters, const Window& window) {
  format::ConvParams params;
  params.mutate_batch(Narrow32(batch, "batch"));
  params.mutate_groups(Narrow32(filters.groups, "groups"));
  params.mutate_in_channels(Narrow32(filters.in_channels, "in channels"));
  params.mutate_out_channels(Narrow32(filters.out_channels, "out channels"));
  WriteWindow(params, window);
  return params;
}

void EmitConv(plan::Builder& builder, const format::ConvParams& params, plan::ValueId x,
              plan::ValueId weights, plan::ValueId y) {
  const bool covers_height = params.kernel_height() == params.in_height() &&
                             params.out_height() == 1 && params.pad_top() == 0;
  const bool covers_width = params.kernel_width() == params.in_width() && params.out_width() == 1 &&
                            params.pad_left() == 0;
  if (params.groups() == 1 && covers_height && covers_width) {
    const int64_t inputs = int64_t{params.in_channels()} * params.in_height() * params.in_width();
    return EmitDense(builder, params.batch(), inputs, params.out_channels(), x, weights, y);
  }
  builder.Emit(params, {x, weights, plan::kNone}, {y});
}

}  // namespace weft::ops
