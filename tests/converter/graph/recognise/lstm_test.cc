// SPDX-License-Identifier: Apache-2.0
// LSTM cells decomposed as by exporters become LSTMCell; similar formulas stay.
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

enum class Form { kMerged, kSeparate, kPerGate };

struct FormBuilder {
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

std::ostream& operator<<(std::ostream& out, const FormBuilder& cell_form) {
  return out << cell_form.name;
}

ir::Source Times(GraphBuilder& g, ir::Source a, int64_t inputs, int64_t outputs, uint32_t seed,
                 bool transposed) {
  const Dims dims = transposed ? Dims{outputs, inputs} : Dims{inputs, outputs};
  return g.Add("MatMul", 1, {a, Constant(g, dims, seed)},
               {{"transpose_a", "false"}, {"transpose_b", transposed ? "true" : "false"}});
}

// x M + h N + b, as one product or two.
ir::Source Sum(GraphBuilder& g, const FormBuilder& cell_form, ir::Source x, ir::Source h,
               int64_t outputs, uint32_t seed) {
  ir::Source sum;
  if (cell_form.form == Form::kMerged) {
    sum = Times(g, g.Add("Concat", 1, {x, h}, {{"axis", "1"}}), kInputs + kHidden, outputs, seed,
                cell_form.transposed);
  } else {
    sum = g.Add("Add", 1,
                {Times(g, h, kHidden, outputs, seed + 1, cell_form.transposed),
                 Times(g, x, kInputs, outputs, seed, cell_form.transposed)});
  }
  for (int i = 0; i < cell_form.biases; ++i) {
    sum = g.Add("Add", 1, {sum, Constant(g, {1, outputs}, seed + 7 + static_cast<uint32_t>(i))});
  }
  return sum;
}

ir::Source Activated(GraphBuilder& g, const FormBuilder& cell_form, ir::Source a) {
  if (cell_form.activation == "Clamp") {  // relu6(a + 3) / 6
    const ir::Source moved = g.Add("Add", 1, {a, g.Float(3)});
    const ir::Source clamped = g.Add("Clamp", 1, {moved}, {{"min", "0"}, {"max", "6"}});
    return g.Add("Multiply", 1, {g.Float(1.0f / 6), clamped});
  }
  if (cell_form.activation == "HSigmoid") return g.Add("HSigmoid", 5, {a});
  if (cell_form.activation == "ClampToOne") {
    const ir::Source scaled = g.Add("Multiply", 1, {a, g.Float(0.2f)});
    const ir::Source moved = g.Add("Add", 1, {scaled, g.Float(0.5f)});
    return g.Add("Clamp", 1, {moved}, {{"min", "0.0"}, {"max", "1.0"}});
  }
  if (cell_form.activation != "HardSigmoid") return g.Add(cell_form.activation, 1, {a});
  return g.Add("HardSigmoid", 1, {a, g.Float(0.3f), g.Float(0.4f)});
}

// By gate letter, activated.
std::map<char, ir::Source> Gates(GraphBuilder& g, const FormBuilder& cell_form, ir::Source x,
                                 ir::Source h) {
  std::vector<ir::Source> parts;
  if (cell_form.form == Form::kPerGate) {
    for (uint32_t i = 0; i < 4; ++i) parts.push_back(Sum(g, cell_form, x, h, kHidden, 10 * i + 3));
  } else {
    ir::Source all = Sum(g, cell_form, x, h, 4 * kHidden, 3);
    if (cell_form.split_after_sigmoid) all = g.Add("Sigmoid", 1, {all});
    parts = CutColumns(g, all, 4, cell_form.cut);
  }
  std::map<char, ir::Source> gates;
  for (size_t i = 0; i < 4; ++i) {
    const char gate = cell_form.order[i];
    ir::Source part = parts[i];
    if (gate == 'f' && cell_form.forget_bias != 0) {
      part = g.Add("Add", 1, {part, g.Float(cell_form.forget_bias)});
    }
    if (cell_form.split_after_sigmoid) {
      gates[gate] = part;
    } else {
      gates[gate] = gate == 'g' ? g.Add("Tanh", 1, {part}) : Activated(g, cell_form, part);
    }
  }
  return gates;
}

struct Cell {
  ir::Source x, h, c, next_h, next_c;
  std::map<char, ir::Source> gates;
};

Cell Build(GraphBuilder& g, const FormBuilder& cell_form) {
  Cell cell;
  cell.x = g.Parameter(F32({kRows, kInputs}));
  cell.h = g.Parameter(F32({kRows, kHidden}));
  cell.c = g.Parameter(F32({kRows, kHidden}));
  cell.gates = Gates(g, cell_form, cell.x, cell.h);
  const auto& gates = cell.gates;
  cell.next_c = g.Add("Add", 1,
                      {g.Add("Multiply", 1, {gates.at('i'), gates.at('g')}),
                       g.Add("Multiply", 1, {gates.at('f'), cell.c})});
  cell.next_h = g.Add("Multiply", 1, {g.Add("Tanh", 1, {cell.next_c}), gates.at('o')});
  g.Result(cell.next_h);
  g.Result(cell.next_c);
  return cell;
}

class DecomposedLstm : public testing::TestWithParam<FormBuilder> {};

TEST_P(DecomposedLstm, BecomesACell) {
  GraphBuilder g;
  Build(g, GetParam());
  const std::map<std::string, int> left = Recognised(g);
  EXPECT_EQ(left, (std::map<std::string, int>{{"LSTMCell", 1}, {"Parameter", 3}, {"Result", 2}}));
}

INSTANTIATE_TEST_SUITE_P(
    Recognise, DecomposedLstm,
    testing::Values(
        FormBuilder{.name = "KerasTwoProducts"},
        FormBuilder{
            .name = "TensorFlowBasic", .order = "igfo", .form = Form::kMerged, .forget_bias = 1},
        FormBuilder{.name = "MergedTransposed", .form = Form::kMerged, .transposed = true},
        FormBuilder{.name = "OnnxOrder", .order = "iofg", .transposed = true, .biases = 2},
        FormBuilder{.name = "OpenVinoOrder", .order = "figo", .cut = CutBy::kVariadicSplit},
        FormBuilder{.name = "CutBySlice", .cut = CutBy::kSlice},
        FormBuilder{.name = "CutByStridedSlice", .order = "gofi", .cut = CutBy::kStridedSlice},
        FormBuilder{.name = "OneProductPerGate", .form = Form::kPerGate},
        FormBuilder{.name = "OneMergedProductPerGate", .form = Form::kPerGate, .transposed = true},
        FormBuilder{.name = "NoBias", .biases = 0},
        FormBuilder{.name = "ActivatedBeforeTheSplit", .split_after_sigmoid = true},
        FormBuilder{.name = "HardSigmoidGates", .activation = "HardSigmoid"},
        FormBuilder{.name = "KerasHardSigmoid", .activation = "HSigmoid"},
        FormBuilder{.name = "KerasHardSigmoidInParts", .activation = "Clamp"},
        FormBuilder{.name = "OldKerasHardSigmoid", .activation = "ClampToOne"},
        FormBuilder{.name = "ReluGates", .activation = "Relu"}),
    [](const auto& instance) { return instance.param.name; });

TEST(RecogniseLstm, LooksThroughDimsOfOne) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1, 1, kInputs})), h = g.Parameter(F32({1, 1, kHidden}));
  const ir::Source c = g.Parameter(F32({1, 1, kHidden}));
  const ir::Source row = g.Add("Squeeze", 1, {x, g.Ints({0})});
  const ir::Source state = g.Add("Reshape", 1, {h, g.Ints({1, kHidden})});
  FormBuilder cell_form;
  auto gates = Gates(g, cell_form, row, state);
  const ir::Source kept = g.Add("Multiply", 1, {gates['f'], c});
  const ir::Source next = g.Add("Add", 1, {kept, g.Add("Multiply", 1, {gates['i'], gates['g']})});
  g.Result(g.Add("Multiply", 1, {gates['o'], g.Add("Tanh", 1, {next})}));
  g.Result(next);
  EXPECT_EQ(Recognised(g)["LSTMCell"], 1);
}

