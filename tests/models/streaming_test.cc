// SPDX-License-Identifier: Apache-2.0
// Graphs around one GRU sequence, converted to streaming: typical layers around a sequence must
// give bit-identical results, and layers that need future steps must be rejected by name.
#include "converter/graph/streaming/streaming.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

constexpr int64_t kGruBatch = 2, kGruSteps = 6, kGruInputs = 5, kGruHidden = 3;

struct GruOptions {
  int64_t inputs = kGruInputs;
  std::string direction = "forward";
  std::vector<int32_t> lengths = std::vector<int32_t>(kGruBatch, kGruSteps);
};

// A GRU over [batch, steps, inputs]; outputs are [batch, 1, steps, hidden] and [batch, 1, hidden].
ir::Node* Gru(GraphBuilder& g, ir::Source x, ir::Source initial, const GruOptions& options = {}) {
  const int64_t directions = options.direction == "bidirectional" ? 2 : 1;
  return g
      .Add("GRUSequence", 5,
           {x, initial, g.Const<int32_t>({ElementType::i32, {kGruBatch}}, options.lengths),
            Weights(g, {directions, 3 * kGruHidden, options.inputs}, 1),
            Weights(g, {directions, 3 * kGruHidden, kGruHidden}, 2),
            Weights(g, {directions, 3 * kGruHidden}, 3)},
           {{"hidden_size", std::to_string(kGruHidden)}, {"direction", options.direction}}, 2)
      .node;
}

ir::Source Zeros(GraphBuilder& g) {
  return g.Floats({kGruBatch, 1, kGruHidden}, std::vector<float>(kGruBatch * kGruHidden, 0.0f));
}

ir::Source Input(GraphBuilder& g) { return g.Parameter(F32({kGruBatch, kGruSteps, kGruInputs})); }

// The hidden states of a sequence as [batch, steps, hidden].
ir::Source Hidden(GraphBuilder& g, ir::Source x, const GruOptions& options = {}) {
  return g.Add("Squeeze", 1, {{Gru(g, x, Zeros(g), options), 0}, g.Ints({1})});
}

void ExpectStreams(const Build& build) {
  for (const int64_t steps : {1, 2, 3, 6}) ExpectSameBits(build, build, kGruSteps, steps);
}

TEST(Streaming, KeepsTheStateInAVariable) {
  const Build build = [](GraphBuilder& g) {
    ir::Node* gru = Gru(g, Input(g), Zeros(g));
    g.Result(g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})}));
    g.Result({gru, 1});
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables, (std::vector<std::string>{"GRUSequence6/hidden"}));
}

TEST(Streaming, ReadsAnInitialStateThatIsAnInputOnce) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = Input(g), initial = g.Parameter(F32({kGruBatch, 1, kGruHidden}));
    g.Result(g.Add("Squeeze", 1, {{Gru(g, x, initial), 0}, g.Ints({1})}));
  });
}

TEST(Streaming, CutsWhatStandsAroundASequence) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({kGruBatch, kGruSteps, 4}));
    const ir::Source wide = g.Add("MatMul", 1, {x, Weights(g, {4, kGruInputs}, 4)});
    const ir::Source hidden = Hidden(g, g.Add("Tanh", 1, {wide}));
    const ir::Source mean = g.Add("ReduceMean", 1, {hidden, g.Ints({-1})}, {{"keep_dims", "true"}});
    const ir::Source centred = g.Add("Subtract", 1, {hidden, mean});
    const ir::Source more = g.Add("Concat", 1, {centred, x}, {{"axis", "-1"}});
    g.Result(g.Add("Softmax", 8, {more}, {{"axis", "-1"}}));
    g.Result(g.Add("Slice", 8, {more, g.Ints({1}), g.Ints({5}), g.Ints({2}), g.Ints({2})}));
  });
}

