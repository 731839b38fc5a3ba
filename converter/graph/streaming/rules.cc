// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/rules.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "converter/graph/streaming/delays.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/movement.h"
#include "converter/ops/operation.h"
#include "converter/ops/slicing.h"

namespace weft::graph {
namespace {

using ops::NodeScope;

constexpr int64_t kNoAxis = -1;

// Collects strands; axes whose extents differ are no strand.
class Strands {
 public:
  explicit Strands(const NodeScope& scope) : scope_(scope) {}

  const Dims& in(size_t i) const { return scope_.input_dims(i); }
  const Dims& out(size_t i) const { return scope_.node().outputs[i].type.dims; }

  // Axis `from` of input i is axis `to` of output j; false where their extents differ.
  bool Pair(size_t i, int64_t from, size_t j, int64_t to) {
    if (At(in(i), from) != At(out(j), to)) return false;
    relation.strands.push_back({{false, i, from}, {true, j, to}});
    return true;
  }
  void Same(size_t i, size_t j, const std::vector<bool>& but = {}) {
    for (size_t axis = 0; axis < in(i).size(); ++axis) {
      const auto at = static_cast<int64_t>(axis);
      if (axis >= but.size() || !but[axis]) Pair(i, at, j, at);
    }
  }
  static int64_t At(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }

  AxisRelation relation;

