// SPDX-License-Identifier: Apache-2.0
// How loop states are carried, and that results do not depend on it.
#include "converter/plan/loops/loops.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/inspect/carried.h"
#include "converter/ops/support/loop.h"
#include "converter/plan/plan.h"
#include "converter/plan/validator.h"
#include "converter/program/coalesce.h"
#include "runtime/weft.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/rounds.h"

namespace weft {
namespace {

using program::Builder;
using program::ValueId;

const TensorType kRow = {ElementType::f32, {2}};

// A program of one loop: input x [trips, 2], initial states that are inputs as well, and all
// results as outputs.
struct OneLoop {
  program::Program program;
  Builder builder{program};
  inspect::Carried carried;  // of section 0, once the loop has run

  using Body = std::function<std::vector<ValueId>(Builder&, const ops::Iteration&)>;

  void Lower(int64_t trips, size_t states, bool scan, const Body& body) {
    ops::LoopSpec spec;
    spec.trips = trips;
    const ValueId x = Input({ElementType::f32, {trips, 2}}, "x");
    spec.sliced.push_back({x, 0, 1, false, 0});
    for (size_t i = 0; i < states; ++i) {
      spec.carried.push_back({Input(kRow, "s" + std::to_string(i)), i});
      spec.lasts.push_back({i, kRow});
    }
    if (scan) spec.scans.push_back({0, 0, false, {ElementType::f32, {trips, 2}}});
    const ops::LoopResults out = ops::LowerLoop(
        builder, spec, [&](const ops::Iteration& iteration) { return body(builder, iteration); });
    for (const ValueId last : out.lasts)
      program.outputs.push_back({last, {"last"}, program::kNone, 0});
    for (const ValueId all : out.scans)
      program.outputs.push_back({all, {"scan"}, program::kNone, 0});
    plan::PlanLoops(program);
  }

  ValueId Input(const TensorType& type, const std::string& name) {
    const ValueId value = builder.Scratch(type);
    program.inputs.push_back({value, {name}, program::kNone, 0});
    return value;
  }

  // Runs with inputs that count up from 1, and returns all outputs, concatenated.
  std::vector<float> Run() {
    program::Coalesce(program);
    Faults faults;
    const plan::Plan plan = plan::PlanAsIs(program);
    const emit::ModelFile file = emit::WriteModelFile(plan, {}, faults);
    AlignedBytes model(file.bytes.size()), scratch(static_cast<size_t>(plan.scratch_bytes[0]));
    std::memcpy(model.data(), file.bytes.data(), file.bytes.size());
    for (const std::string& line : plan::CheckPlan(*format::GetModel(model.data())))
      ADD_FAILURE() << line;
    const format::Model& listing = *format::GetModel(model.data());
    if (listing.sections()->size() > 0) carried = inspect::CarriedBy(listing, 0);
    Memory memory;
    memory.scratch = {scratch.data(), scratch.size()};
    Engine engine;
    EXPECT_TRUE(Engine::Open({model.data(), model.size()}, AllSteps(), memory, &engine).ok());
    float next = 1;
    for (uint32_t i = 0; i < engine.input_count(); ++i) {
      const Tensor input = engine.input(i);
      for (size_t k = 0; k < input.bytes / 4; ++k) input.as<float>()[k] = next++;
    }
    EXPECT_TRUE(engine.Run().ok());
    std::vector<float> outputs;
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor output = engine.output(i);
      outputs.insert(outputs.end(), output.as<float>(), output.as<float>() + output.bytes / 4);
    }
    return outputs;
  }

