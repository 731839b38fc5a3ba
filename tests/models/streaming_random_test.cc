// SPDX-License-Identifier: Apache-2.0
// Random graphs over a time axis: a chain of all kinds of operations that the streaming rules
// support, along random axes, with one recurrence among them. If --streaming accepts the graph, its
// results must be bit-identical to a model of three times as many steps. If it rejects the graph,
// it must name a layer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/folding.h"
#include "tests/models/streamed_graph.h"
#include "tests/rounds.h"

namespace weft {
namespace {

constexpr int64_t kBatch = 2, kSteps = 6, kInputs = 4, kTimes = 3;

// Makes the same choices for the same seed, independent of the number of steps.
class Chain {
 public:
  Chain(GraphBuilder& g, int64_t steps, uint32_t seed) : g_(g), state_(seed * 2654435761u + 1) {
    at_ = g_.Parameter(F32({kBatch, steps, kInputs}));
  }

  bool Run() {
    const uint32_t links = 2 + Choose(4), time_loop = Choose(links);
    for (uint32_t i = 0; i < links && g_.faults.ok(); ++i) {
      earlier_.push_back(at_);
      if (i == time_loop) {
        TimeLoop();
      } else {
        (this->*kLinks[Choose(std::size(kLinks))])();
      }
    }
    g_.Result(at_);
    return g_.faults.ok();
  }
  const std::string& text() const { return text_; }

 private:
  using Link = void (Chain::*)();

  uint32_t Choose(uint64_t count) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<uint32_t>((state_ >> 10) % count);
  }
  const Dims& dims() const { return g_.type(at_).dims; }
  int64_t rank() const { return static_cast<int64_t>(dims().size()); }
  int64_t Axis() { return Choose(std::max<size_t>(dims().size(), 1)); }
  int64_t Extent(int64_t axis) const { return dims()[static_cast<size_t>(axis)]; }

  // Infers types, on which the next choice depends.
  ir::Source Add(const std::string& type, int opset, std::vector<ir::Source> inputs,
                 std::map<std::string, std::string> attributes = {}, uint32_t outputs = 1) {
    if (!g_.faults.ok()) return at_;
    const ir::Source made = g_.Add(type, opset, std::move(inputs), std::move(attributes), outputs);
    g_.InferNode(*made.node);
    text_ += " " + type;
    return made;
  }
  ir::Source Noise(Dims dims) { return Weights(g_, std::move(dims), Choose(1000)); }
  void Slice(int64_t axis, int64_t begin, int64_t end, int64_t step) {
    at_ =
        Add("Slice", 8, {at_, g_.Ints({begin}), g_.Ints({end}), g_.Ints({step}), g_.Ints({axis})});
  }

  void TimeLoop() { Choose(2) == 0 ? Sequence() : Iterate(); }
  void Sequence();
  void Iterate();
  void Transpose();
  void Merge();
  void Part();
  void Unsqueeze() { at_ = Add("Unsqueeze", 1, {at_, g_.Ints({Axis()})}); }
  void Reduce();
  void Softmax() { at_ = Add("Softmax", 8, {at_}, {{"axis", std::to_string(Axis())}}); }
  void Dense();
  void Attend();
  void Shift();
  void Double() {
    at_ = Add("Concat", 1, {at_, Add("Tanh", 1, {at_})}, {{"axis", std::to_string(Axis())}});
  }
  void Cut();
  void Last();
  void Index();
  void Reverse() { at_ = Add("Reverse", 1, {at_, g_.Ints({Axis()})}, {{"mode", "index"}}); }
  void ReverseRows();
  void Roll() { at_ = Add("Roll", 7, {at_, g_.Ints({1}), g_.Ints({Axis()})}); }
  void Pad();
  void Shuffle();
  void Tile();
  void Halves();
  void Mask();
  static std::map<std::string, std::string> Window(int64_t stride, int64_t begin, int64_t end) {
    return {{"strides", std::to_string(stride)},
            {"dilations", "1"},
            {"pads_begin", std::to_string(begin)},
            {"pads_end", std::to_string(end)},
            {"auto_pad", "explicit"}};
  }
  void Convolve();
  void ConvolveAndCut();
  void Border();
  void Spread();
  void Repeat();
  void Sum();
  void Number();
  void Late();
  void Pool();
  void Slopes();
  void ByLength();
  void FillByLength();
  void Blocks();
  void OneHot();
  void Repeated();
  void Framed();
  void Inverses();
  void Normalise();
  void SkipSum();
  void Join();
  void Other();
  void Plain() { at_ = Add("Sigmoid", 1, {Add("Multiply", 1, {at_, g_.Float(1.5f)})}); }