ir::Source Quantized(GraphBuilder& g, ir::Source x, ir::Source low, ir::Source high) {
  return g.Add("FakeQuantize", 1, {x, low, high, low, high}, {{"levels", "5"}});
}

TEST(Streaming, CutsWhatIsQuantisedAndCounted) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source low = g.Floats({kGruInputs}, {-1, -0.5f, -0.2f, 0, 1});
    const ir::Source high = g.Floats({1, 1, 1, 1}, {0.7f});
    const ir::Source hidden = Hidden(g, Quantized(g, Input(g), low, high));
    const ir::Source codes = Quantized(g, hidden, g.Float(-1), g.Float(1));
    const ir::Source whole = g.Add("Convert", 1, {codes}, {{"destination_type", "i32"}});
    g.Result(codes);
    g.Result(g.Add("OneHot", 16, {whole, g.Int(3), g.Float(2), g.Float(-1)},
                   {{"axis", "1"}, {"negative_indices_mode", "normalize"}}));
  });
}

TEST(Streaming, CutsABatchThatTimeIsFlattenedInto) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source hidden = Hidden(g, Input(g));
    const ir::Source rows =
        g.Add("Reshape", 1, {hidden, g.Ints({kGruBatch * kGruSteps, kGruHidden})});
    const ir::Source dense = g.Add("MatMul", 1, {rows, Weights(g, {kGruHidden, 7}, 5)});
    const ir::Source shifted = g.Add("Add", 1, {dense, Weights(g, {1, 7}, 6)});
    g.Result(g.Add("Reshape", 1, {shifted, g.Ints({kGruBatch, -1, 7})}));
  });
}

TEST(Streaming, CutsAStackWithTimeMovedBetween) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source first = Hidden(g, Input(g));
    const ir::Source permuted = g.Add("Transpose", 1, {first, g.Ints({1, 0, 2})});
    const ir::Source scaled = g.Add("Multiply", 1, {permuted, Weights(g, {kGruHidden}, 7)});
    const ir::Source back = g.Add("Transpose", 1, {scaled, g.Ints({1, 0, 2})});
    g.Result(Hidden(g, back, {.inputs = kGruHidden}));
  });
}

TEST(Streaming, TakesTheLastStepOfEachRun) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source hidden = Hidden(g, Input(g));
    const auto dense = [&](ir::Source last) {
      return g.Add("MatMul", 1, {last, Weights(g, {kGruHidden, 4}, 8)});
    };
    g.Result(dense(g.Add("Gather", 8, {hidden, g.Int(-1), g.Int(1)})));
    g.Result(dense(g.Add("Gather", 8, {hidden, g.Int(kGruSteps - 1), g.Int(1)})));
    g.Result(
        g.Add("Slice", 8, {hidden, g.Ints({-1}), g.Ints({INT64_MAX}), g.Ints({1}), g.Ints({1})}));
    g.Result(g.Add("StridedSlice", 1, {hidden, g.Ints({0, -1}), g.Ints({0, 0}), g.Ints({1, 1})},
                   {{"begin_mask", "1,0"}, {"end_mask", "1,1"}, {"shrink_axis_mask", "0,1"}}));
  });
}

TEST(Streaming, CutsWhatRepeatsOverTime) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = Input(g), who = g.Parameter(F32({kGruBatch, 1, 2}));
    const ir::Source told =
        g.Add("Broadcast", 3, {who, g.Ints({kGruBatch, kGruSteps, 2})}, {{"mode", "numpy"}});
    const ir::Source tiled = g.Add("Tile", 1, {who, g.Ints({kGruSteps, 1})});
    const ir::Source ones = g.Floats({1, kGruSteps, 1}, std::vector<float>(kGruSteps, 0.5f));
    const ir::Source all = g.Add("Concat", 1, {x, told, tiled}, {{"axis", "2"}});
    g.Result(Hidden(g, g.Add("Multiply", 1, {all, ones}), {.inputs = kGruInputs + 4}));
  });
}

