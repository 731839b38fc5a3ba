// SPDX-License-Identifier: Apache-2.0
// Programs, most of them random, compared with the same instructions as separate steps.
#include "kernels/reference/chain.h"

#include "tests/kernels/chain_cases.h"

namespace weft::kernels {
namespace {

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
