// SPDX-License-Identifier: Apache-2.0
// Attention along time, converted to streaming: keys and values of the past are kept as far as the
// masks select them, and results are bit-identical to a longer model with the same masks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/every_case.h"
#include "tests/models/streamed_graph.h"

namespace weft::attending {
namespace {

constexpr int64_t kWidth = 4;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

// The addend of a score, by head, query position and key position.
using Addend = std::function<float(int64_t head, int64_t at, int64_t key)>;

Addend Window(int64_t window, float excluded = kNothing) {
  return [=](int64_t, int64_t at, int64_t key) {
    return key <= at && at - key < window ? 0.0f : excluded;
  };
}

ir::Source Mask(GraphBuilder& g, int64_t heads, int64_t indices, const Addend& addend) {
  std::vector<float> numbers;
  for (int64_t at = 0; at < heads * indices * indices; ++at) {
    numbers.push_back(addend(at / indices / indices, at / indices % indices, at % indices));
  }
  return g.Floats({1, heads, indices, indices}, numbers);
}

// Returns true if the addend does not mask the key.
ir::Source Flags(GraphBuilder& g, int64_t indices, const Addend& addend) {
  std::vector<uint8_t> flags;
  for (int64_t at = 0; at < indices * indices; ++at) {
    flags.push_back(addend(0, at / indices, at % indices) == 0 ? 1 : 0);
  }
  return g.Const<uint8_t>({ElementType::boolean, {indices, indices}}, flags);
}

// Splits [1, steps, kWidth] into heads: [1, heads, steps, kWidth].
ir::Source Heads(GraphBuilder& g, ir::Source x, int64_t heads, int64_t indices, uint32_t seed) {
  const ir::Source wide = g.Add("MatMul", 1, {x, Weights(g, {kWidth, heads * kWidth}, seed)});
  const ir::Source split =
      g.Add("Reshape", 1, {wide, g.Ints({1, indices, heads, kWidth})}, {{"special_zero", "false"}});
  return g.Add("Transpose", 1, {split, g.Ints({0, 2, 1, 3})});
}

ir::Source Joined(GraphBuilder& g, ir::Source y, int64_t heads, int64_t indices) {
  const ir::Source rows = g.Add("Transpose", 1, {y, g.Ints({0, 2, 1, 3})});
  return g.Add("Reshape", 1, {rows, g.Ints({1, indices, heads * kWidth})},
               {{"special_zero", "false"}});
}

// A sequence over [2, steps, kWidth]; returns the hidden states of each step.
ir::Source Recurrent(GraphBuilder& g, ir::Source x, int64_t indices) {
  const auto length = static_cast<int32_t>(indices);
  const ir::Source lengths = g.Const<int32_t>({ElementType::i32, {2}}, {length, length});
  return g.Add("GRUSequence", 5,
               {x, g.Floats({2, 1, 3}, std::vector<float>(6)), lengths,
                Weights(g, {1, 9, kWidth}, 4), Weights(g, {1, 9, 3}, 5), Weights(g, {1, 9}, 6)},
               {{"hidden_size", "3"}, {"direction", "forward"}}, 2);
}

struct Parts {
  ir::Source query, key, value;
};

Parts PartsOf(GraphBuilder& g, ir::Source x, int64_t heads, int64_t indices) {
  return {Heads(g, x, heads, indices, 1), Heads(g, x, heads, indices, 2),
          Heads(g, x, heads, indices, 3)};
}

// The scale is exact, so its position in the formula does not matter.
ir::Source Scores(GraphBuilder& g, const Parts& parts) {
  const ir::Source product =
      g.Add("MatMul", 1, {parts.query, parts.key}, {{"transpose_b", "true"}});
  return g.Add("Multiply", 1, {product, g.Float(0.5f)});
}

ir::Source Shared(GraphBuilder& g, ir::Source scores, ir::Source value) {
  return g.Add("MatMul", 1, {g.Add("Softmax", 8, {scores}, {{"axis", "-1"}}), value});
}

ir::Source Input(GraphBuilder& g, int64_t indices) {
  return g.Parameter(F32({1, indices, kWidth}));
}

// Attention with an additive mask.
BuildFor Under(int64_t heads, const Addend& addend) {
  return [=](GraphBuilder& g, int64_t indices) {
    const Parts parts = PartsOf(g, Input(g, indices), heads, indices);
    const ir::Source masked = g.Add("Add", 1, {Scores(g, parts), Mask(g, heads, indices, addend)});
    g.Result(Joined(g, Shared(g, masked, parts.value), heads, indices));
  };
}

void ExpectGoesOn(const BuildFor& build, int64_t indices, int64_t all_positions) {
  for (const int64_t steps : {1, 2, 3, 7}) {
    if (steps > indices || all_positions % steps != 0) continue;
    ExpectSameBits(Of(all_positions, build), Of(indices, build), all_positions, steps);
  }
}

TEST(StreamingAttention, LooksBackAsFarAsItsMask) {
  uint32_t seed = 1;
  const auto choose = [&](uint32_t count) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<int64_t>((seed >> 12) % count);
  };
  for (int round = 0; round < 12; ++round) {
    const int64_t indices = 5 + choose(36), heads = 1 + choose(3);
    const int64_t window = 1 + choose(static_cast<uint32_t>(indices));
    SCOPED_TRACE(std::to_string(indices) + " places, window " + std::to_string(window));
    ExpectGoesOn(Under(heads, Window(window, choose(2) == 0 ? kNothing : -1e9f)), indices, 84);
  }
}

// After the last step of a model that attends to all positions, the window continues to move.
TEST(StreamingAttention, KeepsAllPlacesOfTheModel) {
  ExpectGoesOn(Under(2, Window(21)), 21, 84);
  const graph::Streamed told = Model(Of(21, Under(2, Window(21))), 1).told;
  EXPECT_EQ(told.receptive_steps, 21);
  ASSERT_EQ(told.states.size(), 5U);
  EXPECT_EQ(told.states[1].bytes, 2 * 20 * kWidth * 4);
  EXPECT_EQ(told.states[1].from,
            "the keys of the last 20 positions, of a window of 21, for layer 25 \"MatMul25\"");
  EXPECT_EQ(told.states[2].from,
            "the index of the oldest position in the past of layer 25 \"MatMul25\"");
}

// Runs beyond the end of the window; a run can be longer or shorter than the window.
TEST(StreamingAttention, HandsItsKeysAndValuesOver) {
  for (const int64_t window : {2, 6, 11, 24}) {
    ExpectHandsOver(Of(24, Under(2, Window(window))), 24, 8);
  }
}

// Both products read rings, to which the new steps are appended; nothing else is moved.
TEST(StreamingAttention, ReadsKeysAndValuesWhereTheyLie) {
  for (const int64_t steps : {1, 3}) {
    for (const std::string name : {"chosen", "by_distance", "of_shared_keys", "behind_windows",
                                   "turned", "of_one_key_head"}) {
      SCOPED_TRACE(name);
      const AlignedBytes file = StreamedCase("streaming/attention_" + name, steps);
      const format::Model& model = *format::GetModel(file.data());
      const auto all = format::RowsOf(model.steps());
      int products = 0;
      for (uint32_t i = 0; i < all.count; ++i) {
        const auto kind = static_cast<format::Kind>(all[i].kind());
        products += kind == format::Kind::ring_matmul ? 1 : 0;
        EXPECT_NE(kind, format::Kind::matmul);
        if (kind != format::Kind::ring) continue;
        const uint32_t* operands = format::RowsOf(model.operands()).data + all[i].first_operand();
        if (operands[3] != format::kNoSlot) continue;
        EXPECT_EQ(operands[1], operands[4]);
        EXPECT_EQ(operands[2], operands[5]);
      }
      EXPECT_EQ(products, 2);
    }
  }
}

// A long softmax sums in blocks.
TEST(StreamingAttention, SumsInTheBlocksOfALongSoftmax) {
  const Build build = Of(1120, Under(1, Window(70)));
  for (const int64_t steps : {1, 7, 160}) ExpectSameBits(build, build, 1120, steps);
}

TEST(StreamingAttention, AddsWhatDependsOnTheDistance) {
  ExpectGoesOn(Under(3,
                     [](int64_t head, int64_t at, int64_t key) {
                       if (key > at || at - key >= 5 + head) return kNothing;
                       return -static_cast<float>(at - key) / static_cast<float>(2 << head);
                     }),
               14, 42);
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t indices) {
        const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
        const ir::Source bias = Mask(g, 2, indices, [](int64_t head, int64_t at, int64_t key) {
          return std::sin(static_cast<float>(3 * (at - key) + head));
        });
        const ir::Source biased = g.Add("Add", 1, {Scores(g, parts), bias});
        const ir::Source masked =
            g.Add("Subtract", 1, {biased, Mask(g, 1, indices, [](int64_t, int64_t at, int64_t key) {
                                    return key <= at && at - key < 6 ? 0.0f : -kNothing;
                                  })});
        g.Result(Joined(g, Shared(g, masked, parts.value), 2, indices));
      },
      14, 42);
}

