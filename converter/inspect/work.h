// SPDX-License-Identifier: Apache-2.0
// How much a model computes, counted from the parameters of its steps and the trips of its
// sections. A multiply-add is a product that enters a sum over an axis or a window: those of dense,
// matmul, conv, depthwise and the L2 reduction, taps in the padding left out and the padding of
// panels, too. Elementwise arithmetic, gates and activations count none. Where only the run knows
// how often a section repeats, its maximum counts; both branches of an If count. Doubles hold the
// counts exactly up to 2^53.
#ifndef WEFT_CONVERTER_INSPECT_WORK_H_
#define WEFT_CONVERTER_INSPECT_WORK_H_

#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

// Of one execution of the step; 0 of one that enters a section.
double MultiplyAdds(const format::Model& model, const format::Step& step);

// Steps are kernel calls: entering a section is none.
struct Work {
  double steps = 0, multiply_adds = 0;
};

struct ModelWork {
  Work run;
  bool exact = true;             // false where a maximum was counted
  std::vector<Work> iterations;  // per section: mean over the copies of its body
  std::vector<Work> entries;     // per section: all its iterations, once entered
  std::vector<double> calls;     // per step of the listing, in one run
};

// The model must have passed verify.cc.
ModelWork WorkOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WORK_H_
