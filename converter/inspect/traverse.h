// SPDX-License-Identifier: Apache-2.0
// The one way in which analyses go through a finished model's listing, and the one way in which
// they count how often its steps are executed. The model must have passed verify.cc.
//
//   step 0          dense                 Step(0)
//   step 1   enter section 0 (unroll 2)   Enter(1, 0)
//   step 2      |   copy 0                Run(0, 0)  Step(2)  EndRun(0, 0)
//   step 3      |   copy 1                Run(0, 1)  Step(3)  EndRun(0, 1)
//   step 4      |   settle run 1          Run(0, 2)  Step(4)  EndRun(0, 2)
//               +                         Leave(1, 0)
#ifndef WEFT_CONVERTER_INSPECT_TRAVERSE_H_
#define WEFT_CONVERTER_INSPECT_TRAVERSE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/inspect/sections.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

// Is shown a listing from front to back, each run of each section once. Run j below the unroll of
// its section is copy j of the body, run unroll + p - 1 is settle run p.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void Step(uint32_t /*step*/) {}  // a kernel call
  virtual void Enter(uint32_t /*step*/, uint32_t /*section*/) {}
  virtual void Run(uint32_t /*section*/, uint32_t /*run*/) {}
  virtual void EndRun(uint32_t /*section*/, uint32_t /*run*/) {}
  virtual void Leave(uint32_t /*step*/, uint32_t /*section*/) {}
};

void Traverse(const format::Model& model, StepRun run, Visitor& visitor);

// What one execution of a step costs in some unit: calls, multiply-adds, bytes.
using Cost = std::function<double(uint32_t step)>;

struct SectionSum {
  double per_iteration = 0;  // mean over the copies of the body, nested sections included
  double settle = 0;         // of the settle run, once per entry
  double per_entry = 0;      // all iterations and the settle run
};

struct Sum {
  double run = 0;                    // of one run of the model
  bool exact = true;                 // false where a maximum was counted
  std::vector<double> times;         // of every step, in one run of the model; entering counts, too
  std::vector<SectionSum> sections;  // of each, entered once
};

// The sum of `cost` over all that one run of the model executes. A section makes the iterations of
// its count, and one settle run at most: the one that the count leads to. Where the count is
// run-time data, its maximum is taken with the settle run that costs most, for any may come; the
// others are executed 0 times. Both branches of an If count. Doubles hold the sums exactly up to
// 2^53.
Sum SumOf(const format::Model& model, const Cost& cost);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TRAVERSE_H_
