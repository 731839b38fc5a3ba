// SPDX-License-Identifier: Apache-2.0
// Positions along a dynamic time axis of T steps. They must be computed for any number of steps, or
// the layer must be rejected by name.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/streaming/masks.h"
#include "converter/graph/streaming/open_time.h"
#include "tests/models/streamed_graph.h"

namespace weft::positions {
namespace {

constexpr int64_t kAssumed = ir::kTimeLength, kChannels = 4, kRows = 6000;

// A model of T steps: x, its length, and values computed from both.
struct Timed : GraphBuilder {
  explicit Timed(int64_t steps) {
    x = Parameter(F32({1, steps, kChannels}));
    const ir::Source shape = Add("ShapeOf", 3, {x}, {{"output_type", "i64"}});
    extent = Add("Gather", 8, {shape, Ints({1}), Int(0)});
    length = Add("Squeeze", 1, {extent, Ints({0})});
  }

  ir::Source Of(const std::string& type, ir::Source a, ir::Source b) {
    return Add(type, 1, {a, b});
  }
  ir::Source ToFloat(ir::Source number) {
    return Add("Convert", 1, {number}, {{"destination_type", "f32"}});
  }
  ir::Source Range(ir::Source first, ir::Source end, ir::Source step) {
    return Add("Range", 4, {first, end, step}, {{"output_type", "i64"}});
  }
  ir::Source Numbers() { return Range(Int(0), length, Int(1)); }
  // Positions [T] or [T, 1] times a number per channel: [T, kChannels].
  ir::Source Scaled(ir::Source numbers) {
    const ir::Source column = Add("Unsqueeze", 1, {ToFloat(numbers), Ints({1})});
    return Of("Multiply", column, Floats({1, kChannels}, {1.0f, 0.1f, 0.03f, 0.007f}));
  }
  ir::Source Sine(ir::Source angles) { return Add("Sin", 1, {angles}); }
  ir::Source Ones(ir::Source one) { return Add("Broadcast", 3, {one, extent}); }
  ir::Source Table() { return Weights(*this, {kRows, kChannels}, 7); }
  // A running sum over x and these positions [T, kChannels].
  void Sum(ir::Source positions) { SumOf(Of("Add", x, positions)); }
  void SumOf(ir::Source values) { Result(Add("CumSum", 3, {values, Int(1)})); }

  ir::Source x, extent, length;
};

using Form = std::function<void(Timed&)>;

Build Of(int64_t steps, const Form& form) {
  return [=](GraphBuilder& g) {
    Timed timed(steps);
    form(timed);
    g = std::move(static_cast<GraphBuilder&>(timed));
  };
}

void ExpectContinues(const Form& form, const std::vector<int64_t>& lengths = {83, 84, 85, 5041}) {
  for (const int64_t steps : lengths) {
    SCOPED_TRACE("of " + std::to_string(steps) + " steps");
    ExpectSameBits(Of(steps, form), Of(kAssumed, form), steps, 1, {}, TimeIs::kOpen);
  }
  ExpectSameBits(Of(504, form), Of(kAssumed, form), 504, 7, {}, TimeIs::kOpen);
}

void ExpectRefuses(const Form& form, const std::string& layer, const std::string& what) {
  EXPECT_EQ(Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen), NeedsAll(layer, what));
}

const std::string kFromLength =
    "input 1 is computed from the total number of steps, which only --shape can set";

TEST(StreamingPositions, Number) {
  ExpectContinues([](Timed& g) { g.Sum(g.Scaled(g.Numbers())); });
}

TEST(StreamingPositions, NumberFromAnotherStartAndStep) {
  ExpectContinues([](Timed& g) {
    const ir::Source end = g.Of("Add", g.Of("Multiply", g.length, g.Int(3)), g.Int(5));
    g.Sum(g.Scaled(g.Range(g.Int(5), end, g.Int(3))));
  });
}

TEST(StreamingPositions, Sinusoidal) {
  ExpectContinues([](Timed& g) { g.Sum(g.Sine(g.Scaled(g.Numbers()))); });
}

TEST(StreamingPositions, SinesBesideCosines) {
  ExpectContinues([](Timed& g) {
    const ir::Source column = g.Add("Unsqueeze", 1, {g.ToFloat(g.Numbers()), g.Ints({1})});
    const ir::Source angles = g.Of("Multiply", column, g.Floats({1, 2}, {1.0f, 0.01f}));
    g.Sum(g.Add("Concat", 1, {g.Sine(angles), g.Add("Cos", 1, {angles})}, {{"axis", "1"}}));
  });
}

TEST(StreamingPositions, RunningSumOfOnes) {
  ExpectContinues([](Timed& g) {
    g.Sum(g.Sine(g.Scaled(g.Add("CumSum", 3, {g.Ones(g.Float(1)), g.Int(0)}))));
  });
}

TEST(StreamingPositions, PlacesThatAreNotZero) {
  ExpectContinues([](Timed& g) {
    const ir::Source found = g.Add("NonZero", 3, {g.Ones(g.Int(1))}, {{"output_type", "i64"}});
    g.Sum(g.Sine(g.Scaled(g.Add("Squeeze", 1, {found, g.Ints({0})}))));
  });
}

// PyTorch's unfold gathers by [1, T] for a window of one step, and `x[:, torch.arange(T)]` by [T].
TEST(StreamingPositions, GathersAllSteps) {
  ExpectContinues([](Timed& g) {
    const ir::Source again = g.Add("Gather", 8, {g.x, g.Numbers(), g.Int(1)});
    const ir::Source row = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({0})});
    const ir::Source apart = g.Add("Gather", 8, {again, row, g.Int(-2)});
    g.SumOf(g.Add("Squeeze", 1, {apart, g.Ints({1})}));
  });
}

