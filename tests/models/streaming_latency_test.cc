// SPDX-License-Identifier: Apache-2.0
// Models that look ahead, cut to a few steps a run: run t gives what belongs to the step t - latency
// of the whole, bit for bit, whatever number of steps a run has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/folding.h"
#include "tests/models/streamed_graph.h"
#include "tests/rounds.h"

namespace weft::latency {
namespace {

constexpr int64_t kSteps = 12, kTimes = 3;
using Attributes = std::map<std::string, std::string>;
using BuildFor = std::function<void(GraphBuilder&, int64_t steps)>;

Build Of(int64_t steps, const BuildFor& build) {
  return [=](GraphBuilder& g) { build(g, steps); };
}

// The dense rows of a tensor along an axis: all before it, and the bytes of one place.
struct Rows {
  size_t count = 1, place_bytes = sizeof(float);
};

Rows RowsAlong(const Tensor& tensor, size_t axis) {
  Rows rows;
  for (size_t i = 0; i < axis; ++i) rows.count *= tensor.dims[i];
  for (size_t i = axis + 1; i < tensor.rank; ++i) rows.place_bytes *= tensor.dims[i];
  return rows;
}

// Copies places of one tensor into another, whose first place along the axis is `at`.
void CopyPlaces(const unsigned char* from, size_t from_places, size_t first, unsigned char* to,
                size_t to_places, size_t at, size_t count, const Rows& rows) {
  for (size_t row = 0; row < rows.count; ++row) {
    std::copy_n(from + (row * from_places + first) * rows.place_bytes, count * rows.place_bytes,
                to + (row * to_places + at) * rows.place_bytes);
  }
}

// A model of kTimes as many steps as the one that is cut, and what the runs of the cut one give.
class Comparison {
 public:
  Comparison(const BuildFor& build, int64_t steps)
      : steps_(steps), whole_(Of(kTimes * kSteps, build), 0), part_(Of(kSteps, build), steps) {}

  void Run(const std::vector<int64_t>& latencies) {
    if (!whole_.opened || !part_.opened) return;
    SetInputs();
    ASSERT_TRUE(whole_.engine.Run().ok());
    for (const char* when : {"after opening", "after a reset"}) {
      SCOPED_TRACE(when);
      RunParts();
      part_.engine.Reset();
    }
    for (size_t i = 0; i < latencies.size(); ++i) EXPECT_EQ(told(i).latency, latencies[i]);
  }
  const graph::Streamed& told() const { return part_.told; }

 private:
  const graph::StreamedPort& told(size_t output) const { return part_.told.outputs[output]; }
  int64_t runs() const { return kTimes * part_.told.all_steps / steps_; }

  void SetInputs() {
    for (uint32_t i = 0; i < whole_.engine.input_count(); ++i) {
      const Tensor tensor = whole_.engine.input(i);
      std::vector<float> numbers = Numbers(tensor.bytes / sizeof(float), 11 + i);
      for (size_t at = 0; at < numbers.size(); at += 7) numbers[at] = -0.0f;
      std::copy(numbers.begin(), numbers.end(), tensor.as<float>());
      inputs_.push_back(BytesOf(tensor));
    }
  }

  void RunParts() {
    std::vector<PortBytes> given(whole_.engine.output_count());
    for (int64_t run = 0; run < runs(); ++run) {
      for (uint32_t i = 0; i < inputs_.size(); ++i) Feed(i, run);
      ASSERT_TRUE(part_.engine.Run().ok());
      for (uint32_t i = 0; i < given.size(); ++i) Take(i, run, given[i]);
    }
    for (uint32_t i = 0; i < given.size(); ++i) Compare(i, given[i]);
  }

  void Feed(uint32_t i, int64_t run) {
    const Tensor whole = whole_.engine.input(i), part = part_.engine.input(i);
    const auto& time = part_.told.inputs[i].time;
    if (!time)
      return std::copy(inputs_[i].begin(), inputs_[i].end(), part.as<unsigned char>()), void();
    const auto axis = static_cast<size_t>(time->axis);
    const size_t places = part.dims[axis];
    CopyPlaces(inputs_[i].data(), whole.dims[axis], static_cast<size_t>(run) * places,
               part.as<unsigned char>(), places, 0, places, RowsAlong(part, axis));
  }

