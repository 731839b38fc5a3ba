// SPDX-License-Identifier: Apache-2.0
// The effect of a loop on the bytes that its slots address with a stride per iteration.
#ifndef WEFT_CONVERTER_PLAN_REPEAT_H_
#define WEFT_CONVERTER_PLAN_REPEAT_H_

#include <cstdint>
#include <vector>

#include "converter/plan/effect.h"

namespace weft::plan {

// Iteration i, of `trips`, runs phases[i % phases.size()] with its bytes shifted by i * stride.
// Each phase is one copy of the unrolled body. `max_work` limits findings.work: above the limit
// the result is meaningless.
Effect Repeated(const std::vector<const Effect*>& phases, int64_t stride_bytes, int64_t trips,
                uint64_t max_work, Findings& findings);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_REPEAT_H_
