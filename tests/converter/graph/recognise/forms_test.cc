// SPDX-License-Identifier: Apache-2.0
// Decomposed formulas as in exports become one operation each, with equal results. Formulas that
// differ, or with other readers of a part, stay.
#include "converter/graph/recognise/forms/forms.h"

#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

const Dims kShape = {2, 3, 8};

struct DecomposedForm {
  const char* name;
  ir::Source (*build)(FormBuilder& g, ir::Source x);
  KindCounts left;  // operations except Parameter and Result
};

std::ostream& operator<<(std::ostream& out, const DecomposedForm& built) {
  return out << built.name;
}

ir::Source Cube(FormBuilder& g, ir::Source x) { return g("Power", x, 3.0f); }

// torch.onnx: 0.5 * x * (1 + tanh(...)), in the order of the source.
ir::Source TanhGelu(FormBuilder& g, ir::Source x) {
  const ir::Source inner = g("Add", x, g("Multiply", Cube(g, x), 0.044715f));
  const ir::Source tanh = g("Tanh", g("Multiply", inner, 0.7978845608f));
  return g("Multiply", g("Multiply", 0.5f, x), g("Add", tanh, 1.0f));
}

// gelu_fast of Transformers: expanded differently.
ir::Source FastGelu(FormBuilder& g, ir::Source x) {
  const ir::Source scaled = g("Multiply", x, 0.7978845608f);
  const ir::Source square = g("Multiply", g("Multiply", x, 0.044715f), x);
  const ir::Source tanh = g("Tanh", g("Multiply", scaled, g("Add", 1.0f, square)));
  return g("Multiply", g("Multiply", 0.5f, x), g("Add", 1.0f, tanh));
}

ir::Source ErfGelu(FormBuilder& g, ir::Source x) {
  const ir::Source erf = g("Erf", g("Divide", x, 1.4142135f));
  return g("Multiply", g("Multiply", x, g("Add", erf, 1.0f)), 0.5f);
}

// Keras: 0.5 * x * erfc(-x / sqrt 2).
ir::Source ErfcGelu(FormBuilder& g, ir::Source x) {
  const ir::Source erf = g("Erf", g("Multiply", x, -0.70710677f));
  return g("Multiply", g("Multiply", 0.5f, x), g("Subtract", 1.0f, erf));
}

ir::Source HardSwish(FormBuilder& g, ir::Source x) {
  const ir::Source bounded = g("Clamp", g("Add", x, 3.0f), {{"min", "0"}, {"max", "6"}});
  return g("Divide", g("Multiply", x, bounded), 6.0f);
}

ir::Source HardSwishByRelu6(FormBuilder& g, ir::Source x) {
  const ir::Source bounded = g("Minimum", g("Relu", g("Add", x, 3.0f)), 6.0f);
  return g("Multiply", x, g("Multiply", bounded, 1.0f / 6));
}

ir::Source SigmoidByExp(FormBuilder& g, ir::Source x) {
  return g("Divide", 1.0f, g("Add", 1.0f, g("Exp", g("Negative", x))));
}

