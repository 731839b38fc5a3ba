// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/broadcast.h"

#include "kernels/walk.h"

namespace weft::kernels {
namespace {

constexpr size_t kStageBytes = kIsMicrocontroller ? 64 : 256;

template <typename T>
void StageAs(const void* x, size_t stride, size_t count, void* stage) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(stage);
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

// One run along the innermost dimension.
struct Run {
  const unsigned char* x[kMaxBroadcastOperands];
  size_t strides[kMaxBroadcastOperands];
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
      const size_t stride = run.strides[o];
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

}  // namespace

void ForBlocks(uint32_t rank, const uint32_t* dims, const BroadcastOperand* operands,
               uint32_t operand_count, void* y, uint32_t y_element_bytes, BlockFunction function) {
  if (IsEmpty(dims, rank)) return;
  const uint32_t outer_rank = rank == 0 ? 0 : rank - 1;
  Run run = {};
  run.operand_count = operand_count;
  run.count = rank == 0 ? 1 : dims[outer_rank];
  run.block_count = run.count;
  const uint32_t* strides[kMaxBroadcastOperands];
  for (uint32_t o = 0; o < kMaxBroadcastOperands; ++o) {
    strides[o] = operands[o < operand_count ? o : 0].strides;
    if (o >= operand_count) continue;
    run.element_bytes[o] = operands[o].element_bytes;
    run.strides[o] = rank == 0 ? 1 : strides[o][outer_rank];
    const size_t staged_count = kStageBytes / operands[o].element_bytes;
    if (run.strides[o] != 1 && run.block_count > staged_count) run.block_count = staged_count;
  }
  Walk<uint32_t, kMaxBroadcastOperands> walk(outer_rank, dims, strides);
  unsigned char* y_run = static_cast<unsigned char*>(y);
  do {
    for (uint32_t o = 0; o < operand_count; ++o) {
      run.x[o] = static_cast<const unsigned char*>(operands[o].data) +
                 walk.offset(o) * static_cast<ptrdiff_t>(run.element_bytes[o]);
    }
    DoRun(run, y_run, y_element_bytes, function);
    y_run += run.count * y_element_bytes;
  } while (walk.Next());
}

}  // namespace weft::kernels
