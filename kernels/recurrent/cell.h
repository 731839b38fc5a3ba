// SPDX-License-Identifier: Apache-2.0
// What the fused cells, lstm_cell and gru_cell, share: their geometry and the layout of their weights.
#ifndef WEFT_KERNELS_RECURRENT_CELL_H_
#define WEFT_KERNELS_RECURRENT_CELL_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/weights.h"

namespace weft::kernels {

// Units whose gates lie side by side.
inline constexpr uint32_t kCellUnits = 16;

// One row. hidden is a multiple of kCellUnits. backward goes through the units from the last ones to
// the first, which changes no bit: where every other step does, what it reads first was read last and is
// still near.
struct CellShape {
  uint32_t inputs = 0;
  uint32_t hidden = 0;
  bool backward = false;
};

// Layout [hidden / 16][inputs + hidden][gate][16]: the inputs, then the units of the old h.
constexpr size_t CellWeights(uint32_t gates, uint32_t inputs, uint32_t hidden) {
  return size_t{gates} * hidden * (size_t{inputs} + hidden);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_CELL_H_
