// SPDX-License-Identifier: Apache-2.0
// Chains for tests, compared with the same instructions as separate steps.
#ifndef WEFT_TESTS_KERNELS_CHAIN_CASES_H_
#define WEFT_TESTS_KERNELS_CHAIN_CASES_H_

#include <algorithm>

#include "kernels/elementwise/chain_groups.h"
#include "kernels/reference/chain.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {

constexpr uint8_t CodeOf(BinaryOp op) {
  return static_cast<uint8_t>(kChainBinary + static_cast<uint8_t>(op));
}
constexpr uint8_t CodeOf(UnaryOp op) { return static_cast<uint8_t>(op); }
constexpr uint8_t Register(uint32_t number) { return static_cast<uint8_t>(kChainInputs + number); }

// Bit d is set if an input has axis d; the input is contiguous over its axes, and broadcast along
// others.
using Axes = uint32_t;
constexpr Axes kAllAxes = (1u << kChainRank) - 1;

struct ChainData {
  std::vector<uint32_t> dims;
  uint32_t strides[kChainInputs * kChainRank] = {};
  float numbers[kChainNumbers] = {};
  std::vector<ChainInstruction> code;
  std::vector<std::vector<float>> x;
  ChainShape shape;

  size_t count() const {
    size_t all = 1;
    for (const uint32_t dim : dims) all *= dim;
    return all;
  }
  void AddInput(Axes axes, Random& random) {
    const size_t input = x.size();
    uint32_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      const bool has = (axes >> d & 1) != 0;
      strides[input * kChainRank + d] = has ? stride : 0;
      if (has) stride *= dims[d];
    }
    const Axes own = (1u << dims.size()) - 1;
    if ((axes & own) != own) shape.staged = static_cast<uint8_t>(shape.staged | 1u << input);
    x.push_back(random.Floats(stride, 3));
  }
  const ChainShape& Shape() {
    shape.dims = dims.data();
    shape.strides = strides;
    shape.numbers = numbers;
    shape.code = code.data();
    shape.rank = static_cast<uint8_t>(dims.size());
    shape.instructions = static_cast<uint8_t>(code.size());
    return shape;
  }
};

inline void ExpectChainReference(ChainData& data) {
  const ChainShape& shape = data.Shape();
  for (const size_t misalignment : kMisalignments) {
    std::vector<Array<float>*> arrays;
    const float* x[kChainInputs] = {};
    for (size_t i = 0; i < data.x.size(); ++i) {
      arrays.push_back(new Array<float>(data.x[i], misalignment));
      x[i] = arrays.back()->data();
    }
    const std::vector<float> reference = OnEveryTarget<float>(data.count(), 0, [&](float* y) {
      const std::vector<float> values = ChainReference(shape, x);
      std::copy(values.begin(), values.end(), y);
    });
    ExpectSame(
        OnEveryTarget<float>(data.count(), misalignment, [&](float* y) { Chain(shape, x, y); }),
        reference);
#if !WEFT_MICROCONTROLLER
    ExpectSame(OnEveryTarget<float>(data.count(), misalignment,
                                    [&](float* y) { ChainInBlocks(shape, x, y); }),
               reference);
#endif
    for (const Array<float>* array : arrays) delete array;
  }
}

// Operands are those that are defined: inputs, constants, and registers that have been written.
inline void AddRandomCode(ChainData& data, uint32_t instructions, Random& random) {
  const uint32_t written = data.shape.registers - uint32_t{data.shape.constants};
  std::vector<uint8_t> readable;
  for (size_t i = 0; i < data.x.size(); ++i) readable.push_back(static_cast<uint8_t>(i));
  for (uint32_t r = written; r < data.shape.registers; ++r) readable.push_back(Register(r));
  const auto any = [&] { return readable[random.Below(static_cast<uint32_t>(readable.size()))]; };
  for (uint32_t i = 0; i < instructions; ++i) {
    const uint8_t to = static_cast<uint8_t>(random.Below(written));
    const bool is_last = i + 1 == instructions;
    ChainInstruction instruction = {0, any(), 0, is_last ? uint8_t{0} : to};
    if (random.Below(3) != 0) {
      instruction.op = static_cast<uint8_t>(kChainBinary + random.Below(11));
      instruction.right = any();
    } else {
      instruction.op = static_cast<uint8_t>(random.Below(kUnaryOpCount));
      instruction.right = static_cast<uint8_t>(random.Below(kChainNumbers - 1));
    }
    data.code.push_back(instruction);
    if (!is_last && std::count(readable.begin(), readable.end(), Register(to)) == 0) {
      readable.push_back(Register(to));
    }
  }
}

inline ChainData RandomChain(const std::vector<uint32_t>& dims, Random& random) {
  ChainData data;
  data.dims = dims;
  data.AddInput(random.Below(2) == 0 ? kAllAxes : random.Below(kAllAxes + 1), random);
  for (uint32_t more = random.Below(4); more > 0; --more) {
    data.AddInput(random.Below(3) == 0 ? kAllAxes : random.Below(kAllAxes + 1), random);
  }
  for (float& number : data.numbers) number = random.Float(2);
  uint32_t staged = 0;
  for (uint32_t i = 0; i < kChainInputs; ++i) staged += data.shape.staged >> i & 1;
  data.shape.constants = static_cast<uint8_t>(random.Below(4));
  const uint32_t room = kChainRegisters - staged - data.shape.constants;
  data.shape.registers = static_cast<uint8_t>(data.shape.constants + 1 + random.Below(room));
  AddRandomCode(data, 1 + random.Below(kChainInstructions), random);
  return data;
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_CHAIN_CASES_H_
