// SPDX-License-Identifier: Apache-2.0
// Every op of a chain with every kind of operand on each side, on special values and on random
// programs of cheap ops.
#include "kernels/reference/chain.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/chain_cases.h"

namespace weft::kernels {
namespace {

// One number, a number per column, a number per row, one for each element in order and transposed,
// a constant, and the result of the instruction before.
enum class Kind : uint8_t { kNumber, kRow, kColumn, kFull, kTransposed, kConstant, kResult };
constexpr uint32_t kKindCount = 7;

const float kSpecial[] = {0.0f,       -0.0f,  1.0f,       -1.5f,  1e-45f, -1e-45f, 1e-38f,
                          kNan,       2.5f,   -2.5f,      255.0f, 0.1f,   3e38f,   kInfinity,
                          -kInfinity, -3e38f, 8388608.0f, 0.5f,   -0.3f,  7.0f};

// Every third value is a special one.
std::vector<float> SomeSpecial(size_t count, Random& random) {
  std::vector<float> values = random.Floats(count, 3);
  for (float& value : values) {
    if (random.Below(3) == 0) value = kSpecial[random.Below(std::size(kSpecial))];
  }
  return values;
}

// Adds an operand to a chain of two dimensions, and returns its index.
uint8_t AddOperand(Kind kind, ChainData& data, Random& random) {
  if (kind == Kind::kResult) return Register(0);
  if (kind == Kind::kConstant) return Register(data.shape.registers - 1u);
  const auto input = static_cast<uint8_t>(data.x.size());
  const uint32_t rows = data.dims[0], columns = data.dims[1];
  const bool is_whole = kind == Kind::kFull || kind == Kind::kTransposed;
  data.AddInput(is_whole ? 3 : kind == Kind::kRow ? 2 : kind == Kind::kColumn ? 1 : 0, random);
  if (kind == Kind::kTransposed) {
    data.strides[input * kChainRank] = 1;
    data.strides[input * kChainRank + 1] = rows;
    if (rows != 1 && columns != 1)
      data.shape.staged = static_cast<uint8_t>(data.shape.staged | 1u << input);
  }
  data.x[input] = SomeSpecial(data.x[input].size(), random);
  return input;
}

void ExpectSameAsSteps(const ChainData& data, const float* const* x) {
  const std::vector<float> reference = ChainReference(data.shape, x);
  Array<float> y(data.count(), 1);
  Chain(data.shape, x, y.data());
  for (size_t i = 0; i < data.count(); ++i) {
    ASSERT_TRUE(SameBits(y[i], reference[i])) << i << ": " << y[i] << ", " << reference[i];
  }
}

// Compares on each target, and also with subnormals flushed to zero: the results of functions of
// NaN, infinities and subnormals may differ between targets.
void ExpectSameOnEachTarget(ChainData& data) {
  data.Shape();
  const float* x[kChainInputs] = {};
  for (size_t i = 0; i < data.x.size(); ++i) x[i] = data.x[i].data();
  ForEachTarget([&] {
#if !defined(__arm__)  // where vectors always flush subnormals, and scalars do not
    ExpectSameAsSteps(data, x);
#endif
    const FloatMode scope;
    ExpectSameAsSteps(data, x);
  });
}

// r0 = full * full; r0 = op(left, right); y = r0 - full. Operands kResult are the first r0.
void ExpectOp(const std::vector<uint32_t>& dims, uint8_t op, Kind left, Kind right,
              Random& random) {
  ChainData data;
  data.dims = dims;
  data.shape.registers = 3;
  data.shape.constants = 2;
  for (float& number : data.numbers) number = SomeSpecial(1, random)[0];
  data.AddInput(kAllAxes, random);
  data.x[0] = SomeSpecial(data.x[0].size(), random);
  ChainInstruction instruction = {op, AddOperand(left, data, random), 2, 0};
  if (op >= kChainBinary) instruction.right = AddOperand(right, data, random);
  data.code = {{CodeOf(BinaryOp::kMultiply), 0, 0, 0},
               instruction,
               {CodeOf(BinaryOp::kSubtract), Register(0), 0, 0}};
  ExpectSameOnEachTarget(data);
}

TEST(Chain, AcceptsEveryKindOfOperandOnBothSides) {
  Random random(7);
  const std::vector<std::vector<uint32_t>> shapes = {{300, 1}, {70, 5},   {9, 17},  {1, 64},
                                                     {3, 130}, {2, 2049}, {5, 1000}};
  for (uint32_t op = 0; op < kBinaryOpCount + uint32_t{kUnaryOpCount}; ++op) {
    const bool is_binary = op < kBinaryOpCount;
    if (is_binary && !BinaryKnows(static_cast<BinaryOp>(op), Element::kF32)) continue;
    const auto code = static_cast<uint8_t>(is_binary ? kChainBinary + op : op - kBinaryOpCount);
    for (uint32_t kinds = 0; kinds < kKindCount * (is_binary ? kKindCount : 1); ++kinds) {
      const auto left = static_cast<Kind>(kinds % kKindCount);
      const auto right = static_cast<Kind>(kinds / kKindCount);
      SCOPED_TRACE(testing::Message() << "op " << int{code} << ", kinds " << kinds);
      for (size_t s = 0; s < shapes.size(); ++s) {
        if (!IsRound(static_cast<int>(s + kinds))) continue;
        ExpectOp(shapes[s], code, left, right, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Chains of every length around a group of vectors, flat and in rows.
TEST(Chain, EndsAtEveryCount) {
  Random random(8);
  for (uint32_t count = 1; count <= 300; count += kThinning) {
    for (const std::vector<uint32_t>& dims :
         {std::vector<uint32_t>{1, count}, {3, count}, {count, 3}}) {
      ExpectOp(dims, CodeOf(BinaryOp::kPrelu), Kind::kResult, Kind::kColumn, random);
      ExpectOp(dims, CodeOf(BinaryOp::kAdd), Kind::kRow, Kind::kResult, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Blocks are rows, several rows or parts of a row; up to four dimensions, where a number may repeat
// in the outer one.
TEST(Chain, RunsCheapInstructionsOnManyBlocks) {
  Random random(9);
  const std::vector<std::vector<uint32_t>> shapes = {
      {2500},      {256, 5},    {40, 64},   {3, 130},       {4, 700},      {2, 2500},
      {3, 4, 150}, {2, 5, 300}, {6, 7, 31}, {2, 3, 2, 140}, {3, 2, 5, 40}, {2, 300, 3}};
  for (int round = 0; round < Rounds(20); ++round) {
    for (const std::vector<uint32_t>& dims : shapes) {
      ChainData data = RandomChain(dims, random);
      for (ChainInstruction& i : data.code) {
        if (random.Below(8) == 0) continue;  // some are not cheap
        const bool is_binary = i.op >= kChainBinary;
        const UnaryOp unary[] = {UnaryOp::kAbs, UnaryOp::kClamp, UnaryOp::kRoundEven};
        i.op = is_binary ? CodeOf(static_cast<BinaryOp>(random.Below(6)))
                         : CodeOf(unary[random.Below(3)]);
      }
      ExpectChainReference(data);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace weft::kernels