 private:
  const NodeScope& scope_;
};

// One flag per axis, set for those that a constant input names.
std::vector<bool> Named(const NodeScope& scope, size_t input, int64_t rank) {
  std::vector<bool> named(static_cast<size_t>(rank), false);
  for (const int64_t axis : scope.Ints(input).value_or(Dims())) {
    named[ops::WrappedAxis(axis, rank)] = true;
  }
  return named;
}

std::vector<bool> Only(int64_t axis, int64_t rank) {
  std::vector<bool> only(static_cast<size_t>(rank), false);
  only[ops::WrappedAxis(axis, rank)] = true;
  return only;
}

// Every operand whose axis has the output's extent is part of the strand.
void Pointwise(NodeScope& scope, Strands& strands) {
  const Dims& out = strands.out(0);
  for (size_t axis = 0; axis < out.size(); ++axis) {
    Strand strand = {{true, 0, static_cast<int64_t>(axis)}};
    for (size_t i = 0; i < scope.input_count(); ++i) {
      const Dims& dims = scope.input_dims(i);
      if (dims.size() > out.size()) continue;
      Dims aligned = ops::AlignedDims(scope, i, out);
      // Where the operand's first axis stands: the only difference between the broadcast rules.
      size_t first = out.size() - dims.size();
      while (first > 0 && !std::equal(dims.begin(), dims.end(), aligned.begin() + first)) --first;
      if (axis < first || axis - first >= dims.size() || dims[axis - first] != out[axis]) continue;
      strand.push_back({false, i, static_cast<int64_t>(axis - first)});
    }
    strands.relation.strands.push_back(std::move(strand));
  }
  strands.relation.mixing = "meets every step of time with every other";
}

// The slope of each channel stands at axis 1.
void Slope(NodeScope&, Strands& strands) {
  strands.Same(0, 0);
  strands.relation.mixing = "has slopes that change with time";
  const Dims& slope = strands.in(1);
  if (slope.size() != 1 || slope[0] == 1) return;
  const size_t at = strands.in(0).size() > 1 ? 1 : 0;
  strands.relation.strands[at].push_back({false, 1, 0});
}

void First(NodeScope&, Strands& strands) { strands.Same(0, 0); }

void Transpose(NodeScope& scope, Strands& strands) {
  const int64_t rank = scope.rank(0);
  Dims order = scope.Ints(1).value_or(Dims());
  for (int64_t axis = rank; order.size() < static_cast<size_t>(rank);) order.push_back(--axis);
  for (int64_t to = 0; to < rank; ++to) strands.Pair(0, Strands::At(order, to), 0, to);
}

void Reshape(NodeScope&, Strands& strands) {
  strands.relation.reshapes = true;
  strands.relation.mixing = "joins the time axis with others or splits it";
}

void Concat(NodeScope& scope, Strands& strands) {
  const int64_t joined = scope.attributes.Int("axis", 0);
  const std::vector<bool> but = Only(joined, scope.rank(0));
  for (size_t axis = 0; axis < but.size(); ++axis) {
    if (but[axis]) continue;
    Strand strand = {{true, 0, static_cast<int64_t>(axis)}};
    for (size_t i = 0; i < scope.input_count(); ++i) {
      strand.push_back({false, i, static_cast<int64_t>(axis)});
    }
    strands.relation.strands.push_back(std::move(strand));
  }
  strands.relation.mixing = "joins tensors along time";
}

void Split(NodeScope& scope, Strands& strands) {
  const std::vector<bool> but = Named(scope, 1, scope.rank(0));
  for (size_t axis = 0; axis < but.size(); ++axis) {
    if (but[axis]) continue;
    const auto at = static_cast<int64_t>(axis);
    Strand strand = {{false, 0, at}};
    for (size_t i = 0; i < scope.node().outputs.size(); ++i) strand.push_back({true, i, at});
    strands.relation.strands.push_back(std::move(strand));
  }
  strands.relation.mixing = "takes the time axis apart";
}

// An axis that is taken whole goes on; of others a piece may be all that is left.
void Slicing(NodeScope& scope, Strands& strands) {
  const std::optional<ops::Cut> cut = ops::CutOf(scope);
  strands.relation.mixing = "takes a part of the time axis";
  if (!cut) return;
  for (size_t axis = 0; axis < cut->kept.size(); ++axis) {
    const ops::Run& run = cut->runs[axis][0];
    const int64_t dim = strands.in(0)[axis];
    const auto at = static_cast<int64_t>(axis);
    if (cut->places[axis] != kNoAxis && run.count == dim && (run.step == 1 || dim == 1)) {
      strands.Pair(0, at, 0, cut->places[axis]);
    } else if (run.count > 0 && (run.step == 1 || run.count == 1)) {
      strands.relation.selections.push_back({at, run.source, run.source + run.count});
    }
  }
}

void Gather(NodeScope& scope, Strands& strands) {
  const auto axis =
      static_cast<int64_t>(ops::WrappedAxis(scope.Ints(2).value_or(Dims{0}).at(0), scope.rank(0)));
  int64_t shared = scope.attributes.Int("batch_dims", 0);
  if (shared < 0) shared += scope.rank(1);
  const int64_t gained = scope.rank(1) - shared;
  for (int64_t at = 0; at < scope.rank(0); ++at) {
    if (at == axis) continue;
    const bool paired = strands.Pair(0, at, 0, at < axis ? at : at + gained - 1);
    if (paired && at < shared) strands.relation.strands.back().push_back({false, 1, at});
  }
  for (int64_t at = shared; at < scope.rank(1); ++at) strands.Pair(1, at, 0, axis + at - shared);
  strands.relation.mixing = "looks steps of time up by index";
  const std::optional<Dims> indices = scope.Ints(1);
  if (!indices || indices->size() != 1) return;
  const int64_t dim = Strands::At(strands.in(0), axis);
  const int64_t index = (*indices)[0] < 0 ? (*indices)[0] + dim : (*indices)[0];
  strands.relation.selections.push_back({axis, index, index + 1});
}

void MatMul(NodeScope& scope, Strands& strands) {
  const auto out = static_cast<int64_t>(strands.out(0).size());
  const int64_t a = scope.rank(0), b = scope.rank(1);
  const int64_t vectors = (a == 1) + (b == 1);
  for (int64_t from_end = 3; from_end <= std::max(a, b); ++from_end) {
    const int64_t to = out - from_end + vectors;
    Strand strand = {{true, 0, to}};
    for (const auto& [i, rank] : {std::pair<size_t, int64_t>{0, a}, {1, b}}) {
      const int64_t axis = rank - from_end;
      if (axis < 0 || Strands::At(strands.in(i), axis) != Strands::At(strands.out(0), to)) continue;
      strand.push_back({false, i, axis});
    }
    strands.relation.strands.push_back(std::move(strand));
  }
  if (a > 1) {
    const bool turned = scope.attributes.Bool("transpose_a", false);
    strands.Pair(0, turned ? a - 1 : a - 2, 0, b > 1 ? out - 2 : out - 1);
  }
  if (b > 1) {
    const bool turned = scope.attributes.Bool("transpose_b", false);
    strands.Pair(1, turned ? b - 2 : b - 1, 0, out - 1);
  }
  strands.relation.mixing = "sums over time";
}

void Softmax(NodeScope& scope, Strands& strands) {
  const std::vector<bool> summed = Only(scope.attributes.Int("axis", 1), scope.rank(0));
  strands.Same(0, 0, summed);
  strands.relation.summed = summed;
  strands.relation.mixing = "divides by a sum over time";
}

void Reduce(NodeScope& scope, Strands& strands) {
  const std::vector<bool> reduced = Named(scope, 1, scope.rank(0));
  const bool keeps = scope.attributes.Bool("keep_dims", false);
  int64_t to = 0;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (!reduced[axis]) strands.Pair(0, static_cast<int64_t>(axis), 0, to);
    to += !reduced[axis] || keeps;
  }
  if (IsFloat(scope.input_element(0))) strands.relation.summed = reduced;
  strands.relation.mixing = "reduces over time";
}

// Batch stays apart; so does an axis of space under a window of one place.
void Windows(NodeScope& scope, Strands& strands, const Dims& kernel, bool channels_apart) {
  strands.Pair(0, 0, 0, 0);
  if (channels_apart) strands.Pair(0, 1, 0, 1);
  const Dims strides = scope.attributes.Ints("strides");
  const int64_t first = scope.rank(0) - static_cast<int64_t>(kernel.size());
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t axis = first + static_cast<int64_t>(i);
    if (kernel[i] == 1 && (i >= strides.size() || strides[i] == 1)) strands.Pair(0, axis, 0, axis);
  }
  strands.relation.mixing = "has windows over time";
}