const DecomposedForm kActivations[] = {
    {"GeluByErf", ErfGelu, {{"Gelu", 1}}},
    {"GeluByErfc", ErfcGelu, {{"Gelu", 1}}},
    {"GeluByTanh", TanhGelu, {{"Gelu", 1}}},
    {"GeluFast", FastGelu, {{"Gelu", 1}}},
    {"Silu",
     [](FormBuilder& g, ir::Source x) { return g("Multiply", x, g("Sigmoid", x)); },
     {{"Swish", 1}}},
    {"QuickGelu",
     [](FormBuilder& g, ir::Source x) {
       return g("Multiply", x, g("Sigmoid", g("Multiply", 1.702f, x)));
     },
     {{"Swish", 1}}},
    {"SiluByExp",
     [](FormBuilder& g, ir::Source x) {
       return g("Divide", x, g("Add", g("Exp", g("Multiply", x, -1.0f)), 1.0f));
     },
     {{"Swish", 1}}},
    {"SigmoidByExp", SigmoidByExp, {{"Sigmoid", 1}}},
    {"SigmoidByTanh",
     [](FormBuilder& g, ir::Source x) {
       return g("Add", g("Multiply", g("Tanh", g("Multiply", x, 0.5f)), 0.5f), 0.5f);
     },
     {{"Sigmoid", 1}}},
    {"SoftPlus",
     [](FormBuilder& g, ir::Source x) { return g("Log", g("Add", g("Exp", x), 1.0f)); },
     {{"SoftPlus", 1}}},
    {"SoftPlusOfTorchExport",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source grown = g("Log", g("Add", g("Exp", x), 1.0f));
       return g.Of("Select", {g("Greater", x, 20.0f), x, grown});
     },
     {{"SoftPlus", 1}}},
    {"Mish",
     [](FormBuilder& g, ir::Source x) {
       return g("Multiply", x, g("Tanh", g("Log", g("Add", 1.0f, g("Exp", x)))));
     },
     {{"Mish", 1}}},
    {"MishOfNegative",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source negative = g("Negative", x);
       return g("Multiply", negative, g("Tanh", g("SoftPlus", negative)));
     },
     {{"Mish", 1}, {"Negative", 1}}},
    {"HardSwish", HardSwish, {{"HSwish", 1}}},
    {"HardSwishByRelu6", HardSwishByRelu6, {{"HSwish", 1}}},
    {"HardSwishByHardSigmoid",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source sixth = g.Number(1.0f / 6), half = g.Number(0.5f);
       return g("Multiply", g.Of("HardSigmoid", {x, sixth, half}), x);
     },
     {{"HSwish", 1}}},
    {"HSigmoid",
     [](FormBuilder& g, ir::Source x) {
       return g("Divide", g("Clamp", g("Add", 3.0f, x), {{"min", "0"}, {"max", "6"}}), 6.0f);
     },
     {{"HSigmoid", 1}}},
    {"HardSigmoid",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source line = g("Add", g("Multiply", x, 0.2f), 0.5f);
       return g("Clamp", line, {{"min", "0"}, {"max", "1"}});
     },
     {{"HardSigmoid", 1}}},
    {"Relu6",
     [](FormBuilder& g, ir::Source x) { return g("Minimum", g("Relu", x), 6.0f); },
     {{"Clamp", 1}}},
    {"LeakyByMaximum",
     [](FormBuilder& g, ir::Source x) { return g("Maximum", g("Multiply", x, 0.01f), x); },
     {{"PRelu", 1}}},
    {"LeakyBySelect",
     [](FormBuilder& g, ir::Source x) {
       return g.Of("Select", {g("Greater", x, 0.0f), x, g("Multiply", x, 0.2f)});
     },
     {{"PRelu", 1}}},
    {"PReluOfKeras",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source slopes = g.Row({-0.1f, -0.2f, -0.3f, -0.4f, -0.5f, -0.6f, -0.7f, -0.8f});
       return g("Add", g("Relu", x), g("Multiply", slopes, g("Relu", g("Negative", x))));
     },
     {{"PRelu", 1}}},
    {"SnakeOfChannels",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source slopes = g.Floats({1, 3, 1}, {0.5f, 1.5f, 2.5f});
       const ir::Source wave = g("Sin", g("Multiply", slopes, x));
       return g("Add", x, g("Divide", g("Power", wave, 2.0f), slopes));
     },
     {{"Snake", 1}}},
    {"SnakeOfTwoSines",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source one = g("Sin", g("Multiply", x, 0.7f));
       const ir::Source other = g("Sin", g("Multiply", 0.7f, x));
       return g("Add", g("Multiply", g("Multiply", one, other), 1.4f), x);
     },
     {{"Snake", 1}}},
    {"SnakeByCosine",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source wave = g("Cos", g("Multiply", x, 2.0f));
       return g("Add", x, g("Divide", g("Subtract", 1.0f, wave), 2.0f));
     },
     {{"Snake", 1}}},
};

class Activations : public testing::TestWithParam<DecomposedForm> {};