  void Take(uint32_t i, int64_t run, PortBytes& given) {
    const Tensor part = part_.engine.output(i);
    if (!told(i).time) return void(given = BytesOf(part));
    given.resize(part.bytes * static_cast<size_t>(runs()));
    const auto axis = static_cast<size_t>(told(i).time->axis);
    const size_t places = part.dims[axis], all = places * static_cast<size_t>(runs());
    CopyPlaces(part.as<unsigned char>(), places, 0, given.data(), all,
               static_cast<size_t>(run) * places, places, RowsAlong(part, axis));
  }

  // What has come of the whole. Of the last steps alone nothing is known while some are to come.
  void Compare(uint32_t i, const PortBytes& given) {
    SCOPED_TRACE("output " + std::to_string(i));
    const Tensor whole = whole_.engine.output(i), part = part_.engine.output(i);
    if (!told(i).time) return;
    const auto axis = static_cast<size_t>(told(i).time->axis);
    const size_t all = part.dims[axis] * static_cast<size_t>(runs());
    const auto late =
        static_cast<size_t>(told(i).latency) * part.dims[axis] / static_cast<size_t>(steps_);
    ASSERT_LT(late, all);
    const size_t count = std::min<size_t>(all - late, whole.dims[axis]);
    const Rows rows = RowsAlong(part, axis);
    PortBytes expected(rows.count * count * rows.place_bytes), actual = expected;
    CopyPlaces(whole.as<unsigned char>(), whole.dims[axis], 0, expected.data(), count, 0, count,
               rows);
    CopyPlaces(given.data(), all, late, actual.data(), count, 0, count, rows);
    const auto differs = std::ranges::mismatch(expected, actual).in1;
    EXPECT_EQ(differs, expected.end()) << "byte " << differs - expected.begin();
  }

  const int64_t steps_;
  Model whole_, part_;
  std::vector<PortBytes> inputs_;
};

// Any number of steps a run gives the same bits out of states of the same sizes.
void ExpectLate(const BuildFor& build, const std::vector<int64_t>& latencies) {
  std::vector<std::pair<std::string, int64_t>> states;
  for (const int64_t steps : {1, 2, 3, 5}) {
    SCOPED_TRACE(std::to_string(steps) + " steps a run");
    Comparison comparison(build, steps);
    comparison.Run(latencies);
    std::vector<std::pair<std::string, int64_t>> found;
    for (const graph::StreamedState& state : comparison.told().states) {
      found.emplace_back(state.name, state.bytes);
    }
    if (steps == 1) states = found;
    EXPECT_EQ(found, states);
  }
}

Attributes Window(int64_t stride, int64_t dilation, int64_t begin, int64_t end) {
  return {{"strides", std::to_string(stride)},
          {"dilations", std::to_string(dilation)},
          {"pads_begin", std::to_string(begin)},
          {"pads_end", std::to_string(end)},
          {"auto_pad", "explicit"}};
}

Attributes PoolWindow(int64_t kernel, int64_t stride, int64_t begin, int64_t end) {
  Attributes attributes = Window(stride, 1, begin, end);
  attributes.erase("dilations");
  attributes["kernel"] = std::to_string(kernel);
  attributes["rounding_type"] = "floor";
  attributes["exclude-pad"] = "false";
  return attributes;
}

ir::Source Conv(GraphBuilder& g, ir::Source x, Dims filters, const Attributes& window) {
  return g.Add("Convolution", 1, {x, Weights(g, std::move(filters), 21)}, window);
}

ir::Source Tanh(GraphBuilder& g, ir::Source x) { return g.Add("Tanh", 1, {x}); }

ir::Source Bias(GraphBuilder& g, ir::Source x, int64_t channels) {
  return g.Add("Add", 1, {x, Weights(g, {1, channels, 1}, 23)});
}

ir::Source Signal(GraphBuilder& g, int64_t channels, int64_t places) {
  return g.Parameter(F32({1, channels, places}));
}

ir::Source Cropped(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end) {
  return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({2})});
}

ir::Source Bordered(GraphBuilder& g, ir::Source x, int64_t begin, int64_t end, float fill) {
  return g.Add("Pad", 12, {x, g.Ints({0, 0, begin}), g.Ints({0, 0, end}), g.Float(fill)},
               {{"pad_mode", "constant"}});
}

