// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/chain_groups.h"

#if !WEFT_MICROCONTROLLER

#include <cstring>

#include "kernels/elementwise/chain_part.h"
#include "kernels/strided_iterator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/chain_groups.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/elementwise/binary-inl.h"
#include "kernels/elementwise/chain_group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Number of vectors of a group: 8 fit the registers of every target. A group of single floats is in
// memory, and longer.
inline constexpr size_t kGroup = kLanes == 1 ? 64 : 8;

// Runs parts that are fused on `count` elements.
void RunGroups(const ChainPart* part, const ChainPart* end, const float* const* operands,
               const size_t* steps, size_t count, float* y) {
  size_t at = 0;
  for (; at + kGroup * kLanes <= count; at += kGroup * kLanes) {
    RunGroup<kGroup>(part, end, operands, steps, at, kLanes, y);
  }
  for (; at + kGroup / 4 * kLanes <= count; at += kGroup / 4 * kLanes) {
    RunGroup<kGroup / 4>(part, end, operands, steps, at, kLanes, y);
  }
  for (; at < count; at += kLanes) {
    const size_t lanes = count - at < kLanes ? count - at : kLanes;
    RunGroup<1>(part, end, operands, steps, at, lanes, y);
  }
}

void RunSeparately(const ChainPart& part, const float* const* operands, size_t count, float* to) {
  if (part.op >= kChainBinary) {
    const void* both[] = {operands[part.first], operands[part.other]};
    return BinaryOfFloats(static_cast<BinaryOp>(part.op - kChainBinary))(both, to, count);
  }
  ActivateSpan({part.numbers[0], part.numbers[1], 0.0f, static_cast<UnaryOp>(part.op)},
               operands[part.first], to, count);
}

// Runs the program on `count` elements. Operands are addresses in the block; the step of an operand
// is 0 if it is one number, else 1.
void RunParts(const ChainPart* part, const ChainPart* end, const float* const* operands,
              const size_t* steps, size_t count, float* y) {
  while (part != end) {
    const ChainPart* next = part + 1;
    while (part->is_fused && next != end && next->is_fused) ++next;
    float* const to = next == end ? y : next[-1].to;
    if (part->is_fused) {
      RunGroups(part, next, operands, steps, count, to);
    } else {
      RunSeparately(*part, operands, count, to);
    }
    part = next;
  }
}

