// SPDX-License-Identifier: Apache-2.0
// Which traced loops become loops again, and that they have equal results.
#include "converter/graph/reroll/reroll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "converter/graph/rewrite.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

constexpr int64_t kWidth = 3;

// A model of x [2, steps, 3] with an unrolled loop over axis 1.
struct Traced : GraphBuilder {
  explicit Traced(int64_t count) : steps(count), x(Parameter(F32({2, count, kWidth}))) {}

  ir::Source Of(const std::string& type, std::vector<ir::Source> inputs,
                std::map<std::string, std::string> attributes = {}) {
    return Add(type, 15, std::move(inputs), std::move(attributes));
  }
  ir::Source Weights(uint32_t seed) { return Constant(*this, {kWidth, kWidth}, seed); }
  ir::Source Row(uint32_t seed) { return Constant(*this, {1, kWidth}, seed); }
  ir::Source Zeros() { return Floats({2, kWidth}, std::vector<float>(2 * kWidth)); }
  ir::Source At(ir::Source data, int64_t step) { return Of("Gather", {data, Int(step), Int(1)}); }
  ir::Source Stacked(std::vector<ir::Source> parts) {
    for (ir::Source& part : parts) part = Of("Unsqueeze", {part, Ints({1})});
    return Of("Concat", std::move(parts), {{"axis", "1"}});
  }
  // tanh(x W + h R + b); each copy has separate constants, as in exports.
  ir::Source Cell(ir::Source input, ir::Source h, uint32_t seed = 1) {
    const ir::Source sum =
        Of("Add", {Of("MatMul", {input, Weights(seed)}), Of("MatMul", {h, Weights(seed + 1)})});
    return Of("Tanh", {Of("Add", {sum, Row(seed + 2)})});
  }
  using Step = std::function<ir::Source(ir::Source input, ir::Source h, int64_t step)>;
  // The states of all steps, in temporal order.
  std::vector<ir::Source> Traversal(ir::Source data, ir::Source h, const Step& step,
                                    bool back = false) {
    std::vector<ir::Source> states(static_cast<size_t>(steps));
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t at = back ? steps - 1 - i : i;
      h = states[static_cast<size_t>(at)] = step(At(data, at), h, at);
    }
    return states;
  }
  std::vector<ir::Source> BuildCells(ir::Source data, ir::Source h, uint32_t seed = 1,
                                     bool back = false) {
    const auto cell = [&](ir::Source input, ir::Source state, int64_t) {
      return Cell(input, state, seed);
    };
    return Traversal(data, h, cell, back);
  }

  // Returns the operations after the pass, and checks that results are bit-identical.
  std::map<std::string, int> Rerolled() {
    EXPECT_TRUE(InferAndFold(graph, {.check_declared = false}, faults)) << FaultText();
    if (!faults.ok()) return {};
    const program::Program before = LowerGraph(*this);
    graph::Folding folding = FoldingHere();
    EXPECT_TRUE(graph::Reroll(graph, {.check_declared = false}, folding, faults)) << FaultText();
    const program::Program after = LowerGraph(*this);
    std::vector<std::vector<float>> inputs;
    for (const program::Port& port : before.inputs) {
      inputs.push_back(Numbers(before.values[port.value].bytes / 4, 77));
    }
    EXPECT_EQ(RunFloats(after, inputs), RunFloats(before, inputs));
    return Operations(graph);
  }

  const int64_t steps;
  const ir::Source x;
};

TEST(Reroll, MakesALoopOfCopiesThatPassAStateOn) {
  Traced g(6);
  g.Result(g.Stacked(g.BuildCells(g.x, g.Parameter(F32({2, kWidth})))));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
  EXPECT_EQ(left["MatMul"], 2);
  EXPECT_EQ(left["Gather"], 0);
  EXPECT_EQ(left["Concat"], 0);
}