// [1, 3, places] along places; its last state stands at port 1 of the sequence.
ir::Source Sequence(GraphBuilder& g, const std::string& type, ir::Source x, int64_t places) {
  const int64_t gates = type == "LSTMSequence" ? 4 : type == "GRUSequence" ? 3 : 1;
  const ir::Source rows = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source length =
      g.Const<int32_t>({ElementType::i32, {1}}, {static_cast<int32_t>(places)});
  std::vector<ir::Source> inputs = {rows, Weights(g, {1, 1, 3}, 5)};
  if (gates == 4) inputs.push_back(Weights(g, {1, 1, 3}, 6));
  inputs.insert(inputs.end(), {length, Weights(g, {1, 3 * gates, 3}, 1),
                               Weights(g, {1, 3 * gates, 3}, 2), Weights(g, {1, 3 * gates}, 3)});
  return g.Add(type, 5, inputs, {{"hidden_size", "3"}, {"direction", "forward"}},
               gates == 4 ? 3 : 2);
}

ir::Source Hidden(GraphBuilder& g, const std::string& type, ir::Source x, int64_t places) {
  const ir::Source hidden = g.Add("Squeeze", 1, {Sequence(g, type, x, places), g.Ints({1})});
  return g.Add("Transpose", 1, {hidden, g.Ints({0, 2, 1})});
}

TEST(StreamingLatency, WaitsForHalfAWindow) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        g.Result(Bias(g, Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1)), 4));
      },
      {1});
}

TEST(StreamingLatency, AddsUpAlongAChain) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        ir::Source x = Conv(g, Signal(g, 2, steps), {3, 2, 3}, Window(1, 1, 1, 1));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 3}, Window(1, 2, 2, 2));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 2}, Window(1, 1, 1, 0));
        g.Result(Conv(g, Tanh(g, Bias(g, x, 3)), {2, 3, 5}, Window(1, 1, 2, 2)));
      },
      {5});
}

TEST(StreamingLatency, GivesOneNumberForEachOutput) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1));
        g.Result(Tanh(g, x));
        g.Result(y);
        g.Result(Conv(g, Bias(g, y, 3), {3, 3, 3}, Window(1, 1, 0, 2)));
      },
      {0, 1, 3});
}

// As flows do between their couplings.
TEST(StreamingLatency, TurnsChannelsAround) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source y = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1));
        g.Result(g.Add("Slice", 8, {y, g.Ints({-1}), g.Ints({-100}), g.Ints({-1}), g.Ints({1})}));
      },
      {1});
}

TEST(StreamingLatency, DelaysTheEarlyOfTwoBranches) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Tanh(g, Conv(g, x, {3, 3, 5}, Window(1, 1, 2, 2)));
        const ir::Source sum = g.Add("Add", 1, {Bias(g, y, 3), x});
        g.Result(
            Conv(g, g.Add("Concat", 1, {sum, x}, {{"axis", "1"}}), {2, 6, 3}, Window(1, 1, 1, 1)));
      },
      {3});
}

TEST(StreamingLatency, LeavesOutWhatWindowsWithoutPaddingDo) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        ir::Source y = Tanh(g, Bias(g, Conv(g, x, {3, 3, 3}, Window(1, 1, 0, 0)), 3));
        y = g.Add("Add", 1, {y, Cropped(g, x, 2, INT64_MAX)});
        const ir::Source z = Tanh(g, Conv(g, y, {3, 3, 2}, Window(1, 2, 0, 0)));
        g.Result(g.Add("Add", 1, {z, Cropped(g, y, 2, INT64_MAX)}));
      },
      {4});
}

// A window with padding behind one without: it finds its own zeros before the first place.
TEST(StreamingLatency, PadsBehindAWindowWithoutPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 4}, Window(1, 1, 0, 0)), 3);
        g.Result(Conv(g, x, {3, 3, 3}, Window(1, 1, 2, 0)));
        g.Result(g.Add("MaxPool", 1, {x}, PoolWindow(3, 1, 1, 1)));
      },
      {3, 4});
}

TEST(StreamingLatency, WaitsForWholeStepsOfStrides) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        ir::Source x = Conv(g, Signal(g, 2, 4 * steps), {3, 2, 5}, Window(2, 1, 2, 2));
        x = Conv(g, Tanh(g, Bias(g, x, 3)), {3, 3, 3}, Window(1, 1, 1, 1));
        g.Result(x);
        g.Result(Conv(g, Tanh(g, Bias(g, x, 3)), {2, 3, 4}, Window(2, 1, 1, 1)));
      },
      {1, 2});
}

