// SPDX-License-Identifier: Apache-2.0
// The effect of a loop on bytes that its slots move through.
#ifndef WEFT_CONVERTER_PLAN_REPEAT_H_
#define WEFT_CONVERTER_PLAN_REPEAT_H_

#include <cstdint>
#include <vector>

#include "converter/plan/effect.h"

namespace weft::plan {

// Iteration i, of `trips`, does phases[i % phases.size()], its bytes lying i * stride further. Each
// phase stands for one unrolled body. `most_work` bounds findings.work: beyond it the result is of
// no use.
Effect Repeated(const std::vector<const Effect*>& phases, int64_t stride_bytes, int64_t trips,
                uint64_t most_work, Findings& findings);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_REPEAT_H_
