// SPDX-License-Identifier: Apache-2.0
// What the port map and back edges of a TensorIterator or Loop mean: for every Parameter of the
// body where its value comes from, for every output what is gathered, and how many iterations that
// makes. Resolved by the shape law; refuses with both readings where the documents and the
// implementations in the field disagree and nothing in the file decides, and with every count where
// slices (in a TensorIterator: and the outputs' declared extents) disagree.
#ifndef WEFT_CONVERTER_OPS_PORT_MAP_H_
#define WEFT_CONVERTER_OPS_PORT_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// Half-open range of elements on an axis, cut into chunks of `part`.
struct Slicing {
  int64_t axis = 0, begin = 0, end = 0, part = 1;
  bool backward = false;
  int64_t count() const { return (end - begin) / part; }
};

struct BodyInput {
  enum class Kind { kSliced, kCarried, kInvariant, kIteration } kind = Kind::kInvariant;
  ir::Node* parameter = nullptr;
  size_t input = 0;   // of the operation; unused by kIteration
  Slicing slicing;    // of kSliced
  size_t result = 0;  // of the body, of kCarried
};

struct BodyOutput {
  size_t output = 0, result = 0;
  bool concatenated = false;
  Slicing slicing;  // axis and direction only
};

struct PortMap {
  std::vector<BodyInput> inputs;
  std::vector<BodyOutput> outputs;
  std::optional<size_t> condition;  // result that says whether to go on
  // Iterations that the sliced inputs make; without any, what the outputs of a TensorIterator
  // declare. 0 when nothing tells.
  int64_t count = 0;
};

// Nullopt when faults were added. Body Parameters get the types they will have in an iteration, and
// constants of the outside that no iteration changes are handed in as constants.
std::optional<PortMap> ResolvePortMap(InferScope& scope, const ir::Body& body);

// `map.count`, which ResolvePortMap has found to be the same for everybody.
std::optional<int64_t> CountOfSlices(InferScope& scope, const PortMap& map);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_PORT_MAP_H_