TEST(RecogniseLstm, ChainsCellsThatAreLaidFlat) {
  GraphBuilder g;
  FormBuilder cell_form;
  ir::Source h = g.Parameter(F32({kRows, kHidden})), c = g.Parameter(F32({kRows, kHidden}));
  for (int i = 0; i < 3; ++i) {
    auto gates = Gates(g, cell_form, g.Parameter(F32({kRows, kInputs})), h);
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
  const Cell cell = Build(g, {});
  cell.next_h.node->outputs[0].names = {"hidden"};
  Recognised(g);
  const ir::Source source = g.graph.results[0]->inputs[0];
  EXPECT_EQ(source.node->type, "LSTMCell");
  EXPECT_EQ(source.node->outputs[source.port].names, std::vector<std::string>{"hidden"});
}

TEST(RecogniseLstm, LeavesACellWhoseGateIsRead) {
  GraphBuilder g;
  const Cell cell = Build(g, {});
  g.Result(cell.gates.at('f'));
  EXPECT_EQ(Recognised(g)["LSTMCell"], 0);
}

// A peephole: a gate reads the cell state.
TEST(RecogniseLstm, LeavesPeepholes) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({kRows, kInputs})), h = g.Parameter(F32({kRows, kHidden}));
  const ir::Source c = g.Parameter(F32({kRows, kHidden}));
  FormBuilder cell_form{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, cell_form, x, h);
  const ir::Source look = g.Add("Multiply", 1, {c, Constant(g, {1, kHidden}, 99)});
  const ir::Source sum = Sum(g, cell_form, x, h, kHidden, 50);
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
  FormBuilder cell_form{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, cell_form, x, h);
  gates['o'] = g.Add("Relu", 1, {Sum(g, cell_form, x, h, kHidden, 60)});
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
  FormBuilder cell_form{.name = "", .form = Form::kPerGate};
  auto gates = Gates(g, cell_form, x, h);
  const ir::Source more =
      g.Add("Add", 1, {Sum(g, cell_form, x, h, kHidden, 60), Times(g, y, 4, kHidden, 70, false)});
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
