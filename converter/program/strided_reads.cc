// SPDX-License-Identifier: Apache-2.0
#include "converter/program/strided_reads.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/window_rows.h"
#include "kernels/matrix/conv_q8.h"

namespace weft::program {
namespace {

using format::ConvQ8Params;
using format::CopyParams;

constexpr int64_t kMinRun = 8;  // minimum number of adjacent elements per inner loop

// The elements that a copy reads, in the order in which it writes them.
struct CopySource {
  Dims dims, strides;
};

// The axes of an operand with their strides.
struct OperandStrides {
  Dims dims, strides;
  // Returns the strides with which the operand reads the source, which has as many elements. The
  // operand must read each element once, in any order of its axes.
  std::optional<Dims> Through(const CopySource& source) const {
    std::vector<size_t> axes;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] != 1) axes.push_back(i);
    }
    std::ranges::sort(axes, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
    Dims sorted, operand_strides;
    for (const size_t axis : axes) {
      sorted.push_back(dims[axis]);
      operand_strides.push_back(strides[axis]);
    }
    if (operand_strides != DenseStrides(sorted) ||
        ElementCount(sorted) != ElementCount(source.dims))
      return std::nullopt;
    const std::optional<Dims> found = StridesOver(source.dims, source.strides, sorted);
    if (!found) return std::nullopt;
    Dims strided(dims.size(), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      strided[axes[i]] = (*found)[i];
    }
    const bool are_neighbours = axes.empty() || found->back() == 1;
    if (!are_neighbours || std::ranges::any_of(strided, [](int64_t s) { return s < 0; }))
      return std::nullopt;
    return strided;
  }
};

template <typename Params>
bool ReadMap(Params& params, const CopySource& source) {
  const format::MapStrides& x = params.x();
  const OperandStrides operand_strides = {
      {params.batch(), params.in_height(), params.in_width(), InputChannels(params)},
      {x.image(), x.row(), x.pixel(), x.channel()}};
  const std::optional<Dims> strides = operand_strides.Through(source);
  if (!strides) return false;
  const auto stride = [&](size_t i) { return Narrow32((*strides)[i], "stride"); };
  params.mutable_x() = format::MapStrides(stride(0), stride(1), stride(2), stride(3));
  return true;
}

template <IsOneOf<format::ConvParams, format::DepthwiseParams, format::DepthwiseQ8Params,
                  format::PoolParams, format::PoolQ8Params>
              Params>
bool ReadFrom(Params& params, size_t input, const CopySource& source) {
  return input == 0 && ReadMap(params, source);
}
bool ReadFrom(ConvQ8Params& params, size_t input, const CopySource& source) {
  const bool is_direct = kernels::ConvQ8IsDirect(params);  // decides the size of scratch
  return input == 0 && ReadMap(params, source) && kernels::ConvQ8IsDirect(params) == is_direct;
}

template <IsOneOf<format::DenseParams, format::DenseQ8Params> Params>
bool ReadFrom(Params& params, size_t input, const CopySource& source) {
  if (input != 0) return false;
  const OperandStrides operand_strides = {{params.rows(), params.inputs()},
                                          {params.x_row_stride(), 1}};
  const std::optional<Dims> strides = operand_strides.Through(source);
  if (!strides || (params.inputs() != 1 && (*strides)[1] != 1)) return false;
  params.mutate_x_row_stride(Narrow32((*strides)[0], "stride"));
  return true;
}

}  // namespace

std::optional<Dims> CommonAxes(Dims a, Dims b) {
  Dims common;
  while (!a.empty() && !b.empty()) {
    const auto [min, max] = std::minmax(a.back(), b.back());
    if (min == 0 || max % min != 0) return std::nullopt;
    common.push_back(min);
    for (Dims* dims : {&a, &b}) {
      dims->back() /= common.back();
      if (dims->back() == 1) dims->pop_back();
    }
  }
  std::ranges::reverse(common);
  const bool is_all = ElementCount(a) == 1 && ElementCount(b) == 1;
  return is_all ? std::optional(common) : std::nullopt;
}

Dims WithoutOnes(Dims dims) {
  std::erase(dims, 1);
  return dims;
}

