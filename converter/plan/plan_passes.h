// SPDX-License-Identifier: Apache-2.0
// Passes of the planner over a program whose loops have their buffers.
#ifndef WEFT_CONVERTER_PLAN_PLAN_PASSES_H_
#define WEFT_CONVERTER_PLAN_PLAN_PASSES_H_

#include <span>
#include <vector>

#include "converter/plan/liveness.h"
#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// The same part of a variable may be copied twice, for example to an output and to another
// variable. This pass makes the second copy read the target of the first one. plan/coalesce.h can
// then merge the target of the first copy with the target of the second, and one copy serves both.
// Coalescing cannot do this by merging with the variable, because a variable never shares its
// buffer.
//
// Redirects such copies in every block. Results are bit-identical.
void ChainCopies(program::Program& program);

// Replaces copies of a constant whose elements are all equal, such as initial states of zeros, by
// fill steps: the file stores one element instead of the constant, and smaller parameters.
//
// Run this after the passes that drop copies, which only handle plain copies.
void FillUniformCopies(program::Program& program);

// Splits a value whose accessed parts are disjoint into one value per part, and drops the bytes
// that no step accesses: the halo of a scan buffer whose loop runs once, or parts of a value that
// is never read as one. Each part then has its own, shorter live range.
//
// Parts begin at multiples of the scratch alignment within the value, so that together they need no
// more bytes than the value. Loops must have been planned.
void SplitValues(program::Program& program);

// Reorders the items of every block so that fewer bytes of scratch are live at one time. Innermost
// blocks come first: to the block around it, a section is one unit that needs the scratch of its
// blocks while it runs.
//
// Values that already share a buffer keep sharing it. Returns true if any item has moved.
bool OrderSteps(program::Program& program);

// Values that may overlap although both are live. A step such as conv reads x for the last time and
// writes y over x, at a distance that its parameters allow (runtime/bind/overlapping.h).
//
// Returns the pairs, as indices in `lifetimes`, which must be Liveness(program).
std::vector<AllowedOverlap> OverlapsOf(const program::Program& program,
                                       std::span<const Lifetime> lifetimes);

// Values that may overlap although a loop uses both: the loop reads x, for example a sliced input,
// chunk by chunk for the last time. Chunk by chunk it writes y, for example a scan output, over the
// part of x that it has already read.
//
//   x              | x0 | x1 | x2 | x3 |        iteration 2 reads x2 and writes y2, which may
//   y     | y0 | y1 | y2 |                      overlap x0 and x1; later iterations overwrite x2
//
// Returns the pairs, as indices in `lifetimes`, which must be Liveness(program).
std::vector<AllowedOverlap> OverlapsInLoops(const program::Program& program,
                                            std::span<const Lifetime> lifetimes);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PLAN_PASSES_H_