// Fills each of `rows` rows with the number at its start in x. Writes up to a vector beyond the
// last row.
void FillRows(const float* x, size_t row_stride, size_t rows, size_t row, float* to) {
  for (size_t r = 0; r < rows; ++r, x += row_stride, to += row) {
    const FloatVec number = Set(*x);
    for (size_t i = 0; i < row; i += kLanes) Store(number, to + i);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(RunParts);
HWY_EXPORT(FillRows);

namespace {

// Registers and stages share these floats; the fewer there are, the longer is a block.
constexpr size_t kBlockFloats = 2048;
// Blocks are multiples of this many floats, except if rows repeat. FillRows writes less than a line
// too much.
constexpr size_t kLine = 16;
constexpr size_t kAllFloats = kBlockFloats + kChainRegisters * kLine;
// More than the size of any block.
constexpr size_t kAnyBlock = size_t{1} << 30;
// Shorter rows are joined to blocks, even if this needs stages.
constexpr size_t kMinRow = 128;
// Up to this many contiguous elements take less time in blocks than the preparation of groups.
constexpr size_t kMaxShort = 64;

using Bits = uint32_t;  // bit o: operand o

uint32_t CountBits(Bits bits) {
  uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

bool IsBinary(const ChainInstruction& i) { return i.op >= kChainBinary; }

bool IsCheap(const ChainInstruction& i) {
  return IsBinary(i) ? IsCheap(static_cast<BinaryOp>(i.op - kChainBinary))
                     : IsCheap(static_cast<UnaryOp>(i.op));
}

Bits ReadsOf(const ChainInstruction& i) {
  return Bits{1} << i.left | (IsBinary(i) ? Bits{1} << i.right : 0);
}

// Copies rows of elements that are `stride` apart to contiguous memory.
void StageRows(const float* x, size_t row_stride, size_t stride, size_t rows, size_t row,
               float* to) {
  if (stride == 0) return HWY_DYNAMIC_DISPATCH(FillRows)(x, row_stride, rows, row, to);
  for (size_t r = 0; r < rows; ++r, x += row_stride, to += row) {
    if (stride == 1) {
      std::memcpy(to, x, row * sizeof(float));
    } else {
      for (size_t i = 0; i < row; ++i) to[i] = x[i * stride];
    }
  }
}

// One call of Chain: the plan for all blocks, then the addresses of the operands in each block.
class ChainRun {
 public:
  ChainRun(const ChainShape& shape, size_t count, const float* const* x, float* buffer)
      : shape_(shape),
        x_(x),
        count_(count),
        row_(shape.rank == 0 ? 1 : shape.dims[shape.rank - 1]) {
    ChooseFused();
    ChooseBlocks();
    PlaceOperands(buffer);
    PrepareParts();
  }

  void Run(float* y) {
    const auto run = HWY_DYNAMIC_DISPATCH(RunParts);
    const ChainPart* const end = parts_ + shape_.instructions;
    size_t row = 0, column = 0;
    for (size_t first = 0, block = 0; first < count_; first += block) {
      block = count_ - first < block_ ? count_ - first : block_;
      if (by_rows_ && block > row_ - column) block = row_ - column;
      for (uint32_t i = 0; i < kChainInputs; ++i) {
        const Bits bit = Bits{1} << i;
        if ((whole_ & bit) != 0) at_[i] = x_[i] + first;
        if ((in_rows_ & bit) != 0) at_[i] = x_[i] + OffsetOf(i, row) + column * InnerStride(i);
        if ((staged_ & bit) != 0 && (first == 0 || (moving_ & bit) != 0)) {
          Stage(i, row, column, block);
        }
      }
      run(parts_, end, at_, steps_, block, y + first);
      if (by_rows_) {
        column = column + block == row_ ? 0 : column + block;
        row += column == 0 ? 1 : 0;
      } else if (moving_ != 0) {
        row += block / row_;
      }
    }
  }

 private:
  // An input's stride along rows, and along the dimension outside of rows.
  size_t InnerStride(uint32_t input) const { return StrideOf(input, 1); }
  size_t StrideOf(uint32_t input, uint32_t from_end) const {
    return shape_.rank < from_end ? 0 : shape_.strides[input * kChainRank + shape_.rank - from_end];
  }
  // Offset of a row of an input.
  size_t OffsetOf(uint32_t input, size_t row) const {
    size_t offset = 0;
    for (uint32_t d = shape_.rank; d > 1; --d) {
      const size_t dim = shape_.dims[d - 2];
      offset += (d == 2 ? row : row % dim) * shape_.strides[input * kChainRank + d - 2];
      if (d != 2) row /= dim;
    }
    return offset;
  }
  // Number of elements of y after which the access to an input repeats: 1 for a single number, a
  // row's length for a row.
  size_t PeriodOf(uint32_t input) const {
    size_t period = 1, passed = 1;
    for (uint32_t d = shape_.rank; d-- > 0;) {
      passed *= shape_.dims[d];
      if (shape_.strides[input * kChainRank + d] != 0 && shape_.dims[d] != 1) period = passed;
    }
    return period;
  }
  // Number of elements of a block with `stages`.
  size_t MaxBlock(uint32_t stages) const {
    const uint32_t all = registers_ + stages;
    return all == 0 ? kAnyBlock : kBlockFloats / all / kLine * kLine;
  }

  bool IsFused(uint32_t instruction) const { return (fused_ >> instruction & 1) != 0; }
  bool IsStored(uint32_t instruction) const { return (stored_ >> instruction & 1) != 0; }
  bool IsReadLater(uint32_t index) const;

  void ChooseFused();
  void ChooseBlocks();
  void PlaceOperands(float* buffer);
  void PrepareParts();
  ChainPart FusedPart(uint32_t index) const;
  void Stage(uint32_t input, size_t row, size_t column, size_t count);

  const ChainShape& shape_;
  const float* const* x_;
  const size_t count_, row_;
  // Instructions: bit i is set if instruction i runs on vectors in registers, or if its result must
  // be in its register's memory.
  uint32_t fused_ = 0, stored_ = 0;
  Bits blocks_ = 0;         // operands of instructions that are not fused
  uint32_t registers_ = 0;  // with memory
  // Disjoint sets of inputs: contiguous, read in rows, and staged. Staged inputs that do not repeat
  // are moving: their stage changes with each block.
  Bits whole_ = 0, in_rows_ = 0, staged_ = 0, moving_ = 0;
  Bits filled_ = 0;   // constants that an instruction needs as a block
  Bits numbers_ = 0;  // operands that are one number during a block
  bool by_rows_ = false;
  size_t block_ = 0, stage_floats_ = 0;
  const float* at_[kChainOperands + 1];
  size_t steps_[kChainOperands + 1];
  ChainPart parts_[kChainInstructions];
};

// A cheap instruction without a cheap neighbour is faster as a loop over a block.
void ChainRun::ChooseFused() {
  const uint32_t count = shape_.instructions;
  uint32_t cheap = 0;
  for (uint32_t i = 0; i < count; ++i) cheap |= uint32_t{IsCheap(shape_.code[i])} << i;
  fused_ = cheap & (cheap << 1 | cheap >> 1);
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsFused(i)) blocks_ |= ReadsOf(shape_.code[i]);
    const bool is_joined = IsFused(i) && i + 1 < count && IsFused(i + 1);
    if (i + 1 < count && (!is_joined || IsReadLater(i))) stored_ |= uint32_t{1} << i;
  }
}

// Returns true if an instruction after the next one reads the result of an instruction.
bool ChainRun::IsReadLater(uint32_t index) const {
  const ChainInstruction* const code = shape_.code;
  const Bits result = Bits{1} << (kChainInputs + code[index].to);
  for (uint32_t i = index + 1; i < shape_.instructions; ++i) {
    if (i != index + 1 && (ReadsOf(code[i]) & result) != 0) return true;
    if (code[i].to == code[index].to) return false;
  }
  return false;
}

// Decides which inputs are staged, and the length of blocks.
void ChainRun::ChooseBlocks() {
  const Bits blocks = blocks_;
  const uint32_t written = uint32_t{shape_.registers} - shape_.constants;
  if (stored_ != 0) registers_ = written;
  const Bits constants = ((Bits{1} << shape_.constants) - 1) << (kChainInputs + written);
  filled_ = constants & blocks;
  numbers_ = constants & ~blocks;
  registers_ += CountBits(filled_);
  Bits rest = 0;
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    const Bits bit = Bits{1} << i;
    if (x_[i] == nullptr) continue;
    if ((shape_.staged & bit) == 0) {
      whole_ |= bit;
    } else if ((blocks & bit) == 0 && PeriodOf(i) == 1) {
      numbers_ |= bit;
    } else {
      rest |= bit;
    }
  }
  block_ = MaxBlock(CountBits(rest));
  stage_floats_ = block_ + kLine;
  if (rest == 0) return;
  bool moves = false;
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    moves = moves || ((rest >> i & 1) != 0 && PeriodOf(i) > block_);
  }
  by_rows_ = row_ >= kMinRow && (moves || 2 * row_ > block_);
  for (uint32_t i = 0; i < kChainInputs && by_rows_; ++i) {
    const Bits bit = Bits{1} << i;
    const bool is_number = (rest & bit) != 0 && (blocks & bit) == 0 && InnerStride(i) == 0;
    if (is_number) numbers_ |= bit;
    if (is_number || ((rest & bit) != 0 && InnerStride(i) == 1)) in_rows_ |= bit;
  }
  staged_ = rest & ~in_rows_;
  if (by_rows_) block_ = MaxBlock(CountBits(staged_));
  stage_floats_ = block_ + kLine;
  if (!by_rows_ && staged_ != 0) block_ -= block_ % row_;
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    if ((staged_ >> i & 1) == 0) continue;
    const size_t period = PeriodOf(i);
    if (by_rows_ || period > block_) {
      moving_ |= Bits{1} << i;
    } else {
      block_ -= block_ % period;  // a multiple of rows, as is a period of more than one number
    }
  }
}

