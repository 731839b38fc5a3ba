// SPDX-License-Identifier: Apache-2.0
// The arithmetic work of a model, from the parameters of its steps and the trip counts of its
// sections. A multiply-add is a product that is summed over an axis or a window (column
// multiply_adds of ops.inc). Elementwise arithmetic, gates and activations do not count.
#ifndef WEFT_CONVERTER_INSPECT_WORK_H_
#define WEFT_CONVERTER_INSPECT_WORK_H_

#include <string>
#include <vector>

#include "converter/inspect/traverse.h"

namespace weft::inspect {

struct ModelWork {
  Sum steps;  // kernel calls, without steps that enter sections
  Sum multiply_adds;
};

// The model must have passed verify.cc.
ModelWork WorkOf(const format::Model& model);

// The sum of all steps of one kind and layer, including unrolled copies.
struct StepWork {
  std::string kind, layer;
  double calls = 0, multiply_adds = 0;
};

// Returns all steps with multiply-adds, the largest first.
std::vector<StepWork> LargestSteps(const format::Model& model, const ModelWork& work);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WORK_H_