  static constexpr Link kLinks[] = {
      &Chain::TimeLoop, &Chain::Transpose, &Chain::Transpose,   &Chain::Merge,
      &Chain::Part,     &Chain::Unsqueeze, &Chain::Reduce,      &Chain::Softmax,
      &Chain::Dense,    &Chain::Attend,    &Chain::Shift,       &Chain::Double,
      &Chain::Cut,      &Chain::Last,      &Chain::Index,       &Chain::Reverse,
      &Chain::Roll,     &Chain::Pad,       &Chain::Shuffle,     &Chain::Tile,
      &Chain::Halves,   &Chain::Mask,      &Chain::Convolve,    &Chain::Pool,
      &Chain::Slopes,   &Chain::ByLength,  &Chain::ReverseRows, &Chain::FillByLength,
      &Chain::Blocks,   &Chain::OneHot,    &Chain::Convolve,    &Chain::ConvolveAndCut,
      &Chain::Border,   &Chain::Spread,    &Chain::Repeat,      &Chain::Sum,
      &Chain::Number,   &Chain::Late,      &Chain::Plain,       &Chain::Join,
      &Chain::Join,     &Chain::Other,     &Chain::Repeated,    &Chain::Framed,
      &Chain::Inverses, &Chain::Normalise, &Chain::SkipSum};

  GraphBuilder& g_;
  uint32_t state_;
  ir::Source at_;
  std::vector<ir::Source> earlier_;
  int grown_ = 0;
  std::string text_;
};

// h = tanh(x_t / 2 + h) over chunks of any axis, mostly forward and over the full axis.
void Chain::Iterate() {
  if (rank() == 0 || rank() > 5) return;
  const auto axis = static_cast<size_t>(Axis());
  const int64_t part = Choose(3) == 0 && dims()[axis] % 2 == 0 ? 2 : 1;
  const bool backward = Choose(8) == 0, starts_late = !backward && Choose(8) == 0;
  TensorType chunk = g_.type(at_), all = chunk;
  chunk.dims[axis] = part;
  if (starts_late) all.dims[axis] -= part;
  if (all.dims[axis] == 0) return;
  GraphBuilder body;
  const ir::Source x = body.Parameter(chunk), h = body.Parameter(chunk);
  const ir::Source half = body.Add("Multiply", 1, {x, body.Float(0.5f)});
  const ir::Source next = body.Add("Tanh", 1, {body.Add("Add", 1, {half, h})});
  body.Result(next);
  const auto count = static_cast<size_t>(ElementCount(chunk.dims).value());
  const ir::Source zeros = g_.Floats(chunk.dims, std::vector<float>(count, 0.0f));
  ir::Node* node = g_.Add("TensorIterator", 1, {at_, zeros}, {}, 2).node;
  ir::Body& of_node = node->bodies.emplace_back();
  ir::Node* result = body.graph.results[0];
  const auto at = static_cast<int64_t>(axis);
  ir::ChunkRange range = ir::WholeRange(at, part, backward);
  if (starts_late) range.start = part;
  of_node.map.inputs = {{.parameter = x.node, .input = 0, .range = range},
                        {.parameter = h.node, .input = 1, .next = result}};
  of_node.map.outputs = {
      {.result = result, .port_id = 2, .range = ir::WholeRange(at, part, /*backward=*/false)},
      {.result = result, .port_id = 3}};
  of_node.graph = std::make_unique<ir::Graph>(std::move(body.graph));
  node->outputs[0] = {all, true, {}};
  node->outputs[1] = {chunk, true, {}};
  g_.InferNode(*node);
  text_ += " TensorIterator";
  at_ = {node, Choose(6) == 0 ? 1u : 0u};
}

// A sequence, whose input has three axes.
void Chain::Sequence() {
  if (rank() != 3) return;
  const int64_t batch = Extent(0), steps = Extent(1), inputs = Extent(2), hidden = 3;
  const bool forward = Choose(8) != 0;
  const ir::Source lengths = g_.Const<int32_t>(
      {ElementType::i32, {batch}},
      std::vector<int32_t>(static_cast<size_t>(batch), static_cast<int32_t>(steps)));
  const ir::Source zeros =
      g_.Floats({batch, 1, hidden}, std::vector<float>(static_cast<size_t>(batch * hidden)));
  const ir::Source w = Noise({1, 3 * hidden, inputs}), r = Noise({1, 3 * hidden, hidden}),
                   b = Noise({1, 3 * hidden});
  const ir::Source gru = Add(
      "GRUSequence", 5, {at_, zeros, lengths, w, r, b},
      {{"hidden_size", std::to_string(hidden)}, {"direction", forward ? "forward" : "reverse"}}, 2);
  at_ = Choose(6) == 0 ? ir::Source{gru.node, 1} : Add("Squeeze", 1, {gru, g_.Ints({1})});
}

void Chain::Transpose() {
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < rank(); ++axis) order.push_back(axis);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[Choose(i)]);
  at_ = Add("Transpose", 1, {at_, g_.Ints(order)});
}

