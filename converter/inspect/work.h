// SPDX-License-Identifier: Apache-2.0
// How much a model computes, counted from the parameters of its steps and the trips of its
// sections. A multiply-add is a product that enters a sum over an axis or a window (ops.inc says of
// which steps); elementwise arithmetic, gates and activations count none.
#ifndef WEFT_CONVERTER_INSPECT_WORK_H_
#define WEFT_CONVERTER_INSPECT_WORK_H_

#include <string>
#include <vector>

#include "converter/inspect/traverse.h"

namespace weft::inspect {

struct ModelWork {
  Sum steps;  // kernel calls: entering a section is none
  Sum multiply_adds;
};

// The model must have passed verify.cc.
ModelWork WorkOf(const format::Model& model);

// Steps of one kind and layer, unrolled copies together.
struct StepWork {
  std::string kind, layer;
  double calls = 0, multiply_adds = 0;
};

// All that multiply and add, most first.
std::vector<StepWork> LargestSteps(const format::Model& model, const ModelWork& work);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WORK_H_
