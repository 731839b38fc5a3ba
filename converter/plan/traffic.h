// SPDX-License-Identifier: Apache-2.0
// How much one run uses each value with storage of its own.
#ifndef WEFT_CONVERTER_PLAN_TRAFFIC_H_
#define WEFT_CONVERTER_PLAN_TRAFFIC_H_

#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Bytes of operands that one run reads and writes, by ValueId of the root they lie in; 0 for views.
// Loops count with their trips, those of open length with their maximum.
std::vector<double> TrafficOf(const Program& program);

// What one run does beside multiplying and adding, which is the same in every plan of a model.
struct Work {
  double weight_bytes = 0;  // read
  double other_bytes = 0;   // of scratch and state, read and written
  double steps = 0;
  bool operator==(const Work&) const = default;
};
Work WorkOf(const Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_TRAFFIC_H_