void Chain::Merge() {
  if (rank() < 2) return;
  const size_t axis = Choose(dims().size() - 1);
  Dims target = dims();
  target[axis] *= target[axis + 1];
  target.erase(target.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  at_ = Add("Reshape", 1, {at_, g_.Ints(target)}, {{"special_zero", "false"}});
}

void Chain::Part() {
  const auto axis = static_cast<size_t>(Axis());
  Dims target = dims();
  if (target.empty() || target.size() > 4 || target[axis] % 2 != 0) return;
  const bool first = Choose(2) == 0;
  const int64_t half = target[axis] / 2;
  target[axis] = first ? 2 : half;
  target.insert(target.begin() + static_cast<std::ptrdiff_t>(axis) + 1, first ? half : 2);
  at_ = Add("Reshape", 1, {at_, g_.Ints(target)}, {{"special_zero", "false"}});
}

void Chain::Reduce() {
  if (rank() == 0) return;
  constexpr const char* kNames[] = {"ReduceSum", "ReduceMean", "ReduceMax"};
  const std::string name = kNames[Choose(3)];
  at_ = Add(name, 1, {at_, g_.Ints({Axis()})}, {{"keep_dims", Choose(2) == 0 ? "true" : "false"}});
}

void Chain::Dense() {
  if (rank() < 2) return;
  at_ = Add("MatMul", 1, {at_, Noise({dims().back(), 4})});
}

void Chain::Attend() {
  if (rank() < 2) return;
  const ir::Source scores = Add("MatMul", 1, {at_, at_}, {{"transpose_b", "true"}});
  at_ = Choose(2) == 0 ? scores : Add("MatMul", 1, {scores, at_});
}

// Adds a constant along one axis: one number for all elements, or one for each element.
void Chain::Shift() {
  const auto axis = static_cast<size_t>(Axis());
  Dims row(dims().size(), 1);
  if (row.empty()) return;
  row[axis] = dims()[axis];
  const bool alike = Choose(2) == 0;
  const ir::Source constant =
      alike ? g_.Floats(row, std::vector<float>(static_cast<size_t>(row[axis]), 0.25f))
            : Noise(row);
  at_ = Add("Add", 1, {at_, constant});
}

void Chain::Cut() {
  const int64_t axis = Axis();
  switch (Choose(4)) {
    case 0:
      return Slice(axis, 1, INT64_MAX, 1);
    case 1:
      return Slice(axis, 0, -1, 1);
    case 2:
      return Slice(axis, 0, INT64_MAX, 2);
    default:
      return Slice(axis, -1, INT64_MIN, -1);
  }
}

void Chain::Last() { Slice(Axis(), -1, INT64_MAX, 1); }

void Chain::Index() {
  if (rank() == 0) return;
  const int64_t axis = Axis();
  const ir::Source index = Choose(2) == 0 ? g_.Int(-1) : g_.Ints({0, -1});
  at_ = Add("Gather", 8, {at_, index, g_.Int(axis)});
}

void Chain::ReverseRows() {
  if (rank() < 2) return;
  const int64_t batch = Axis(), along = (batch + 1 + Choose(dims().size() - 1)) % rank();
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < Extent(batch); ++i) {
    lengths.push_back(static_cast<int32_t>(1 + i % Extent(along)));
  }
  const ir::Source constant = g_.Const<int32_t>({ElementType::i32, {Extent(batch)}}, lengths);
  at_ = Add("ReverseSequence", 1, {at_, constant},
            {{"batch_axis", std::to_string(batch)}, {"seq_axis", std::to_string(along)}});
}

