// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/port_map.h"

#include <algorithm>
#include <utility>

#include "converter/ir/graph.h"

namespace weft::ir {

bool ChunkRange::whole() const {
  const int64_t first = backward() ? -1 : 0, last = backward() ? 0 : -1;
  return start.value_or(0) == first && end.value_or(-1) == last;
}

bool ChunkRange::by_ones() const {
  const int64_t step = stride.value_or(1);
  return (step == 1 || step == -1) && part_size.value_or(1) == 1;
}

void ChunkRange::TakeWhole() {
  start = backward() ? -1 : 0;
  end = backward() ? 0 : -1;
}

ChunkRange WholeRange(int64_t axis, int64_t part, bool backward) {
  ChunkRange range{axis, std::nullopt, std::nullopt, backward ? -part : part, part};
  range.TakeWhole();
  return range;
}

BodyInput::Kind BodyInput::kind() const {
  if (range) return Kind::kSliced;
  if (!input) return Kind::kIteration;
  const bool changes = next != nullptr && next->inputs[0].node != parameter;
  return changes ? Kind::kCarried : Kind::kInvariant;
}

const BodyInput* PortMap::InputOf(const Node& parameter) const {
  const auto found = std::ranges::find(inputs, &parameter, &BodyInput::parameter);
  return found == inputs.end() ? nullptr : &*found;
}

BodyInput* PortMap::InputOf(const Node& parameter) {
  return const_cast<BodyInput*>(std::as_const(*this).InputOf(parameter));
}

bool PortMap::Takes(size_t input) const {
  return std::ranges::find(inputs, input, &BodyInput::input) != inputs.end();
}

size_t IndexOf(const std::vector<Node*>& nodes, const Node* node) {
  return static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin());
}

}  // namespace weft::ir
