// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "converter/base/visible.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/delays.h"
#include "converter/ops/operation.h"
#include "kernels/simd/sum.h"

namespace weft::graph {
namespace {

// Returns true if `dims` broadcast to `to` by NumPy's rule.
bool IsBroadcast(const Dims& dims, const Dims& to) {
  return dims.size() <= to.size() &&
         std::equal(dims.rbegin(), dims.rend(), to.rbegin(),
                    [](int64_t from, int64_t extent) { return from == 1 || from == extent; });
}

// Returns the number of positions by which all elements of a softmax can move without changing
// their lane and block in the sum (kernels/simd/sum.h).
int64_t PositionsOfOrder(int64_t positions) {
  constexpr int64_t kLanes = 16, kBlock = kernels::kSumBlock * kLanes;
  constexpr int64_t kGroup = kernels::kSumBlock * kBlock;
  if (positions <= kBlock) return kLanes;
  return positions <= kGroup ? kBlock : kGroup;
}

class Keys {
 public:
  Keys(ir::Graph& graph, const TimeAxes& times, ir::Source steps_so_far)
      : graph_(graph), times_(times), steps_so_far_(steps_so_far), readers_(Readers(graph)) {}

  // Returns the names of the variables for a past of that type.
  using Keeper = std::function<PastNames(const TensorType&)>;
  void Keep(const CausalAttention& attention, const Keeper& keys, const Keeper& values);

 private:
  struct Lanes {
    ir::Source there, back;  // indices before and after the softmax
    int64_t count = 0;
  };
  bool OnlyRepeats(ir::Node& node, int64_t chunk) const;
  void PutPast(ir::Node& node, const PortAxis& at, int64_t past, format::RingOrder order,
               const Keeper& keeper);
  ir::Source Made(const ir::Node& like, const char* of, int opset, std::vector<ir::Source> inputs,
                  std::map<std::string, std::string> attributes = {});
  ir::Source Numbers(const ir::Node& like, const std::vector<int64_t>& numbers);
  ir::Source Count(const ir::Node& like, int64_t begin, int64_t count);
  ir::Source PositionsSoFar(const ir::Node& like, int64_t chunk);
  Lanes NewLanes(const ir::Node& like, const CausalAttention& attention, int64_t columns,
                 int64_t chunk);
  void SetMasks(const CausalAttention& attention, int64_t count, int64_t chunk);
  void AlignSoftmax(const CausalAttention& attention, int64_t columns, int64_t chunk);

  ir::Graph& graph_;
  const TimeAxes& times_;
  const ir::Source steps_so_far_;
  const ReaderMap readers_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, Lanes> lanes_;
};

ir::Source Keys::Made(const ir::Node& like, const char* of, int opset,
                      std::vector<ir::Source> inputs,
                      std::map<std::string, std::string> attributes) {
  return NewOperation(graph_, like, of, opset, std::move(inputs), std::move(attributes));
}

ir::Source Keys::Numbers(const ir::Node& like, const std::vector<int64_t>& numbers) {
  return NewInts(graph_, like, numbers);
}

ir::Source Keys::Count(const ir::Node& like, int64_t begin, int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), begin);
  return Numbers(like, numbers);
}

ir::Source Keys::PositionsSoFar(const ir::Node& like, int64_t chunk) {
  if (chunk == 1) return steps_so_far_;
  return Made(like, "Multiply", 1, {steps_so_far_, Numbers(like, {chunk})});
}

