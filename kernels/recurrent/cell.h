// SPDX-License-Identifier: Apache-2.0
// What the fused cells, lstm_cell, gru_cell and gru_reset_cell, share: their geometry and the
// layout of their weights.
#ifndef WEFT_KERNELS_RECURRENT_CELL_H_
#define WEFT_KERNELS_RECURRENT_CELL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/weights.h"

namespace weft::kernels {

// Units whose gates lie side by side.
inline constexpr uint32_t kCellUnits = 16;

// One row. backward goes through the units from the last ones to
// the first, which changes no bit: where every other step does, what it reads first was read last
// and is still near.
struct CellShape {
  uint32_t inputs = 0;
  uint32_t hidden = 0;
  bool backward = false;
};

// Units that make no whole block lie behind the others: gates * (hidden % 16) weights an
// input, those of a gate side by side, in whole panels of 16.
constexpr uint32_t CellRestPanels(uint32_t gates, uint32_t hidden) {
  return (gates * (hidden % kCellUnits) + kCellUnits - 1) / kCellUnits;
}

// Weights of one input: those of dense with as many outputs.
constexpr uint64_t CellRow(uint32_t gates, uint32_t hidden) {
  return uint64_t{gates} * (hidden - hidden % kCellUnits) +
         CellRestPanels(gates, hidden) * kCellUnits;
}

// Layout [hidden / 16][inputs + hidden][gate][16], then [inputs + hidden][panels of the rest][16]:
// the inputs, then the units of the old h. What fills up a panel is 0.
constexpr uint64_t CellWeights(uint32_t gates, uint32_t inputs, uint32_t hidden) {
  return CellRow(gates, hidden) * (uint64_t{inputs} + hidden);
}

// Where the weight of input `k` (those of x, then the old units) lies.
constexpr uint64_t CellWeightAt(const CellShape& shape, uint32_t gates, uint32_t gate,
                                uint32_t unit, uint64_t k) {
  const uint64_t depth = uint64_t{shape.inputs} + shape.hidden;
  const uint32_t rest = shape.hidden % kCellUnits, whole = shape.hidden - rest;
  if (unit < whole) {
    return ((unit / kCellUnits * depth + k) * gates + gate) * kCellUnits + unit % kCellUnits;
  }
  return depth * gates * whole + k * CellRestPanels(gates, shape.hidden) * kCellUnits +
         gate * rest + unit - whole;
}

// gru_reset_cell: weights of z and r lie side by side, as those of a cell of two gates, and before
// those of the candidate, a cell of one.
inline constexpr uint32_t kGruResetGates = 2;

constexpr uint64_t GruResetWeights(uint32_t inputs, uint32_t hidden) {
  return CellWeights(kGruResetGates, inputs, hidden) + CellWeights(1, inputs, hidden);
}

// As CellWeightAt, of gate z, r or the candidate.
constexpr uint64_t GruResetWeightAt(const CellShape& shape, uint32_t gate, uint32_t unit,
                                    uint64_t k) {
  return gate < kGruResetGates ? CellWeightAt(shape, kGruResetGates, gate, unit, k)
                               : CellWeights(kGruResetGates, shape.inputs, shape.hidden) +
                                     CellWeightAt(shape, 1, 0, unit, k);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_CELL_H_