void Convolution(NodeScope& scope, Strands& strands) {
  const Dims& weights = strands.in(1);
  const auto space = static_cast<std::ptrdiff_t>(scope.rank(0) - 2);
  Windows(scope, strands, Dims(weights.end() - space, weights.end()), false);
  for (int64_t axis = 2; axis < scope.rank(0); ++axis) {
    const std::optional<int64_t> past = PastOf(scope.graph(), scope.mutable_node(), axis);
    if (past && strands.Pair(0, axis, 0, axis)) strands.relation.delays.push_back({axis, *past});
  }
}

// Indices of maxima count in the whole tensor.
void Pooling(NodeScope& scope, Strands& strands) {
  if (scope.node().outputs.size() > 1) {
    strands.relation.mixing = "counts its indices through time";
    return;
  }
  Windows(scope, strands, scope.attributes.Ints("kernel"), true);
}

void Pad(NodeScope& scope, Strands& strands) {
  const Dims begin = scope.Ints(1).value_or(Dims()), end = scope.Ints(2).value_or(Dims());
  std::vector<bool> padded;
  for (size_t axis = 0; axis < begin.size() && axis < end.size(); ++axis) {
    padded.push_back(begin[axis] != 0 || end[axis] != 0);
  }
  strands.Same(0, 0, padded);
  strands.relation.mixing = "pads the time axis";
}

void Reverse(NodeScope& scope, Strands& strands) {
  std::vector<bool> turned = Named(scope, 1, scope.rank(0));
  if (scope.attributes.Text("mode", "index") == "mask") {
    const Dims mask = scope.Ints(1).value_or(Dims());
    turned.assign(mask.begin(), mask.end());
  }
  strands.Same(0, 0, turned);
  strands.relation.mixing = "runs against time";
}