// Returns, for each lane of the softmax, the index of its score, and for each key the lane of its
// score. Lanes without a key read the score after the last one, which excludes them.
Keys::Lanes Keys::NewLanes(const ir::Node& like, const CausalAttention& attention, int64_t columns,
                           int64_t chunk) {
  const int64_t past = attention.reach.past, order = PositionsOfOrder(attention.positions);
  const auto [found, is_new] =
      lanes_.try_emplace({past, columns, order, chunk}, Lanes{{}, {}, columns + order - 1});
  if (!is_new) return found->second;
  const ir::Source so_far = PositionsSoFar(like, chunk);
  const ir::Source first = Made(like, "Subtract", 1, {so_far, Numbers(like, {past})});
  const ir::Source offset = Made(like, "FloorMod", 1, {first, Numbers(like, {order})});
  const ir::Source missing = Made(like, "Subtract", 1, {Numbers(like, {past}), so_far});
  const ir::Source min = Made(like, "Maximum", 1, {missing, Numbers(like, {0})});
  const ir::Source keys = Made(like, "Subtract", 1, {Count(like, 0, found->second.count), offset});
  const ir::Source is_known = Made(like, "LogicalAnd", 1,
                                   {Made(like, "GreaterEqual", 1, {keys, min}),
                                    Made(like, "Less", 1, {keys, Numbers(like, {columns})})});
  found->second.there = Made(like, "Select", 1, {is_known, keys, Numbers(like, {columns})});
  found->second.back = Made(like, "Add", 1, {Count(like, 0, columns), offset});
  return found->second;
}

void Keys::SetMasks(const CausalAttention& attention, int64_t count, int64_t chunk) {
  const Masks masks(attention.masks, attention.positions, attention.softmax != nullptr);
  for (Masks::Cut& cut : masks.CutTo(attention.reach, count)) {
    ir::Source mask = NewConstant(graph_, *cut.node, std::move(cut.constant));
    if (cut.by_phase) {
      const ir::Source phase =
          Made(*cut.node, "FloorMod", 1,
               {PositionsSoFar(*cut.node, chunk), Numbers(*cut.node, {attention.reach.period})});
      const ir::Source index = Reshaped(graph_, *cut.node, phase, {});
      mask = Made(*cut.node, "Gather", 8, {mask, index, Numbers(*cut.node, {0})},
                  {{"batch_dims", "0"}});
    }
    cut.node->inputs[cut.input] = mask;
  }
}

void Keys::AlignSoftmax(const CausalAttention& attention, int64_t columns, int64_t chunk) {
  ir::Node& softmax = *attention.softmax;
  const ir::Source scores = softmax.inputs[0];
  const Lanes lanes = NewLanes(softmax, attention, columns, chunk);
  Dims excluded = DimsOf(scores);
  excluded.back() = 1;
  const auto count = static_cast<size_t>(ElementCount(excluded).value_or(0));
  const ir::Source nothing =
      NewFloats(graph_, softmax, excluded,
                std::vector<float>(count, -std::numeric_limits<float>::infinity()));
  const ir::Source axis = Numbers(softmax, {-1});
  const ir::Source all = Made(softmax, "Concat", 1, {scores, nothing}, {{"axis", "-1"}});
  const ir::Source there =
      Made(softmax, "Gather", 8, {all, lanes.there, axis}, {{"batch_dims", "0"}});
  const ir::Source shares = Made(softmax, "Softmax", 8, {there}, {{"axis", "-1"}});
  const Dims dims = softmax.outputs[0].type.dims;
  Become(softmax, "Gather", 8, {shares, lanes.back, axis});
  softmax.attributes["batch_dims"] = "0";
  softmax.outputs[0].type.dims = dims;
}

// Returns true if the node only reshapes or repeats its input, and has one reader.
bool Keys::OnlyRepeats(ir::Node& node, int64_t chunk) const {
  if (node.constant || node.operation == nullptr || times_.Of({&node, 0}) == nullptr) return false;
  if (!IsReadOnce(readers_, node)) return false;
  const AxisRelation& relation = times_.Relation(&node);
  const bool stretches =
      relation.stretches && IsBroadcast(DimsOf(node.inputs[0]), DimsOf({&node, 0}));
  if (!relation.reshapes && !stretches) return false;
  const TimeAxis* time = times_.Of(node.inputs[0]);
  return time != nullptr && time->outer == 1 && time->chunk == chunk;
}