namespace {

// A traversal of all elements in order, over finer axes; `others` are the strides of other
// operands.
struct Refined {
  Dims dims, strides;
  std::vector<Dims> others;
};
std::optional<Refined> Refine(const Dims& dims, const Dims& strides,
                              const std::vector<Dims>& others, const CopySource& source) {
  if (strides != DenseStrides(dims) || ElementCount(dims) != ElementCount(source.dims))
    return std::nullopt;
  const std::optional<Dims> common = CommonAxes(WithoutOnes(dims), WithoutOnes(source.dims));
  if (!common || common->empty()) return std::nullopt;
  const std::optional<Dims> strided = StridesOver(source.dims, source.strides, *common);
  if (!strided || strided->back() != 1) return std::nullopt;
  Refined refined = {*common, *strided, {}};
  for (const Dims& other : others) {
    const std::optional<Dims> over = StridesOver(dims, other, *common);
    if (!over) return std::nullopt;
    refined.others.push_back(*over);
  }
  return refined;
}

// Writes the numbers to the array, followed by zeros.
template <typename Array>
void Write(Array* array, const Dims& numbers) {
  for (uint16_t i = 0; i < array->size(); ++i) {
    using Number = std::decay_t<decltype(array->Get(i))>;
    array->Mutate(i, i < numbers.size() ? Narrow<Number>(numbers[i], "strides") : Number{0});
  }
}

template <IsOneOf<format::BinaryParams, format::BinaryQ8Params> Params>
bool ReadFrom(Params& params, size_t input, const CopySource& source) {
  const Dims dims = Listed(params.dims(), params.rank());
  const Dims a = Listed(params.a_strides(), params.rank());
  const Dims b = Listed(params.b_strides(), params.rank());
  const std::optional<Refined> refined =
      Refine(dims, input == 0 ? a : b, {input == 0 ? b : a}, source);
  if (!refined || refined->dims.size() > params.dims()->size()) return false;
  if (refined->dims.back() < kMinRun) return false;
  if (std::ranges::any_of(refined->strides, [](int64_t s) { return s < 0; })) return false;
  params.mutate_rank(Narrow32(refined->dims.size(), "rank"));
  Write(params.mutable_dims(), refined->dims);
  Write(params.mutable_a_strides(), input == 0 ? refined->strides : refined->others[0]);
  Write(params.mutable_b_strides(), input == 0 ? refined->others[0] : refined->strides);
  return true;
}

bool ReadFrom(CopyParams& params, size_t, const CopySource& source) {
  const Dims dims = Listed(params.dims(), params.rank());
  const std::optional<Refined> refined =
      Refine(dims, Listed(params.src_strides(), params.rank()),
             {Listed(params.dst_strides(), params.rank())}, source);
  if (!refined || refined->dims.size() > params.dims()->size()) return false;
  if (params.src_offset() != 0) return false;
  int64_t before = 0;  // elements in memory before the one that is read first
  for (size_t i = 0; i < refined->dims.size(); ++i) {
    before += std::max<int64_t>(0, (refined->dims[i] - 1) * -refined->strides[i]);
  }
  params.mutate_src_offset(Narrow32(before, "offset"));
  params.mutate_rank(Narrow32(refined->dims.size(), "rank"));
  Write(params.mutable_dims(), refined->dims);
  Write(params.mutable_src_strides(), refined->strides);
  Write(params.mutable_dst_strides(), refined->others[0]);
  return true;
}

// Overload for steps whose operands have no strides.
template <typename Params>
bool ReadFrom(Params&, size_t, const CopySource&) {
  return false;
}

}  // namespace

std::optional<Step> ReadingThrough(const CopyParams& copy, const Step& step, size_t input) {
  const CopySource source = {Listed(copy.dims(), copy.rank()),
                             Listed(copy.src_strides(), copy.rank())};
  Step reading = step;
  const bool reads =
      std::visit([&](auto& params) { return ReadFrom(params, input, source); }, reading.params);
  return reads ? std::optional(std::move(reading)) : std::nullopt;
}

}  // namespace weft::program