// Each place of the batch has a length of its own.
void ReverseSequence(NodeScope& scope, Strands& strands) {
  const int64_t batch = scope.attributes.Int("batch_axis", 0);
  const auto at = static_cast<int64_t>(ops::WrappedAxis(batch, scope.rank(0)));
  std::vector<bool> but = Only(scope.attributes.Int("seq_axis", 1), scope.rank(0));
  but[static_cast<size_t>(at)] = true;
  strands.Same(0, 0, but);
  strands.relation.strands.push_back({{false, 0, at}, {false, 1, 0}, {true, 0, at}});
  strands.relation.mixing = "runs against time";
}

void Roll(NodeScope& scope, Strands& strands) {
  strands.Same(0, 0, Named(scope, 2, scope.rank(0)));
  strands.relation.mixing = "moves steps of time";
}

void ShuffleChannels(NodeScope& scope, Strands& strands) {
  strands.Same(0, 0, Only(scope.attributes.Int("axis", 1), scope.rank(0)));
  strands.relation.mixing = "moves steps of time";
}

void Depth(NodeScope&, Strands& strands) {
  strands.Pair(0, 0, 0, 0);
  strands.relation.mixing = "moves steps of time between channels and space";
}

void Blocks(NodeScope& scope, Strands& strands) {
  std::vector<bool> mixed = {true};
  for (size_t axis = 1; axis < strands.in(0).size(); ++axis) {
    bool is_mixed = false;
    for (const auto& [input, neutral] : {std::pair<size_t, int64_t>{1, 1}, {2, 0}, {3, 0}}) {
      const Dims values = scope.Ints(input).value_or(Dims());
      is_mixed = is_mixed || axis >= values.size() || values[axis] != neutral;
    }
    mixed.push_back(is_mixed);
  }
  strands.Same(0, 0, mixed);
  strands.relation.mixing = "moves steps of time between batch and space";
}

// Input 0 lined up with the output at `places`; what stretches repeats.
void Stretch(Strands& strands, const std::vector<int64_t>& places) {
  const Dims& in = strands.in(0);
  for (size_t axis = 0; axis < strands.out(0).size(); ++axis) {
    const auto to = static_cast<int64_t>(axis);
    const auto found = std::find(places.begin(), places.end(), to);
    const auto from = found - places.begin();
    const int64_t dim = found == places.end() ? 1 : Strands::At(in, from);
    if (found != places.end() && dim == strands.out(0)[axis]) {
      strands.Pair(0, from, 0, to);
    } else if (dim == 1) {
      strands.relation.strands.push_back({{true, 0, to}});
    }
  }
  strands.relation.mixing = "repeats the time axis";
}

std::vector<int64_t> Trailing(const Strands& strands) {
  std::vector<int64_t> places(strands.in(0).size());
  auto place = static_cast<int64_t>(strands.out(0).size() - places.size());
  for (int64_t& at : places) at = place++;
  return places;
}

void Tile(NodeScope&, Strands& strands) { Stretch(strands, Trailing(strands)); }

void Broadcast(NodeScope& scope, Strands& strands) {
  const std::string mode = scope.attributes.Text("mode", "numpy");
  const bool mapped = scope.has_input(2) && (mode == "explicit" || mode == "none");
  Stretch(strands, mapped ? scope.Ints(2).value_or(Dims()) : Trailing(strands));
}

void OneHot(NodeScope& scope, Strands& strands) {
  const int64_t rank = scope.rank(0) + 1;
  const auto added = static_cast<int64_t>(ops::WrappedAxis(scope.attributes.Int("axis", -1), rank));
  for (int64_t axis = 0; axis < scope.rank(0); ++axis) {
    strands.Pair(0, axis, 0, axis + (axis >= added));
  }
}