TEST(Streaming, KeepsAStateThatIsAVariableAlready) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = Input(g);
    const ir::Source flat = g.Floats({kGruBatch, kGruHidden}, Numbers(kGruBatch * kGruHidden, 9));
    const ir::Source read = g.Add("ReadValue", 6, {flat}, {{"variable_id", "mine"}});
    ir::Node* gru = Gru(g, x, g.Add("Unsqueeze", 1, {read, g.Ints({1})}));
    const ir::Source last = g.Add("Squeeze", 1, {{gru, 1}, g.Ints({1})});
    g.Add("Assign", 6, {last}, {{"variable_id", "mine"}});
    g.Result(g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})}));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables, (std::vector<std::string>{"mine"}));
}

// A convolution over time of [batch, steps, channels], before and after a sequence.
ir::Source Convolved(GraphBuilder& g, ir::Source x, Dims weights, const std::string& pads_begin,
                     const std::string& pads_end) {
  const ir::Source permuted = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source y = g.Add("Convolution", 1, {permuted, Weights(g, std::move(weights), 12)},
                             {{"strides", "1"},
                              {"dilations", "2"},
                              {"pads_begin", pads_begin},
                              {"pads_end", pads_end},
                              {"auto_pad", "explicit"}});
  return g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
}

TEST(Streaming, KeepsThePastOfAConvolutionThatLooksBack) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = Convolved(g, Input(g), {7, kGruInputs, 3}, "4", "0");
    g.Result(Convolved(g, Hidden(g, x, {.inputs = 7}), {2, kGruHidden, 2}, "2", "0"));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables.size(), 5u);
}

ir::Source Whole(GraphBuilder& g, ir::Source x, float scale, const char* type) {
  return g.Add("Convert", 1, {g.Add("Multiply", 1, {x, g.Float(scale)})},
               {{"destination_type", type}});
}

TEST(Streaming, KeepsThePastOfAConvolutionOfIntegers) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source hidden = Whole(g, Hidden(g, Input(g)), 100, "i32");
    const ir::Source permuted = g.Add("Transpose", 1, {hidden, g.Ints({0, 2, 1})});
    const ir::Source filters = g.Const<int32_t>({ElementType::i32, {2, kGruHidden, 2}},
                                                {3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, -8});
    g.Result(g.Add("Convolution", 1, {permuted, filters},
                   {{"strides", "1"},
                    {"dilations", "2"},
                    {"pads_begin", "2"},
                    {"pads_end", "0"},
                    {"auto_pad", "explicit"}}));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables.size(), 3u);
}

TEST(Streaming, CutsBagsOfEveryStep) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source positions = g.Add("Abs", 1, {Whole(g, Hidden(g, Input(g)), 5, "i32")});
    const ir::Source rows =
        g.Add("Reshape", 1, {positions, g.Ints({kGruBatch * kGruSteps, kGruHidden})},
              {{"special_zero", "false"}});
    const ir::Source bags = g.Add("EmbeddingBagPackedSum", 3, {Weights(g, {6, 4}, 15), rows});
    g.Result(g.Add("Reshape", 1, {bags, g.Ints({kGruBatch, kGruSteps, 4})},
                   {{"special_zero", "false"}}));
  });
}

TEST(Streaming, KeepsThePastBehindAPad) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source moved = g.Add("Transpose", 1, {Input(g), g.Ints({0, 2, 1})});
    const ir::Source longer =
        g.Add("Pad", 1, {moved, g.Ints({0, 0, 2}), g.Ints({0, 0, 0})}, {{"pad_mode", "constant"}});
    const ir::Source y = g.Add("Convolution", 1, {longer, Weights(g, {4, kGruInputs, 3}, 13)},
                               {{"strides", "1"},
                                {"dilations", "1"},
                                {"pads_begin", "0"},
                                {"pads_end", "0"},
                                {"auto_pad", "explicit"}});
    const ir::Source back = g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
    g.Result(Hidden(g, back, {.inputs = 4}));
  });
}