// The product with the state does not depend on a slice of its copy, but belongs to this copy.
TEST(Reroll, CarriesTheStateAndNotItsProduct) {
  for (const bool gives_all : {true, false}) {
    Traced g(6);
    const std::vector<ir::Source> states = g.BuildCells(g.x, g.Parameter(F32({2, kWidth})));
    g.Result(gives_all ? g.Stacked(states) : states.back());
    EXPECT_EQ(g.Rerolled()["MatMul"], 2);
    for (const auto& node : g.graph.nodes) {
      for (const ir::Body& body : node->bodies) {
        const auto readers = graph::Readers(*body.graph);
        const auto carried = [](const ir::BodyInput& input) { return input.next != nullptr; };
        const auto state = std::ranges::find_if(body.map.inputs, carried);
        ASSERT_NE(state, body.map.inputs.end());
        EXPECT_EQ(readers.at(state->parameter).front()->type, "MatMul");
      }
    }
  }
}

TEST(Reroll, WalksBackward) {
  Traced g(5);
  g.Result(g.Stacked(g.BuildCells(g.x, g.Zeros(), 1, /*back=*/true)));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
}

TEST(Reroll, MakesALoopForEachDirection) {
  Traced g(5);
  const ir::Source there = g.Stacked(g.BuildCells(g.x, g.Zeros(), 1));
  const ir::Source back = g.Stacked(g.BuildCells(g.x, g.Zeros(), 4, /*back=*/true));
  g.Result(g.Of("Concat", {there, back}, {{"axis", "2"}}));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 2);
  EXPECT_EQ(left["Tanh"], 2);
}

TEST(Reroll, TakesLayersThatFollowOneAnother) {
  Traced g(5);
  const ir::Source below = g.Stacked(g.BuildCells(g.x, g.Zeros(), 1));
  g.Result(g.Stacked(g.BuildCells(below, g.Zeros(), 4)));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 2);
  EXPECT_EQ(left["Tanh"], 2);
}

TEST(Reroll, TakesLayersThatRunStepByStep) {
  Traced g(5);
  ir::Source above = g.Zeros();
  std::vector<ir::Source> all;
  for (const ir::Source& below : g.BuildCells(g.x, g.Zeros(), 1)) {
    all.push_back(above = g.Cell(below, above, 4));
  }
  g.Result(g.Stacked(all));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 2);
}

// y = a x + s; s' = b x - c y + r; r' = d x - e y. The last step computes no states. The first
// starts with zeros, which an exporter does not add.
TEST(Reroll, TakesStatesThatTheFirstAndTheLastCopyLack) {
  Traced g(8);
  std::vector<ir::Source> all;
  ir::Source first, second;
  for (int64_t i = 0; i < g.steps; ++i) {
    const ir::Source x = g.At(g.x, i);
    ir::Source y = g.Of("Multiply", {x, g.Float(0.25f)});
    if (i > 0) y = g.Of("Add", {y, first});
    const auto mixed = [&](float of_x, float of_y) {
      return g.Of("Subtract",
                  {g.Of("Multiply", {x, g.Float(of_x)}), g.Of("Multiply", {y, g.Float(of_y)})});
    };
    first = mixed(0.5f, -0.75f);
    if (i > 0) first = g.Of("Add", {first, second});
    second = mixed(0.125f, 0.375f);
    all.push_back(y);
  }
  g.Result(g.Stacked(all));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Multiply"], 5);
  EXPECT_EQ(left["Concat"], 0);
}

TEST(Reroll, KeepsAFirstCopyOutsideThatIsAnother) {
  Traced g(6);
  g.Result(g.Stacked(g.Traversal(g.x, g.Zeros(), [&](ir::Source x, ir::Source h, int64_t i) {
    return i == 0 ? g.Of("Sigmoid", {x}) : g.Cell(x, h);
  })));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Sigmoid"], 1);
  EXPECT_EQ(left["Tanh"], 1);
  EXPECT_EQ(left["Concat"], 1);
}