TEST_P(Activations, BecomeOneOperation) {
  FormBuilder g;
  g.Result(GetParam().build(g, g.Parameter(F32(kShape))));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(, Activations, testing::ValuesIn(kActivations),
                         [](const auto& each) { return std::string(each.param.name); });

ir::Source Mean(FormBuilder& g, ir::Source x, int64_t axis = -1, bool keep = true) {
  return g.Reduce("ReduceMean", x, {axis}, keep);
}

// torch.onnx before opset 17, and what tf2onnx leaves: ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt.
ir::Source LayerNorm(FormBuilder& g, ir::Source x, int64_t axis) {
  const ir::Source centred = g("Subtract", x, Mean(g, x, axis));
  const ir::Source variance = Mean(g, g("Power", centred, 2.0f), axis);
  return g("Divide", centred, g("Sqrt", g("Add", variance, 1e-5f)));
}

// x * s + (beta - mean * s) with s = gamma / sqrt(variance + epsilon), as
// tf.nn.batch_normalization.
ir::Source KerasLayerNorm(FormBuilder& g, ir::Source x) {
  const ir::Source mean = Mean(g, x);
  const ir::Source variance = Mean(g, g("SquaredDifference", x, mean));
  const ir::Source inverse = g("Power", g("Add", variance, 1e-3f), -0.5f);
  const ir::Source gamma = g.Row({1, 2, 3, 4, 5, 6, 7, 8});
  const ir::Source s = g("Multiply", inverse, gamma);
  const ir::Source shift = g("Subtract", g.Row({1, 1, 2, 2, 3, 3, 4, 4}), g("Multiply", mean, s));
  return g("Add", g("Multiply", x, s), shift);
}

// The same with a zero shift: x * s + -mean * s.
ir::Source UnshiftedLayerNorm(FormBuilder& g, ir::Source x) {
  const ir::Source mean = Mean(g, x);
  const ir::Source variance = Mean(g, g("SquaredDifference", x, mean));
  const ir::Source inverse = g("Power", g("Add", variance, 1e-3f), -0.5f);
  const ir::Source s = g("Multiply", inverse, g.Row({1, 2, 3, 4, 5, 6, 7, 8}));
  const ir::Source shift = g("Multiply", g("Multiply", mean, -1.0f), s);
  return g("Add", g("Multiply", x, s), shift);
}

// Flax: the variance as mean x^2 - (mean x)^2, bounded from below by 0.
ir::Source FlaxLayerNorm(FormBuilder& g, ir::Source x) {
  const ir::Source mean = Mean(g, x), square = Mean(g, g("Multiply", x, x));
  const ir::Source difference = g("Subtract", square, g("Multiply", mean, mean));
  const ir::Source variance = g("Maximum", difference, 0.0f);
  const ir::Source inverse = g("Divide", 1.0f, g("Sqrt", g("Add", variance, 1e-6f)));
  const ir::Source factor = g("Multiply", inverse, g.Row({1, 2, 3, 4, 5, 6, 7, 8}));
  return g("Multiply", g("Subtract", x, mean), factor);
}

// Llama: x * rsqrt(mean x^2 + eps), then the weight.
ir::Source RmsNorm(FormBuilder& g, ir::Source x) {
  const ir::Source square = Mean(g, g("Power", x, 2.0f));
  const ir::Source inverse = g("Divide", 1.0f, g("Sqrt", g("Add", square, 1e-6f)));
  return g("Multiply", g("Multiply", x, inverse), g.Row({1, 2, 3, 4, 5, 6, 7, 8}));
}

// torch.nn.functional.normalize: the norm, bounded below and expanded.
ir::Source L2Norm(FormBuilder& g, ir::Source x) {
  const ir::Source norm = g.Reduce("ReduceL2", x, {-1}, true);
  const ir::Source bounded = g("Clamp", norm, {{"min", "1e-12"}, {"max", "3.4028235e+38"}});
  return g("Divide", x, g.Of("Broadcast", {bounded, g.Ints({2, 3, 8})}, {{"mode", "numpy"}}));
}

ir::Source Softmax(FormBuilder& g, ir::Source x) {
  const ir::Source largest = g.Reduce("ReduceMax", x, {1}, true);
  const ir::Source exp = g("Exp", g("Subtract", x, largest));
  return g("Divide", exp, g.Reduce("ReduceSum", exp, {1}, true));
}

ir::Source LogSoftmax(FormBuilder& g, ir::Source x) {
  const ir::Source shifted = g("Subtract", x, g.Reduce("ReduceMax", x, {-1}, true));
  const ir::Source sum = g.Reduce("ReduceSum", g("Exp", shifted), {-1}, true);
  return g("Subtract", shifted, g("Log", sum));
}

const DecomposedForm kNorms[] = {
    {"LayerNorm", [](FormBuilder& g, ir::Source x) { return LayerNorm(g, x, -1); }, {{"MVN", 1}}},
    {"LayerNormOfChannels",
     [](FormBuilder& g, ir::Source x) { return LayerNorm(g, x, 1); },
     {{"MVN", 1}}},
    {"LayerNormOfKeras", KerasLayerNorm, {{"Add", 1}, {"MVN", 1}, {"Multiply", 1}}},
    {"LayerNormWithoutShift", UnshiftedLayerNorm, {{"MVN", 1}, {"Multiply", 1}}},
    {"LayerNormOfFlax", FlaxLayerNorm, {{"MVN", 1}, {"Multiply", 1}}},
    {"InstanceNormOfTorchExport",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Add", x, g("Multiply", Mean(g, x), -1.0f));
       const ir::Source other = g("Subtract", x, Mean(g, x));
       const ir::Source variance = Mean(g, g("Multiply", other, other), -1, false);
       const ir::Source inverse = g("Divide", 1.0f, g("Sqrt", g("Add", variance, 1e-5f)));
       return g("Multiply", centred, g.Of("Unsqueeze", {inverse, g.Ints({2})}));
     },
     {{"MVN", 1}}},
    {"EpsilonOutside",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Subtract", x, Mean(g, x));
       const ir::Source root = g("Sqrt", Mean(g, g("Multiply", centred, centred)));
       return g("Divide", centred, g("Add", root, 1e-2f));
     },
     {{"MVN", 1}}},
    {"RmsNorm", RmsNorm, {{"Multiply", 1}, {"NormalizeL2", 1}}},
    {"RmsNormOfSum",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source sum = g.Reduce("ReduceSum", g("Multiply", x, x), {2}, false);
       const ir::Source mean = g("Multiply", sum, 0.125f);
       const ir::Source root = g("Sqrt", g("Add", mean, 1e-6f));
       return g("Divide", x, g.Of("Unsqueeze", {root, g.Ints({-1})}));
     },
     {{"NormalizeL2", 1}}},
    {"MeanOfOtherAxes",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Subtract", x, Mean(g, x, 1));
       const ir::Source variance = Mean(g, g("Power", centred, 2.0f), 2);
       return g("Divide", centred, g("Sqrt", g("Add", variance, 1e-5f)));
     },
     {{"NormalizeL2", 1}, {"ReduceMean", 1}, {"Subtract", 1}}},
    {"L2", L2Norm, {{"NormalizeL2", 1}}},
    {"Softmax", Softmax, {{"Softmax", 1}}},
    {"SoftmaxOfTwoExps",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source sum = g.Reduce("ReduceSum", g("Exp", x), {-1}, true);
       return g("Divide", g("Exp", x), sum);
     },
     {{"Softmax", 1}}},
    {"LogSoftmax", LogSoftmax, {{"LogSoftmax", 1}}},
    {"LogOfSoftmax",
     [](FormBuilder& g, ir::Source x) {
       return g("Log", g("Softmax", x, {{"axis", "-1"}}));
     },
     {{"LogSoftmax", 1}}},
};

