// SPDX-License-Identifier: Apache-2.0
#include "converter/base/scaled_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/matrix/pack.h"
#include "kernels/recurrent/cell.h"

namespace weft {
namespace {

constexpr float kMaxCode8 = 127, kMinCode8 = -128;

ScaledPart PanelPart(size_t weights, size_t inputs) {
  constexpr size_t kWidth = kernels::kPanelOutputs;
  ScaledPart part;
  part.weights = weights;
  part.scales = inputs == 0 ? 0 : weights / inputs;
  for (size_t scale = 0; scale < part.scales; scale += kWidth) {
    part.blocks.push_back({scale * inputs, inputs, kWidth, scale});
  }
  return part;
}

template <typename Cell>
ScaledPart CellPart(const Cell& cell, uint32_t gates) {
  const kernels::CellShape shape = {cell.inputs(), cell.hidden()};
  ScaledPart part;
  part.scales = kernels::CellScales(gates, shape.hidden);
  const auto add = [&](size_t width) {
    for (const uint32_t depth : {shape.inputs, shape.hidden}) {
      if (depth == 0 || width == 0) continue;
      const size_t scale = kernels::CellScaleOf(shape, gates, part.weights);
      part.blocks.push_back({part.weights, depth, width, scale});
      part.weights += depth * width;
    }
  };
  for (uint32_t unit = kernels::kCellUnits; unit <= shape.hidden; unit += kernels::kCellUnits) {
    add(size_t{gates} * kernels::kCellUnits);
  }
  add(kernels::CellRestPanels(gates, shape.hidden) * kernels::kCellUnits);
  return part;
}

bool HasBits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

bool AreMultiples(std::span<const float> weights, float scale, std::vector<int8_t>& codes) {
  if (!std::isnormal(scale)) return false;
  for (size_t i = 0; i < weights.size(); ++i) {
    const float code = std::nearbyint(weights[i] / scale);
    if (!(code >= kMinCode8 && code <= kMaxCode8)) return false;
    codes[i] = static_cast<int8_t>(code);  // -0 becomes 0
    if (!HasBits(static_cast<float>(codes[i]) * scale, weights[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<ScaledPart> ScaledPartsOf(const format::DenseParams& params) {
  return {
      PanelPart(kernels::PackedDenseFloats(params.outputs(), params.inputs()), params.inputs())};
}

std::vector<ScaledPart> ScaledPartsOf(const format::ConvParams& params) {
  const size_t taps = size_t{params.kernel_height()} * params.kernel_width();
  return {PanelPart(
      kernels::PackedConvFloats(params.groups(), params.out_channels(), params.in_channels(),
                                params.kernel_height(), params.kernel_width()),
      params.in_channels() * taps)};
}

std::vector<ScaledPart> ScaledPartsOf(const format::LstmCellParams& params) {
  return {CellPart(params, 4)};
}
std::vector<ScaledPart> ScaledPartsOf(const format::GruCellParams& params) {
  return {CellPart(params, 3)};
}
std::vector<ScaledPart> ScaledPartsOf(const format::GruResetCellParams& params) {
  return {CellPart(params, kernels::kGruResetGates), CellPart(params, 1)};
}

std::optional<IntegerGrid> ExactGridOf(std::span<const float> weights) {
  IntegerGrid row;
  row.integers.resize(weights.size());
  float largest = 0;
  size_t at = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i])) return std::nullopt;
    if (std::fabs(weights[i]) > largest) largest = std::fabs(weights[i]), at = i;
  }
  if (largest == 0) {
    const bool is_zero = std::ranges::all_of(weights, [](float w) { return HasBits(w, 0.0f); });
    return is_zero ? std::optional(row) : std::nullopt;
  }
  // The largest weight is some code times the scale, so the scale is one of the three floats that
  // are nearest to the quotient.
  const float max_code = weights[at] < 0 ? -kMinCode8 : kMaxCode8;
  for (float code = 1; code <= max_code; ++code) {
    const float nearest = largest / code;
    for (const float towards : {nearest, 0.0f, INFINITY}) {
      row.scale = std::nextafter(nearest, towards);
      if (AreMultiples(weights, row.scale, row.integers)) return row;
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::byte>> ScaledMemory(
    std::span<const float> weights, const std::vector<ScaledPart>& parts,
    const std::function<std::optional<IntegerGrid>(std::span<const float>)>& row_of) {
  std::vector<std::byte> memory;
  for (const ScaledPart& part : parts) {
    std::vector<float> scales(part.scales), numbers;
    std::vector<int8_t> codes(part.weights);
    for (const ScaledBlock& block : part.blocks) {
      numbers.resize(block.depth);
      for (size_t i = 0; i < block.width; ++i) {
        const size_t first = block.first + i;
        for (size_t k = 0; k < block.depth; ++k) numbers[k] = weights[first + k * block.width];
        const std::optional<IntegerGrid> row = row_of(numbers);
        if (!row) return std::nullopt;
        scales[block.first_scale + i] = row->scale;
        for (size_t k = 0; k < block.depth; ++k) codes[first + k * block.width] = row->integers[k];
      }
    }
    const auto append = [&](std::span<const std::byte> bytes) {
      memory.insert(memory.end(), bytes.begin(), bytes.end());
    };
    append(std::as_bytes(std::span(scales)));
    append(std::as_bytes(std::span(codes)));
    weights = weights.subspan(part.weights);
  }
  return memory;
}

std::vector<float> WidenScaled(std::span<const std::byte> memory,
                               const std::vector<ScaledPart>& parts) {
  std::vector<float> weights;
  for (const ScaledPart& part : parts) {
    const size_t scale_bytes = part.scales * sizeof(float);
    if (memory.size() < scale_bytes + part.weights) return {};
    std::vector<float> scales(part.scales);
    if (scale_bytes != 0) std::memcpy(scales.data(), memory.data(), scale_bytes);
    const std::span<const std::byte> codes = memory.subspan(scale_bytes);
    const size_t before = weights.size();
    weights.resize(before + part.weights);
    for (const ScaledBlock& block : part.blocks) {
      for (size_t i = 0; i < block.depth * block.width; ++i) {
        const auto code = static_cast<int8_t>(codes[block.first + i]);
        weights[before + block.first + i] = code * scales[block.first_scale + i % block.width];
      }
    }
    memory = codes.subspan(part.weights);
  }
  return weights;
}

}  // namespace weft
