// SPDX-License-Identifier: Apache-2.0
// Dense layer in integers with 4-bit weights. Inputs are divided into groups with one scale and one
// zero point per output; rows of x become int16 as in dense_i8.h. With q and m as there, t = 0 at
// first, and every float operation rounded separately, for each group g in ascending order
//
//   t[n] = t[n] + (sum_k q[k] * (weights[n,k] - zeros[g,n])) * scales[g,n]    k: inputs of group g
//
// and then
//
//   y[n] = act(t[n] * (m / most) + start[n])
//
// The default of zeros is 8, that of start is 0. Sums are exact and rounded once when converted to
// float: y is bit-identical on every target. `max` is at most MaxForI4 of a group's inputs.
#ifndef WEFT_KERNELS_MATRIX_DENSE_I4_H_
#define WEFT_KERNELS_MATRIX_DENSE_I4_H_

#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/weights.h"

namespace weft::kernels {

// group_blocks is the number of blocks of kInputBlock inputs in a group; 0, or more than there are,
// means all inputs. The last group may be shorter.
struct DenseI4Shape : DenseI8Shape {
  uint32_t group_blocks = 0;
};
// Number of blocks in all inputs and in a group, and number of groups: 32-bit values, because
// boards divide only these without a library call.
constexpr uint32_t BlockCount(uint32_t inputs) {
  return inputs / kInputBlock + (inputs % kInputBlock != 0);
}
constexpr uint32_t GroupBlocks(uint32_t inputs, uint32_t group_blocks) {
  const uint32_t blocks = BlockCount(inputs);
  return group_blocks == 0 || group_blocks > blocks ? blocks : group_blocks;
}
constexpr uint64_t GroupInputs(uint32_t inputs, uint32_t group_blocks) {
  return uint64_t{GroupBlocks(inputs, group_blocks)} * kInputBlock;
}
constexpr uint32_t GroupCount(uint32_t inputs, uint32_t group_blocks) {
  const uint32_t group = GroupBlocks(inputs, group_blocks);
  return group == 0 ? 0 : (BlockCount(inputs) + group - 1) / group;
}

// The maximum `max` for which no sum of a group exceeds the range of int32.
constexpr uint32_t MaxForI4(uint32_t inputs, uint32_t group_blocks) {
  constexpr uint32_t kMaxSum = 0x7FFFFFFF, kMaxWeight = 15;
  const uint32_t group = GroupBlocks(inputs, group_blocks);
  const uint32_t max = group == 0 ? kMaxMax : kMaxSum / kMaxWeight / kInputBlock / group;
  return max < kMaxMax ? max : kMaxMax;
}

// Number of inputs of a panel whose weights are unpacked to bytes at the same time.
inline constexpr uint32_t kUnpackedInputs = 128;

// Size of scratch in int16 elements. Scratch holds the rows as integers, the sum of each of their
// groups, and a part of an unpacked panel.
constexpr uint64_t DenseI4ScratchShorts(uint32_t rows, uint32_t inputs, uint32_t group_blocks) {
  const uint64_t group = GroupInputs(inputs, group_blocks);
  const uint64_t piece = group < kUnpackedInputs ? group : kUnpackedInputs;
  const uint64_t row = PaddedInputs(inputs) + uint64_t{GroupCount(inputs, group_blocks)} * 2;
  return (rows < kDenseI8Rows ? rows : kDenseI8Rows) * row + piece * kPanelOutputs / 2;
}

// Weights as PackDenseU4 lays them out; scales and zeros are [panel][group][16]. Exactly one of
// scales and half_scales is given; zeros may be null. `numbers` begin at a multiple of
// kWeightsAlignment.
struct DenseI4Weights {
  const uint8_t* numbers = nullptr;
  const float* scales = nullptr;
  const F16* half_scales = nullptr;
  const uint8_t* zeros = nullptr;
};

// scratch holds DenseI4ScratchShorts and begins at a multiple of kWeightsAlignment. Otherwise as
// DenseI8.
void DenseI4(const DenseI4Shape& shape, const float* x, const DenseI4Weights& weights,
             const float* start, float* y, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_I4_H_
