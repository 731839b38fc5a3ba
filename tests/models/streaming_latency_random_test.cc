// SPDX-License-Identifier: Apache-2.0
// Random models with look-ahead (late_graph.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/converter/folding.h"
#include "tests/models/late_graph.h"
#include "tests/rounds.h"

namespace weft::latency {
namespace {

// Chains of layers that look ahead, back and in both directions, with skips between them.
class Chain {
 public:
  Chain(GraphBuilder& g, int64_t steps, uint32_t seed) : g_(g), state_(seed * 2654435761u + 1) {
    x_ = Signal(g, 3, 4 * steps);
    positions_ = 4 * steps;
  }

  void Run() {
    const uint32_t links = 2 + Choose(5);
    for (uint32_t i = 0; i < links; ++i) {
      kept_.push_back({x_, rate_, positions_, offset_});
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
  // An element of a tensor is delayed by `offset` elements relative to its input element.
  struct Kept {
    ir::Source x;
    int64_t rate, positions, offset;
  };

  uint32_t Choose(uint64_t count) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<uint32_t>((state_ >> 10) % count);
  }
  // A window with these pads.
  void Take(int64_t extent, int64_t stride, int64_t begin, int64_t end) {
    positions_ = (positions_ + begin + end - extent) / stride + 1;
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
    if (rate_ >= 4 || offset_ != 0 || positions_ % 2 != 0) return Around();
    Convolve(1, 1, 4, 1, 2);
  }
  void Hop() {
    if (rate_ >= 4 || offset_ != 0 || positions_ % 2 != 0) return Back();
    Convolve(0, 0, 2, 1, 2);
  }
  void Pool() {
    const bool is_mean = Choose(2) == 0;
    x_ = g_.Add(is_mean ? "AvgPool" : "MaxPool", 1, {x_}, PoolWindow(3, 1, 1, 1));
  }
  void Crop() {
    x_ = Cropped(g_, x_, 1, INT64_MAX);
    positions_ -= 1;
    offset_ += 1;
  }
  void Border() {
    const float fill = Choose(2) == 0 ? 0.0f : 0.5f;
    x_ = Bordered(g_, x_, 1, 2, fill);
    positions_ += 3;
    Convolve(0, 0, 4, 1);
  }
  void Shift() { x_ = Bordered(g_, x_, 2, -2, Choose(2) == 0 ? 0.0f : 0.25f); }
  void ShiftBack() { x_ = Bordered(g_, x_, -1, 1, 0); }
  void Recur() {
    const char* const types[] = {"RNNSequence", "GRUSequence", "LSTMSequence"};
    x_ = Hidden(g_, types[Choose(3)], x_, positions_);
  }
  void Sum() {
    x_ = g_.Add("CumSum", 3, {x_, g_.Int(2)}, {{"exclusive", Choose(2) == 0 ? "true" : "false"}});
    x_ = Tanh(g_, x_);
  }
  void Differ() {
    if (rate_ > 1) return Ahead();
    const ir::Source apart =
        g_.Add("Subtract", 1, {Cropped(g_, x_, 1, INT64_MAX), Cropped(g_, x_, 0, -1)});
    x_ = g_.Add("Concat", 1, {Cropped(g_, x_, 0, 1), apart}, {{"axis", "2"}});
  }
  void Skip() {
    const Kept& other = kept_[Choose(kept_.size())];
    if (other.rate != rate_) return Around();
    const int64_t crop = offset_ - other.offset;
    if (crop < 0 || other.positions - crop < positions_) return Around();
    ir::Source skip = other.x;
    if (crop != 0 || other.positions != positions_)
      skip = Cropped(g_, skip, crop, crop + positions_);
    x_ = g_.Add(Choose(2) == 0 ? "Add" : "Multiply", 1, {x_, skip});
  }

  static constexpr Link kLinks[] = {
      &Chain::Around, &Chain::Around, &Chain::Back,    &Chain::Ahead,     &Chain::Valid,
      &Chain::Valid,  &Chain::Hop,    &Chain::Strided, &Chain::Pool,      &Chain::Crop,
      &Chain::Border, &Chain::Shift,  &Chain::Recur,   &Chain::ShiftBack, &Chain::Sum,
      &Chain::Differ, &Chain::Skip,   &Chain::Skip,    &Chain::Skip};

  GraphBuilder& g_;
  uint32_t state_;
  ir::Source x_;
  int64_t rate_ = 1, positions_ = 0, offset_ = 0;
  std::vector<Kept> kept_;
  std::string text_;  // description of the chain
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
      Comparison comparison(build, steps, TimeIs::kFixed);
      comparison.Run({});
      const auto& outputs = comparison.told().outputs;
      late += std::ranges::any_of(outputs, [](const auto& port) { return port.row.latency() > 0; });
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(cut, Rounds(320));
  EXPECT_GT(late, Rounds(1000));
}

}  // namespace
}  // namespace weft::latency
