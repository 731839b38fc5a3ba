// SPDX-License-Identifier: Apache-2.0
// What the slices of a body mean once shapes are known: which places each takes, how many
// iterations that makes and what types the body's Parameters have in one. Refuses with both
// readings where the documents and the implementations in the field disagree and nothing in the
// file decides, and with every count where slices (in a TensorIterator: and the outputs' declared
// extents) disagree.
#ifndef WEFT_CONVERTER_OPS_PORT_MAP_H_
#define WEFT_CONVERTER_OPS_PORT_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// One per entry of the map's inputs.
struct ResolvedInput {
  TensorType type;           // of the Parameter in an iteration
  ir::Slicing slicing = {};  // of a slice
};

struct ResolvedPorts {
  std::vector<ResolvedInput> inputs;
  int64_t count = 0;  // as in ir::PortMap
};

// Reads the body of the scope's node and changes nothing; nullopt when faults were added.
std::optional<ResolvedPorts> ResolvePorts(InferScope& scope, const ir::Body& body);

// The step of inference that makes this true in the body: its map's slices and count, the types of
// its Parameters, and the values of those that hold a constant of the outside in every iteration.
void ApplyPorts(const InferScope& scope, ir::Body& body, const ResolvedPorts& ports);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_PORT_MAP_H_
