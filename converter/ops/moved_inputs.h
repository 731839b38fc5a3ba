// SPDX-License-Identifier: Apache-2.0
// The operations that move values: every element of an output is an element of an input, bit for
// bit. One table (table.cc) and two traits (picks, joins) define them.
#ifndef WEFT_CONVERTER_OPS_MOVED_INPUTS_H_
#define WEFT_CONVERTER_OPS_MOVED_INPUTS_H_

#include <cstddef>
#include <cstdint>

#include "converter/ir/graph.h"

namespace weft::ops {

// The inputs whose elements the outputs of their type hold. Any other output, such as the indices
// of TopK, is computed.
struct MovedInputs {
  uint32_t inputs = 0;        // bit i: elements of input i; the last bit: and of all later ones
  bool by_value = false;      // of several numbers the largest or the smallest
  bool adds_zeros = false;    // some elements are 0, and come from no input
  size_t input_of_zeros = 0;  // holds these elements if it is added to the node; 0: none does

  bool Has(size_t input) const { return (inputs >> (input < 31 ? input : 31) & 1) != 0; }
  bool IsOfFirst() const { return inputs == 1 && !adds_zeros; }
};

// No inputs if the node is a constant or computes its elements.
MovedInputs MovedInputsOf(const ir::Node& node);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_MOVED_INPUTS_H_
