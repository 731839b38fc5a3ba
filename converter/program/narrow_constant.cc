// SPDX-License-Identifier: Apache-2.0
#include "converter/program/narrow_constant.h"

namespace weft::program {

RoundingNoise NoiseOf(std::span<const float> before, std::span<const float> after) {
  RoundingNoise sum;
  for (size_t i = 0; i < before.size(); ++i) {
    const double error = double{after[i]} - before[i];
    if (!std::isfinite(error)) continue;
    sum.signal += double{before[i]} * before[i];
    sum.noise += error * error;
  }
  return sum;
}

LayerWeights WeightsRowOf(const std::vector<const Constant*>& constants) {
  const Constant& first = *constants.front();
  LayerWeights row;
  row.layer = first.readers.front()->layer;
  row.type = first.type.type;
  row.row_bits = first.type.row_bits;
  if (first.precision && first.precision->type == first.type.type) {
    row.row_bits = first.precision->row_bits;
    row.group = first.precision->group;
  }
  RoundingNoise noise;
  for (const Constant* one : constants) {
    row.bytes_before += one->bytes_before;
    row.bytes += one->bytes_now;
    noise.Add(one->noise);
  }
  const bool is_float = first.type == ElementType::f32;
  row.signal_to_noise_db = is_float ? RoundingNoise().decibels() : noise.decibels();
  if (is_float) row.f32_because = first.f32_because;
  return row;
}

}  // namespace weft::program