// An addition behind what a slice or a border has moved is none that a product may begin at.
TEST(StreamingLatency, AddsBehindWhatWasMovedAsTheWholeDoes) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Conv(g, Signal(g, 3, steps), {4, 3, 3}, Window(1, 1, 1, 1));
        g.Result(Bias(g, Cropped(g, x, 1, INT64_MAX), 4));
        g.Result(Bias(g, Bordered(g, x, -1, 1, 0), 4));
      },
      {2, 2});
}

TEST(StreamingLatency, TakesTransposedConvolutionsWithoutTheirBeginning) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        ir::Source y =
            g.Add("ConvolutionBackpropData", 1, {x, Weights(g, {3, 2, 4}, 4)}, Window(2, 1, 1, 1));
        g.Result(y);
        y = Conv(g, Tanh(g, y), {3, 2, 4}, Window(2, 1, 1, 1));
        g.Result(g.Add("Multiply", 1, {x, y}));
      },
      {1, 1});
}

TEST(StreamingLatency, SequencesStandStillUntilTheirFirstStep) {
  for (const char* type : {"RNNSequence", "GRUSequence", "LSTMSequence"}) {
    SCOPED_TRACE(type);
    ExpectLate(
        [=](GraphBuilder& g, int64_t steps) {
          const ir::Source x =
              Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 5}, Window(1, 1, 2, 2)), 3);
          g.Result(Hidden(g, type, x, steps));
        },
        {2});
  }
}

TEST(StreamingLatency, SequencesBehindWindowsWithoutPadding) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 0, 0)), 3);
        const ir::Source y = Hidden(g, "GRUSequence", x, steps - 2);
        g.Result(Conv(g, g.Add("Add", 1, {x, y}), {2, 3, 3}, Window(1, 1, 1, 1)));
      },
      {3});
}

TEST(StreamingLatency, SumsUpFromTheFirstStepOn) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x =
            Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 1, 1)), 3);
        std::vector<float> numbers;
        for (int64_t i = 1; i <= steps; ++i) numbers.push_back(static_cast<float>(i));
        const ir::Source sum = g.Add("CumSum", 3, {x, g.Int(2)});
        g.Result(g.Add("Divide", 1, {sum, g.Floats({1, 1, steps}, numbers)}));
      },
      {1});
}

TEST(StreamingLatency, ShiftsInBothDirections) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Bias(g, Signal(g, 3, steps), 3);
        const ir::Source left = Bordered(g, x, -2, 2, 0), right = Bordered(g, x, 1, -1, 0.5f);
        const ir::Source all = g.Add("Concat", 1, {left, x, right}, {{"axis", "1"}});
        g.Result(Conv(g, all, {2, 9, 2}, Window(1, 1, 1, 0)));
        g.Result(Bordered(g, left, 3, -3, -1));
      },
      {2, 0});
}

TEST(StreamingLatency, TakesBordersOnBothSides) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        const ir::Source x = Signal(g, 3, steps);
        const ir::Source y = Conv(g, Bordered(g, x, 1, 1, 0), {3, 3, 3}, Window(1, 1, 0, 0));
        g.Result(Conv(g, Bordered(g, Tanh(g, y), 1, 1, 0.5f), {3, 3, 3}, Window(1, 1, 0, 0)));
        g.Result(g.Add("AvgPool", 1, {Bordered(g, y, 2, 2, -1)}, PoolWindow(5, 1, 0, 0)));
      },
      {2, 3});
}

// What the last step gives is of the step that has come.
TEST(StreamingLatency, GivesTheLastStateOfTheStepThatHasCome) {
  const auto last = [](GraphBuilder& g, int64_t steps) {
    const ir::Source x = Bias(g, Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 0, 2)), 3);
    ir::Source sequence = Sequence(g, "GRUSequence", x, steps);
    g.Result(sequence);
    g.Result({sequence.node, 1});
  };
  ExpectLate(last, {2, 2});
}

TEST(StreamingLatency, StaysOneWhereNothingLooksAhead) {
  ExpectLate(
      [](GraphBuilder& g, int64_t steps) {
        g.Result(Conv(g, Signal(g, 3, steps), {3, 3, 3}, Window(1, 1, 2, 0)));
      },
      {0});
}

