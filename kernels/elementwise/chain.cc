// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/chain.h"

#include <cstring>

#include "kernels/elementwise/chain_groups.h"
#include "kernels/strided_iterator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/chain.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/elementwise/binary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Runs the program on `count` elements; `at` has the address of every operand in the block.
void ChainOfBlock(const ChainShape& shape, const float* const* at, float* registers,
                  size_t register_floats, float* y, size_t count) {
  const ChainInstruction* const end = shape.code + shape.instructions;
  for (const ChainInstruction* i = shape.code; i != end; ++i) {
    float* to = i + 1 == end ? y : registers + i->to * register_floats;
    if (i->op >= kChainBinary) {
      const void* operands[] = {at[i->left], at[i->right]};
      BinaryOfFloats(static_cast<BinaryOp>(i->op - kChainBinary))(operands, to, count);
    } else {
      const float* numbers = shape.numbers + i->right;
      ActivateSpan({numbers[0], numbers[1], 0.0f, static_cast<UnaryOp>(i->op)}, at[i->left], to,
                   count);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(ChainOfBlock);

namespace {

// Registers and staged inputs share these floats; the fewer there are, the longer is a block.
constexpr size_t kBlockFloats = kIsMicrocontroller ? 64 : 2048;
// Blocks are multiples of this many floats, except if rows repeat.
constexpr size_t kLine = kIsMicrocontroller ? 4 : 16;
static_assert(kBlockFloats / kChainRegisters >= kLine, "a block must have at least one line");

// Copies elements that are `stride` apart to contiguous memory.
void Stage(const float* x, size_t stride, size_t count, float* to) {
  if (stride == 0) {
    const float number = *x;
    for (size_t i = 0; i < count; ++i) to[i] = number;
  } else if (stride == 1) {
    std::memcpy(to, x, count * sizeof(float));
  } else {
    for (size_t i = 0; i < count; ++i) to[i] = x[i * stride];
  }
}

// Number of elements of y after which the access to one input repeats: 1 for a single number, a
// row's length for a row.
size_t PeriodOf(const ChainShape& shape, const uint32_t* strides) {
  size_t period = 1, passed = 1;
  for (uint32_t d = shape.rank; d-- > 0;) {
    passed *= shape.dims[d];
    if (strides[d] != 0 && shape.dims[d] != 1) period = passed;
  }
  return period;
}

size_t RowOf(const ChainShape& shape) { return shape.rank == 0 ? 1 : shape.dims[shape.rank - 1]; }

// Provides the inputs of a chain, block by block.
class ChainInputs {
 public:
  // A block has `block` elements, rounded down if rows repeat. Only the inputs `in_rows` are read
  // row by row in place; they have no stages.
  ChainInputs(const ChainShape& shape, const float* const* x, float* stages, size_t block,
              uint8_t in_rows)
      : shape_(shape),
        x_(x),
        stages_(stages),
        stage_floats_(block),
        block_(block),
        in_rows_(in_rows),
        moving_(in_rows),
        row_(RowOf(shape)),
        iterator_(
            shape.rank == 0 ? 0 : shape.rank - 1u, shape.dims,
            {StridesOf(0), StridesOf(1), StridesOf(2), StridesOf(3), StridesOf(4), StridesOf(5)}) {
    for (uint32_t i = 0; i < kChainInputs; ++i) {
      if (!IsStaged(i) || (in_rows >> i & 1) != 0) continue;
      const size_t period = PeriodOf(shape, StridesOf(i));
      // No block is longer than a row if some inputs are read by rows.
      if (period <= block_ && (in_rows == 0 || period <= row_)) {
        // Not 0, because no size is 0. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
        block_ -= block_ % period;
      } else {
        moving_ = static_cast<uint8_t>(moving_ | 1u << i);
      }
    }
  }
  size_t block() const { return block_; }

  // Returns the number of elements of the next block. Long rows are split so that no block contains
  // parts of two rows; contiguous parts of a row need not be staged.
  size_t Next(size_t left) const {
    const size_t whole = left < block_ ? left : block_;
    const size_t in_row = row_ - column_;
    const bool is_cut = in_rows_ != 0 || (moving_ != 0 && 2 * row_ > block_);
    return is_cut && in_row < whole ? in_row : whole;
  }

  // Sets `at` to the addresses of the inputs' next `count` elements, which begin at `first`.
  void Find(size_t first, size_t count, const float** at) {
    for (uint32_t i = 0; i < kChainInputs && first == 0; ++i) at[i] = x_[i];
    for (uint32_t i = 0; i < kChainInputs && first != 0; ++i) {
      if (!IsStaged(i) && x_[i] != nullptr) at[i] = x_[i] + first;
    }
    // Repeating inputs are staged with the first block; no later block is longer.
    const uint8_t staged = first == 0 ? shape_.staged : moving_;
    for (size_t done = 0; staged != 0 && done < count;) {
      const size_t left = count - done, in_row = row_ - column_;
      const size_t piece = left < in_row ? left : in_row;
      float* stage = stages_;
      for (uint32_t i = 0; i < kChainInputs; ++i) {
        if (!IsStaged(i)) continue;
        if ((staged >> i & 1) != 0) {
          const size_t stride = shape_.rank == 0 ? 0 : StridesOf(i)[shape_.rank - 1];
          const float* from = x_[i] + iterator_.offset(i) + column_ * stride;
          const bool is_row = stride == 1 && piece == count;
          if (!is_row) Stage(from, stride, piece, stage + done);
          at[i] = is_row ? from : stage;
        }
        if ((in_rows_ >> i & 1) == 0) stage += stage_floats_;
      }
      done += piece;
      column_ += piece;
      if (column_ == row_) {
        column_ = 0;
        iterator_.Next();
      }
    }
  }

 private:
  bool IsStaged(uint32_t input) const { return (shape_.staged >> input & 1) != 0; }
  // An absent input may have any strides: the first input, which is present, is used instead.
  const uint32_t* StridesOf(uint32_t input) const {
    return shape_.strides + size_t{x_[input] != nullptr ? input : 0} * kChainRank;
  }

  const ChainShape& shape_;
  const float* const* x_;
  float* stages_;
  size_t stage_floats_, block_;
  uint8_t in_rows_, moving_;  // moving: staged inputs that do not repeat
  size_t row_, column_ = 0;
  StridedIterator<uint32_t, kChainInputs> iterator_;
};

uint32_t CountBits(uint8_t bits) {
  uint32_t count = 0;
  for (; bits != 0; bits = static_cast<uint8_t>(bits & (bits - 1))) ++count;
  return count;
}

// More than the size of any block.
constexpr size_t kAnyBlock = size_t{1} << 30;

// Maximum number of elements of a block if the inputs `staged` have stages.
size_t MaxOfBlock(const ChainShape& shape, uint8_t staged) {
  const uint32_t parts = shape.registers + CountBits(staged);
  return parts == 0 ? kAnyBlock : kBlockFloats / parts / kLine * kLine;
}

// Returns the staged inputs that are read in place, row by row: all inputs with contiguous rows, if
// the blocks without their stages are longer, although no block may contain parts of two rows.
uint8_t InputsInRows(const ChainShape& shape) {
  uint8_t in_rows = 0;
  for (uint32_t i = 0; i < kChainInputs && shape.rank != 0; ++i) {
    const bool is_whole = shape.strides[i * kChainRank + shape.rank - 1] == 1;
    if (is_whole) in_rows = static_cast<uint8_t>(in_rows | (shape.staged & 1u << i));
  }
  const size_t row = RowOf(shape),
               max = MaxOfBlock(shape, static_cast<uint8_t>(shape.staged & ~in_rows));
  const size_t blocks_of_row = (row + max - 1) / max;
  return row > MaxOfBlock(shape, shape.staged) * blocks_of_row ? in_rows : 0;
}

}  // namespace

// Chain of other processors is in chain_groups.cc.
#if WEFT_MICROCONTROLLER
void Chain(const ChainShape& shape, const float* const* x, float* y) {
#else
void ChainInBlocks(const ChainShape& shape, const float* const* x, float* y) {
#endif
  if (IsEmpty(shape.dims, shape.rank)) return;
  size_t count = 1;
  for (uint32_t d = 0; d < shape.rank; ++d) count *= shape.dims[d];
  const uint8_t in_rows = InputsInRows(shape);
  size_t max = MaxOfBlock(shape, shape.staged);
  if (in_rows != 0) max = MaxOfBlock(shape, static_cast<uint8_t>(shape.staged & ~in_rows));
  alignas(64) float registers[kBlockFloats];
  ChainInputs inputs(shape, x, registers + shape.registers * max, count < max ? count : max,
                     in_rows);
  const float* at[kChainInputs + kChainRegisters] = {};
  for (uint32_t r = 0; r < shape.registers; ++r) at[kChainInputs + r] = registers + r * max;
  for (uint32_t i = 0; i < shape.constants; ++i) {
    Stage(shape.numbers + i, 0, inputs.block(),
          registers + (shape.registers - shape.constants + i) * max);
  }
  const auto run = HWY_DYNAMIC_DISPATCH(ChainOfBlock);
  for (size_t first = 0, block = 0; first < count; first += block) {
    block = inputs.Next(count - first);
    inputs.Find(first, block, at);
    run(shape, at, registers, max, y + first, block);
  }
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
