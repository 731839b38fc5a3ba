// SPDX-License-Identifier: Apache-2.0
// Properties of an operation that passes use in addition to its shape rule and its lowering. They
// are part of its row in the table, so that no pass, counter or report lists operations by name. A
// new row states its properties here, and every pass treats it accordingly. The defaults are
// conservative: an operation that keeps all of them is converted and folded, and rejected by the
// other passes.
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
class PermuteScope;

// Role of the inputs that are not data of the operation.
enum class Steering {
  kNothing,
  kChoice,  // they select elements or the branch to run
  kShape,   // they set shapes or bounds, which must be known before the run
};

// Computes the single integer or boolean of the output from those of its one or two inputs, as far
// as they are known; all have at most 32 bits. Called only for tensors of one element. Returns
// nullopt if the result is unknown.
using ScalarRule = std::optional<int64_t> (*)(const ir::Node& node,
                                              std::span<const std::optional<int64_t>> inputs);

struct Traits {
  // Folding. False for operations whose outputs must not be computed ahead of time (ReadValue) or
  // that have bodies.
  bool foldable = true;
  // Random: each execution draws new numbers. The converter keeps those of the first run, and
  // rejects the operation in loops.
  bool draws = false;
  // The outputs depend only on input shapes (ShapeOf): folded even if inputs are computed.
  bool shape_only = false;
  // The result excludes elements beyond a run-time length of input 0.
  bool respects_length = false;
  // Rule to trace loop counters and conditions through the operation; null: they are not traced.
  ScalarRule scalar = nullptr;
  // The rule is a polynomial of degree 2 at most in its inputs a and b, one for each of a < b,
  // a == b and a > b.
  bool scalar_is_polynomial = false;

  // Elements. Each output element depends only on the input elements at its own position, under
  // NumPy broadcasting (auto_broadcast included).
  bool pointwise = false;
  // The output holds the elements of input 0 in the same order with other dims.
  bool reshapes = false;
  // The output holds the elements of all inputs, tensor after tensor.
  bool joins = false;
  // Every element of an output of input 0's type is a bit-exact copy of an element of input 0. The
  // other inputs, or their order, decide which elements are copied.
  bool picks = false;
  // The output holds the numbers of input 0 in another element type.
  bool converts = false;
  // The attribute that names the output's element type, if that type affects the result: f16, bf16
  // and f64 are then not computed as f32. Empty: no such attribute.
  std::string_view typed_by = {};

  // Axes. Rule that lists the axes whose positions the operation processes independently
  // (ops/axes.h). Null: those of NumPy broadcasting if it is pointwise, else none.
  void (*axes)(AxisScope& scope) = nullptr;
  // Rule to convert its tensors to channels-last (ops/permutation.h). Null: all tensors of a
  // pointwise operation are permuted together; any other operation keeps the axis order of the
  // OpenVINO specification.
  void (*permutation)(PermuteScope& scope) = nullptr;
  // For a sequence, which iterates over axis 1 of input 0: the number of carried states, inputs and
  // outputs 1, 2 and so on. 0: not a sequence.
  size_t sequence_states = 0;
  // For a sequence: the operation that computes one of its steps.
  std::string_view cell = {};

  // Role of the inputs from `steered_from` on.
  Steering steering = Steering::kNothing;
  size_t steered_from = 0;

  // Cost. The operation emits no step.
  bool free = false;
  // Returns true if the operation reads an input through arbitrary strides, so that a transposition
  // before it needs no copy. Null: it does so for no input.
  bool (*takes_strides)(const NodeScope& scope, size_t input) = nullptr;
  // The operation is a loop, or has matrices that one section reads once for all iterations of an
  // enclosing loop.
  bool heavy = false;
  // Number of leading inputs that are multiplied by matrices among the inputs after them.
  size_t multiplied = 0;

  // Its name in the activation list of recurrent cells ("sigmoid"); empty: none.
  std::string_view cell_name = {};

  // Versions. The first later opset in which the operation changes its meaning, if the table has no
  // row for that opset; 0: there is none. Opsets that only add types have no row.
  int replaced_in = 0;
  // Also available in the versions "experimental" and "extension", as in opset6. For an operation
  // that only passes create: readers of other formats create it, too.
  bool is_extension = false;
};

inline constexpr Traits kPointwise = {.pointwise = true};

constexpr Traits Picking(Traits traits) {
  traits.picks = true;
  return traits;
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_TRAITS_H_
