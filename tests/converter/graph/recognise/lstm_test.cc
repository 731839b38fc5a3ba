// SPDX-License-Identifier: Apache-2.0
// LSTM cells decomposed as by exporters become LSTMCell; similar formulas stay.
#include "tests/converter/graph/recognise/spelled_cells.h"

namespace weft {
namespace {

enum class Form { kMerged, kSeparate, kPerGate };

struct Spelling {
  std::string name;
  std::string order = "ifgo";  // of the gates in the matrices
  Form form = Form::kSeparate;
  CutBy cut = CutBy::kSplit;
  bool transposed = false;  // matrices as [outputs, inputs]
  bool split_after_sigmoid = false;
  int biases = 1;
  float forget_bias = 0;
  std::string activation = "Sigmoid";
};

std::ostream& operator<<(std::ostream& out, const Spelling& spelling) {
  return out << spelling.name;
}

ir::Source Times(GraphBuilder& g, ir::Source a, int64_t inputs, int64_t outputs, uint32_t seed,
                 bool transposed) {
  const Dims dims = transposed ? Dims{outputs, inputs} : Dims{inputs, outputs};
  return g.Add("MatMul", 1, {a, Constant(g, dims, seed)},
               {{"transpose_a", "false"}, {"transpose_b", transposed ? "true" : "false"}});
}

// x M + h N + b, as one product or two.
ir::Source Sum(GraphBuilder& g, const Spelling& spelling, ir::Source x, ir::Source h,
               int64_t outputs, uint32_t seed) {
  ir::Source sum;
  if (spelling.form == Form::kMerged) {
    sum = Times(g, g.Add("Concat", 1, {x, h}, {{"axis", "1"}}), kInputs + kHidden, outputs, seed,
                spelling.transposed);
  } else {
    sum = g.Add("Add", 1,
                {Times(g, h, kHidden, outputs, seed + 1, spelling.transposed),
                 Times(g, x, kInputs, outputs, seed, spelling.transposed)});
  }
  for (int i = 0; i < spelling.biases; ++i) {
    sum = g.Add("Add", 1, {sum, Constant(g, {1, outputs}, seed + 7 + static_cast<uint32_t>(i))});
  }
  return sum;
}

ir::Source Activated(GraphBuilder& g, const Spelling& spelling, ir::Source a) {
  if (spelling.activation == "Clamp") {  // relu6(a + 3) / 6
    const ir::Source moved = g.Add("Add", 1, {a, g.Float(3)});
    const ir::Source clamped = g.Add("Clamp", 1, {moved}, {{"min", "0"}, {"max", "6"}});
    return g.Add("Multiply", 1, {g.Float(1.0f / 6), clamped});
  }
  if (spelling.activation == "HSigmoid") return g.Add("HSigmoid", 5, {a});
  if (spelling.activation == "ClampToOne") {
    const ir::Source scaled = g.Add("Multiply", 1, {a, g.Float(0.2f)});
    const ir::Source moved = g.Add("Add", 1, {scaled, g.Float(0.5f)});
    return g.Add("Clamp", 1, {moved}, {{"min", "0.0"}, {"max", "1.0"}});
  }
  if (spelling.activation != "HardSigmoid") return g.Add(spelling.activation, 1, {a});
  return g.Add("HardSigmoid", 1, {a, g.Float(0.3f), g.Float(0.4f)});
}

// By gate letter, activated.
std::map<char, ir::Source> Gates(GraphBuilder& g, const Spelling& spelling, ir::Source x,
                                 ir::Source h) {
  std::vector<ir::Source> parts;
  if (spelling.form == Form::kPerGate) {
    for (uint32_t i = 0; i < 4; ++i) parts.push_back(Sum(g, spelling, x, h, kHidden, 10 * i + 3));
  } else {
    ir::Source all = Sum(g, spelling, x, h, 4 * kHidden, 3);
    if (spelling.split_after_sigmoid) all = g.Add("Sigmoid", 1, {all});
    parts = CutColumns(g, all, 4, spelling.cut);
  }
  std::map<char, ir::Source> gates;
  for (size_t i = 0; i < 4; ++i) {
    const char gate = spelling.order[i];
    ir::Source part = parts[i];
    if (gate == 'f' && spelling.forget_bias != 0) {
      part = g.Add("Add", 1, {part, g.Float(spelling.forget_bias)});
    }
    if (spelling.split_after_sigmoid) {
      gates[gate] = part;
    } else {
      gates[gate] = gate == 'g' ? g.Add("Tanh", 1, {part}) : Activated(g, spelling, part);
    }
  }
  return gates;
}

struct Cell {
  ir::Source x, h, c, next_h, next_c;
  std::map<char, ir::Source> gates;
};

Cell Spell(GraphBuilder& g, const Spelling& spelling) {
  Cell cell;
  cell.x = g.Parameter(F32({kRows, kInputs}));
  cell.h = g.Parameter(F32({kRows, kHidden}));
  cell.c = g.Parameter(F32({kRows, kHidden}));
  cell.gates = Gates(g, spelling, cell.x, cell.h);
  const auto& gates = cell.gates;
  cell.next_c = g.Add("Add", 1,
                      {g.Add("Multiply", 1, {gates.at('i'), gates.at('g')}),
                       g.Add("Multiply", 1, {gates.at('f'), cell.c})});
  cell.next_h = g.Add("Multiply", 1, {g.Add("Tanh", 1, {cell.next_c}), gates.at('o')});
  g.Result(cell.next_h);
  g.Result(cell.next_c);
  return cell;
}

class SpelledLstm : public testing::TestWithParam<Spelling> {};

TEST_P(SpelledLstm, BecomesACell) {
  GraphBuilder g;
  Spell(g, GetParam());
  const std::map<std::string, int> left = Recognised(g);
  EXPECT_EQ(left, (std::map<std::string, int>{{"LSTMCell", 1}, {"Parameter", 3}, {"Result", 2}}));
}

INSTANTIATE_TEST_SUITE_P(
    Recognise, SpelledLstm,
    testing::Values(
        Spelling{.name = "KerasTwoProducts"},
        Spelling{
            .name = "TensorFlowBasic", .order = "igfo", .form = Form::kMerged, .forget_bias = 1},
        Spelling{.name = "MergedTransposed", .form = Form::kMerged, .transposed = true},
        Spelling{.name = "OnnxOrder", .order = "iofg", .transposed = true, .biases = 2},
        Spelling{.name = "OpenVinoOrder", .order = "figo", .cut = CutBy::kVariadicSplit},
        Spelling{.name = "CutBySlice", .cut = CutBy::kSlice},
        Spelling{.name = "CutByStridedSlice", .order = "gofi", .cut = CutBy::kStridedSlice},
        Spelling{.name = "OneProductPerGate", .form = Form::kPerGate},
        Spelling{.name = "OneMergedProductPerGate", .form = Form::kPerGate, .transposed = true},
        Spelling{.name = "NoBias", .biases = 0},
        Spelling{.name = "ActivatedBeforeTheSplit", .split_after_sigmoid = true},
        Spelling{.name = "HardSigmoidGates", .activation = "HardSigmoid"},
        Spelling{.name = "KerasHardSigmoid", .activation = "HSigmoid"},
        Spelling{.name = "KerasHardSigmoidInParts", .activation = "Clamp"},
        Spelling{.name = "OldKerasHardSigmoid", .activation = "ClampToOne"},
        Spelling{.name = "ReluGates", .activation = "Relu"}),
    [](const auto& instance) { return instance.param.name; });

TEST(RecogniseLstm, LooksThroughDimsOfOne) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 1, kInputs})), h = g.Parameter(F32({1, 1, kHidden}));
  const ir::Source c = g.Parameter(F32({1, 1, kHidden}));
  const ir::Source row = g.Add("Squeeze", 1, {x, g.Ints({0})});
  const ir::Source state = g.Add("Reshape", 1, {h, g.Ints({1, kHidden})});
  Spelling spelling;
  auto gates = Gates(g, spelling, row, state);
  const ir::Source kept = g.Add("Multiply", 1, {gates['f'], c});
  const ir::Source next = g.Add("Add", 1, {kept, g.Add("Multiply", 1, {gates['i'], gates['g']})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  g.Result(next);
  EXPECT_EQ(Recognised(g)["LSTMCell"], 1);
}

TEST(RecogniseLstm, ChainsCellsThatAreLaidFlat) {
  GraphBuilder g;
  Spelling spelling;
  ir::Source h = g.Parameter(F32({kRows, kHidden})), c = g.Parameter(F32({kRows, kHidden}));
  for (int i = 0; i < 3; ++i) {
    auto gates = Gates(g, spelling, g.Parameter(F32({kRows, kInputs})), h);
    c = g.Add(
        "Add", 1,
        {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {gates['f'], c})});
    h = g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {c})});
  }
  g.Result(h);
  std::map<std::string, int> left = Recognised(g);
  EXPECT_EQ(left["LSTMCell"], 3);
  EXPECT_EQ(left["MatMul"], 0);
}

