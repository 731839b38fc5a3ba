// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: shapes, number of steps, and errors. The conformance family checks the
// values.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;

ir::Source Window(GraphBuilder& g, size_t size) {
  return g.Floats({static_cast<int64_t>(size)}, std::vector<float>(size, 0.5f));
}

TEST(Fourier, IsOneProductAlongTheLastAxis) {
  GraphBuilder g;
  const ir::Source y = g.Add("RDFT", 9, {g.Parameter(F32({3, 10})), g.Ints({-1}), g.Ints({8})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[3,5,2]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (Kind{StepKind::kDense}));
  const auto params = ParamsAt<format::DenseParams>(program);
  EXPECT_EQ(params.rows(), 3u);
  EXPECT_EQ(params.inputs(), 8u);
  EXPECT_EQ(params.x_row_stride(), 10u);
  EXPECT_EQ(params.outputs(), 10u);
}

TEST(Fourier, BringsOtherAxesTogether) {
  GraphBuilder g;
  const ir::Source y = g.Add("DFT", 7, {g.Parameter(F32({4, 3, 2})), g.Ints({0})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[4,3,2]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kCopy, StepKind::kDense, StepKind::kCopy}));
}

TEST(Fourier, OfLongerLinesIsOneStep) {
  GraphBuilder g;
  g.Add("RDFT", 9, {g.Parameter(F32({3, 600})), g.Ints({-1}), g.Ints({480})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (Kind{StepKind::kFourier}));
  const auto params = ParamsAt<format::FourierParams>(program);
  EXPECT_EQ(params.lines(), 3u);
  EXPECT_EQ(params.size(), 480u);
  EXPECT_EQ(params.x_line_stride(), 600u);
  EXPECT_EQ(params.y_line_stride(), 482u);
  EXPECT_EQ(params.scale(), 1.0f);
  EXPECT_EQ(params.op(), format::FourierOp::forward_real);
  const uint8_t* factors = params.factors()->Data();
  EXPECT_EQ(std::vector<uint8_t>(factors, factors + 12),
            (std::vector<uint8_t>{4, 4, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0}));
  const program::Step step = Steps(program)[0];
  EXPECT_EQ(program.values[step.inputs[1]].bytes, int64_t{4} * (240 + 2 * 239 - 8));
  EXPECT_EQ(program.values[step.outputs[1]].bytes, int64_t{4} * 480);
}

TEST(Fourier, FillsUpShortLinesAndScalesTheWayBack) {
  GraphBuilder g;
  g.Add("IDFT", 7, {g.Parameter(F32({3, 100, 2})), g.Ints({1}), g.Ints({128})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (Kind{StepKind::kFill, StepKind::kCopy, StepKind::kFourier}));
  const auto params = ParamsAt<format::FourierParams>(program, 2);
  EXPECT_EQ(params.x_line_stride(), 256u);
  EXPECT_EQ(params.scale(), 1.0f / 128);
  EXPECT_EQ(params.op(), format::FourierOp::inverse);
}

TEST(Fourier, OfALargePrimeFactorIsAProduct) {
  GraphBuilder g;
  g.Add("RDFT", 9, {g.Parameter(F32({102})), g.Ints({0})});
  g.Add("RDFT", 9, {g.Parameter(F32({104})), g.Ints({0})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kDense, StepKind::kFourier}));
}

TEST(Fourier, HalvesTheAxisThatIsListedLast) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({6, 4}));
  const ir::Source rows = g.Add("RDFT", 9, {x, g.Ints({1, 0})});
  const ir::Source columns = g.Add("RDFT", 9, {x, g.Ints({0, 1})});
  const ir::Source back = g.Add("IRDFT", 9, {rows, g.Ints({1, 0})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(rows)), "f32[4,4,2]");
  EXPECT_EQ(ToString(g.type(columns)), "f32[6,3,2]");
  EXPECT_EQ(ToString(g.type(back)), "f32[6,4]");
}

TEST(Fourier, RefusesWhatItCannotTransform) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({4, 3, 2}));
  g.Add("DFT", 7, {x, g.Ints({2})});
  g.Add("DFT", 7, {x, g.Ints({0, -2})});
  g.Add("DFT", 7, {x, g.Ints({})});
  g.Add("DFT", 7, {g.Parameter(F32({4, 3})), g.Ints({0})});
  g.Add("DFT", 7, {x, g.Ints({0}), g.Ints({0})});
  g.Add("DFT", 7, {x, g.Ints({0}), g.Ints({2, 2})});
  g.Add("DFT", 7, {g.Parameter(F32({4099, 2})), g.Ints({0})});
  g.Add("IRDFT", 9, {g.Parameter(F32({1, 2})), g.Ints({0})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, g.FaultText(), "axis -2 is listed twice; must be listed once");
  EXPECT_PRED2(Contains, g.FaultText(), "lists no axis; must list at least one");
  EXPECT_PRED2(Contains, g.FaultText(), "data is f32[4,3]; the last axis must have extent 2");
  EXPECT_PRED2(Contains, g.FaultText(), "transforms 0 numbers along axis 0; must be at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (signal size)");
  EXPECT_PRED2(Contains, g.FaultText(),
               "transforms lines of 4099 numbers by a matrix; must have at most 8388608 weights, or"
               " at most 2097152 numbers and no prime factor above 13");
}