// Limits before and after the mask, factors of the shares for each head, and weights without a
// softmax.
TEST(StreamingAttention, KeepsExcludedKeysExcluded) {
  for (const float nothing : {kNothing, -1e9f}) {
    ExpectGoesOn(
        [=](GraphBuilder& g, int64_t indices) {
          const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
          const ir::Source capped = g.Add("Tanh", 1, {Scores(g, parts)});
          const ir::Source mask = Mask(g, 1, indices, Window(indices, nothing));
          const ir::Source masked = g.Add("Add", 1, {capped, mask});
          const ir::Source limited = g.Add("Maximum", 1, {masked, g.Float(-2e9f)});
          const ir::Source shares = g.Add("Softmax", 8, {limited}, {{"axis", "-1"}});
          const ir::Source scaled = g.Add("Multiply", 1, {shares, g.Floats({2, 1, 1}, {0.5f, 3})});
          g.Result(Joined(g, g.Add("MatMul", 1, {scaled, parts.value}), 2, indices));
        },
        21, 21);
  }
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t indices) {
        const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
        const ir::Source squares = g.Add("Power", 1, {Scores(g, parts), g.Float(2)});
        const ir::Source seen =
            g.Add("Select", 1, {Flags(g, indices, Window(6)), squares, g.Float(0)});
        const ir::Source positive = g.Add("Relu", 1, {seen});
        g.Result(Joined(g, g.Add("MatMul", 1, {positive, parts.value}), 2, indices));
      },
      14, 42);
}