TEST(StreamingLatency, RefusesToWaitForAllSteps) {
  const auto build = [](GraphBuilder& g) {
    g.Result(Conv(g, Signal(g, 3, 6), {3, 3, 13}, Window(1, 1, 6, 6)));
  };
  EXPECT_EQ(Refusal(build),
            NeedsAll("2 \"Convolution2\" (Convolution)", "it looks ahead over 6 of 6 steps"));
}

TEST(StreamingLatency, RefusesAMeanOverAllSteps) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 3, 6), {3, 3, 3}, Window(1, 1, 1, 1));
    g.Result(g.Add("ReduceMean", 1, {x, g.Ints({2})}));
  };
  EXPECT_EQ(Refusal(build), NeedsAll("4 \"ReduceMean4\" (ReduceMean)", "it reduces over time"));
}

// The padding stands where the steps have gone on.
TEST(StreamingLatency, RefusesPaddingWhereLaterStepsWereTakenOff) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Cropped(g, Tanh(g, Signal(g, 3, 6)), 0, 4);
    g.Result(Conv(g, x, {3, 3, 3}, Window(1, 1, 1, 1)));
  };
  EXPECT_EQ(Refusal(build),
            NeedsAll("8 \"Convolution8\" (Convolution)",
                     "it reads padding where places of later steps were taken off"));
}

TEST(StreamingLatency, RefusesTheLastStateOfStepsThatEndBefore) {
  const auto build = [](GraphBuilder& g) {
    const ir::Source x = Conv(g, Signal(g, 3, 6), {3, 3, 3}, Window(1, 1, 1, 1));
    ir::Source sequence = Sequence(g, "GRUSequence", Cropped(g, x, 0, 4), 4);
    g.Result({sequence.node, 1});
  };
  EXPECT_NE(Refusal(build).find("it depends on where the sequence ends"), std::string::npos);
}

// Windows around both axes of an image: neither says that it is time.
TEST(StreamingLatency, RefusesWindowsAroundTwoAxes) {
  const auto build = [](GraphBuilder& g) {
    g.Result(g.Add("Convolution", 1, {g.Parameter(F32({1, 2, 6, 6})), Weights(g, {2, 2, 3, 3}, 15)},
                   {{"strides", "1,1"},
                    {"dilations", "1,1"},
                    {"pads_begin", "1,1"},
                    {"pads_end", "1,1"},
                    {"auto_pad", "explicit"}}));
  };
  EXPECT_NE(Refusal(build), "");
}

// Chains of all that looks ahead, back and around, with skips between them.
class Chain {
 public:
  Chain(GraphBuilder& g, int64_t steps, uint32_t seed) : g_(g), state_(seed * 2654435761u + 1) {
    x_ = Signal(g, 3, 4 * steps);
    places_ = 4 * steps;
  }

  void Run() {
    const uint32_t links = 2 + Choose(5);
    for (uint32_t i = 0; i < links; ++i) {
      kept_.push_back({x_, rate_, places_, offset_});
      const size_t link = Choose(std::size(kLinks));
      text_ += " " + std::to_string(link);
      (this->*kLinks[link])();
      if (Choose(3) == 0) x_ = Tanh(g_, x_);
      if (Choose(3) == 0) x_ = Bias(g_, x_, 3);
      if (Choose(5) == 0) g_.Result(x_);
    }
    g_.Result(x_);
  }
  const std::string& text() const { return text_; }

 private:
  using Link = void (Chain::*)();
  // A place of a tensor is `offset` of its places behind the one of the input that it belongs to.
  struct Kept {
    ir::Source x;
    int64_t rate, places, offset;
  };

