// SPDX-License-Identifier: Apache-2.0
// Resolves the port map of a loop body once shapes are known: the elements that each slice takes,
// the number of iterations, and the types of the body's Parameters within one iteration. An error
// reports both readings where the OpenVINO specification and existing implementations disagree and
// nothing in the file decides. It reports all iteration counts if slices disagree; in a
// TensorIterator also if the declared extents of outputs do.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_PORT_MAP_H_
#define WEFT_CONVERTER_OPS_SUPPORT_PORT_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// One per entry of the map's inputs.
struct ResolvedInput {
  TensorType type;           // of the Parameter within one iteration
  ir::Slicing slicing = {};  // only if the input is sliced
};

struct ResolvedPorts {
  std::vector<ResolvedInput> inputs;
  int64_t count = 0;  // as in ir::PortMap
};

// Reads the body of the scope's node without changing it. Returns nullopt after errors.
std::optional<ResolvedPorts> ResolvePorts(InferScope& scope, const ir::Body& body);

// Writes the result into the body during shape inference: slices and iteration count of its map,
// the types of its Parameters, and the values of Parameters that hold the same outer constant in
// every iteration.
void ApplyPorts(const InferScope& scope, ir::Body& body, const ResolvedPorts& ports);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_PORT_MAP_H_
