// SPDX-License-Identifier: Apache-2.0
// The footprint of every step against its row of ops.inc, and the rule that makes the parameters of
// a plain entry valid for its footprint. tests/hostile/extents_test.cc compares footprints with
// what the kernels access.
#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "runtime/footprint/steps.h"
#include "runtime/steps.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

// Counts the reads, the writes and the shared addresses of each operand.
struct Counter : footprint::Visitor {
  template <typename Elements>
  void Reads(uint32_t operand, footprint::Unit, const Elements&) {
    ++reads[operand];
  }
  template <typename Elements>
  void Writes(uint32_t operand, footprint::Unit, const Elements&) {
    ++writes[operand];
  }
  void MayShare(uint32_t input, uint32_t output, bool) {
    ++sharing_inputs[input];
    ++sharing_outputs[output];
  }
  int reads[format::kMaxOperands] = {}, writes[format::kMaxOperands] = {};
  int sharing_inputs[format::kMaxOperands] = {}, sharing_outputs[format::kMaxOperands] = {};
};

Counter CountsOf(StepSample& sample) {
  Counter counter;
  switch (sample.kind) {
#define WEFT_STEP(name, ...)                                  \
  case format::Kind::name:                                    \
    footprint::Visit(sample.builder.name##_rows[0], counter); \
    break;
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return counter;
}

TEST(Footprint, StatesEachOperandOnceInItsDirection) {
  for (StepSample& sample : EveryStep()) {
    const format::Arity arity = format::kArity[static_cast<uint32_t>(sample.kind)];
    const Counter counter = CountsOf(sample);
    for (uint32_t i = 0; i < format::kMaxOperands; ++i) {
      const bool is_input = i < arity.inputs, is_output = !is_input && i < arity.operands();
      const std::string name =
          std::string(format::NameOf(sample.kind)) + ", operand " + std::to_string(i);
      EXPECT_EQ(counter.reads[i], is_input) << name;
      EXPECT_EQ(counter.writes[i], is_output) << name;
      EXPECT_TRUE(is_input || counter.sharing_inputs[i] == 0) << name;
      EXPECT_TRUE(is_output || counter.sharing_outputs[i] == 0) << name;
    }
  }
}

// A plain entry reads weights as floats, so that another type in the parameters must not decide how
// many bytes OpenChecked reads.
TEST(Footprint, IsOfFloatsInAPlainEntry) {
  constexpr StepEntry kPlain[] = {
#define WEFT_STEP(name, Name, ...) steps::k##Name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  };
  const auto fault_of = [&](format::ElementType weights) {
    StepSample sample = samples::SampleOf<format::Kind::dense>();
    sample.builder.dense_rows[0].mutate_weights(weights);
    return Loaded(sample.builder.Finish(), {kPlain, std::size(kPlain)}).fault;
  };
  EXPECT_TRUE(fault_of(ElementType::f32).ok());
  for (const ElementType type : {ElementType::i64, ElementType::f16, ElementType::u4}) {
    const Fault fault = fault_of(type);
    EXPECT_EQ(fault.code, FaultCode::kOperandType);
    EXPECT_EQ(fault.operand, 1);
    EXPECT_EQ(fault.is, static_cast<uint32_t>(ElementType::f32));
    EXPECT_EQ(fault.must, static_cast<uint32_t>(type));
  }
}

}  // namespace
}  // namespace weft::test
