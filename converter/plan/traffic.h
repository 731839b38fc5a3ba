// SPDX-License-Identifier: Apache-2.0
// How often one run accesses each value with storage of its own, and the cost of these accesses.
#ifndef WEFT_CONVERTER_PLAN_TRAFFIC_H_
#define WEFT_CONVERTER_PLAN_TRAFFIC_H_

#include <functional>
#include <span>
#include <vector>

#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Returns the bytes of operands that one run reads and writes, by ValueId of their root; 0 for
// views. Loops are multiplied by their trip count, or its maximum if it is not constant.
std::vector<double> TrafficOf(const program::Program& program);

// Returns the sum of `cost` over the steps of one run, counted as in TrafficOf. Works before and
// after PlanLoops.
double SumOverSteps(const program::Program& program,
                    const std::function<double(const program::Step&)>& cost);

// Work of one run except multiply-adds, whose number is the same in every plan of a model.
struct Work {
  double weight_bytes = 0;      // read
  double other_bytes = 0;       // of scratch and state, read and written
  double overlapped_bytes = 0;  // the part of other_bytes of steps that write over their input
  double steps = 0;
  bool operator==(const Work&) const = default;
};
// `positions` holds the addresses of roots in scratch, by ValueId.
Work WorkOf(const program::Program& program, std::span<const Placed> positions);

// Cost that orders the plans of a model, in bytes of weights that a run could read in the same
// time. Weights come from slower memory than the outputs of recent steps. Each step adds the time
// to reach its kernel; a step that writes over its input adds work in blocks of a few pixels.
// Measured on x86-64 (tests/bench/plans.py); docs/architecture.md has the figures.
constexpr double CostOf(const Work& work) {
  constexpr double kOtherByte = 0.5, kOverlappedByte = 4, kStep = 4096;
  return work.weight_bytes + kOtherByte * work.other_bytes +
         kOverlappedByte * work.overlapped_bytes + kStep * work.steps;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_TRAFFIC_H_