TEST(StreamingPositions, RefusesToGatherOtherSteps) {
  const Form form = [](Timed& g) {
    g.SumOf(g.Add("Gather", 8, {g.x, g.Range(g.Int(1), g.length, g.Int(1)), g.Int(1)}));
  };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("(Range): needs the full sequence"), std::string::npos) << text;
}

TEST(StreamingPositions, LengthOfAnotherTensor) {
  ExpectContinues([](Timed& g) {
    const ir::Source moved = g.Of("Multiply", g.x, g.Float(2));
    const ir::Source shape = g.Add("ShapeOf", 3, {moved}, {{"output_type", "i64"}});
    const ir::Source length =
        g.Add("Squeeze", 1, {g.Add("Gather", 8, {shape, g.Ints({-2}), g.Int(0)}), g.Ints({0})});
    g.Sum(g.Sine(g.Scaled(g.Range(g.Int(0), length, g.Int(1)))));
  });
}

TEST(StreamingPositions, Rotary) {
  ExpectContinues([](Timed& g) {
    const ir::Source column = g.Add("Unsqueeze", 1, {g.ToFloat(g.Numbers()), g.Ints({1})});
    const ir::Source angles = g.Add("MatMul", 1, {column, g.Floats({1, 2}, {1.0f, 0.1f})});
    const ir::Source both = g.Add("Concat", 1, {angles, angles}, {{"axis", "1"}});
    const auto half = [&](int64_t from) {
      return g.Add("Slice", 8, {g.x, g.Ints({from}), g.Ints({from + 2}), g.Ints({1}), g.Ints({2})});
    };
    const ir::Source minus = g.Add("Negative", 1, {half(2)});
    const ir::Source permuted = g.Add("Concat", 1, {minus, half(0)}, {{"axis", "2"}});
    const ir::Source cosines = g.Of("Multiply", g.x, g.Add("Cos", 1, {both}));
    g.SumOf(g.Of("Add", cosines, g.Of("Multiply", permuted, g.Sine(both))));
  });
}

TEST(StreamingPositions, OuterProductByEinsum) {
  ExpectContinues([](Timed& g) {
    const ir::Source factors = g.Floats({kChannels}, {1.0f, 0.1f, 0.03f, 0.007f});
    g.Sum(g.Sine(g.Add("Einsum", 7, {g.ToFloat(g.Numbers()), factors}, {{"equation", "i,j->ij"}})));
  });
}

TEST(StreamingPositions, RowsOfATableByNumber) {
  ExpectContinues([](Timed& g) { g.Sum(g.Add("Gather", 8, {g.Table(), g.Numbers(), g.Int(0)})); });
}

TEST(StreamingPositions, RowsOfATableFromAnotherRowOn) {
  ExpectContinues([](Timed& g) {
    const ir::Source rows = g.Of("Add", g.Numbers(), g.Int(2));
    g.Sum(g.Add("Gather", 8, {g.Table(), rows, g.Int(0)}));
  });
}

TEST(StreamingPositions, SliceOfATable) {
  ExpectContinues([](Timed& g) {
    g.Sum(g.Add("Slice", 8, {g.Table(), g.Ints({0}), g.extent, g.Ints({1}), g.Ints({0})}));
  });
}

TEST(StreamingPositions, StridedSliceOfATable) {
  ExpectContinues([](Timed& g) {
    const ir::Source end = g.Add("Concat", 1, {g.extent, g.Ints({0})}, {{"axis", "0"}});
    g.Sum(g.Add("StridedSlice", 1, {g.Table(), g.Ints({0, 0}), end, g.Ints({1, 1})},
                {{"begin_mask", "0,1"}, {"end_mask", "0,1"}}));
  });
}