void Chain::Pad() {
  std::vector<int64_t> begin(dims().size(), 0), end = begin;
  if (begin.empty()) return;
  (Choose(2) == 0 ? begin : end)[static_cast<size_t>(Axis())] = 1;
  at_ = Add("Pad", 1, {at_, g_.Ints(begin), g_.Ints(end)}, {{"pad_mode", "constant"}});
}

void Chain::Shuffle() {
  if (rank() != 4) return;
  const int64_t axis = Axis();
  if (Extent(axis) % 2 != 0) return;
  at_ = Add("ShuffleChannels", 1, {at_}, {{"axis", std::to_string(axis)}, {"group", "2"}});
}

void Chain::Tile() {
  std::vector<int64_t> repeats(dims().size(), 1);
  if (repeats.empty()) return;
  repeats[static_cast<size_t>(Axis())] = 2;
  at_ = Add("Tile", 1, {at_, g_.Ints(repeats)});
}

void Chain::Halves() {
  const int64_t axis = Axis();
  if (rank() == 0 || Extent(axis) % 2 != 0) return;
  const ir::Source split = Add("Split", 1, {at_, g_.Int(axis)}, {{"num_splits", "2"}}, 2);
  if (g_.faults.ok()) at_ = Add("Subtract", 1, {{split.node, 1}, split});
}

void Chain::Mask() {
  const auto axis = static_cast<size_t>(Axis());
  Dims row(dims().size(), 1);
  if (row.empty()) return;
  row[axis] = dims()[axis];
  std::vector<uint8_t> flags(static_cast<size_t>(row[axis]), 1);
  if (Choose(2) == 0) flags[0] = 0;
  const ir::Source mask = g_.Const<uint8_t>({ElementType::boolean, row}, flags);
  at_ = Add("Select", 1, {mask, at_, g_.Float(0.5f)});
}

// A window that mostly looks back, with or without a stride.
void Chain::Convolve() {
  if (rank() != 3) return;
  const bool back = Choose(4) != 0;
  const int64_t stride = Choose(3) == 0 ? 2 : 1;
  const int64_t kernel = stride + Choose(3), past = std::max<int64_t>(kernel - stride, 0);
  at_ = Add("Convolution", 1, {at_, Noise({3, Extent(1), kernel})},
            Window(stride, back ? past : 0, back ? 0 : past));
}

// A window that looks back, because a slice removes its look-ahead part.
void Chain::ConvolveAndCut() {
  if (rank() != 3) return;
  const int64_t past = 1 + Choose(2);
  at_ = Add("Convolution", 1, {at_, Noise({4, Extent(1), past + 1})}, Window(1, past, past));
  at_ = Add("Add", 1, {at_, Noise({1, 4, 1})});
  Slice(2, 0, -past, 1);
}

