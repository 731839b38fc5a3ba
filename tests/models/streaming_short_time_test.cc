// SPDX-License-Identifier: Apache-2.0
// STFT and ISTFT along time, converted to streaming (late_graph.h). Frames look back over samples,
// the overlap-add looks back over frames, and the first samples have other factors than later ones.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/models/late_graph.h"

namespace weft::latency {
namespace {

struct Frames {
  int64_t size, step, batch = 1;
};

ir::Source Samples(GraphBuilder& g, const Frames& frames, int64_t steps) {
  const int64_t length = frames.step * steps;
  return g.Parameter(F32(frames.batch == 1 ? Dims{length} : Dims{frames.batch, length}));
}

// Not symmetric and without zeros.
ir::Source WindowOf(GraphBuilder& g, int64_t size) {
  std::vector<float> window = Numbers(static_cast<size_t>(size), 41);
  for (float& factor : window) factor += 1.5f;
  return g.Floats({size}, std::move(window));
}

ir::Source Stft(GraphBuilder& g, ir::Source x, const Frames& frames,
                const std::string& puts_frames_last = "true") {
  return g.Add("STFT", 15, {x, WindowOf(g, frames.size), g.Int(frames.size), g.Int(frames.step)},
               {{"transpose_frames", puts_frames_last}});
}

ir::Source Istft(GraphBuilder& g, ir::Source x, const Frames& frames,
                 const std::string& is_centred = "false") {
  return g.Add("ISTFT", 16, {x, WindowOf(g, frames.size), g.Int(frames.size), g.Int(frames.step)},
               {{"center", is_centred}, {"normalized", "true"}});
}

ir::Source AfterZeros(GraphBuilder& g, ir::Source x, const Frames& frames) {
  const int64_t zeros = frames.size - frames.step;
  const bool has_batch = frames.batch != 1;
  return g.Add("Pad", 12,
               {x, g.Ints(has_batch ? Dims{0, zeros} : Dims{zeros}),
                g.Ints(has_batch ? Dims{0, 0} : Dims{0})},
               {{"pad_mode", "constant"}});
}

ir::Source Spectra(GraphBuilder& g, const Frames& frames, int64_t steps) {
  Dims dims = {frames.size / 2 + 1, steps, 2};
  if (frames.batch != 1) dims.insert(dims.begin(), frames.batch);
  return g.Parameter(F32(std::move(dims)));
}

const Frames kFrames[] = {{8, 4}, {8, 2}, {10, 4}, {64, 32}, {12, 3, 2}, {6, 6}, {5, 8}, {4, 1}};

TEST(StreamingShortTime, LooksBackFromAFrame) {
  for (const Frames& frames : kFrames) {
    if (frames.size < frames.step || frames.batch != 1) continue;
    for (const char* order : {"true", "false"}) {
      SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step << ", " << order);
      ExpectLate(
          [&](GraphBuilder& g, int64_t steps) {
            const ir::Source x = AfterZeros(g, Samples(g, frames, steps), frames);
            g.Result(Stft(g, x, frames, order));
          },
          {0});
    }
  }
}

// The batch may also be time, so that the call must name the axis.
TEST(StreamingShortTime, TransformsSeveralSignals) {
  const Frames frames = {12, 3, 2};
  const auto build_for = [&](int64_t steps) {
    return [=](GraphBuilder& g) {
      const ir::Source x = AfterZeros(g, Samples(g, frames, steps), frames);
      g.Result(Stft(g, x, frames));
    };
  };
  for (const int64_t steps : {1, 2, 3}) {
    ExpectSameBits(build_for(24), build_for(12), 24, steps, {{"Parameter0", 1}});
  }
}

TEST(StreamingShortTime, WaitsForAFrameWithoutPadding) {
  for (const Frames& frames : kFrames) {
    if (frames.batch != 1) continue;
    SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step);
    const int64_t ahead = frames.size - frames.step;
    ExpectLate(
        [&](GraphBuilder& g, int64_t steps) {
          g.Result(Stft(g, Samples(g, frames, steps), frames, "false"));
        },
        {ahead > 0 ? (ahead + frames.step - 1) / frames.step : 0});
  }
}