// PyTorch broadcasts the scores to their own shape.
TEST(StreamingAttention, IgnoresBroadcastsToTheSameShape) {
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t indices) {
        const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
        const ir::Source masked =
            g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, indices, Window(indices))});
        const ir::Source shape = g.Add("ShapeOf", 3, {masked}, {{"output_type", "i64"}});
        const ir::Source again = g.Add("Broadcast", 3, {masked, shape}, {{"mode", "numpy"}});
        g.Result(Joined(g, Shared(g, again, parts.value), 2, indices));
      },
      21, 21);
}

TEST(StreamingAttention, ChoosesByAMask) {
  for (const bool keeps : {true, false}) {
    ExpectGoesOn(
        [=](GraphBuilder& g, int64_t indices) {
          const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
          ir::Source flags = Flags(g, indices, Window(6));
          if (!keeps) flags = g.Add("LogicalNot", 1, {flags});
          const ir::Source scores = Scores(g, parts), nothing = g.Float(-1e9f);
          const ir::Source masked =
              g.Add("Select", 1, {flags, keeps ? scores : nothing, keeps ? nothing : scores});
          g.Result(Joined(g, Shared(g, masked, parts.value), 2, indices));
        },
        14, 42);
  }
}

TEST(StreamingAttention, TakesTheOperationApart) {
  for (const std::string form : {"causal", "chosen", "added"}) {
    SCOPED_TRACE(form);
    const Build build = [=](GraphBuilder& g) {
      const Parts parts = PartsOf(g, Input(g, 21), 2, 21);
      std::vector<ir::Source> inputs = {parts.query, parts.key, parts.value};
      if (form == "chosen") inputs.push_back(Flags(g, 21, Window(6)));
      if (form == "added") {
        inputs.insert(inputs.end(), {Mask(g, 2, 21, Window(6)), g.Float(0.3f)});
      }
      const ir::Source y = g.Add("ScaledDotProductAttention", 13, inputs,
                                 {{"causal", form == "causal" ? "true" : "false"}});
      g.Result(Joined(g, y, 2, 21));
    };
    for (const int64_t steps : {1, 3, 7}) ExpectSameBits(build, build, 21, steps);
  }
}