class Norms : public testing::TestWithParam<DecomposedForm> {};

TEST_P(Norms, BecomeOneOperation) {
  FormBuilder g;
  g.Result(GetParam().build(g, g.Parameter(F32(kShape))));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(, Norms, testing::ValuesIn(kNorms),
                         [](const auto& each) { return std::string(each.param.name); });

// Results with an additional factor.
const DecomposedForm kScaled[] = {
    {"UnbiasedVariance",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Subtract", x, Mean(g, x));
       const ir::Source sum = g.Reduce("ReduceSum", g("Power", centred, 2.0f), {-1}, true);
       return g("Divide", centred, g("Sqrt", g("Divide", sum, 7.0f)));
     },
     {{"MVN", 1}, {"Multiply", 1}}},
    {"UnbiasedDeviationAndEpsilon",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Subtract", x, Mean(g, x));
       const ir::Source mean = Mean(g, g("Multiply", centred, centred));
       const ir::Source variance = g("Divide", g("Multiply", mean, 8.0f), 7.0f);
       return g("Divide", centred, g("Add", g("Sqrt", variance), 1e-2f));
     },
     {{"MVN", 1}, {"Multiply", 1}}},
    {"DeviationOfALine",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source centred = g("Subtract", x, Mean(g, x));
       return g("Sqrt", Mean(g, g("Multiply", centred, centred), -1, false));
     },
     {{"Multiply", 1}, {"ReduceL2", 1}, {"ReduceMean", 1}, {"Reshape", 1}, {"Subtract", 1}}},
    {"Length",
     [](FormBuilder& g, ir::Source x) {
       return g("Power", g.Reduce("ReduceSum", g("Power", x, 2.0f), {0, 1}, true), 0.5f);
     },
     {{"Identity", 1}, {"ReduceL2", 1}}},
    {"MagnitudeOfHalves",
     [](FormBuilder& g, ir::Source x) {
       const auto half = [&](int64_t begin) {
         const ir::Source part =
             g.Of("Slice", {x, g.Ints({begin}), g.Ints({begin + 4}), g.Ints({1}), g.Ints({2})});
         return g("Multiply", part, part);
       };
       return g("Sqrt", g("Add", half(4), half(0)));
     },
     {{"Identity", 1}, {"ReduceL2", 1}, {"Reshape", 2}}},
    {"SoftPlusOfASlope",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source slope = g("Multiply", x, 2.0f);
       const ir::Source grown = g("Divide", g("SoftPlus", slope), 2.0f);
       return g.Of("Select", {g("Greater", slope, 20.0f), x, grown});
     },
     {{"Divide", 1}, {"Multiply", 1}, {"SoftPlus", 1}}},
};

