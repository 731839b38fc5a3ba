// SPDX-License-Identifier: Apache-2.0
// Fuses the loops of stacked layers over one axis into one loop:
//
//   for t: h1[t] = f(x[t], h1[t - 1])             for t: h1 = f(x[t], h1)
//   for t: h2[t] = g(h1[t], h2[t - 1])     ->            h2[t] = g(h1, h2[t - 1])
//
// The sequence between two layers, as long as the axis, becomes a value of one iteration. Then the
// input products of the second layer can no longer be computed for many iterations at once
// (program/passes.h). So fusion needs less scratch, but reads weights more often. As a compromise,
// loops are first split into tiles (loop_passes.h), and the sequence is as long as a tile. With
// windows over time between the loops, all of them run in tiles.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_
#define WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_

#include <cstdint>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// The loops of stacked layers that are one loop.
enum class Fusion : uint8_t {
  kNone,
  kLoops,    // of layers that directly follow each other
  kSteps,    // also across steps between the layers
  kWindows,  // also across windows over time, in tiles
  kBatches,  // of products of batches (loop_passes.h)
};

// A version of a program with fused loops.
struct FusedProgram {
  program::Program program;
  int64_t tile = 1;  // iterations per tile
  Fusion fusion = Fusion::kNone;
};
// Returns versions of the program with fused loops, those with larger tiles first within each kind;
// empty if there are no loops to fuse. Run this before the loops' states have buffers.
std::vector<FusedProgram> FusedPrograms(const program::Program& program);

// Fuses the loops of a block, and the steps between them.
void FuseLoopsAndSteps(program::Program& program, program::BlockId block);

// Fuses two loops if the second one reads a sequence that the first one gathers, one chunk per
// iteration and in the same order. Nothing else may read the sequence, and the first loop must be
// able to run at the position of the second.
//
// Also fuses across steps between the loops that compute each iteration's part of their results
// from that iteration's part of their operands (program/row_parts.h): products of rows, elementwise
// functions, sums with other sequences. They become part of the loops.
//
// Returns kNone if nothing has changed.
Fusion FuseLoops(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_FUSE_H_
