// SPDX-License-Identifier: Apache-2.0
// What passes ask of an operation besides its shapes and its lowering. Part of its row in the
// table, so that no pass, counter or report lists operations by name: who adds a row states here
// what it is, and every pass treats it accordingly. The defaults are the careful answer to each
// question; an operation that keeps them all is converted and folded, and refused elsewhere.
#ifndef WEFT_CONVERTER_OPS_TRAITS_H_
#define WEFT_CONVERTER_OPS_TRAITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace weft::ir {
struct Node;
}

namespace weft::ops {

class AxisScope;
class NodeScope;
class TurnScope;

// What inputs decide that are no data of the operation.
enum class Steering {
  kNothing,
  kChoice,  // which elements it takes or which branch it runs
  kShape,   // shapes or bounds, which must be known before the run
};

// The one integer or boolean of the output, from those of the one or two inputs as far as they are
// known, all of them within 32 bits. Called for tensors of one element; nullopt where it is not
// known.
using ScalarRule = std::optional<int64_t> (*)(const ir::Node& node,
                                              std::span<const std::optional<int64_t>> inputs);

struct Traits {
  // Folding. False for operations whose outputs may not be computed ahead of time (ReadValue) or
  // that hold bodies.
  bool foldable = true;
  // True where each execution gives other numbers, of which the first are taken: refused in loops.
  bool draws = false;
  // True where the outputs depend on input shapes alone (ShapeOf): folded although inputs are
  // computed.
  bool shape_only = false;
  // It leaves out of its result what lies beyond a run-time length of input 0.
  bool minds_length = false;
  // How the counters and conditions of loops are followed through it; null: they are not.
  ScalarRule scalar = nullptr;

  // Elements. Those of the output depend on the input elements at their own place alone, under
  // NumPy's broadcast (auto_broadcast included).
  bool pointwise = false;
  // The elements of input 0 in the same order, under other dims.
  bool reshapes = false;
  // The elements of all inputs, tensor behind tensor.
  bool joins = false;
  // The elements of an output of input 0's type are some of that input, with their bits and none
  // besides; which of them is said by the other inputs, or by their order.
  bool picks = false;
  // The numbers of input 0 in another element type.
  bool converts = false;
  // The attribute that names the output's element type, where that type is part of what is
  // computed: floats of 16 or 64 bits are then not computed as f32. Empty: there is no such.
  std::string_view typed_by = {};

  // Axes. Which axes of its tensors are one axis whose places it works on apart from each other
  // (ops/axes.h). Null: those of NumPy's broadcast where it is pointwise, else none.
  void (*axes)(AxisScope& scope) = nullptr;
  // What becomes of it where the channels of its tensors stand behind all other axes (ops/turn.h).
  // Null: where it is pointwise its tensors turn together, else it takes them as the document has
  // them.
  void (*turn)(TurnScope& scope) = nullptr;
  // Of an operation that walks axis 1 of input 0 step by step: the number of states that it carries
  // along, which are inputs 1 on and outputs 1 on. 0: it is no such sequence.
  size_t sequence_states = 0;
  // Of such a sequence: the operation that is one of its steps.
  std::string_view cell = {};

  // What the inputs from `steered_from` on decide.
  Steering steering = Steering::kNothing;
  size_t steered_from = 0;

  // Cost. It emits no step.
  bool free = false;
  // Does it read an input through any strides, so that a transposition before it need move nothing?
  // Null: no input.
  bool (*takes_strides)(const NodeScope& scope, size_t input) = nullptr;
  // It is a loop or has matrices that one section reads once for all iterations of a loop around
  // it.
  bool heavy = false;
  // So many inputs, from 0 on, are multiplied by matrices among those behind them.
  size_t multiplied = 0;

  // What recurrent cells call it in their list of activations ("sigmoid"); empty: they have no
  // such.
  std::string_view cell_name = {};

  // Versions. The first opset above the row's own in which the operation means something else,
  // where the table has no row for that; 0: there is none. The table holds no row for what only
  // widens the types.
  int replaced_in = 0;
  // Also known under the versions "experimental" and "extension", as of opset6.
  bool is_extension = false;
};

inline constexpr Traits kPointwise = {.pointwise = true};

constexpr Traits Picking(Traits traits) {
  traits.picks = true;
  return traits;
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_TRAITS_H_