Addend Chunks(int64_t chunk, int64_t before, bool is_causal) {
  return [=](int64_t, int64_t at, int64_t key) {
    const int64_t distance = at / chunk - key / chunk;
    const bool sees = distance >= 0 && distance <= before && (!is_causal || key <= at);
    return sees ? 0.0f : kNothing;
  };
}

// If positions in a chunk attend to each other, a step is one chunk.
TEST(StreamingAttention, TakesChunksAtATime) {
  for (const int64_t chunk : {2, 3, 4}) {
    for (const int64_t before : {0, 1, 2}) {
      const BuildFor build = Under(2, Chunks(chunk, before, false));
      for (const int64_t steps : {1, 2, 3}) {
        ExpectSameBits(Of(12 * chunk, build), Of(6 * chunk, build), 12, steps);
      }
    }
  }
}

TEST(StreamingAttention, KnowsThePlaceWithinAChunk) {
  ExpectGoesOn(Under(2, Chunks(4, 1, true)), 24, 84);
  ExpectGoesOn(Under(1, Chunks(5, 0, true)), 15, 210);
}

// Retention without a softmax: keys decay, and keys before the window have weight 0.
TEST(StreamingAttention, DecaysByTheDistance) {
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t indices) {
        const Parts parts = PartsOf(g, Input(g, indices), 2, indices);
        const ir::Source decay = Mask(g, 2, indices, [](int64_t head, int64_t at, int64_t key) {
          const bool sees = key <= at && at - key < 9;
          return sees ? std::pow(head == 0 ? 0.9f : 0.7f, static_cast<float>(at - key)) : 0.0f;
        });
        const ir::Source kept = g.Add("Multiply", 1, {decay, Scores(g, parts)});
        g.Result(Joined(g, g.Add("MatMul", 1, {kept, parts.value}), 2, indices));
      },
      14, 42);
}

// The form that Keras writes.
TEST(StreamingAttention, ReadsProductsOfLabels) {
  for (const bool key_first : {false, true}) {
    ExpectGoesOn(
        [=](GraphBuilder& g, int64_t indices) {
          const ir::Source x = Input(g, indices);
          const auto split = [&](uint32_t seed) {
            const ir::Source wide = g.Add("MatMul", 1, {x, Weights(g, {kWidth, 2 * kWidth}, seed)});
            return g.Add("Reshape", 1, {wide, g.Ints({1, indices, 2, kWidth})},
                         {{"special_zero", "false"}});
          };
          const ir::Source query = split(1), key = split(2), value = split(3);
          const ir::Source scores =
              key_first ? g.Add("Einsum", 7, {key, query}, {{"equation", "aecd,abcd->acbe"}})
                        : g.Add("Einsum", 7, {query, key}, {{"equation", "BTNH,BSNH->BNTS"}});
          const ir::Source masked = g.Add("Add", 1, {scores, Mask(g, 1, indices, Window(6))});
          const ir::Source shares = g.Add("Softmax", 8, {masked}, {{"axis", "-1"}});
          g.Result(g.Add("Einsum", 7, {shares, value}, {{"equation", "BNTS,BSNH->BTNH"}}));
        },
        14, 42);
  }
}

// Several kinds of tokens per step, interleaved along time.
TEST(StreamingAttention, AttendsToSeveralTokensOfAStep) {
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source tokens = g.Add(
            "Reshape", 1, {g.Parameter(F32({1, steps, 3, kWidth})), g.Ints({1, 3 * steps, kWidth})},
            {{"special_zero", "false"}});
        const Parts parts = PartsOf(g, tokens, 2, 3 * steps);
        const ir::Source masked =
            g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, 3 * steps, Window(8))});
        const ir::Source y = Joined(g, Shared(g, masked, parts.value), 2, 3 * steps);
        g.Result(g.Add("Reshape", 1, {y, g.Ints({1, steps, 3, 2 * kWidth})},
                       {{"special_zero", "false"}}));
      },
      14, 42);
}

