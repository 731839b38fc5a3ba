// SPDX-License-Identifier: Apache-2.0
// Values that may overlap although both are live. A step such as conv reads x for the last time and
// writes y over x, at a distance that its parameters allow (runtime/bind/overlapping.h).
#ifndef WEFT_CONVERTER_PLAN_OVERLAP_H_
#define WEFT_CONVERTER_PLAN_OVERLAP_H_

#include <span>
#include <vector>

#include "converter/plan/liveness.h"
#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Returns the pairs, as indices in `lifetimes`, which must be Liveness(program).
std::vector<AllowedOverlap> OverlapsOf(const program::Program& program,
                                       std::span<const Lifetime> lifetimes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_OVERLAP_H_