TEST(Reroll, GivesTheLastValueAlone) {
  Traced g(6);
  const ir::Source last = g.BuildCells(g.x, g.Zeros()).back();
  g.Result(g.Of("MatMul", {last, g.Weights(9)}));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
  EXPECT_EQ(left["MatMul"], 3);
}

TEST(Reroll, CutsOutWhatIsReadBySteps) {
  Traced g(8);
  const std::vector<ir::Source> states = g.BuildCells(g.x, g.Zeros());
  g.Result(g.Of("Add", {states[3], states.back()}));
  g.Result(g.Stacked({states[4], states[5], states[6]}));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
}

TEST(Reroll, SlicesConstantsThatDifferFromCopyToCopy) {
  Traced g(5);
  g.Result(g.Stacked(g.Traversal(g.x, g.Zeros(), [&](ir::Source x, ir::Source h, int64_t i) {
    const ir::Source number = g.Float(static_cast<float>(i) / 4);
    return g.Cell(
        g.Of("Multiply", {g.Of("Add", {x, g.Row(50 + static_cast<uint32_t>(i))}), number}), h);
  })));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
}

// Three tensors are read step by step, one of them backward.
TEST(Reroll, WalksSeveralTensors) {
  Traced g(5);
  const ir::Source keep = g.Of("Sigmoid", {g.x}), gate = g.Of("Tanh", {g.x});
  ir::Source h = g.Zeros();
  std::vector<ir::Source> all;
  for (int64_t i = 0; i < g.steps; ++i) {
    h = g.Of("Add", {g.Of("Multiply", {g.At(keep, i), h}), g.At(g.x, i)});
    all.push_back(g.Of("Multiply", {h, g.At(gate, 4 - i)}));
  }
  g.Result(g.Stacked(all));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Multiply"], 2);
  EXPECT_EQ(left["Gather"], 0);
}

TEST(Reroll, ReadsPlacesHoweverTheyAreTaken) {
  for (const CutBy by :
       {CutBy::kSplit, CutBy::kVariadicSplit, CutBy::kSlice, CutBy::kStridedSlice}) {
    GraphBuilder g;
    const ir::Source x = g.Parameter(F32({2, 4 * kHidden}));
    ir::Source h = g.Parameter(F32({2, kHidden}));
    std::vector<ir::Source> all;
    for (const ir::Source& part : CutColumns(g, x, 4, by)) {
      h = g.Add("Tanh", 1,
                {g.Add("Add", 1, {part, g.Add("MatMul", 1, {h, Constant(g, {3, 3}, 2)})})});
      all.push_back(h);
    }
    g.Result(g.Add("Concat", 1, all, {{"axis", "-1"}}));
    ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
    const std::vector<std::vector<float>> inputs = {Numbers(24, 1), Numbers(6, 2)};
    const auto before = RunFloats(LowerGraph(g), inputs);
    graph::Folding folding = FoldingHere();
    ASSERT_TRUE(graph::Reroll(g.graph, {.check_declared = false}, folding, g.faults));
    EXPECT_EQ(Operations(g.graph)["TensorIterator"], 1);
    EXPECT_EQ(RunFloats(LowerGraph(g), inputs), before);
  }
}

// The first state is the first input, so the first copy has no factor for it. The product with the
// slice of the next copy belongs to that copy; otherwise the last copy would have none.
TEST(Reroll, TakesInAFirstCopyThatIsItsInput) {
  Traced g(6);
  const ir::Source keep = g.Of("Sigmoid", {g.Of("MatMul", {g.x, g.Weights(4)})});
  const ir::Source fresh = g.Of("MatMul", {g.x, g.Weights(5)});
  std::vector<ir::Source> states = {g.At(fresh, 0)};
  for (int64_t i = 1; i < g.steps; ++i) {
    const ir::Source kept = g.Of("Multiply", {g.At(keep, i), states.back()});
    states.push_back(g.Of("Add", {kept, g.At(fresh, i)}));
  }
  g.Result(g.Stacked(states));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Gather"], 0);
  EXPECT_EQ(left["Concat"], 0);
}