// Heads that share keys: the keys are stored once.
TEST(StreamingAttention, KeepsSharedKeysOnce) {
  const BuildFor build = [](GraphBuilder& g, int64_t indices) {
    const ir::Source x = Input(g, indices);
    const auto repeated = [&](uint32_t seed) {
      const ir::Source apart = g.Add("Unsqueeze", 1, {Heads(g, x, 2, indices, seed), g.Ints({2})});
      const ir::Source twice =
          g.Add("Broadcast", 3, {apart, g.Ints({1, 2, 2, indices, kWidth})}, {{"mode", "numpy"}});
      return g.Add("Reshape", 1, {twice, g.Ints({1, 4, indices, kWidth})},
                   {{"special_zero", "false"}});
    };
    const Parts parts = {Heads(g, x, 4, indices, 1), repeated(2), repeated(3)};
    const ir::Source masked = g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, indices, Window(6))});
    g.Result(Joined(g, Shared(g, masked, parts.value), 4, indices));
  };
  ExpectGoesOn(build, 14, 42);
  const graph::Streamed told = Model(Of(14, build), 1).told;
  ASSERT_EQ(told.states.size(), 5U);
  EXPECT_EQ(told.states[1].bytes, 2 * 5 * kWidth * 4);
}

// Several attention positions per step.
TEST(StreamingAttention, AttendsAtAnotherRate) {
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = g.Parameter(F32({1, 3, steps}));
        const ir::Source up =
            g.Add("ConvolutionBackpropData", 1, {x, Weights(g, {3, kWidth, 4}, 7)},
                  {{"strides", "2"},
                   {"dilations", "1"},
                   {"pads_begin", "0"},
                   {"pads_end", "2"},
                   {"auto_pad", "explicit"}});
        const ir::Source rows = g.Add("Transpose", 1, {up, g.Ints({0, 2, 1})});
        const Parts parts = PartsOf(g, rows, 2, 2 * steps);
        const ir::Source masked =
            g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, 2 * steps, Window(7))});
        g.Result(Joined(g, Shared(g, masked, parts.value), 2, 2 * steps));
      },
      14, 42);
}

// The variables are the same for any number of steps per run.
TEST(StreamingAttention, KeepsTheSameStateForAnyNumberOfSteps) {
  const Build build = Of(21, Under(2, Chunks(3, 1, true)));
  const graph::Streamed one = Model(build, 1).told, seven = Model(build, 7).told;
  ASSERT_EQ(one.states.size(), seven.states.size());
  for (size_t i = 0; i < one.states.size(); ++i) {
    EXPECT_EQ(one.states[i].name, seven.states[i].name);
    EXPECT_EQ(one.states[i].bytes, seven.states[i].bytes);
  }
}

// A position table with one row per step of the model; later steps use the last row.
TEST(StreamingAttention, ReadsItsOwnStepsOfATable) {
  constexpr int64_t kPositions = 14;
  ExpectGoesOn(
      [](GraphBuilder& g, int64_t indices) {
        std::vector<float> positions = Numbers(kPositions * kWidth, 5);
        for (auto at = positions.size(); at < static_cast<size_t>(indices * kWidth); ++at) {
          positions.push_back(positions[at - kWidth]);
        }
        const ir::Source x =
            g.Add("Add", 1, {Input(g, indices), g.Floats({1, indices, kWidth}, positions)});
        const Parts parts = PartsOf(g, x, 2, indices);
        const ir::Source masked =
            g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, indices, Window(6))});
        g.Result(Joined(g, Shared(g, masked, parts.value), 2, indices));
      },
      kPositions, 42);
}

std::string RefusalOf(const Addend& addend) { return Refusal(Of(12, Under(1, addend))); }

