// SPDX-License-Identifier: Apache-2.0
// Loops of stacked layers over one axis become one loop:
//
//   for t: h1[t] = f(x[t], h1[t - 1])             for t: h1 = f(x[t], h1)
//   for t: h2[t] = g(h1[t], h2[t - 1])     ->            h2[t] = g(h1, h2[t - 1])
//
// The sequence between two layers, as long as the axis, becomes a value of one iteration. What the
// second layer makes of it alone can no longer be computed for many iterations at once (hoist.h):
// less scratch, more reads of weights. Between the two stand loops that are cut into strips first
// (strips.h), where the sequence is as long as a strip. With windows over time between them all run
// in strips (time_strips.h).
#ifndef WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_

#include <cstdint>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

struct FusedProgram {
  Program program;
  int64_t strip = 1;         // iterations at once
  bool has_steps = false;    // steps between the layers, which computed all iterations at once
  bool has_windows = false;  // windows over time as well (time_strips.h)
};
// Before the loops' states have homes. What the program can become, the fastest first; nothing
// where it has no loops to fuse.
std::vector<FusedProgram> FusedPrograms(const Program& program);

// Fuses where the second loop takes, one chunk an iteration and in the order in which they are
// made, what the first one gathers, nothing else reads that, and the first one can run where the
// second stands. Returns whether any loop has been fused.
bool FuseLoops(Program& program);

// The same where steps lie between the loops that make each iteration's part of their results of
// that iteration's part of what they read (program/row_parts.h): products of rows, functions of
// each element, sums with other sequences. They become part of the loops. Returns whether more
// loops have been fused than FuseLoops fuses; else nothing changes.
bool FuseLoopsAndSteps(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_
