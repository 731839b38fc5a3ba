// SPDX-License-Identifier: Apache-2.0
// How the body of a TensorIterator, Loop or If is joined to the layer around it: where the value of
// each Parameter comes from, and which Result each output of the layer takes. The reader makes a
// PortMap of the file's port_map and back edges, and checks their ids; passes read and edit this
// map alone (ir/edit.h keeps it true). What needs shapes (places of slices, axes counted from the
// front, the number of iterations) is set by inference, and is stale after an edit until it runs
// again.
#ifndef WEFT_CONVERTER_IR_PORT_MAP_H_
#define WEFT_CONVERTER_IR_PORT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::ir {

struct Node;

// The chunks of an axis that iterations take or make one after another, as the file says it. A
// bound below zero counts from behind the end, which is -1. What other bounds mean depends on the
// axis' extent, and where it ends at a place within, it can be read in two ways: ops/port_map.h
// decides.
struct ChunkRange {
  int64_t axis = 0;  // below zero: counted from the last one
  std::optional<int64_t> start, end, stride, part_size;

  // From the last chunk to the first.
  bool backward() const { return stride.value_or(1) < 0; }
  // From one end of the axis to the other, by bounds that say so of any extent.
  bool whole() const;
  // Chunks of one place, by what the file says of them.
  bool by_ones() const;
  // Makes it whole in its direction.
  void TakeWhole();
};

// All of an axis in chunks of `part` places.
ChunkRange WholeRange(int64_t axis, int64_t part, bool backward);

// Half-open range of places of an axis, cut into chunks of `part`.
struct Slicing {
  int64_t axis = 0, begin = 0, end = 0, part = 1;
  bool backward = false;
  int64_t count() const { return (end - begin) / part; }
};

struct BodyInput {
  enum class Kind {
    kSliced,     // one chunk of an input per iteration
    kCarried,    // an input at first, then what `next` held in the iteration before
    kInvariant,  // an input, the same in every iteration
    kIteration,  // the number of the iteration
  };
  Kind kind() const;
  bool is(Kind other) const { return kind() == other; }

  Node* parameter = nullptr;
  std::optional<size_t> input = std::nullopt;      // of the layer; none: the iteration's number
  std::optional<ChunkRange> range = std::nullopt;  // of a slice
  // The Result at the other end of a back edge. A slice ignores it, and a state that is passed on
  // unchanged is an invariant.
  Node* next = nullptr;
  Slicing slicing = {};  // of a slice; by inference
};

struct BodyOutput {
  Node* result = nullptr;
  int64_t port_id = -1;  // as the file calls the output
  // Of an output that joins the chunks of all iterations; else it is the last iteration's value.
  std::optional<ChunkRange> range = std::nullopt;
  int64_t axis = 0;  // that they are joined on, from the front; by inference
};

struct PortMap {
  std::vector<BodyInput> inputs;    // in the order of the body's Parameters
  std::vector<BodyOutput> outputs;  // in the order of the layer's outputs
  Node* condition = nullptr;        // the Result that says whether to go on
  // Iterations that the sliced inputs make; without any, what the outputs of a TensorIterator
  // declare. 0 where neither says it. By inference.
  int64_t count = 0;

  // The first entry of a Parameter, or null.
  BodyInput* InputOf(const Node& parameter);
  const BodyInput* InputOf(const Node& parameter) const;
  // Does a Parameter take this input of the layer?
  bool Takes(size_t input) const;
};

// Place of a node among these, which hold it.
size_t IndexOf(const std::vector<Node*>& nodes, const Node* node);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_PORT_MAP_H_
