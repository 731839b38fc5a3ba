// SPDX-License-Identifier: Apache-2.0
// Programs, most of them random, compared with the same instructions as separate steps.
#include "kernels/reference/chain.h"

#include <algorithm>

#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

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

void ExpectChainReference(ChainData& data) {
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
    for (const Array<float>* array : arrays) delete array;
  }
}

// Operands are those that are defined: inputs, constants, and registers that have been written.
void AddRandomCode(ChainData& data, uint32_t instructions, Random& random) {
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

ChainData RandomChain(const std::vector<uint32_t>& dims, Random& random) {
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

TEST(Chain, IsItsInstructionsAsStepsForRandomPrograms) {
  Random random(1);
  const std::vector<std::vector<uint32_t>> shapes = {
      {},        {1},        {3},          {16},           {17},     {255},
      {256},     {700},      {2100},       {5, 7},         {300, 3}, {3, 300},
      {4, 5, 6}, {9, 1, 33}, {2, 3, 5, 7}, {3, 1, 2, 130}, {40, 64}, {2, 1030}};
  for (uint32_t round = 0; round < 8; ++round) {
    for (const std::vector<uint32_t>& dims : shapes) {
      ChainData data = RandomChain(dims, random);
      ExpectChainReference(data);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Chain, WalksItsInputsByEverySetOfAxes) {
  Random random(2);
  for (const auto& dims : {std::vector<uint32_t>{3, 2, 5, 67}, {2, 3, 1, 4}, {7, 5, 3, 2}}) {
    for (Axes axes = 0; axes <= kAllAxes; ++axes) {
      ChainData data;
      data.dims = dims;
      data.AddInput(kAllAxes, random);
      data.AddInput(axes, random);
      data.AddInput(kAllAxes - axes, random);
      data.shape.registers = 1;
      data.code = {{CodeOf(BinaryOp::kMultiply), 0, 1, 0},
                   {CodeOf(BinaryOp::kSubtract), Register(0), 2, 0}};
      ExpectChainReference(data);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Rows that are read in place, together with inputs that repeat after one element, one row and two
// rows.
TEST(Chain, ReadsLongRowsWhereTheyLie) {
  Random random(6);
  for (const uint32_t row : {6u, 24u, 32u, 33u, 72u, 300u, 600u, 1100u, 2100u}) {
    for (const uint32_t registers : {1u, 2u, 4u}) {
      ChainData data;
      data.dims = {4, 2, row};
      for (const Axes axes : {kAllAxes, Axes{4}, Axes{0}, Axes{6}, Axes{2}})
        data.AddInput(axes, random);
      data.shape.registers = static_cast<uint8_t>(registers);
      data.code = {{CodeOf(BinaryOp::kMultiply), 0, 1, 0},
                   {CodeOf(BinaryOp::kAdd), Register(0), 2, 0},
                   {CodeOf(BinaryOp::kSubtract), Register(0), 3, 0},
                   {CodeOf(BinaryOp::kMaximum), 4, Register(0), 0}};
      ExpectChainReference(data);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Chain, DoesNothingWithoutElements) {
  ChainData data;
  data.dims = {3, 0, 2};
  data.shape.registers = 1;
  data.code = {{CodeOf(UnaryOp::kTanh), 0, 0, 0}, {CodeOf(UnaryOp::kAbs), Register(0), 0, 0}};
  const float* x[kChainInputs] = {};
  float y = 7;
  Chain(data.Shape(), x, &y);
  EXPECT_EQ(y, 7);
}

// In place over each of the unstaged inputs, with many blocks.
TEST(Chain, MayWriteOverWhatIsNotStaged) {
  Random random(3);
  ChainData data;
  data.dims = {50, 63};
  data.AddInput(kAllAxes, random);
  data.AddInput(kAllAxes, random);
  data.AddInput(2, random);
  data.shape.registers = 3;
  data.shape.constants = 1;
  data.numbers[0] = 0.75f;
  data.code = {{CodeOf(BinaryOp::kAdd), 0, 2, 0},
               {CodeOf(UnaryOp::kSigmoid), 1, 0, 1},
               {CodeOf(BinaryOp::kMultiply), Register(0), Register(1), 0},
               {CodeOf(BinaryOp::kMaximum), Register(0), Register(2), 1},
               {CodeOf(BinaryOp::kSubtract), Register(1), 0, 0}};
  const ChainShape& shape = data.Shape();
  const float* x[kChainInputs] = {data.x[0].data(), data.x[1].data(), data.x[2].data()};
  const std::vector<float> apart =
      OnEveryTarget<float>(data.count(), 0, [&](float* y) { Chain(shape, x, y); });
  for (uint32_t over = 0; over < 2; ++over) {
    ExpectSame(OnEveryTarget<float>(data.count(), 0,
                                    [&](float* y) {
                                      std::copy(data.x[over].begin(), data.x[over].end(), y);
                                      const float* shared[kChainInputs] = {x[0], x[1], x[2]};
                                      shared[over] = y;
                                      Chain(shape, shared, y);
                                    }),
               apart);
  }
}

TEST(Chain, KeepsNaN) {
  Random random(4);
  ChainData data;
  data.dims = {3};
  data.AddInput(kAllAxes, random);
  data.x[0] = {kNan, 1.0f, kInfinity};
  data.shape.registers = 1;
  data.code = {{CodeOf(UnaryOp::kRelu), 0, 0, 0}, {CodeOf(BinaryOp::kMinimum), Register(0), 0, 0}};
  ExpectChainReference(data);
  const float* x[kChainInputs] = {data.x[0].data()};
  float y[3];
  Chain(data.Shape(), x, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[2], kInfinity);
}

TEST(Chain, HasTheSameBitsOnEveryProcessor) {
  Random random(5);
  Fingerprint fingerprint;
  for (uint32_t round = 0; round < 8; ++round) {
    ChainData data;
    data.dims = {7, 41};
    data.AddInput(kAllAxes, random);
    data.AddInput(round % 4, random);
    data.shape.registers = 2;
    data.shape.constants = 1;
    data.numbers[0] = random.Float(2);
    data.code = {{CodeOf(BinaryOp::kMultiply), 0, 1, 0},
                 {CodeOf(UnaryOp::kTanh), Register(0), 1, 0},
                 {CodeOf(BinaryOp::kAdd), Register(0), Register(1), 0}};
    const float* x[kChainInputs] = {data.x[0].data(), data.x[1].data()};
    fingerprint.Add(
        OnEveryTarget<float>(data.count(), 0, [&](float* y) { Chain(data.Shape(), x, y); }));
  }
  EXPECT_EQ(fingerprint.value(), 0xFA13B0B0C655D372u);
}

}  // namespace
}  // namespace weft::kernels
