// SPDX-License-Identifier: Apache-2.0
// The rules of chains, each broken once.
#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using ChainRow = format::ChainParams;

FaultCode ChainFault(const std::function<void(ChainRow&)>& spoil) {
  return CodeOf(format::Kind::chain, [&](ListingBuilder& b) { spoil(b.chain_rows[0]); });
}

// A byte of instruction `index`: its op, its operands, its register.
FaultCode FaultOfByte(uint32_t index, uint32_t byte, uint8_t value) {
  return ChainFault([=](ChainRow& p) {
    p.mutable_code()->Mutate(static_cast<uint16_t>(4 * index + byte), value);
  });
}

TEST(VerifyChains, HoldsCountsToTheirMost) {
  EXPECT_EQ(ChainFault([](ChainRow&) {}), FaultCode::kNone);
  EXPECT_EQ(ChainFault([](ChainRow& p) { p.mutate_rank(5); }), FaultCode::kParamRank);
  EXPECT_EQ(ChainFault([](ChainRow& p) { p.mutate_rank(0xFFFFFFFF); }), FaultCode::kParamRank);
  void (*const beyond[])(ChainRow&) = {
      [](ChainRow& p) { p.mutate_instructions(0); },
      [](ChainRow& p) { p.mutate_instructions(17); },
      [](ChainRow& p) { p.mutate_instructions(255); },
      [](ChainRow& p) { p.mutate_registers(9); },
      [](ChainRow& p) { p.mutate_registers(255); },
      [](ChainRow& p) { p.mutate_constants(3); },
      [](ChainRow& p) { p.mutate_staged(64); },
      [](ChainRow& p) { p.mutate_staged(128); },
  };
  for (const auto spoil : beyond) EXPECT_EQ(ChainFault(spoil), FaultCode::kParamChain);
}

TEST(VerifyChains, SharesBlocksAmongRegistersAndStagedInputs) {
  const auto with = [](uint8_t registers) {
    return ChainFault([=](ChainRow& p) {
      p.mutate_registers(registers);
      p.mutate_constants(static_cast<uint8_t>(registers - 1));  // operand 7 is one of them
      p.mutate_staged(0x3F);
    });
  };
  EXPECT_EQ(with(2), FaultCode::kNone);
  EXPECT_EQ(with(3), FaultCode::kParamChain);
}

TEST(VerifyChains, HoldsInputsToTheirWalks) {
  const auto permuted = [](uint8_t staged) {
    return ChainFault([=](ChainRow& p) {
      p.mutable_strides()->Mutate(0, 1);
      p.mutable_strides()->Mutate(1, 2);
      p.mutate_staged(staged);
    });
  };
  EXPECT_EQ(permuted(0), FaultCode::kParamFlag);
  EXPECT_EQ(permuted(1), FaultCode::kNone);
  EXPECT_EQ(ChainFault([](ChainRow& p) {
              p.mutable_strides()->Mutate(0, 4);
              p.mutate_staged(1);
            }),
            FaultCode::kOperandBytes);
  EXPECT_EQ(ChainFault([](ChainRow& p) {
              p.mutable_strides()->Mutate(21, 0xFFFFFFFF);
              p.mutate_staged(0x20);
            }),
            FaultCode::kOperandBytes);
}

TEST(VerifyChains, KnowsItsOps) {
  EXPECT_EQ(FaultOfByte(0, 0, 128 + 17), FaultCode::kParamOp);
  EXPECT_EQ(FaultOfByte(0, 0, 255), FaultCode::kParamOp);
  EXPECT_EQ(FaultOfByte(1, 0, 127), FaultCode::kParamOp);
  const auto logical =
      static_cast<uint8_t>(128 + static_cast<uint8_t>(format::BinaryOp::logical_or));
  EXPECT_EQ(FaultOfByte(0, 0, logical), FaultCode::kParamOpType);
}

TEST(VerifyChains, ReadsWhatIsThereAndWritesRegisters) {
  EXPECT_EQ(FaultOfByte(0, 1, 6), FaultCode::kParamChain) << "not written yet";
  EXPECT_EQ(FaultOfByte(0, 2, 6), FaultCode::kParamChain);
  EXPECT_EQ(FaultOfByte(0, 2, 7), FaultCode::kNone) << "a constant";
  EXPECT_EQ(FaultOfByte(0, 1, 8), FaultCode::kParamChain) << "no register";
  EXPECT_EQ(FaultOfByte(0, 1, 255), FaultCode::kParamChain);
  EXPECT_EQ(FaultOfByte(1, 2, 6), FaultCode::kNone) << "alpha and beta are the last numbers";
  EXPECT_EQ(FaultOfByte(1, 2, 7), FaultCode::kParamChain);
  EXPECT_EQ(FaultOfByte(0, 3, 1), FaultCode::kParamChain) << "the register of a constant";
  EXPECT_EQ(FaultOfByte(0, 3, 255), FaultCode::kParamChain);
  EXPECT_EQ(FaultOfByte(2, 3, 1), FaultCode::kParamChain) << "y is no register";
}

// In the sample all inputs are present, but only the first one is read.
TEST(VerifyChains, ReadsNoInputThatIsAbsent) {
  StepSample sample = samples::SampleOf<format::Kind::chain>();
  sample.builder.operands[1] = kNoSlot;
  Loaded sound(sample.builder.Finish());
  EXPECT_TRUE(sound.fault.ok()) << sound.Text();
  sample.builder.chain_rows[0].mutable_code()->Mutate(1, 1);
  Loaded reading(sample.builder.Finish());
  EXPECT_EQ(reading.fault.code, FaultCode::kParamChain) << reading.Text();
  sample.builder.chain_rows[0].mutable_code()->Mutate(1, 0);
  sample.builder.chain_rows[0].mutate_staged(2);
  Loaded staged(sample.builder.Finish());
  EXPECT_EQ(staged.fault.code, FaultCode::kParamFlag) << staged.Text();
}

}  // namespace
}  // namespace weft::test
