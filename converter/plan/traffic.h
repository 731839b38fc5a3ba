// SPDX-License-Identifier: Apache-2.0
// How much one run uses each value with storage of its own, and what that costs.
#ifndef WEFT_CONVERTER_PLAN_TRAFFIC_H_
#define WEFT_CONVERTER_PLAN_TRAFFIC_H_

#include <functional>
#include <span>
#include <vector>

#include "converter/plan/problem.h"
#include "converter/program/program.h"

namespace weft::plan {

// Bytes of operands that one run reads and writes, by ValueId of the root they lie in; 0 for views.
// Loops count with their trips, those of open length with their maximum.
std::vector<double> TrafficOf(const Program& program);

// The sum of `cost` over the steps of one run, counted as in TrafficOf. Loops need not be planned.
double SumOverSteps(const Program& program, const std::function<double(const Step&)>& cost);

// What one run does beside multiplying and adding, which is the same in every plan of a model.
struct Work {
  double weight_bytes = 0;  // read
  double other_bytes = 0;   // of scratch and state, read and written
  double near_bytes = 0;    // of those: by steps that write over their input
  double steps = 0;
  bool operator==(const Work&) const = default;
};
// `places` are those of roots in scratch, by ValueId.
Work WorkOf(const Program& program, std::span<const Placed> places);

// What orders the plans of a model, in bytes of weights: how many of them a run reads in the time.
// Weights come from further away than what a step before has written. A step costs what it takes to
// come to its kernel, one that writes over its input the blocks of a few pixels that it works in.
// Measured on x86-64 (tests/bench/plans.py); docs/architecture.md has the figures.
constexpr double CostOf(const Work& work) {
  constexpr double kOtherByte = 0.5, kNearByte = 4, kStep = 4096;
  return work.weight_bytes + kOtherByte * work.other_bytes + kNearByte * work.near_bytes +
         kStep * work.steps;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_TRAFFIC_H_
