// SPDX-License-Identifier: Apache-2.0
// Reference kernel for chain, to be matched bit for bit. Each instruction is a separate `unary` or
// `binary` step over all elements, with intermediate results in memory. These steps have their own
// references.
#ifndef WEFT_KERNELS_REFERENCE_CHAIN_H_
#define WEFT_KERNELS_REFERENCE_CHAIN_H_

#include <vector>

#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/chain.h"
#include "kernels/elementwise/unary.h"
#include "kernels/strided_iterator.h"

namespace weft::kernels {

// An input's elements in the order of y.
inline std::vector<float> BroadcastReference(const ChainShape& shape, uint32_t input,
                                             const float* x) {
  std::vector<float> elements;
  if (IsEmpty(shape.dims, shape.rank)) return elements;
  const uint32_t* strides = shape.strides + input * kChainRank;
  StridedIterator<uint32_t, 1> iterator(shape.rank, shape.dims, {strides});
  do {
    elements.push_back(x[iterator.offset(0)]);
  } while (iterator.Next());
  return elements;
}

inline std::vector<float> InstructionReference(const ChainShape& shape, const ChainInstruction& i,
                                               const std::vector<std::vector<float>>& operands) {
  const std::vector<float>& left = operands[i.left];
  std::vector<float> y(left.size());
  if (i.op < kChainBinary) {
    const Activation activation = {shape.numbers[i.right], shape.numbers[i.right + 1], 0,
                                   static_cast<UnaryOp>(i.op)};
    Unary({static_cast<uint32_t>(y.size()), activation, Element::kF32}, left.data(), y.data());
  } else {
    BinaryShape binary;
    binary.rank = 1;
    binary.dims[0] = static_cast<uint32_t>(y.size());
    binary.a_strides[0] = binary.b_strides[0] = 1;
    binary.op = static_cast<BinaryOp>(i.op - kChainBinary);
    Binary(binary, left.data(), operands[i.right].data(), y.data());
  }
  return y;
}

inline std::vector<float> ChainReference(const ChainShape& shape, const float* const* x) {
  size_t count = 1;
  for (uint32_t d = 0; d < shape.rank; ++d) count *= shape.dims[d];
  std::vector<std::vector<float>> operands(kChainInputs + kChainRegisters);
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    if (x[i] != nullptr) operands[i] = BroadcastReference(shape, i, x[i]);
  }
  const uint32_t first = kChainInputs + shape.registers - shape.constants;
  for (uint32_t i = 0; i < shape.constants; ++i)
    operands[first + i].assign(count, shape.numbers[i]);
  std::vector<float> y;
  for (uint32_t i = 0; i < shape.instructions; ++i) {
    y = InstructionReference(shape, shape.code[i], operands);
    operands[kChainInputs + shape.code[i].to] = y;
  }
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CHAIN_H_