// The last of 100 table rows repeats, as in a model of 100 steps.
TEST(StreamingPositions, RowsBehindTheEndOfATable) {
  const Form form = [](Timed& g) {
    const ir::Source rows = g.Of("Minimum", g.Numbers(), g.Int(99));
    g.Sum(g.Add("Gather", 8, {Weights(g, {100, kChannels}, 7), rows, g.Int(0)}));
  };
  ExpectContinues(form, {84, 101, 300});
}

TEST(StreamingPositions, NumberWithinAPeriod) {
  ExpectContinues([](Timed& g) { g.Sum(g.Scaled(g.Of("Mod", g.Numbers(), g.Int(7)))); });
}

// Values that are equal in all steps of both assumed lengths.
TEST(StreamingPositions, ChoiceByNumber) {
  ExpectContinues([](Timed& g) {
    const ir::Source early = g.Of("Less", g.Numbers(), g.Int(2000));
    const ir::Source chosen = g.Add("Select", 1, {early, g.Float(1), g.Float(2)});
    g.SumOf(g.Of("Multiply", g.x, g.Add("Unsqueeze", 1, {chosen, g.Ints({1})})));
  });
}

TEST(StreamingPositions, RefusesNumbersFromTheEnd) {
  ExpectRefuses(
      [](Timed& g) {
        const ir::Source last = g.Of("Subtract", g.length, g.Int(1));
        g.Sum(g.Scaled(g.Of("Subtract", last, g.Numbers())));
      },
      "12 \"Subtract12\" (Subtract)",
      "input 0 is computed from the total number of steps, which only --shape can set");
}

TEST(StreamingPositions, RefusesARangeFromTheEnd) {
  const Form form = [](Timed& g) {
    const ir::Source last = g.Of("Subtract", g.length, g.Int(1));
    g.Sum(g.Scaled(g.Range(last, g.Int(-1), g.Int(-1))));
  };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("layer 11 \"Range11\""), std::string::npos) << text;
  EXPECT_NE(text.find("only --shape can set"), std::string::npos) << text;
}

TEST(StreamingPositions, RefusesAFractionOfTheLength) {
  ExpectRefuses(
      [](Timed& g) {
        const ir::Source part = g.Of("Divide", g.ToFloat(g.Numbers()), g.ToFloat(g.length));
        g.Sum(g.Add("Unsqueeze", 1, {part, g.Ints({1})}));
      },
      "12 \"Divide12\" (Divide)", kFromLength);
}

// Values whose dependence on the length is not visible at any assumed length.
TEST(StreamingPositions, RefusesWhatIsEqualForMostLengths) {
  ExpectRefuses(
      [](Timed& g) {
        const ir::Source few = g.ToFloat(g.Of("Minimum", g.length, g.Int(50)));
        g.SumOf(g.Of("Multiply", g.x, few));
      },
      "10 \"Multiply10\" (Multiply)", kFromLength);
  ExpectRefuses(
      [](Timed& g) {
        const ir::Source is_one = g.ToFloat(g.Of("Equal", g.length, g.Int(83)));
        g.SumOf(g.Of("Multiply", g.x, is_one));
      },
      "10 \"Multiply10\" (Multiply)", kFromLength);
}

TEST(StreamingPositions, RefusesASumOverTheLength) {
  ExpectRefuses(
      [](Timed& g) {
        const ir::Source count = g.Add("ReduceSum", 1, {g.Ones(g.Float(1)), g.Ints({0})});
        g.SumOf(g.Of("Divide", g.x, count));
      },
      "8 \"Broadcast8\" (Broadcast)", kFromLength);
}

// The step is the last one only of 84.
TEST(StreamingPositions, RefusesAStepThatIsTheLastByChance) {
  const Form form = [](Timed& g) {
    g.SumOf(g.x);
    g.Result(g.Add("Gather", 8, {g.x, g.Int(83), g.Int(1)}));
  };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("(Gather)"), std::string::npos) << text;
}

// softmax(x x' + mask) x, with a mask computed from the distance of query and key.
void Attend(Timed& g, int64_t window) {
  const ir::Source scores = g.Add("MatMul", 1, {g.x, g.x}, {{"transpose_b", "true"}});
  const ir::Source row = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({1})});
  const ir::Source column = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({0})});
  const ir::Source distance = g.Of("Subtract", row, column);
  const ir::Source keeps = g.Of("LogicalAnd", g.Of("GreaterEqual", distance, g.Int(0)),
                                g.Of("Less", distance, g.Int(window)));
  const ir::Source mask = g.Add("Select", 1, {keeps, g.Float(0), g.Float(-1e9f)});
  const ir::Source bias = g.Of("Multiply", g.ToFloat(distance), g.Float(-0.25f));
  const ir::Source masked = g.Of("Add", scores, g.Of("Add", bias, mask));
  const ir::Source shares = g.Add("Softmax", 8, {masked}, {{"axis", "2"}});
  g.Result(g.Add("MatMul", 1, {shares, g.x}));
}

