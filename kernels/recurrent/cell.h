// SPDX-License-Identifier: Apache-2.0
// Geometry and weight layout of the fused cells: lstm_cell, gru_cell and gru_reset_cell.
#ifndef WEFT_KERNELS_RECURRENT_CELL_H_
#define WEFT_KERNELS_RECURRENT_CELL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/weights.h"

namespace weft::kernels {

// Units per block; the gates of a block are adjacent.
inline constexpr uint32_t kCellUnits = 16;

// One row. With `backward` the blocks of units are computed in descending order. The results are
// bit-identical; if every other step is backward, it first reads the weights that the previous step
// read last, which are still in the cache.
struct CellShape {
  uint32_t inputs = 0;
  uint32_t hidden = 0;
  bool backward = false;
};

// The remaining units, which do not fill a block, are stored after the blocks: per input gates *
// (hidden % 16) weights, gate by gate, padded to full panels of 16.
constexpr uint32_t CellRestPanels(uint32_t gates, uint32_t hidden) {
  return (gates * (hidden % kCellUnits) + kCellUnits - 1) / kCellUnits;
}

// Number of weights per input: the same as for dense with as many outputs.
constexpr uint64_t CellRow(uint32_t gates, uint32_t hidden) {
  return uint64_t{gates} * (hidden - hidden % kCellUnits) +
         uint64_t{CellRestPanels(gates, hidden)} * kCellUnits;
}

// Layout [hidden / 16][inputs + hidden][gate][16], then [inputs + hidden][panels of the rest][16].
// The inputs come first, then the units of the old h. Panels are padded with 0.
constexpr uint64_t CellWeights(uint32_t gates, uint32_t inputs, uint32_t hidden) {
  return CellRow(gates, hidden) * (uint64_t{inputs} + hidden);
}

// Weights with scales have two rows of them, of the inputs and of the old units, before all codes.
constexpr uint64_t CellScales(uint32_t gates, uint32_t hidden) {
  return 2 * CellRow(gates, hidden);
}

// Index of the weight of input `k` (inputs of x, then the old units).
constexpr uint64_t CellWeightAt(const CellShape& shape, uint32_t gates, uint32_t gate,
                                uint32_t unit, uint64_t k) {
  const uint64_t depth = uint64_t{shape.inputs} + shape.hidden;
  const uint32_t rest = shape.hidden % kCellUnits, whole = shape.hidden - rest;
  if (unit < whole) {
    return ((unit / kCellUnits * depth + k) * gates + gate) * kCellUnits + unit % kCellUnits;
  }
  return depth * gates * whole + k * CellRestPanels(gates, shape.hidden) * kCellUnits +
         uint64_t{gate} * rest + unit - whole;
}

// Index of the scale of weight `i`. A row of scales has the order of the weights of one input.
constexpr uint64_t CellScaleOf(const CellShape& shape, uint32_t gates, uint64_t i) {
  const uint64_t depth = uint64_t{shape.inputs} + shape.hidden;
  const uint64_t whole = uint64_t{gates} * (shape.hidden - shape.hidden % kCellUnits);
  const bool is_rest = i >= depth * whole;
  const uint64_t from = is_rest ? depth * whole : 0;
  const uint64_t width =
      is_rest ? CellRow(gates, shape.hidden) - whole : uint64_t{gates} * kCellUnits;
  const uint64_t block = (i - from) / (depth * width), k = (i - from) / width % depth;
  const uint64_t output = (is_rest ? whole : block * width) + (i - from) % width;
  return k < shape.inputs ? output : CellRow(gates, shape.hidden) + output;
}

// gru_reset_cell: weights of z and r, as of a cell with two gates, are followed by those of the
// candidate, as of a cell with one gate. Scales precede the weights of each.
inline constexpr uint32_t kGruResetGates = 2;

constexpr uint64_t GruResetWeights(uint32_t inputs, uint32_t hidden) {
  return CellWeights(kGruResetGates, inputs, hidden) + CellWeights(1, inputs, hidden);
}

// As CellWeightAt, for gate z, r or the candidate.
constexpr uint64_t GruResetWeightAt(const CellShape& shape, uint32_t gate, uint32_t unit,
                                    uint64_t k) {
  return gate < kGruResetGates ? CellWeightAt(shape, kGruResetGates, gate, unit, k)
                               : CellWeights(kGruResetGates, shape.inputs, shape.hidden) +
                                     CellWeightAt(shape, 1, 0, unit, k);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_CELL_H_