TEST(RecogniseLstm, KeepsTensorNames) {
  GraphBuilder g;
  const Cell cell = Spell(g, {});
  cell.next_h.node->outputs[0].names = {"hidden"};
  Recognised(g);
  const ir::Source source = g.graph.results[0]->inputs[0];
  EXPECT_EQ(source.node->type, "LSTMCell");
  EXPECT_EQ(source.node->outputs[source.port].names, std::vector<std::string>{"hidden"});
}

TEST(RecogniseLstm, LeavesACellWhoseGateIsRead) {
  GraphBuilder g;
  const Cell cell = Spell(g, {});
  g.Result(cell.gates.at('f'));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

// A peephole: a gate reads the cell state.
TEST(RecogniseLstm, LeavesPeepholes) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden}));
  Spelling spelling{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, spelling, x, h);
  const ir::Source look = g.Add("Multiply", 1, {c, Constant(g, {1, kHidden}, 99)});
  const ir::Source sum = Sum(g, spelling, x, h, kHidden, 50);
  gates['f'] = g.Add("Sigmoid", 1, {g.Add("Add", 1, {sum, look})});
  const ir::Source next = g.Add(
      "Add", 1,
      {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {gates['f'], c})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

// f = 1 - i.
TEST(RecogniseLstm, LeavesCoupledGates) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden}));
  auto gates = Gates(g, {}, x, h);
  const ir::Source forget = g.Add("Subtract", 1, {g.Float(1), gates['i']});
  const ir::Source next =
      g.Add("Add", 1,
            {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {forget, c})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

TEST(RecogniseLstm, LeavesGatesOfDifferentActivations) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden}));
  Spelling spelling{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, spelling, x, h);
  gates['o'] = g.Add("Relu", 1, {Sum(g, spelling, x, h, kHidden, 60)});
  const ir::Source next = g.Add(
      "Add", 1,
      {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {gates['f'], c})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

TEST(RecogniseLstm, LeavesAThirdInput) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden})), y = g.Parameter(F32({kRows, 4}));
  Spelling spelling{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, spelling, x, h);
  const ir::Source more =
      g.Add("Add", 1, {Sum(g, spelling, x, h, kHidden, 60), Times(g, y, 4, kHidden, 70, false)});
  gates['o'] = g.Add("Sigmoid", 1, {more});
  const ir::Source next = g.Add(
      "Add", 1,
      {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {gates['f'], c})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

TEST(RecogniseLstm, LeavesWeightsThatAreComputed) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden}));
  auto gates = Gates(g, {}, x, h);
  const ir::Source w = g.Parameter(F32({kInputs, kHidden}));
  gates['o'] = g.Add("Sigmoid", 1, {g.Add("MatMul", 1, {x, w})});
  const ir::Source next = g.Add(
      "Add", 1,
      {g.Add("Multiply", 1, {gates['i'], gates['g']}), g.Add("Multiply", 1, {gates['f'], c})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

}  // namespace
}  // namespace weft