class Scaled : public testing::TestWithParam<DecomposedForm> {};

TEST_P(Scaled, BecomeOneOperationAndANumber) {
  FormBuilder g;
  g.Result(GetParam().build(g, g.Parameter(F32(kShape))));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), GetParam().left);
}

INSTANTIATE_TEST_SUITE_P(, Scaled, testing::ValuesIn(kScaled),
                         [](const auto& each) { return std::string(each.param.name); });

// Formulas that stay unchanged.
const DecomposedForm kNearly[] = {
    {"GeluOfHalfPrecisionConstants",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source erf = g("Erf", g("Multiply", x, 0.70703125f));
       return g("Multiply", g("Multiply", x, g("Add", erf, 1.0f)), 0.5f);
     },
     {}},
    {"SigmoidOfAnother",
     [](FormBuilder& g, ir::Source x) { return g("Multiply", x, g("Sigmoid", g("Abs", x))); },
     {}},
    {"SlopeAboveOne",
     [](FormBuilder& g, ir::Source x) { return g("Maximum", x, g("Multiply", x, 1.5f)); },
     {}},
    {"BoundsCrossed",
     [](FormBuilder& g, ir::Source x) { return g("Minimum", g("Maximum", x, 2.0f), 1.0f); },
     {}},
    {"VarianceWithoutCentre",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source mean = Mean(g, x), square = Mean(g, g("Multiply", x, x));
       const ir::Source variance = g("Subtract", square, g("Multiply", mean, mean));
       return g("Divide", x, g("Sqrt", g("Add", variance, 1.0f)));
     },
     {}},
    {"SnakeOfAnother",
     [](FormBuilder& g, ir::Source x) {
       return g("Add", x, g("Power", g("Sin", g("Abs", x)), 2.0f));
     },
     {}},
    {"SnakeOfTwoSlopes",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source one = g("Sin", x), other = g("Sin", g("Multiply", 0.5f, x));
       return g("Add", x, g("Multiply", one, other));
     },
     {}},
    {"SnakeOfNumbersAlongTwoAxes",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source slopes = g.Floats({3, 1}, {0.5f, 1.5f, 2.5f});
       const ir::Source wave = g("Power", g("Sin", g("Multiply", x, slopes)), 2.0f);
       return g("Add", x, g("Multiply", wave, g.Row({1, 2, 3, 4, 5, 6, 7, 8})));
     },
     {}},
    {"SnakeOfNumbersBelowTheNormalOnes",
     [](FormBuilder& g, ir::Source x) {
       return g("Add", x, g("Multiply", g("Power", g("Sin", x), 2.0f), 1e-42f));
     },
     {}},
    {"MagnitudeOfOneHalf",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source half =
           g.Of("Slice", {x, g.Ints({0}), g.Ints({4}), g.Ints({1}), g.Ints({2})});
       const ir::Source square = g("Multiply", half, half);
       return g("Sqrt", g("Add", square, square));
     },
     {}},
    {"MagnitudeOfHalvesThatAreReversed",
     [](FormBuilder& g, ir::Source x) {
       const auto square = [&](int64_t begin) {
         const ir::Source half = g.Of("Slice", {x, g.Ints({-1, begin}), g.Ints({-9, begin + 4}),
                                                g.Ints({-1, 1}), g.Ints({1, 2})});
         return g("Multiply", half, half);
       };
       return g("Sqrt", g("Add", square(0), square(4)));
     },
     {}},
    {"SumOfAnotherAxis",
     [](FormBuilder& g, ir::Source x) {
       const ir::Source exp = g("Exp", x);
       return g("Divide", exp, g.Reduce("ReduceSum", exp, {0, 2}, true));
     },
     {}},
};