void Chain::Border() {
  if (rank() != 3) return;
  const int64_t kernel = 2 + Choose(2), stride = 1 + Choose(2);
  const ir::Source fill = g_.Float(Choose(2) == 0 ? 0.0f : 0.5f);
  at_ = Add("Pad", 1, {at_, g_.Ints({0, 0, kernel - stride}), g_.Ints({0, 0, 0}), fill},
            {{"pad_mode", "constant"}});
  at_ = Add("Convolution", 1, {at_, Noise({3, Extent(1), kernel})}, Window(stride, 0, 0));
}

void Chain::Spread() {
  if (rank() != 3 || ++grown_ > 2) return;
  const int64_t stride = 1 + Choose(3), kernel = stride + Choose(4);
  at_ = Add("ConvolutionBackpropData", 1, {at_, Noise({Extent(1), 3, kernel})},
            Window(stride, 0, kernel - stride));
}

void Chain::Repeat() {
  const int64_t axis = Axis();
  if (rank() == 0 || rank() > 4 || ++grown_ > 2) return;
  at_ = Add("Interpolate", 11, {at_, g_.Floats({1}, {2}), g_.Ints({axis})},
            {{"mode", "nearest"},
             {"shape_calculation_mode", "scales"},
             {"coordinate_transformation_mode", "asymmetric"},
             {"nearest_mode", "floor"}});
}

void Chain::Sum() {
  if (rank() == 0) return;
  const std::map<std::string, std::string> how = {{"exclusive", Choose(2) == 0 ? "true" : "false"},
                                                  {"reverse", Choose(6) == 0 ? "true" : "false"}};
  at_ = Add("CumSum", 3, {at_, g_.Int(Axis())}, how);
}

void Chain::Number() {
  const auto axis = static_cast<size_t>(Axis());
  Dims row(dims().size(), 1);
  if (row.empty()) return;
  row[axis] = dims()[axis];
  std::vector<float> numbers;
  for (int64_t i = 1; i <= row[axis]; ++i) numbers.push_back(static_cast<float>(3 * i));
  at_ = Add(Choose(2) == 0 ? "Divide" : "Add", 1, {at_, g_.Floats(row, numbers)});
}

void Chain::Late() {
  std::vector<int64_t> begin(dims().size(), 0), end = begin;
  if (begin.empty()) return;
  const auto axis = static_cast<size_t>(Axis());
  if (dims()[axis] < 2) return;
  begin[axis] = 1;
  end[axis] = -1;
  at_ = Add("Pad", 12, {at_, g_.Ints(begin), g_.Ints(end), g_.Float(0.25f)},
            {{"pad_mode", "constant"}});
}

void Chain::Pool() {
  if (rank() != 3 || Extent(2) < 2) return;
  const bool mean = Choose(2) == 0;
  const int64_t stride = 1 + Choose(2), kernel = 1 + Choose(3);
  const int64_t past = Choose(4) == 0 ? 0 : std::max<int64_t>(kernel - stride, 0);
  std::map<std::string, std::string> window = Window(stride, past, 0);
  window.erase("dilations");
  window["kernel"] = std::to_string(kernel);
  window["rounding_type"] = Choose(2) == 0 ? "floor" : "ceil";
  window["exclude-pad"] = Choose(2) == 0 ? "true" : "false";
  at_ = Add(mean ? "AvgPool" : "MaxPool", 1, {at_}, window);
}

void Chain::Slopes() {
  if (rank() < 2) return;
  at_ = Add("PRelu", 1, {at_, Noise({Extent(1)})});
}

// Divides by an extent from ShapeOf.
void Chain::ByLength() {
  const ir::Source shape = Add("ShapeOf", 3, {at_}, {{"output_type", "i64"}});
  const ir::Source extent = Add("Gather", 8, {shape, g_.Int(Axis()), g_.Int(0)});
  at_ = Add("Divide", 1, {at_, Add("Convert", 1, {extent}, {{"destination_type", "f32"}})});
}