// Stores the past where the data has the fewest elements, for example before keys are repeated for
// several heads.
void Keys::PutPast(ir::Node& node, const PortAxis& at, int64_t past, format::RingOrder order,
                   const Keeper& keeper) {
  ir::Source& input = node.inputs[at.port];
  const TimeAxis time = *times_.Of(input);
  std::vector<ir::Node*> after, chosen;
  ir::Source min = input;
  for (ir::Source from = min; OnlyRepeats(*from.node, time.chunk);) {
    after.push_back(from.node);
    from = from.node->inputs[0];
    if (CountIn(from) >= CountIn(min)) continue;
    min = from;
    chosen = after;
  }
  const int64_t min_axis = chosen.empty() ? at.axis : times_.Of(min)->axis;
  const WholePast whole = {min_axis, past, order};
  const ir::Source joined = WithPast(graph_, node, min, whole, keeper(PastType(min, whole)));
  (chosen.empty() ? input : chosen.back()->inputs[0]) = joined;
  for (; !chosen.empty(); chosen.pop_back()) {
    ir::Node& repeat = *chosen.back();
    const TimeAxis* out = times_.Of({&repeat, 0});
    repeat.outputs[0].type.dims[static_cast<size_t>(out->axis)] += past;
    const Dims dims = repeat.outputs[0].type.dims;
    if (times_.Relation(&repeat).reshapes) {
      BecomeReshape(graph_, repeat, repeat.inputs[0], dims);
    } else {
      const ir::Source target = Numbers(repeat, dims);
      Become(repeat, "Broadcast", 3, {repeat.inputs[0], target});
      repeat.attributes["mode"] = "numpy";
    }
  }
}

void Keys::Keep(const CausalAttention& attention, const Keeper& keys, const Keeper& values) {
  ir::Node &scores = *attention.scores, &product = *attention.product;
  const TimeAxis time = *times_.Of({&scores, 0});
  const int64_t count = DimsOf({&scores, 0})[static_cast<size_t>(time.axis)];
  const int64_t columns = attention.reach.past + count;
  if (attention.reach.past > 0) {
    PutPast(scores, attention.key, attention.reach.past, format::RingOrder::outer_inner_positions,
            keys);
    PutPast(product, attention.value, attention.reach.past,
            format::RingOrder::outer_positions_inner, values);
  }
  SetMasks(attention, count, time.chunk);
  std::vector<ir::Node*> row = {&scores};
  row.insert(row.end(), attention.masks.begin(), attention.masks.end());
  if (attention.softmax != nullptr) row.push_back(attention.softmax);
  row.insert(row.end(), attention.shares.begin(), attention.shares.end());
  for (ir::Node* node : row) {
    Dims dims = node->outputs[0].type.dims;
    dims.back() = columns;
    node->outputs[0].type.dims = dims;
    if (ops::TraitsOf(*node).reshapes) BecomeReshape(graph_, *node, node->inputs[0], dims);
  }
  if (attention.softmax != nullptr) AlignSoftmax(attention, columns, time.chunk);
}

}  // namespace

void KeepKeys(ir::Graph& graph, const TimeAxes& times,
              const std::vector<CausalAttention>& attentions, const ir::Source& steps_so_far,
              const NewState& new_state, const NewStart& new_start) {
  Keys keys(graph, times, steps_so_far);
  for (const CausalAttention& attention : attentions) {
    const int64_t past = attention.reach.past;
    const bool is_all = past + 1 == attention.positions;
    const std::string window =
        is_all ? fmt::format(", of a window of {}", attention.positions) : "";
    const auto keep = [&](const char* what, const ir::Node& node) {
      return [&, what](const TensorType& type) {
        PastNames names;
        names.past = new_state(fmt::format("{}/{}", node.name, what), type,
                               fmt::format("the {} of the last {} positions{}, for layer {} \"{}\"",
                                           what, past, window, node.id, OneLine(node.name)));
        if (past > 1) names.start = new_start(node);
        return names;
      };
    };
    keys.Keep(attention, keep("keys", *attention.scores), keep("values", *attention.product));
  }
}

}  // namespace weft::graph