TEST(StreamingShortTime, AddsFramesThatOverlap) {
  for (const Frames& frames : kFrames) {
    if (frames.size < frames.step) continue;
    SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step);
    ExpectLate([&](GraphBuilder& g,
                   int64_t steps) { g.Result(Istft(g, Spectra(g, frames, steps), frames)); },
               {0});
  }
}

// With a dynamic number of frames, the factors of the first samples are rows of a table.
TEST(StreamingShortTime, AddsAnyNumberOfFrames) {
  for (const Frames& frames : kFrames) {
    if (frames.size < frames.step) continue;
    for (const bool is_centred : {false, true}) {
      SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step);
      const int64_t late = is_centred ? (frames.size / 2 + frames.step - 1) / frames.step : 0;
      ExpectLate(
          [&](GraphBuilder& g, int64_t steps) {
            const ir::Source x = Spectra(g, frames, steps);
            g.Result(Istft(g, x, frames, is_centred ? "true" : "false"));
          },
          {late}, TimeIs::kOpen);
    }
  }
}

// Latency changes a Reshape and a Slice of T steps.
TEST(StreamingShortTime, TransformsAnyNumberOfFrames) {
  for (const Frames& frames : {Frames{8, 4}, Frames{10, 4}, Frames{6, 6}}) {
    SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step);
    ExpectLate(
        [&](GraphBuilder& g, int64_t steps) {
          const ir::Source signal = Istft(g, Spectra(g, frames, steps), frames, "true");
          g.Result(Stft(g, signal, frames));
        },
        {}, TimeIs::kOpen);
  }
}

TEST(StreamingShortTime, WaitsForTheCentreOfAFrame) {
  for (const Frames& frames : kFrames) {
    if (frames.size < frames.step) continue;
    SCOPED_TRACE(testing::Message() << frames.size << " by " << frames.step);
    ExpectLate(
        [&](GraphBuilder& g, int64_t steps) {
          g.Result(Istft(g, Spectra(g, frames, steps), frames, "true"));
        },
        {(frames.size / 2 + frames.step - 1) / frames.step});
  }
}

TEST(StreamingShortTime, DenoisesBetweenBoth) {
  for (const Frames& frames : {Frames{32, 16}, Frames{24, 8}}) {
    ExpectLate(
        [&](GraphBuilder& g, int64_t steps) {
          const ir::Source x = AfterZeros(g, Samples(g, frames, steps), frames);
          const ir::Source spectra = Stft(g, x, frames);
          const int64_t bins = frames.size / 2 + 1;
          const ir::Source gain = g.Add("Sigmoid", 1, {g.Add("Multiply", 1, {spectra, spectra})});
          const ir::Source scale = Weights(g, {bins, 1, 1}, 7);
          const ir::Source masked =
              g.Add("Multiply", 1, {g.Add("Multiply", 1, {spectra, gain}), scale});
          g.Result(g.Add("Multiply", 1, {Istft(g, masked, frames), g.Float(0.7f)}));
        },
        {0});
  }
}

// The table of factors has only the steps before the factors repeat.
TEST(StreamingShortTime, KeepsFewFactors) {
  const Frames frames = {12, 4};
  GraphBuilder g;
  g.Result(Istft(g, Spectra(g, frames, 20), frames));
  ASSERT_TRUE(Infer(g)) << g.FaultText();
  const auto streamed = Streamed(g, {1, {}}, {});
  ASSERT_TRUE(streamed) << g.FaultText();
  const auto is_table = [](const graph::StreamedState& state) {
    return state.from.find("is a table of 3 steps") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(streamed->states, is_table));
}

// Its squares would have to be added in each run.
TEST(StreamingShortTime, RefusesAComputedWindowOfTheInverse) {
  const Frames frames = {8, 4};
  GraphBuilder g;
  const ir::Source window = g.Parameter(F32({8}));
  g.Result(g.Add("ISTFT", 16, {Spectra(g, frames, 6), window, g.Int(8), g.Int(4)}));
  ASSERT_TRUE(Infer(g)) << g.FaultText();
  EXPECT_FALSE(Streamed(g, {1, {}}, {}));
}

}  // namespace
}  // namespace weft::latency
