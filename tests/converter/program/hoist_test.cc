// SPDX-License-Identifier: Apache-2.0
// Products of slices, and loop-invariant steps, are hoisted out of their loop. Results are
// bit-identical.
#include <gtest/gtest.h>

#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/ops/support/packed.h"
#include "converter/program/passes.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using program::Builder;
using program::Program;
using program::StepKind;
using program::ValueId;

constexpr int64_t kTrips = 12, kInputs = 5, kOutputs = 3;

std::vector<float> Numbers(int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(0.37f * static_cast<float>(i % 11) - 1.7f);
  return numbers;
}

// sum += x[i] * weights, x of kTrips rows; the sums of all iterations are an output.
struct SumOfProducts {
  Program program;
  Builder builder{program};
  ValueId x = Input(F32({kTrips, kInputs}));

  explicit SumOfProducts(bool backward = false) {
    ops::LoopSpec spec;
    spec.trips = kTrips;
    spec.sliced.push_back({x, 0, 1, backward, 0});
    spec.carried.push_back({Input(F32({1, kOutputs})), 0});
    spec.scans.push_back({0, 0, false, F32({kTrips, kOutputs})});
    const ops::LoopResults out =
        ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
          const ValueId weights =
              ops::PackDense(builder, Numbers(kInputs * kOutputs), kInputs, 1, kOutputs, kInputs);
          const ValueId product = builder.Scratch(F32({1, kOutputs}));
          ops::EmitDense(builder, 1, kInputs, kOutputs, iteration.slices[0], weights, product);
          return std::vector<ValueId>{Add(builder, iteration.states[0], product)};
        });
    program.outputs.push_back({out.scans[0], {"y"}, program::kNone, 0});
    plan::PlanLoops(program);
  }

  ValueId Input(const TensorType& type) {
    const ValueId value = builder.Scratch(type);
    program.inputs.push_back({value, {"in"}, program::kNone, 0});
    return value;
  }
};

std::vector<float> RunOnNumbers(const Program& program) {
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : program.inputs) {
    inputs.push_back(Numbers(program.values[port.value].bytes / 4));
  }
  return RunFloats(program, inputs).at(0);
}

// Rows of the only remaining product, and the number of sections around it.
struct WideProduct {
  uint32_t rows = 0;
  int depth = 0;
};

void FindProduct(const Program& program, program::BlockId block, int depth, WideProduct& found) {
  for (const program::Item& item : program.blocks[block].items) {
    if (const auto* step = std::get_if<program::Step>(&item)) {
      if (step->kind() != StepKind::kDense) continue;
      found = {std::get<format::DenseParams>(step->params).rows(), depth};
    } else {
      const program::SectionId section = std::get<program::SectionEntry>(item).section;
      for (const program::BlockId copy : program.sections[section].copies) {
        FindProduct(program, copy, depth + 1, found);
      }
    }
  }
}

TEST(Hoist, TakesAsManyRowsAsAreAllowedAndDivideTheLoop) {
  struct Case {
    int64_t max;
    uint32_t rows;
    int depth;
  };
  for (const bool backward : {false, true}) {
    const SumOfProducts loop(backward);
    const std::vector<float> expected = RunOnNumbers(loop.program);
    ASSERT_EQ(expected.size(), static_cast<size_t>(kTrips * kOutputs));
    for (const auto& [max, rows, depth] :
         {Case{1, 1, 1}, {2, 2, 1}, {5, 4, 1}, {7, 6, 1}, {11, 6, 1}, {12, 12, 0}, {1000, 12, 0}}) {
      SCOPED_TRACE(max);
      Program hoisted = loop.program;
      program::Hoist(hoisted, max);
      WideProduct product;
      FindProduct(hoisted, hoisted.main, 0, product);
      EXPECT_EQ(product.rows, rows);
      EXPECT_EQ(product.depth, depth);
      EXPECT_EQ(RunOnNumbers(hoisted), expected);
    }
  }
}

TEST(Hoist, LeavesAProductOfTheState) {
  Program program;
  Builder builder(program);
  const ValueId state = builder.Scratch(F32({1, 4}));
  program.inputs.push_back({state, {"s"}, program::kNone, 0});
  ops::LoopSpec spec;
  spec.trips = 6;
  spec.carried.push_back({state, 0});
  spec.lasts.push_back({0, F32({1, 4})});
  const auto out = ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
    const ValueId next = builder.Scratch(F32({1, 4}));
    ops::EmitDense(builder, 1, 4, 4, iteration.states[0],
                   ops::PackDense(builder, Numbers(16), 4, 1, 4, 4), next);
    return std::vector<ValueId>{next};
  });
  program.outputs.push_back({out.lasts[0], {"y"}, program::kNone, 0});
  plan::PlanLoops(program);
  program::Hoist(program, 1000);
  WideProduct product;
  FindProduct(program, program.main, 0, product);
  EXPECT_EQ(product.rows, 1u);
  EXPECT_EQ(product.depth, 1);
}

// sum += tanh(-k) in the inner of two loops, where k is an input of the program.
struct Invariant {
  Program program;
  Builder builder{program};

  Invariant() {
    const ValueId k = Input(), state = Input();
    const auto sum = [&](const ops::Iteration& iteration) {
      const ValueId negative = Unary(builder, format::UnaryOp::negative, k);
      const ValueId tanh = Unary(builder, format::UnaryOp::tanh, negative);
      return std::vector<ValueId>{Add(builder, iteration.states[0], tanh)};
    };
    const ValueId last = Repeat(state, [&](const ops::Iteration& outer) {
      return std::vector<ValueId>{Repeat(outer.states[0], sum)};
    });
    program.outputs.push_back({last, {"y"}, program::kNone, 0});
    plan::PlanLoops(program);
  }

  ValueId Input() {
    const ValueId value = builder.Scratch(F32({4}));
    program.inputs.push_back({value, {"in"}, program::kNone, 0});
    return value;
  }
  ValueId Repeat(ValueId state, const ops::LowerBody& body) {
    ops::LoopSpec spec;
    spec.trips = 3;
    spec.carried.push_back({state, 0});
    spec.lasts.push_back({0, F32({4})});
    return ops::LowerLoop(builder, spec, body).lasts[0];
  }
};

TEST(HoistInvariants, TakesWhatNoIterationChangesOutOfAllLoops) {
  const Invariant loop;
  const std::vector<float> expected = RunOnNumbers(loop.program);
  Program hoisted = loop.program;
  program::HoistInvariants(hoisted);
  const std::vector<StepKind> kinds = Kinds(hoisted);
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kUnary), 2);
  EXPECT_EQ(std::ranges::count(Kinds(loop.program), StepKind::kUnary), 0);
  EXPECT_EQ(RunOnNumbers(hoisted), expected);
}

TEST(HoistInvariants, LeavesWhatReadsAStateOrASlice) {
  const SumOfProducts loop;
  Program hoisted = loop.program;
  program::HoistInvariants(hoisted);
  EXPECT_EQ(program::ToString(hoisted), program::ToString(loop.program));
}

}  // namespace
}  // namespace weft