TEST(StreamingPositions, AttentionInAWindow) {
  ExpectContinues([](Timed& g) { Attend(g, 8); }, {83, 84, 85, 300});
}

TEST(StreamingPositions, AttentionInAWindowOf200) {
  ExpectContinues([](Timed& g) { Attend(g, 200); }, {300});
}

// The window is wider from step 1000 on.
TEST(StreamingPositions, RefusesAMaskThatChangesLater) {
  const Form form = [](Timed& g) {
    const ir::Source scores = g.Add("MatMul", 1, {g.x, g.x}, {{"transpose_b", "true"}});
    const ir::Source row = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({1})});
    const ir::Source column = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({0})});
    const ir::Source distance = g.Of("Subtract", row, column);
    const ir::Source window =
        g.Add("Select", 1, {g.Of("Less", row, g.Int(1000)), g.Int(8), g.Int(16)});
    const ir::Source keeps = g.Of("LogicalAnd", g.Of("GreaterEqual", distance, g.Int(0)),
                                  g.Of("Less", distance, window));
    const ir::Source mask = g.Add("Select", 1, {keeps, g.Float(0), g.Float(-1e9f)});
    const ir::Source shares = g.Add("Softmax", 8, {g.Of("Add", scores, mask)}, {{"axis", "2"}});
    g.Result(g.Add("MatMul", 1, {shares, g.x}));
  };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("only --shape can limit"), std::string::npos) << text;
}

// Keys and values of all earlier steps need memory in proportion to the number of steps.
TEST(StreamingPositions, RefusesAttentionToAllEarlierSteps) {
  const Form form = [](Timed& g) { Attend(g, 1 << 20); };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("it attends to all earlier steps, whose number only --shape can limit"),
            std::string::npos)
      << text;
}

TEST(StreamingPositions, RefusesTheCausalAttentionOperation) {
  const Form form = [](Timed& g) {
    g.Result(g.Add("ScaledDotProductAttention", 13, {g.x, g.x, g.x}, {{"causal", "true"}}));
  };
  const std::string text = Refusal(Of(kAssumed, form), 1, {}, TimeIs::kOpen);
  EXPECT_NE(text.find("it attends to all earlier steps"), std::string::npos) << text;
}

// The mask of an attention operation is computed from T.
TEST(StreamingPositions, AttentionOperationInAWindow) {
  const Form form = [](Timed& g) {
    const ir::Source row = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({1})});
    const ir::Source column = g.Add("Unsqueeze", 1, {g.Numbers(), g.Ints({0})});
    const ir::Source distance = g.Of("Subtract", row, column);
    const ir::Source keeps = g.Of("LogicalAnd", g.Of("GreaterEqual", distance, g.Int(0)),
                                  g.Of("Less", distance, g.Int(8)));
    g.Result(g.Add("ScaledDotProductAttention", 13, {g.x, g.x, g.x, keeps}, {{"causal", "false"}}));
  };
  ExpectContinues(form, {83, 84, 85});
}

// T must be a multiple of 512.
TEST(StreamingPositions, StepsOf512Positions) {
  const auto build = [](int64_t positions) -> Build {
    return [=](GraphBuilder& g) {
      ir::Source h = g.Parameter(F32({1, 1, positions}));
      for (const int64_t stride : {2, 4, 8, 8}) {
        h = g.Add("Convolution", 1, {h, Weights(g, {1, 1, stride}, 3)},
                  {{"strides", std::to_string(stride)},
                   {"dilations", "1"},
                   {"pads_begin", "0"},
                   {"pads_end", "0"}});
      }
      g.Result(g.Add("CumSum", 3, {h, g.Int(2)}));
    };
  };
  ExpectSameBits(build(4 * 512), build(ir::kTimeLength), 4, 1, {}, TimeIs::kOpen);
}

TEST(StreamingPositions, SelectsByATableOfBooleans) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 6, kChannels}));
    const ir::Source table =
        g.Const<uint8_t>({ElementType::boolean, {1, 6, 1}}, {1, 0, 0, 1, 1, 0});
    g.Result(g.Add("Select", 1, {table, x, g.Add("CumSum", 3, {x, g.Int(1)})}));
  };
  for (const int64_t steps : {1, 2, 3, 6}) ExpectSameBits(build, build, 6, steps);
}

// Without a mask, no tensor over pairs of positions is read; it would have 2^40 elements.
TEST(StreamingPositions, ReadsNoPairsWithoutAMask) {
  const std::vector<ir::Node*> between;
  EXPECT_FALSE(graph::Masks(between, int64_t{1} << 20, true).Read());
}

}  // namespace
}  // namespace weft::positions
