// SPDX-License-Identifier: Apache-2.0
// Traversal of a model file's listing, and execution counts of its steps, for all analyses. The
// model must have passed verify.cc.
//
//   step 0          dense                 Step(0)
//   step 1   enter section 0 (unroll 2)   Enter(1, 0)
//   step 2      |   copy 0                Run(0, 0)  Step(2)  EndRun(0, 0)
//   step 3      |   copy 1                Run(0, 1)  Step(3)  EndRun(0, 1)
//   step 4      |   epilogue 1            Run(0, 2)  Step(4)  EndRun(0, 2)
//               +                         Leave(1, 0)
#ifndef WEFT_CONVERTER_INSPECT_TRAVERSE_H_
#define WEFT_CONVERTER_INSPECT_TRAVERSE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/inspect/sections.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

// Called for all steps of a listing in order; each run of each section is visited once. Run j is
// copy j of the body if j is less than the section's unroll; run unroll + p - 1 is epilogue p.
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

// The cost of one execution of a step in any unit: calls, multiply-adds, bytes.
using Cost = std::function<double(uint32_t step)>;

struct SectionSum {
  double per_iteration = 0;  // mean over the copies of the body, nested sections included
  double epilogue = 0;       // of the epilogue, once per entry
  double per_entry = 0;      // all iterations and the epilogue
};

struct Sum {
  double run = 0;                    // of one run of the model
  bool exact = true;                 // false if a maximum trip count was used
  std::vector<double> times;         // executions of each step, also of steps that enter sections
  std::vector<SectionSum> sections;  // by section, for one entry
};

// Returns the sum of `cost` over all steps that one run of the model executes. A section executes
// its trip count of iterations and at most one epilogue, which depends on the trip count. For a
// run-time trip count, its maximum and the most expensive epilogue count; the other epilogues count
// 0 times. Both branches of an If count. Doubles hold the sums exactly up to 2^53.
Sum SumOf(const format::Model& model, const Cost& cost);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TRAVERSE_H_
