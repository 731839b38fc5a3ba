// SPDX-License-Identifier: Apache-2.0
// Chooses the weights of a plan that Open copies to fast memory. A copy is live during all runs. It
// competes with the buffers of the plan by one price: the bytes that a run reads and writes there,
// per byte of memory. A loop counts with its iterations.
#ifndef WEFT_CONVERTER_PLAN_WEIGHT_COPIES_H_
#define WEFT_CONVERTER_PLAN_WEIGHT_COPIES_H_

#include "converter/plan/plan.h"

namespace weft::plan {

// Returns the plan with copies in the memories that hold weights, and its buffers placed again.
// Returns the plan unchanged if no memory holds weights or no copy fits. Copies never make a plan
// exceed a memory or the budget.
Plan WithWeightCopies(Plan plan, const PlanOptions& options);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_WEIGHT_COPIES_H_