// Concatenates a constant plane of the tensor's size.
void Chain::FillByLength() {
  const ir::Source shape = Add("ShapeOf", 3, {at_}, {{"output_type", "i64"}});
  const ir::Source filled = Add("Broadcast", 3, {g_.Float(0.75f), shape}, {{"mode", "numpy"}});
  at_ = Add("Concat", 1, {at_, filled}, {{"axis", std::to_string(Axis())}});
}

void Chain::Blocks() {
  if (rank() != 4) return;
  std::vector<int64_t> block(4, 1), none(4, 0);
  const auto axis = static_cast<size_t>(1 + Choose(3));
  if (dims()[axis] % 2 != 0) return;
  block[axis] = 2;
  at_ = Add("SpaceToBatch", 2, {at_, g_.Ints(block), g_.Ints(none), g_.Ints(none)});
}

// Combines the tensor with an earlier one of the chain.
void Chain::Join() {
  const ir::Source other = earlier_[Choose(earlier_.size())];
  const Dims& others = g_.type(other).dims;
  if (others == dims() && Choose(2) == 0) {
    at_ = Add("Multiply", 1, {at_, other});
  } else if (others.size() == dims().size() && !others.empty()) {
    const auto axis = static_cast<size_t>(Axis());
    for (size_t i = 0; i < others.size(); ++i) {
      if (i != axis && others[i] != dims()[i]) return;
    }
    at_ = Add("Concat", 1, {other, at_}, {{"axis", std::to_string(axis)}});
  }
}

// Combines the tensor with an input that has some of its axes.
void Chain::Other() {
  Dims some = dims();
  for (int64_t& dim : some) dim = Choose(2) == 0 ? dim : 1;
  at_ = Add("Add", 1, {at_, g_.Parameter(F32(some))});
}

// Prepends the first element to the data, or to the data without its last element.
void Chain::Repeated() {
  const auto axis = static_cast<size_t>(Axis());
  std::vector<int64_t> begin(dims().size(), 0), end = begin;
  if (begin.empty() || dims()[axis] < 2) return;
  begin[axis] = 1 + Choose(2);
  if (Choose(2) == 0) end[axis] = -begin[axis];
  at_ = Add("Pad", 12, {at_, g_.Ints(begin), g_.Ints(end)}, {{"pad_mode", "edge"}});
  if (end[axis] != 0 || rank() != 3 || axis != 2) return;
  at_ = Add("Convolution", 1, {at_, Noise({3, Extent(1), begin[axis] + 1})}, Window(1, 0, 0));
}

// Pairs each element with the previous one, or repeats it, by Gather.
void Chain::Framed() {
  const auto axis = static_cast<size_t>(Axis());
  if (rank() == 0 || rank() > 4 || dims()[axis] < 2 || ++grown_ > 2) return;
  const bool overlaps = Choose(2) == 0;
  const int64_t positions = dims()[axis];
  std::vector<int64_t> begin(dims().size(), 0), indices;
  begin[axis] = overlaps ? 1 : 0;
  for (int64_t i = 0; i < 2 * positions; ++i) indices.push_back(i / 2 + (overlaps ? i % 2 : 0));
  if (overlaps) {
    const std::vector<int64_t> none(dims().size(), 0);
    at_ = Add("Pad", 12, {at_, g_.Ints(begin), g_.Ints(none)}, {{"pad_mode", "constant"}});
  }
  const Dims matrix = overlaps ? Dims{positions, 2} : Dims{2 * positions};
  at_ = Add("Gather", 8,
            {at_, g_.Const<int64_t>({ElementType::i64, matrix}, indices),
             g_.Int(static_cast<int64_t>(axis))});
}

void Chain::Inverses() {
  const auto axis = static_cast<size_t>(Axis());
  Dims row(dims().size(), 1);
  if (row.empty()) return;
  row[axis] = dims()[axis];
  std::vector<float> numbers;
  for (int64_t i = 1; i <= row[axis]; ++i) numbers.push_back(1.0F / static_cast<float>(3 * i));
  at_ = Add("Multiply", 1, {at_, g_.Floats(row, numbers)});
}