// Rows of a cell know nothing of each other.
void Cell(NodeScope& scope, Strands& strands) {
  const bool two_states = scope.node().operation->name == "LSTMCell";
  Strand strand = {{false, 0, 0}, {false, 1, 0}, {true, 0, 0}};
  if (two_states) strand.insert(strand.end(), {{false, 2, 0}, {true, 1, 0}});
  strands.relation.strands.push_back(std::move(strand));
  strands.relation.mixing = "has time in its inputs or weights";
}

void Sequence(NodeScope&, Strands& strands) {
  strands.Pair(0, 1, 0, 2);
  strands.relation.mixing = "has time in its states or weights, or walks another axis";
}

void Result(NodeScope& scope, Strands& strands) {
  for (int64_t axis = 0; axis < scope.rank(0); ++axis) {
    strands.relation.strands.push_back({{false, 0, axis}});
  }
}

void SourceOfValues(NodeScope&, Strands& strands) {
  for (size_t axis = 0; axis < strands.out(0).size(); ++axis) {
    strands.relation.strands.push_back({{true, 0, static_cast<int64_t>(axis)}});
  }
}

struct Row {
  std::string_view name;
  void (*rule)(NodeScope&, Strands&);
};

constexpr Row kRows[] = {
    {"Parameter", SourceOfValues},
    {"Const", SourceOfValues},
    {"Result", Result},
    {"PRelu", Slope},
    {"Transpose", Transpose},
    {"Reshape", Reshape},
    {"Squeeze", Reshape},
    {"Unsqueeze", Reshape},
    {"Concat", Concat},
    {"Split", Split},
    {"VariadicSplit", Split},
    {"Slice", Slicing},
    {"StridedSlice", Slicing},
    {"Gather", Gather},
    {"MatMul", MatMul},
    {"Softmax", Softmax},
    {"LogSoftmax", Softmax},
    {"Convolution", Convolution},
    {"GroupConvolution", Convolution},
    {"AvgPool", Pooling},
    {"MaxPool", Pooling},
    {"Pad", Pad},
    {"Reverse", Reverse},
    {"ReverseSequence", ReverseSequence},
    {"Roll", Roll},
    {"ShuffleChannels", ShuffleChannels},
    {"DepthToSpace", Depth},
    {"SpaceToDepth", Depth},
    {"BatchToSpace", Blocks},
    {"SpaceToBatch", Blocks},
    {"Tile", Tile},
    {"Broadcast", Broadcast},
    {"OneHot", OneHot},
    {"LSTMCell", Cell},
    {"GRUCell", Cell},
    {"RNNCell", Cell},
    {"LSTMSequence", Sequence},
    {"GRUSequence", Sequence},
    {"RNNSequence", Sequence},
};

}  // namespace

bool IsSequence(const ir::Node& node) {
  constexpr std::string_view kNames[] = {"LSTMSequence", "GRUSequence", "RNNSequence"};
  return std::ranges::find(kNames, node.operation->name) != std::end(kNames);
}

bool IsLoop(const ir::Node& node) {
  return node.operation->name == "TensorIterator" || node.operation->name == "Loop";
}

bool IsReshape(const ir::Node& node) {
  constexpr std::string_view kNames[] = {"Reshape", "Squeeze", "Unsqueeze"};
  return std::ranges::find(kNames, node.operation->name) != std::end(kNames);
}

AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node) {
  Faults unheard;
  NodeScope scope(graph, node, unheard);
  Strands strands(scope);
  strands.relation.mixing = "may mix steps of time";
  const std::string_view name = node.operation->name;
  const auto row = std::ranges::find(kRows, name, &Row::name);
  if (row != std::end(kRows)) {
    row->rule(scope, strands);
  } else if (ops::IsPointwise(name)) {
    Pointwise(scope, strands);
  } else if (name == "ConvertLike") {
    First(scope, strands);
  } else if (name.starts_with("Reduce")) {
    Reduce(scope, strands);
  }
  return std::move(strands.relation);
}

}  // namespace weft::graph