class Nearly : public testing::TestWithParam<DecomposedForm> {};

TEST_P(Nearly, StaysAsItIs) {
  FormBuilder g;
  g.Result(GetParam().build(g, g.Parameter(F32(kShape))));
  const KindCounts before = KindsIn(g);
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), before);
}

INSTANTIATE_TEST_SUITE_P(, Nearly, testing::ValuesIn(kNearly),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Forms, AValueThatIsReadElsewhereIsStillMade) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32(kShape));
  const ir::Source gate = g("Sigmoid", x);
  g.Result(g("Multiply", x, gate));
  g.Result(gate);
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), (KindCounts{{"Multiply", 1}, {"Sigmoid", 1}}));
}

TEST(Forms, AVarianceThatIsAnOutputIsStillMade) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32(kShape));
  const ir::Source square = Mean(g, g("Power", x, 2.0f));
  g.Result(g("Divide", x, g("Sqrt", g("Add", square, 1e-6f))));
  g.Result(square);
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms),
            (KindCounts{{"Add", 1}, {"Divide", 1}, {"Power", 1}, {"ReduceMean", 1}, {"Sqrt", 1}}));
}

TEST(Forms, AFormulaOfMoreAxesThanItsVariableGivesThoseAxes) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({3}));
  const ir::Source three = g.Floats({1, 1}, {3}), sixth = g.Floats({1, 1}, {1.0f / 6});
  const ir::Source bounded = g("Clamp", g("Add", x, three), {{"min", "0"}, {"max", "6"}});
  g.Result(g("Multiply", bounded, sixth));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), (KindCounts{{"HSigmoid", 1}, {"Reshape", 1}}));
}

// The axis of the halves would exceed the maximum rank.
TEST(Forms, AMagnitudeOfEightAxesStays) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({1, 1, 1, 1, 1, 1, 2, 4}));
  const auto square = [&](int64_t begin) {
    return g("Power",
             g.Of("Slice", {x, g.Ints({begin}), g.Ints({begin + 2}), g.Ints({1}), g.Ints({7})}),
             2.0f);
  };
  g.Result(g("Sqrt", g("Add", square(0), square(2))));
  const KindCounts before = KindsIn(g);
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), before);
}

// A thousand readers of one value, each a formula: the cost must be proportional to the formulas.
TEST(Forms, ManyReadersOfOneValue) {
  FormBuilder g;
  const ir::Source x = g.Parameter(F32({1}));
  for (int i = 0; i < 1000; ++i) g.Result(g("Multiply", x, g("Sigmoid", x)));
  EXPECT_EQ(Rewritten(g, graph::RecogniseForms), (KindCounts{{"Swish", 1000}}));
}

}  // namespace
}  // namespace weft