  size_t CopiesInBody() const {
    size_t copies = 0;
    for (const program::BlockId block : program.sections[0].copies) {
      for (const program::Item& item : program.blocks[block].items) {
        const auto* step = std::get_if<program::Step>(&item);
        copies += step != nullptr && step->kind() == program::StepKind::kCopy;
      }
    }
    return copies;
  }
};

std::vector<ValueId> Sum(Builder& builder, const ops::Iteration& iteration) {
  return {Add(builder, iteration.states[0], builder.View(iteration.slices[0], 0, kRow))};
}

TEST(Loop, UpdatesASumInPlaceWithoutACopy) {
  OneLoop loop;
  loop.Lower(3, 1, false, Sum);
  EXPECT_EQ(loop.program.sections[0].copies.size(), 1u);
  EXPECT_EQ(loop.Run(), (std::vector<float>{1 + 3 + 5 + 7, 2 + 4 + 6 + 8}));
  EXPECT_EQ(loop.carried.in_place, 1u);
  EXPECT_EQ(loop.CopiesInBody(), 0u);
}

TEST(Loop, SendsAStateThroughItsScanOutput) {
  OneLoop loop;
  loop.Lower(3, 1, true, Sum);
  EXPECT_EQ(loop.Run(), (std::vector<float>{16, 20, 8, 10, 11, 14, 16, 20}));
  EXPECT_EQ(loop.carried.through_scan, 1u);
  EXPECT_EQ(loop.CopiesInBody(), 0u);
}

// The old sum is read after the new one is computed: the two cannot share bytes.
std::vector<ValueId> ReadAfterWrite(Builder& builder, const ops::Iteration& iteration) {
  const ValueId x = builder.View(iteration.slices[0], 0, kRow);
  const ValueId next = Add(builder, iteration.states[0], x);
  return {next, Add(builder, Add(builder, next, iteration.states[0]), iteration.states[1])};
}

TEST(Loop, ShuttlesAStateThatIsReadAfterItsSuccessorIsWritten) {
  for (const int64_t trips : {2, 3, 4, 5}) {
    OneLoop loop;
    loop.Lower(trips, 2, false, ReadAfterWrite);
    EXPECT_EQ(loop.program.sections[0].copies.size(), 2u);
    float s = static_cast<float>(2 * trips + 1), sum = static_cast<float>(2 * trips + 3);
    for (int64_t i = 0; i < trips; ++i) {
      const float next = s + static_cast<float>(2 * i + 1);
      sum += next + s;
      s = next;
    }
    const std::vector<float> outputs = loop.Run();
    EXPECT_EQ(loop.carried.ping_pongs, 1u);
    EXPECT_EQ(outputs[0], s) << trips << " iterations";
    EXPECT_EQ(outputs[2], sum) << trips << " iterations";
    EXPECT_EQ(loop.CopiesInBody(), 0u);
  }
}

TEST(Loop, SwapsStatesAtOnce) {
  for (const int64_t trips : {2, 3}) {
    OneLoop loop;
    loop.Lower(trips, 2, false, [](Builder&, const ops::Iteration& iteration) {
      return std::vector<ValueId>{iteration.states[1], iteration.states[0]};
    });
    const float a = static_cast<float>(2 * trips + 1), b = a + 2;
    const std::vector<float> outputs = loop.Run();
    EXPECT_EQ(outputs[0], trips % 2 == 0 ? a : b);
    EXPECT_EQ(outputs[2], trips % 2 == 0 ? b : a);
  }
}

// Three variables whose values rotate. The buffer that a value leaves can receive the next one, so
// one copy more than variables is enough for any trip count.
TEST(Loop, RotatesVariablesWithOneCopyMoreThanThereAre) {
  for (const int64_t trips : {2, 4, 5, 7}) {
    program::Program program;
    Builder builder(program);
    ops::LoopSpec spec;
    spec.trips = trips;
    for (size_t i = 0; i < 3; ++i) {
      const std::string name = "v" + std::to_string(i);
      spec.carried.push_back({builder.VariableNamed(name, kRow).value, i});
      spec.lasts.push_back({i, kRow});
    }
    const ops::LoopResults out =
        ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
          return std::vector<ValueId>{iteration.states[1], iteration.states[2],
                                      iteration.states[0]};
        });
    for (size_t i = 0; i < 3; ++i) builder.Copy(out.lasts[i], program.variables[i].value);
    plan::PlanLoops(program);
    program::Coalesce(program);
    size_t copies = 0;
    for (const program::Item& item : program.blocks[program.main].items) {
      copies += std::holds_alternative<program::Step>(item);
    }
    EXPECT_EQ(copies, 4u) << trips;
  }
}

TEST(Loop, LaysASingleIterationFlat) {
  OneLoop loop;
  loop.Lower(1, 1, true, Sum);
  for (const program::Item& item : loop.program.blocks[loop.program.main].items) {
    EXPECT_TRUE(std::holds_alternative<program::Step>(item));
  }
  EXPECT_EQ(loop.Run(), (std::vector<float>{4, 6, 4, 6}));
}

TEST(Loop, OfASingleIterationMayGiveAResultWithoutElements) {
  OneLoop loop;
  ops::LoopSpec spec;
  const TensorType empty = {ElementType::f32, {0, 2}};
  spec.trips = 1;
  spec.carried.push_back({loop.Input(kRow, "s"), 0});
  spec.lasts = {{0, kRow}, {1, empty}};
  const ops::LoopResults out =
      ops::LowerLoop(loop.builder, spec, [&](const ops::Iteration& iteration) {
        const ValueId doubled = Add(loop.builder, iteration.states[0], iteration.states[0]);
        return std::vector<ValueId>{doubled, loop.builder.Scratch(empty)};
      });
  for (const ValueId last : out.lasts)
    loop.program.outputs.push_back({last, {"last"}, program::kNone, 0});
  plan::PlanLoops(loop.program);
  EXPECT_EQ(loop.Run(), (std::vector<float>{2, 4}));
}