// A reduction over any axis, also one before the time axis.
void Chain::Normalise() {
  if (rank() == 0) return;
  const ir::Source axis = g_.Ints({Axis()});
  if (Choose(2) == 0) {
    at_ = Add("NormalizeL2", 1, {at_, axis}, {{"eps", "0.01"}, {"eps_mode", "add"}});
    return;
  }
  at_ = Add("MVN", 6, {at_, axis},
            {{"eps", "0.01"}, {"eps_mode", "inside_sqrt"}, {"normalize_variance", "true"}});
}

// The sum of two convolutions with biases, like the skips of a WaveNet.
void Chain::SkipSum() {
  if (rank() != 3) return;
  const ir::Source x = at_;
  std::vector<ir::Source> skips;
  for (int64_t kernel = 1; kernel <= 2; ++kernel) {
    const ir::Source y =
        Add("Convolution", 1, {x, Noise({3, Extent(1), kernel})}, Window(1, kernel - 1, 0));
    skips.push_back(Add("Add", 1, {y, Noise({1, 3, 1})}));
  }
  at_ = Add("Add", 1, skips);
}

// The index of the maximum, as in a classifier.
void Chain::OneHot() {
  if (rank() > 4) return;
  const ir::Source number = Add("Convert", 1, {at_}, {{"destination_type", "i32"}});
  at_ = Add("OneHot", 1, {number, g_.Int(3), g_.Float(1), g_.Float(0)}, {{"axis", "-1"}});
}

Build Of(int64_t steps, uint32_t seed) {
  return [=](GraphBuilder& g) { Chain(g, steps, seed).Run(); };
}

int64_t ExtentOf(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }

// Returns the number of steps of the streamed model; 0 if it is rejected.
int64_t StepsOf(int64_t steps, uint32_t seed, std::string* text, bool* has_tables = nullptr) {
  GraphBuilder g;
  Chain chain(g, steps, seed);
  if (!chain.Run() || !Infer(g)) return 0;
  *text = chain.text();
  const Dims whole = g.type(g.graph.results[0]->inputs[0]).dims;
  const auto streamed = graph::Stream(g.graph, 1, FoldingHere(), g.faults);
  if (!streamed) {
    EXPECT_FALSE(g.faults.ok()) << *text;
    return 0;
  }
  if (has_tables != nullptr) *has_tables = streamed->has_tables;
  // The recurrence may run along another axis; the input then has all time steps in each run.
  const format::StreamedPort& time = streamed->inputs[0].row;
  if (time.axis() != 1 || time.all_positions() != steps) return 0;
  // Delayed or shortened outputs are compared in streaming_latency_test.cc.
  const graph::StreamedPort& output = streamed->outputs[0];
  if (output.row.latency() != 0) return 0;
  const bool has_time = output.HasTime();
  if (has_time && output.row.all_positions() != ExtentOf(whole, output.row.axis())) return 0;
  return streamed->all_steps > 1 ? streamed->all_steps : 0;
}

TEST(StreamingRandom, GivesTheBitsOfTheWhole) {
  int cut = 0;
  constexpr uint32_t kSeeds = Rounds(6000);
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::string text;
    bool has_tables = false;
    const int64_t all = StepsOf(kSteps, seed, &text, &has_tables);
    // The recurrence may run over a part of time that grows with the number of steps.
    if (all == 0 || StepsOf(kTimes * kSteps, seed, &text) != kTimes * all) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ":" + text);
    ++cut;
    // Constants that differ between steps exist only for the model's steps.
    const int64_t times = has_tables ? 1 : kTimes;
    for (const int64_t steps : {int64_t{1}, std::min<int64_t>(all, 3)}) {
      if (times * all % steps != 0) continue;
      ExpectSameBits(Of(times * kSteps, seed), Of(kSteps, seed), times * all, steps);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(cut, static_cast<int>(kSeeds / 20));
}

}  // namespace
}  // namespace weft