// Provides memory for registers and stages, and sets the addresses that are the same for all
// blocks.
void ChainRun::PlaceOperands(float* buffer) {
  for (uint32_t o = 0; o < kChainOperands; ++o) steps_[o] = (numbers_ >> o & 1) != 0 ? 0 : 1;
  steps_[kNoOperand] = 0;
  const uint32_t written = uint32_t{shape_.registers} - shape_.constants;
  const bool has_written = registers_ > CountBits(filled_);
  at_[kNoOperand] = buffer;
  const auto fill = HWY_DYNAMIC_DISPATCH(FillRows);
  for (uint32_t r = 0; r < shape_.registers; ++r) {
    const uint32_t o = kChainInputs + r;
    const bool is_filled = (filled_ >> o & 1) != 0;
    if (r >= written && !is_filled) {
      at_[o] = shape_.numbers + (r - written);
    } else if (is_filled || has_written) {
      at_[o] = buffer;
      const size_t count = count_ < block_ ? count_ : block_;
      if (is_filled) fill(shape_.numbers + (r - written), 0, 1, count, buffer);
      buffer += stage_floats_;
    }
  }
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    at_[i] = x_[i];
    if ((staged_ >> i & 1) == 0) continue;
    at_[i] = buffer;
    buffer += stage_floats_;
  }
}

