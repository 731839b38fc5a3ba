// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/broadcast.h"

#include "kernels/elementwise/map_elements.h"
#include "kernels/strided_iterator.h"

namespace weft::kernels {
namespace {

constexpr size_t kStageBytes = kIsMicrocontroller ? 64 : 1024;

template <typename T>
void StageAs(const void* x, size_t stride, size_t count, void* stage) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(stage);
  if (!kIsMicrocontroller && stride == 0) {
    return MapElements([value = *from] { return value; }, count, to);
  }
  for (size_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

// Copies `count` elements, `stride` elements apart, into `stage`.
void Stage(const void* x, size_t stride, size_t count, uint32_t element_bytes, void* stage) {
  switch (element_bytes) {
    case 1:
      return StageAs<Raw<uint8_t>>(x, stride, count, stage);
    case 2:
      return StageAs<Raw<uint16_t>>(x, stride, count, stage);
    case 4:
      return StageAs<Raw<uint32_t>>(x, stride, count, stage);
    default:
      return StageAs<Raw<uint64_t>>(x, stride, count, stage);
  }
}

// One run along the innermost dimension, or along the two innermost ones if the rows are short. In
// the second case some operands have one row that is repeated for all of them.
struct Run {
  const unsigned char* x[kMaxBroadcastOperands];
  size_t strides[kMaxBroadcastOperands];
  size_t repeated_rows[kMaxBroadcastOperands];  // their length; 0: not repeated
  uint32_t element_bytes[kMaxBroadcastOperands];
  uint32_t operand_count;
  size_t count;
  size_t block_count;
};

void DoRun(const Run& run, unsigned char* y, uint32_t y_element_bytes, BlockFunction function) {
  alignas(64) unsigned char stages[kMaxBroadcastOperands][kStageBytes];
  for (size_t first = 0; first < run.count; first += run.block_count) {
    const size_t left = run.count - first;
    const size_t count = left < run.block_count ? left : run.block_count;
    const void* blocks[kMaxBroadcastOperands] = {};
    for (uint32_t o = 0; o < run.operand_count; ++o) {
      const size_t stride = run.strides[o], row = run.repeated_rows[o];
      if (row != 0) {
        const size_t row_bytes = row * run.element_bytes[o];
        for (size_t at = 0; first == 0 && at < count; at += row) {
          Stage(run.x[o], stride, row, run.element_bytes[o], stages[o] + at / row * row_bytes);
        }
        blocks[o] = stages[o];
        continue;
      }
      const unsigned char* x = run.x[o] + first * stride * run.element_bytes[o];
      if (stride == 1) {
        blocks[o] = x;
      } else {
        // A repeated element is staged once: later blocks are no longer than the first.
        if (stride != 0 || first == 0) Stage(x, stride, count, run.element_bytes[o], stages[o]);
        blocks[o] = stages[o];
      }
    }
    function(blocks, y + first * y_element_bytes, count);
  }
}

// Returns true if the rows of the two innermost dimensions can be one run: for example
// channels-last values and one number per channel. False on microcontrollers, where code size
// matters and vectors are no longer than most rows.
bool HasRepeatedRows(uint32_t rank, const uint32_t* dims, const BroadcastOperand* operands,
                     uint32_t operand_count) {
  if (kIsMicrocontroller || rank < 2) return false;
  const size_t row = dims[rank - 1];
  bool repeats = false;
  for (uint32_t o = 0; o < operand_count; ++o) {
    const size_t inner = operands[o].strides[rank - 1], outer = operands[o].strides[rank - 2];
    const bool is_repeated = outer == 0 && inner <= 1;
    if (!is_repeated && (inner != 1 || outer != row)) return false;
    if (is_repeated && 2 * row * operands[o].element_bytes > kStageBytes) return false;
    repeats = repeats || is_repeated;
  }
  return repeats;
}

// For an iteration space that is not empty.
void ForRuns(uint32_t rank, const uint32_t* dims, const BroadcastOperand* operands,
             uint32_t operand_count, void* y, uint32_t y_element_bytes, BlockFunction function) {
  const bool joins_rows = HasRepeatedRows(rank, dims, operands, operand_count);
  const uint32_t outer_rank = rank == 0 ? 0 : rank - (joins_rows ? 2 : 1);
  const size_t row = rank == 0 ? 1 : dims[rank - 1];
  Run run = {};
  run.operand_count = operand_count;
  run.count = joins_rows ? row * dims[outer_rank] : row;
  run.block_count = run.count;
  const uint32_t* strides[kMaxBroadcastOperands];
  for (uint32_t o = 0; o < kMaxBroadcastOperands; ++o) {
    strides[o] = operands[o < operand_count ? o : 0].strides;
    if (o >= operand_count) continue;
    run.element_bytes[o] = operands[o].element_bytes;
    run.strides[o] = rank == 0 ? 1 : strides[o][rank - 1];
    const bool is_repeated = joins_rows && strides[o][outer_rank] == 0;
    run.repeated_rows[o] = is_repeated ? row : 0;
    size_t staged_count = kStageBytes / operands[o].element_bytes;
    if (is_repeated) staged_count -= staged_count % row;
    const bool is_staged = is_repeated || run.strides[o] != 1;
    if (is_staged && run.block_count > staged_count) run.block_count = staged_count;
  }
  StridedIterator<uint32_t, kMaxBroadcastOperands> iterator(outer_rank, dims, strides);
  unsigned char* y_run = static_cast<unsigned char*>(y);
  do {
    for (uint32_t o = 0; o < operand_count; ++o) {
      run.x[o] = static_cast<const unsigned char*>(operands[o].data) +
                 iterator.offset(o) * static_cast<ptrdiff_t>(run.element_bytes[o]);
    }
    DoRun(run, y_run, y_element_bytes, function);
    y_run += run.count * y_element_bytes;
  } while (iterator.Next());
}

}  // namespace

void ForBlocks(uint32_t rank, const uint32_t* dims, const BroadcastOperand* operands,
               uint32_t operand_count, void* y, uint32_t y_element_bytes, BlockFunction function) {
  if (IsEmpty(dims, rank)) return;
  ForRuns(rank, dims, operands, operand_count, y, y_element_bytes, function);
}

}  // namespace weft::kernels