TEST(ShortTime, ReadsFramesWhereTheyOverlap) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("STFT", 15, {g.Parameter(F32({50})), Window(g, 16), g.Int(16), g.Int(5)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[7,9,2]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program), (Kind{StepKind::kDense}));
  EXPECT_EQ(ParamsAt<format::DenseParams>(program).x_row_stride(), 5u);
}

TEST(ShortTime, OfLongerFramesPutsTheWindowInTheStep) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({1600}));
  const ir::Source y = g.Add("STFT", 15, {x, Window(g, 400), g.Int(512), g.Int(160)});
  g.Add("ISTFT", 16, {g.Parameter(F32({65, 4, 2})), Window(g, 128), g.Int(128), g.Int(50)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[7,257,2]");
  const program::Program program = g.Lower();
  ASSERT_EQ(Kinds(program),
            (Kind{StepKind::kFourier, StepKind::kCopy, StepKind::kFill, StepKind::kFourier,
                  StepKind::kReduce, StepKind::kBinary, StepKind::kCopy}));
  const auto forward = ParamsAt<format::FourierParams>(program);
  EXPECT_EQ(forward.lines(), 7u);
  EXPECT_EQ(forward.x_line_stride(), 160u);
  EXPECT_EQ(forward.has_window(), 1);
  const auto back = ParamsAt<format::FourierParams>(program, 3);
  EXPECT_EQ(back.op(), format::FourierOp::inverse_real);
  EXPECT_EQ(back.y_line_stride(), 150u);
  EXPECT_EQ(back.has_window(), 1);
}

TEST(ShortTime, CopiesWhereSignalsLieApartAndWhereBinsComeFirst) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("STFT", 15, {g.Parameter(F32({2, 50})), Window(g, 16), g.Int(16), g.Int(5)},
            {{"transpose_frames", "true"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,9,7,2]");
  EXPECT_EQ(Kinds(g.Lower()), (Kind{StepKind::kCopy, StepKind::kDense, StepKind::kCopy}));
}

TEST(ShortTime, GivesTheLengthThatIsAskedFor) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 5, 4, 2}));
  const auto istft = [&](std::map<std::string, std::string> attributes) {
    return g.Add("ISTFT", 16, {x, Window(g, 8), g.Int(8), g.Int(3)}, std::move(attributes));
  };
  const ir::Source whole = istft({});
  const ir::Source centred = istft({{"center", "true"}});
  const ir::Source given = g.Add("ISTFT", 16, {x, Window(g, 8), g.Int(8), g.Int(3), g.Int(99)}, {});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(whole)), "f32[2,17]");
  EXPECT_EQ(ToString(g.type(centred)), "f32[2,9]");
  EXPECT_EQ(ToString(g.type(given)), "f32[2,99]");
}

TEST(ShortTime, RefusesWhatIsNoFraming) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({6}));
  g.Add("STFT", 15, {x, Window(g, 8), g.Int(8), g.Int(5)});
  g.Add("STFT", 15, {x, Window(g, 5), g.Int(4), g.Int(5)});
  g.Add("STFT", 15, {x, Window(g, 4), g.Int(4), g.Int(0)});
  g.Add("STFT", 15, {x, g.Parameter(F32({9})), g.Int(4), g.Int(1)});
  g.Add("STFT", 15, {x, g.Parameter({ElementType::i32, {4}}), g.Int(4), g.Int(1)});
  g.Add("STFT", 15, {g.Parameter(F32({1, 2, 6})), Window(g, 4), g.Int(4), g.Int(1)});
  g.Add("ISTFT", 16, {g.Parameter(F32({6, 4, 2})), Window(g, 8), g.Int(8), g.Int(3)});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "signal has 6 samples; must have at least one frame of 8");
  EXPECT_PRED2(Contains, g.FaultText(), "window is f32[5]; must be one-dimensional, with at most");
  EXPECT_PRED2(Contains, g.FaultText(), "frame step is 0; must be at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "window is f32[9]; must be one-dimensional, with at most");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 1 has element type i32; this operation supports f32");
  EXPECT_PRED2(Contains, g.FaultText(), "signal has 3 axes; must have 1 or 2");
  EXPECT_PRED2(Contains, g.FaultText(), "spectra have 6 bins and 4 frames; must have 5 bins");
}

}  // namespace
}  // namespace weft
