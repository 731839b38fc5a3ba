// SPDX-License-Identifier: Apache-2.0
// The connections of the body of a TensorIterator, Loop or If to its layer: the source of each
// Parameter, and the Result of each output of the layer. The reader creates a PortMap from the
// file's port_map and back edges and checks their ids. Passes read and edit only this map
// (ir/edit.h keeps it consistent). Inference sets the fields that depend on shapes (ranges of
// slices, axes counted from the front, the number of iterations); after an edit they are stale
// until inference runs again.
#ifndef WEFT_CONVERTER_IR_PORT_MAP_H_
#define WEFT_CONVERTER_IR_PORT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::ir {

struct Node;

// The chunks of an axis that consecutive iterations read or write, as declared in the file. A
// negative bound counts from the end: -1 is the position after the last element. The meaning of
// other bounds depends on the extent of the axis and may be ambiguous if the range ends inside the
// axis; ops/port_map.h resolves them.
struct ChunkRange {
  int64_t axis = 0;  // negative: counted from the last axis
  std::optional<int64_t> start, end, stride, part_size;

  // Returns true if iterations go from the last chunk to the first.
  bool backward() const { return stride.value_or(1) < 0; }
  // Returns true if the bounds include the full axis for any extent.
  bool whole() const;
  // Returns true if the declared chunks have one element.
  bool by_ones() const;
  // Extends the range to the full axis; keeps the direction.
  void TakeWhole();
};

// The full axis in chunks of `part` elements.
ChunkRange WholeRange(int64_t axis, int64_t part, bool backward);

// Half-open range of positions of an axis, split into chunks of `part`.
struct Slicing {
  int64_t axis = 0, begin = 0, end = 0, part = 1;
  bool backward = false;
  int64_t count() const { return (end - begin) / part; }
};

struct BodyInput {
  enum class Kind {
    kSliced,     // one chunk of an input per iteration
    kCarried,    // an input in the first iteration, then `next` of the previous iteration
    kInvariant,  // an input, the same in every iteration
    kIteration,  // the number of the iteration
  };
  Kind kind() const;
  bool is(Kind other) const { return kind() == other; }

  Node* parameter = nullptr;
  std::optional<size_t> input = std::nullopt;      // of the layer; nullopt: the iteration's number
  std::optional<ChunkRange> range = std::nullopt;  // of a slice
  // The Result at the other end of a back edge. A sliced input ignores it. A state that is returned
  // unchanged is an invariant.
  Node* next = nullptr;
  Slicing slicing = {};  // of a slice; set by inference
};

struct BodyOutput {
  Node* result = nullptr;
  int64_t port_id = -1;  // id of the output in the file
  // For an output that concatenates the chunks of all iterations; else the output is the value of
  // the last iteration.
  std::optional<ChunkRange> range = std::nullopt;
  int64_t axis = 0;  // of the concatenation, from the front; set by inference
};

struct PortMap {
  std::vector<BodyInput> inputs;    // in the order of the body's Parameters
  std::vector<BodyOutput> outputs;  // in the order of the layer's outputs
  Node* condition = nullptr;        // the Result that is true if the loop continues
  // Number of iterations according to the sliced inputs or, without them, to the declared outputs
  // of a TensorIterator; else 0. Set by inference.
  int64_t count = 0;

  // Returns the first entry of a Parameter, or null.
  BodyInput* InputOf(const Node& parameter);
  const BodyInput* InputOf(const Node& parameter) const;
  // Returns true if a Parameter reads this input of the layer.
  bool Takes(size_t input) const;
};

// Returns the index of a node in `nodes`, which must contain it.
size_t IndexOf(const std::vector<Node*>& nodes, const Node* node);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_PORT_MAP_H_