ChainPart ChainRun::FusedPart(uint32_t index) const {
  const ChainInstruction& i = shape_.code[index];
  ChainPart part = {};
  part.op = i.op;
  part.is_fused = true;
  part.first = part.other = kNoOperand;
  const bool follows = index != 0 && IsFused(index - 1);
  const uint32_t last = follows ? kChainInputs + uint32_t{shape_.code[index - 1].to} : kNoOperand;
  const auto is_number = [this](uint8_t operand) { return (numbers_ >> operand & 1) != 0; };
  if (i.left != last && (!IsBinary(i) || i.right != last)) {
    part.loads_number = is_number(i.left);
    part.loads = true;
    part.first = i.left;
  }
  if (!IsBinary(i)) return part;
  if (i.left == i.right) {
    part.form = ChainForm::kBoth;
  } else if (i.left == last || part.loads) {
    part.form = is_number(i.right) ? ChainForm::kNumber : ChainForm::kMemory;
    part.other = i.right;
  } else {
    part.form = is_number(i.left) ? ChainForm::kFromNumber : ChainForm::kFromMemory;
    part.other = i.left;
  }
  return part;
}

void ChainRun::PrepareParts() {
  for (uint32_t index = 0; index < shape_.instructions; ++index) {
    const ChainInstruction& i = shape_.code[index];
    ChainPart& part = parts_[index];
    if (IsFused(index)) {
      part = FusedPart(index);
    } else {
      part = {};
      part.op = i.op;
      part.first = i.left;
      part.other = IsBinary(i) ? i.right : kNoOperand;
    }
    if (!IsBinary(i)) part.numbers = shape_.numbers + i.right;
    // A register is in the buffer, which is not constant.
    if (IsStored(index)) part.to = const_cast<float*>(at_[kChainInputs + i.to]);
  }
}

// Copies an input's next `count` elements to its stage: part of a row, or complete rows.
void ChainRun::Stage(uint32_t input, size_t row, size_t column, size_t count) {
  float* to = const_cast<float*>(at_[input]);
  const size_t stride = InnerStride(input);
  if (by_rows_) {
    const float* from = x_[input] + OffsetOf(input, row) + column * stride;
    return StageRows(from, 0, stride, 1, count, to);
  }
  const size_t outer_stride = StrideOf(input, 2);
  const size_t rows_of_plane = shape_.rank < 2 ? 1 : shape_.dims[shape_.rank - 2];
  for (size_t rows = 0, left = count / row_; left != 0; left -= rows, row += rows) {
    const size_t in_plane = rows_of_plane - row % rows_of_plane;
    rows = left < in_plane ? left : in_plane;
    StageRows(x_[input] + OffsetOf(input, row), outer_stride, stride, rows, row_, to);
    to += rows * row_;
  }
}

}  // namespace

void Chain(const ChainShape& shape, const float* const* x, float* y) {
  if (IsEmpty(shape.dims, shape.rank)) return;
  size_t count = 1;
  for (uint32_t d = 0; d < shape.rank; ++d) count *= shape.dims[d];
  if (count <= kMaxShort && shape.staged == 0) return ChainInBlocks(shape, x, y);
  alignas(64) float buffer[kAllFloats];
  ChainRun(shape, count, x, buffer).Run(y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
#endif  // !WEFT_MICROCONTROLLER