  uint32_t Choose(uint64_t count) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<uint32_t>((state_ >> 10) % count);
  }
  // Of windows with these pads.
  void Take(int64_t extent, int64_t stride, int64_t begin, int64_t end) {
    places_ = (places_ + begin + end - extent) / stride + 1;
    rate_ *= stride;
  }
  void Convolve(int64_t begin, int64_t end, int64_t kernel, int64_t dilation, int64_t stride = 1) {
    x_ = g_.Add("Convolution", 1, {x_, Weights(g_, {3, 3, kernel}, Choose(1000))},
                Window(stride, dilation, begin, end));
    Take((kernel - 1) * dilation + 1, stride, begin, end);
  }

  void Around() {
    const int64_t dilation = 1 + Choose(2), half = (1 + Choose(2)) * dilation;
    Convolve(half, half, 2 * half / dilation + 1, dilation);
  }
  void Back() { Convolve(2, 0, 3, 1); }
  void Ahead() { Convolve(0, 2, 3, 1); }
  void Valid() {
    const int64_t kernel = 2 + Choose(2);
    Convolve(0, 0, kernel, 1);
    offset_ += kernel - 1;
  }
  void Strided() {
    if (rate_ >= 4 || offset_ != 0 || places_ % 2 != 0) return Around();
    Convolve(1, 1, 4, 1, 2);
  }
  void Hop() {
    if (rate_ >= 4 || offset_ != 0 || places_ % 2 != 0) return Back();
    Convolve(0, 0, 2, 1, 2);
  }
  void Pool() {
    const bool is_mean = Choose(2) == 0;
    x_ = g_.Add(is_mean ? "AvgPool" : "MaxPool", 1, {x_}, PoolWindow(3, 1, 1, 1));
  }
  void Crop() {
    x_ = Cropped(g_, x_, 1, INT64_MAX);
    places_ -= 1;
    offset_ += 1;
  }
  void Border() {
    const float fill = Choose(2) == 0 ? 0.0f : 0.5f;
    x_ = Bordered(g_, x_, 1, 2, fill);
    places_ += 3;
    Convolve(0, 0, 4, 1);
  }
  void Shift() { x_ = Bordered(g_, x_, 2, -2, Choose(2) == 0 ? 0.0f : 0.25f); }
  void ShiftBack() { x_ = Bordered(g_, x_, -1, 1, 0); }
  void Recur() {
    const char* const types[] = {"RNNSequence", "GRUSequence", "LSTMSequence"};
    x_ = Hidden(g_, types[Choose(3)], x_, places_);
  }
  void Sum() {
    x_ = g_.Add("CumSum", 3, {x_, g_.Int(2)}, {{"exclusive", Choose(2) == 0 ? "true" : "false"}});
    x_ = Tanh(g_, x_);
  }
  void Skip() {
    const Kept& other = kept_[Choose(kept_.size())];
    if (other.rate != rate_) return Around();
    const int64_t crop = offset_ - other.offset;
    if (crop < 0 || other.places - crop < places_) return Around();
    ir::Source skip = other.x;
    if (crop != 0 || other.places != places_) skip = Cropped(g_, skip, crop, crop + places_);
    x_ = g_.Add(Choose(2) == 0 ? "Add" : "Multiply", 1, {x_, skip});
  }

  static constexpr Link kLinks[] = {
      &Chain::Around, &Chain::Around,    &Chain::Back, &Chain::Ahead, &Chain::Valid,  &Chain::Valid,
      &Chain::Hop,    &Chain::Strided,   &Chain::Pool, &Chain::Crop,  &Chain::Border, &Chain::Shift,
      &Chain::Recur,  &Chain::ShiftBack, &Chain::Sum,  &Chain::Skip,  &Chain::Skip,   &Chain::Skip};

  GraphBuilder& g_;
  uint32_t state_;
  ir::Source x_;
  int64_t rate_ = 1, places_ = 0, offset_ = 0;
  std::vector<Kept> kept_;
  std::string text_;  // the links
};

bool CanBeCut(uint32_t seed, std::string* text) {
  GraphBuilder g;
  Chain chain(g, kSteps, seed);
  chain.Run();
  *text = chain.text();
  return Infer(g) && graph::Stream(g.graph, 1, FoldingHere(), g.faults).has_value();
}

TEST(StreamingLatency, GivesTheBitsOfRandomChains) {
  int cut = 0, late = 0;
  constexpr uint32_t kSeeds = Rounds(400);
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const auto build = [=](GraphBuilder& g, int64_t steps) { Chain(g, steps, seed).Run(); };
    std::string text;
    if (!CanBeCut(seed, &text)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": links" + text);
    ++cut;
    for (const int64_t steps : {1, 2, 3, 7}) {
      SCOPED_TRACE(std::to_string(steps) + " steps a run");
      Comparison comparison(build, steps);
      comparison.Run({});
      const auto& outputs = comparison.told().outputs;
      late += std::ranges::any_of(outputs, [](const auto& port) { return port.latency > 0; });
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(cut, Rounds(320));
  EXPECT_GT(late, Rounds(1000));
}

}  // namespace
}  // namespace weft::latency