TEST(StreamingAttention, RefusesWhatLooksAhead) {
  const std::string refusal =
      "test.xml: no sequence, TensorIterator or Loop iterates over a time axis, and no "
      "convolution, "
      "pool, running sum or attention looks back along one; --streaming must have one of these\n" +
      NeedsAll("24 \"Softmax24\" (Softmax)", "no constant mask excludes later positions");
  EXPECT_EQ(RefusalOf([](int64_t, int64_t at, int64_t key) { return key >= at ? 0 : kNothing; }),
            refusal);
  EXPECT_EQ(
      RefusalOf([](int64_t, int64_t at, int64_t key) { return key <= at + 1 ? 0 : kNothing; }),
      refusal);
  EXPECT_EQ(RefusalOf(Window(12, -10.0f)), refusal);
  EXPECT_EQ(RefusalOf(Chunks(12, 0, false)), refusal);
  const std::vector<float> learned = Numbers(144, 9);
  EXPECT_EQ(RefusalOf([&](int64_t, int64_t at, int64_t key) {
              return key <= at ? learned[static_cast<size_t>(12 * at + key)] : kNothing;
            }),
            refusal);
}

// Two concatenated sequences, with attention of each position to both.
TEST(StreamingAttention, RefusesABatchThatAttendsToItself) {
  const std::string refusal = Refusal(Of(6, [](GraphBuilder& g, int64_t indices) {
    const ir::Source before =
        g.Add("CumSum", 3, {g.Parameter(F32({2, indices, kWidth})), g.Int(1)});
    const ir::Source rows = g.Add("Reshape", 1, {before, g.Ints({1, 2 * indices, kWidth})},
                                  {{"special_zero", "false"}});
    const ir::Source gru = Recurrent(g, before, indices);
    const Parts parts = PartsOf(g, rows, 1, 2 * indices);
    const ir::Source masked =
        g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, 2 * indices, Window(4))});
    g.Result(Joined(g, Shared(g, masked, parts.value), 1, 2 * indices));
    g.Result(gru);
  }));
  EXPECT_NE(refusal.find("its time axis is flattened into a batch"), std::string::npos) << refusal;
}

// Keys that are constants for all positions need no past.
TEST(StreamingAttention, RefusesConstantKeys) {
  const std::string refusal = Refusal(Of(12, [](GraphBuilder& g, int64_t indices) {
    const Parts parts = PartsOf(g, Input(g, indices), 1, indices);
    const Parts known = {parts.query, Weights(g, {1, 1, indices, kWidth}, 8), parts.value};
    const ir::Source masked = g.Add("Add", 1, {Scores(g, known), Mask(g, 1, indices, Window(4))});
    g.Result(Joined(g, Shared(g, masked, parts.value), 1, indices));
    g.Result(g.Add("CumSum", 3, {parts.query, g.Int(2)}));
  }));
  EXPECT_NE(refusal.find("needs the full sequence"), std::string::npos) << refusal;
}

// A quotient may be infinite for keys before the first step, because their scores are 0.
TEST(StreamingAttention, RefusesDecayBehindAQuotient) {
  const std::string refusal = Refusal(Of(12, [](GraphBuilder& g, int64_t indices) {
    const Parts parts = PartsOf(g, Input(g, indices), 1, indices);
    const ir::Source quotient = g.Add("Divide", 1, {g.Float(1), Scores(g, parts)});
    const ir::Source kept =
        g.Add("Multiply", 1, {quotient, Mask(g, 1, indices, [](int64_t, int64_t at, int64_t key) {
                                return key <= at ? 1.0f : 0.0f;
                              })});
    g.Result(Joined(g, g.Add("MatMul", 1, {kept, parts.value}), 1, indices));
  }));
  EXPECT_NE(refusal.find("no sequence"), std::string::npos) << refusal;
}

TEST(StreamingAttention, RefusesScoresThatAreGivenOut) {
  const std::string refusal = Refusal(Of(12, [](GraphBuilder& g, int64_t indices) {
    const Parts parts = PartsOf(g, Input(g, indices), 1, indices);
    const ir::Source masked = g.Add("Add", 1, {Scores(g, parts), Mask(g, 1, indices, Window(4))});
    g.Result(masked);
    g.Result(Joined(g, Shared(g, masked, parts.value), 1, indices));
  }));
  EXPECT_NE(refusal.find("no sequence"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace weft::attending
