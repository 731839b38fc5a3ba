// SPDX-License-Identifier: Apache-2.0
// How often one run accesses each value with storage of its own, and the cost of these accesses.
#ifndef WEFT_CONVERTER_PLAN_TRAFFIC_H_
#define WEFT_CONVERTER_PLAN_TRAFFIC_H_

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Returns the bytes of operands that one run reads and writes, by ValueId of their root; 0 for
// views. Loops are multiplied by their trip count, or its maximum if it is not constant.
std::vector<double> TrafficOf(const program::Program& program);

// Returns true if the program has a step of that kind.
bool HasStep(const program::Program& program, program::StepKind kind);

// Returns the sum of `cost` over the steps of one run, counted as in TrafficOf. Works before and
// after PlanLoops.
double SumOverSteps(const program::Program& program,
                    const std::function<double(const program::Step&)>& cost);

// A level of memory: the price of a byte that is read again after at most `bytes` others.
struct MemoryLevel {
  double bytes;
  double price;
};
// L1 and L2 cache, what one core keeps of an outer cache, the outer cache, and memory.
inline constexpr MemoryLevel kMemoryLevels[] = {{32 << 10, 0.4},
                                                {768 << 10, 1},
                                                {2 << 20, 4},
                                                {16 << 20, 7},
                                                {std::numeric_limits<double>::infinity(), 9}};

// Work of one run except multiply-adds, whose number is the same in every plan of a model.
struct Work {
  double weight_bytes = 0;      // read
  double other_bytes = 0;       // of scratch and state, read and written
  double priced_bytes = 0;      // both, each byte times the price of its level of memory
  double overlapped_bytes = 0;  // the part of other_bytes of steps that write over their input
  double product_bytes = 0;     // outputs of dense products
  double steps = 0;
  double waiting_cells = 0;  // iterations of loops with cells
  bool operator==(const Work&) const = default;
};
// `positions` holds the addresses of roots in scratch, by ValueId.
//
// A loop reads weights again after all other weights of one iteration, and the bytes of a value
// again after the rest of the value.
Work WorkOf(const program::Program& program, std::span<const Placed> positions);

// Cost that orders the plans of a model, in bytes that a run could read from the L2 cache in the
// same time. Each step adds the time to reach its kernel, each output of a product the time to
// begin and to store its sum; a step that writes over its input adds work in blocks of a few
// pixels. A recurrent cell waits for its result of the iteration before; the cells of several
// layers in one loop wait at the same time. Measured on x86-64 (tests/bench/plans.py);
// docs/architecture.md has the figures.
constexpr double CostOf(const Work& work) {
  constexpr double kOverlappedByte = 4, kProductByte = 4, kStep = 6000, kWaitingCell = 2500;
  return work.priced_bytes + kOverlappedByte * work.overlapped_bytes +
         kProductByte * work.product_bytes + kStep * work.steps + kWaitingCell * work.waiting_cells;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_TRAFFIC_H_