TEST(Loop, OrdersReadersBeforeTheWriterOfTheSuccessor) {
  OneLoop loop;
  loop.Lower(4, 2, false, [](Builder& builder, const ops::Iteration& iteration) {
    // Emitted first, although a later step still reads the old state: reordering is enough.
    const ValueId next = Unary(builder, format::UnaryOp::negative, iteration.states[0]);
    return std::vector<ValueId>{next, Add(builder, iteration.states[0], iteration.states[1])};
  });
  EXPECT_EQ(loop.program.sections[0].copies.size(), 1u);
  EXPECT_EQ(loop.Run(), (std::vector<float>{9, 10, 11, 12}));
  EXPECT_EQ(loop.carried.in_place, 2u);
  EXPECT_EQ(loop.CopiesInBody(), 0u);
}

TEST(Loop, ComputesAndIsValidatedAtAnyLength) {
  for (const int64_t trips : {2047, 2048, 2049, 4096, 16000, 1000000}) {
    OneLoop loop;
    loop.Lower(trips, 1, true, Sum);
    const std::vector<float> outputs = loop.Run();
    ASSERT_EQ(outputs.size(), static_cast<size_t>(2 * trips + 2));
    float sum = static_cast<float>(2 * trips + 1);
    for (int64_t i = 0; i < trips; ++i) {
      sum = static_cast<float>(2 * i + 1) + sum;
      ASSERT_EQ(outputs[static_cast<size_t>(2 * i + 2)], sum) << i << " of " << trips;
    }
    EXPECT_EQ(outputs[0], sum);
  }
}

// Nested loops of a thousand iterations.
struct NestOfLoops {
  program::Program program;
  Builder builder{program};
  int bodies_lowered = 0;

  // Body of one loop: computes its result from the state before the inner loop, and from the result
  // of the inner loop.
  using Change = std::function<ValueId(Builder&, ValueId before, ValueId inner)>;

  NestOfLoops(int depth, const Change& change) {
    const ValueId state = builder.Scratch(kRow);
    program.inputs.push_back({state, {"s"}, program::kNone, 0});
    program.outputs.push_back({Lower(state, depth, change), {"y"}, program::kNone, 0});
    plan::PlanLoops(program);
    program::Coalesce(program);
  }

  ValueId Lower(ValueId state, int depth, const Change& change) {
    if (depth == 0) return Add(builder, state, state);
    ops::LoopSpec spec;
    spec.trips = 1000;
    spec.carried.push_back({state, 0});
    spec.lasts.push_back({0, kRow});
    const auto body = [&](const ops::Iteration& iteration) -> std::vector<ValueId> {
      ++bodies_lowered;
      return {change(builder, iteration.states[0], Lower(iteration.states[0], depth - 1, change))};
    };
    return ops::LowerLoop(builder, spec, body).lasts[0];
  }

  size_t CountItems() const {
    size_t items = 0;
    for (const program::Block& block : program.blocks) items += block.items.size();
    return items;
  }

  void CheckItsPlan() {
    Faults faults;
    const emit::ModelFile file = emit::WriteModelFile(plan::PlanAsIs(program), {}, faults);
    AlignedBytes model(file.bytes.size());
    std::memcpy(model.data(), file.bytes.data(), file.bytes.size());
    for (const std::string& line : plan::CheckPlan(*format::GetModel(model.data())))
      ADD_FAILURE() << line;
  }
};

TEST(Loop, IsValidatedAtAnyDepth) {
  for (const int depth : {3, 4, 8}) {
    if (depth > 4 && kThinning > 1) continue;
    NestOfLoops nest(depth, [](Builder&, ValueId, ValueId inner) { return inner; });
    nest.CheckItsPlan();
  }
}

TEST(Loop, IsLoweredOnceAtAnyDepth) {
  for (const int depth : {1, 2, 8, 30}) {
    NestOfLoops nest(depth, [](Builder&, ValueId, ValueId inner) { return inner; });
    EXPECT_EQ(nest.bodies_lowered, depth);
    // One entry per section, and the sum in the innermost body.
    EXPECT_EQ(nest.CountItems(), static_cast<size_t>(depth + 1));
  }
}

// In each loop the old state is read after the inner loop has computed a new one, so each needs two
// buffers and two phases. Beyond a number of steps the loops copy instead: the listing does not
// double with every nested loop.
TEST(Loop, StopsDoublingItsBodyInDeepNests) {
  size_t before = 0;
  for (const int depth : {6, 12, 18, 24}) {
    NestOfLoops nest(depth, [](Builder& builder, ValueId state, ValueId inner) {
      const ValueId next = Unary(builder, format::UnaryOp::negative, inner);
      const ValueId sum = Add(builder, next, state);
      builder.Copy(sum, builder.Scratch(kRow));
      return next;
    });
    EXPECT_LT(nest.CountItems(), 8000u) << depth;
    EXPECT_GT(nest.CountItems(), before) << depth;
    before = nest.CountItems();
    if (depth == 6) nest.CheckItsPlan();
  }
}

}  // namespace
}  // namespace weft
