// SPDX-License-Identifier: Apache-2.0
// Passes over the loops of a program, before and after their states have buffers.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_LOOP_PASSES_H_
#define WEFT_CONVERTER_PLAN_LOOPS_LOOP_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "converter/program/program.h"

namespace weft::plan {

// Inlines loops of exactly one iteration: the items of their bodies replace the entry. Tails are
// fused before, and never across the border of the body, so results are bit-identical to those of
// an iteration of a longer loop.
//
// Inlines all such loops of a program, including nested ones.
void InlineSingleTrips(program::Program& program);

// Converts a scan output of which only the chunk of the last iteration is read, as in y[:, -1], to
// a last value: the sequence is never gathered. Removes scan outputs that nothing reads.
//
// Handles loops with a constant trip count. Run this before the loops' states have buffers.
void KeepLastChunks(program::Program& program);

// Splits loops into tiles of iterations:
//
//   for t < T: body     ->     for s < T / K: { for k < K: body }
//
// Fused loops (fuse.h) can then still compute K iterations at once of everything that does not
// depend on a state. The sequence between two layers is K long, and weights are read once per tile.
//
// Splits each loop that has a constant trip count, no loop inside and no use of the iteration
// number. Tiles are equal and as long as possible, up to `max_iterations` and half of the trip
// count. Returns true if any loop has been split. Run this before the loops' states have buffers.
bool SplitIntoTiles(program::Program& program, int64_t max_iterations);

// Runs stacked layers with windows over time between them tile by tile:
//
//   for t: h[t] = f(x[t], h[t - 1])         h, y and g of the first rows, with padding
//   y = conv(h)                             for each tile of rows:
//   for t: g[t] = f(y[t], g[t - 1])   ->      move the last rows of h to the front of its buffer
//                                             h of the tile, after them; y of the buffer; g of y
//                                           h, y and g of the last rows, with padding
//
// The sequence between two layers, as long as the axis, becomes as long as a tile plus the earlier
// rows that the following window reads. Each window keeps its taps, so results are bit-identical.
//
// Processes each group of layers with a loop and a window (time_group.h). Returns true if there was
// any. Run this before the loops' states have buffers.
bool RunInTiles(program::Program& program, int64_t max_rows);

// Converts steps between the loops of stacked layers to separate loops, so that they can be fused
// with these loops. Examples are a dense layer on each time step, a normalisation and an added
// residual.
//
// Replaces a step of a block by a loop of `trips` iterations, each of which computes one part of
// the result. Returns nullopt, and changes nothing, if the step mixes the parts (row_parts.h).
std::optional<program::SectionId> LoopOfStep(program::Program& program, program::BlockId block,
                                             size_t item, int64_t trips, bool backward);

// Runs two products of batches, and the steps between them, matrix by matrix, as in attention with
// several heads:
//
//   s = q k^T (of all heads)            for each head h:
//   p = softmax(s)                ->      s = q[h] k[h]^T
//   y = p v                               p = softmax(s)
//                                         y[h] = p v[h]
//
// Between the products there are then the matrices of one head. Results are bit-identical. Returns
// true if there are such products. Run this before the loops' states have buffers.
bool RunByBatch(program::Program& program);

// Reverses the order in which every other phase of a loop reads the weights of its cells: the
// weights that the phase before read last are still in the cache.
//
// Requires a program with its final cells. Hoisting comes first, so that hoisted chunks need not
// have an even number of iterations. Adds a second phase to loops of one phase whose cells have
// more weights than the L1 cache holds. Results are bit-identical.
void AlternateWeightOrder(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_LOOP_PASSES_H_