// OpenVINO adds negative zeros where it removed a zero state.
TEST(Reroll, TakesInAFirstCopyThatAddsNegativeZeros) {
  Traced g(6);
  const ir::Source nothing = g.Floats({1, 1}, {-0.0F});
  ir::Source h;
  g.Result(g.Stacked(g.Traversal(g.x, g.Zeros(), [&](ir::Source x, ir::Source, int64_t i) {
    const ir::Source apart = i == 0 ? g.Of("Add", {x, nothing}) : g.Of("Subtract", {x, h});
    h = g.Of("MatMul", {g.Of("Tanh", {apart}), g.Weights(7)});
    return h;
  })));
  std::map<std::string, int> left = g.Rerolled();
  EXPECT_EQ(left["TensorIterator"], 1);
  EXPECT_EQ(left["Tanh"], 1);
  EXPECT_EQ(left["Concat"], 0);
}

// The group normalisation after the loop has two shapes; only one of them is read.
TEST(Reroll, GivesNoOutputThatNothingReads) {
  Traced g(6);
  std::vector<ir::Source> all;
  ir::Source h = g.Zeros();
  for (int64_t i = 0; i < g.steps; ++i) {
    h = g.Cell(g.At(g.x, i), h);
    const ir::Source groups = g.Of("Reshape", {h, g.Ints({1, 2, kWidth})}, {{"special_zero", "0"}});
    const ir::Source normal =
        g.Of("MVN", {groups, g.Ints({2})},
             {{"eps", "0.1"}, {"eps_mode", "inside_sqrt"}, {"normalize_variance", "true"}});
    all.push_back(g.Of("Reshape", {normal, g.Ints({2, kWidth})}, {{"special_zero", "0"}}));
  }
  g.Result(g.Stacked(all));
  EXPECT_EQ(g.Rerolled()["TensorIterator"], 1);
  const auto readers = graph::Readers(g.graph);
  for (const auto& node : g.graph.nodes) {
    if (node->bodies.empty() || !readers.contains(node.get())) continue;
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const auto reads = [&](const ir::Node* reader) {
        return std::ranges::find(reader->inputs, ir::Source{node.get(), port}) !=
               reader->inputs.end();
      };
      EXPECT_TRUE(std::ranges::any_of(readers.at(node.get()), reads)) << port;
    }
  }
}

TEST(Reroll, LeavesCopiesApartFromOneThatDiffers) {
  Traced g(8);
  g.Result(g.Stacked(g.Traversal(g.x, g.Zeros(), [&](ir::Source x, ir::Source h, int64_t i) {
    return g.Cell(x, h, i == 4 ? 9 : 1);
  })));
  EXPECT_EQ(g.Rerolled()["TensorIterator"], 0);
}

TEST(Reroll, LeavesFewCopies) {
  Traced g(3);
  g.Result(g.Stacked(g.BuildCells(g.x, g.Zeros())));
  EXPECT_EQ(g.Rerolled()["TensorIterator"], 0);
}

TEST(Reroll, LeavesCopiesWithoutAState) {
  Traced g(6);
  std::vector<ir::Source> all;
  for (int64_t i = 0; i < g.steps; ++i) all.push_back(g.Cell(g.At(g.x, i), g.Zeros()));
  g.Result(g.Stacked(all));
  EXPECT_EQ(g.Rerolled()["TensorIterator"], 0);
}

TEST(Reroll, TakesHundredsOfCopies) {
  Traced g(400);
  g.Result(g.Stacked(g.BuildCells(g.x, g.Zeros())));
  EXPECT_EQ(g.Rerolled()["TensorIterator"], 1);
}

}  // namespace
}  // namespace weft