TEST(Streaming, CutsConvolutionsThatNoSequenceStandsBeside) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Add("Tanh", 1, {Convolved(g, Input(g), {7, kGruInputs, 3}, "4", "0")});
    g.Result(Convolved(g, x, {2, 7, 2}, "2", "0"));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables.size(), 4u);
}

TEST(Streaming, AsksAlongWhichOfTwoAxesConvolutionsLookBack) {
  EXPECT_EQ(
      Refusal([](GraphBuilder& g) {
        const ir::Source x = g.Parameter(F32({1, 2, kGruSteps, kGruSteps}));
        g.Result(g.Add("Convolution", 1, {x, Weights(g, {2, 2, 3, 3}, 15)},
                       {{"strides", "1,1"},
                        {"dilations", "1,1"},
                        {"pads_begin", "2,2"},
                        {"pads_end", "0,0"},
                        {"auto_pad", "explicit"}}));
      }),
      "test.xml: time may run along \"Parameter0\" axis 2 (6 positions), \"Parameter0\" axis 3 (6 "
      "positions); --time-axis must select one\n");
}

TEST(Streaming, RefusesAModelThatWalksNothing) {
  EXPECT_EQ(
      Refusal([](GraphBuilder& g) {
        g.Result(g.Add("Softmax", 8, {g.Parameter(F32({6}))}, {{"axis", "0"}}));
      }),
      "test.xml: no sequence, TensorIterator or Loop iterates over a time axis, and no "
      "convolution, "
      "pool, running sum or attention looks back along one; --streaming must have one of these\n");
}

TEST(Streaming, RefusesMoreStepsThanThereAre) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) { g.Result(Hidden(g, Input(g))); }, kGruSteps + 1),
            "--streaming: has 7 steps per run and test.xml has 6; must be from 1 to 6\n");
}

TEST(Streaming, RefusesEveryStepThatLooksAhead) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source hidden = Hidden(g, Input(g), {.direction = "reverse"});
              g.Result(g.Add("ReduceMax", 1, {hidden, g.Ints({1})}));
              g.Result(g.Add("Softmax", 8, {hidden}, {{"axis", "1"}}));
            }),
            NeedsAll("6 \"GRUSequence6\" (GRUSequence)", "its direction is reverse") +
                NeedsAll("10 \"ReduceMax10\" (ReduceMax)", "it reduces over time") +
                NeedsAll("12 \"Softmax12\" (Softmax)", "it normalises over time"));
}

TEST(Streaming, RefusesLengthsThatEndBefore) {
  EXPECT_EQ(
      Refusal([](GraphBuilder& g) {
        g.Result(Hidden(g, Input(g), {.lengths = {kGruSteps, 4}}));
      }),
      NeedsAll("6 \"GRUSequence6\" (GRUSequence)", "its sequence lengths [6,4] are not all 6"));
}

TEST(Streaming, RefusesOtherStepsThanTheLast) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source hidden = Hidden(g, Input(g));
              g.Result(g.Add("Gather", 8, {hidden, g.Int(1), g.Int(1)}));
            }),
            NeedsAll("11 \"Gather11\" (Gather)", "it selects positions [1, 2) of 6 along time"));
}

TEST(Streaming, RefusesAnEndThatIsUsedAtEveryStep) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              ir::Node* gru = Gru(g, Input(g), Zeros(g));
              const ir::Source all = g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})});
              g.Result(g.Add("Add", 1, {all, {gru, 1}}));
            }),
            NeedsAll("9 \"Add9\" (Add)", "it depends on the final step of the sequence"));
}

TEST(Streaming, ReadsConstantsThatChangeWithTimeStepByStep) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source where = Weights(g, {1, kGruSteps, kGruInputs}, 10);
    g.Result(Hidden(g, g.Add("Add", 1, {Input(g), where})));
  });
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source low = Weights(g, {1, kGruSteps, 1}, 10);
    g.Result(Hidden(g, Quantized(g, Input(g), low, g.Float(2))));
  });
}

TEST(Streaming, RefusesAVariableThatIsReadForAllSteps) {
  EXPECT_EQ(
      Refusal([](GraphBuilder& g) {
        const ir::Source x = Input(g);
        const ir::Source gain =
            g.Add("ReadValue", 6, {g.Floats({1}, {2.0f})}, {{"variable_id", "gain"}});
        g.Result(Hidden(g, g.Add("Multiply", 1, {x, gain})));
      }),
      NeedsAll("2 \"ReadValue2\" (ReadValue)", "it reads variable \"gain\" once for all steps"));
}

// One length per batch element; here the batch is time.
TEST(Streaming, CutsRowsThatAreReversedEachByItself) {
  const auto build = [](std::vector<int32_t> lengths) {
    return [lengths = std::move(lengths)](GraphBuilder& g) {
      const ir::Source constant = g.Const<int32_t>({ElementType::i32, {kGruSteps}}, lengths);
      const ir::Source permuted = g.Add("ReverseSequence", 1, {Input(g), constant},
                                        {{"batch_axis", "1"}, {"seq_axis", "2"}});
      g.Result(Hidden(g, permuted));
    };
  };
  ExpectStreams(build({3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(Refusal(build({1, 2, 3, 4, 5, 1})),
            NeedsAll("0 \"Const0\" (Const)", "its value differs from step to step"));
}

// With one step, the addend has one row per row of the product, which could start from it.
TEST(Streaming, AddsBehindAProductWhatIsTheSameAtEveryStep) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source who = g.Parameter(F32({kGruBatch, 1, 7}));
    const ir::Source product =
        g.Add("MatMul", 1, {Hidden(g, Input(g)), Weights(g, {kGruHidden, 7}, 5)});
    g.Result(g.Add("Add", 1, {product, who}));
    const ir::Source alike = g.Floats({1, kGruSteps, 1}, std::vector<float>(kGruSteps, 0.3f));
    const ir::Source other = g.Add("MatMul", 1, {Input(g), Weights(g, {kGruInputs, 7}, 6)});
    g.Result(Hidden(g, g.Add("Add", 1, {other, alike}), {.inputs = 7}));
  });
}

// With one step, the addend is one number per channel, from which the convolution could start.
TEST(Streaming, AddsBehindATransposedConvolutionWhatIsTheSameAtEveryStep) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source permuted = g.Add("Transpose", 1, {Input(g), g.Ints({0, 2, 1})});
    const ir::Source y = g.Add("ConvolutionBackpropData", 1,
                               {permuted, Weights(g, {kGruInputs, 2, 1}, 14)}, {{"strides", "1"}});
    std::vector<float> alike(kGruSteps, 0.3f);
    alike.resize(2 * kGruSteps, 0.7f);
    const ir::Source sum = g.Add("Add", 1, {y, g.Floats({1, 2, kGruSteps}, alike)});
    g.Result(Hidden(g, g.Add("Transpose", 1, {sum, g.Ints({0, 2, 1})}), {.inputs = 2}));
  });
}

// A sum over an axis before the time axis is sequential. With a single step it must not become
// sixteen partial sums; the same holds for the normalisation of this formula.
TEST(Streaming, KeepsTheOrderOfASumThatTimeStandsInsideOf) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({kGruBatch, kGruInputs, kGruSteps}));
    const ir::Source norm = g.Add("ReduceL2", 4, {x, g.Ints({1})}, {{"keep_dims", "true"}});
    const ir::Source permuted =
        g.Add("Transpose", 1, {g.Add("Divide", 1, {x, norm}), g.Ints({0, 2, 1})});
    g.Result(Hidden(g, permuted));
  });
}

}  // namespace
}  // namespace weft
