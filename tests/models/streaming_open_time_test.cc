// SPDX-License-Identifier: Apache-2.0
// Extents that are functions of the length T of a dynamic time axis. Models that
// are streamed from T steps must continue like models of any number of steps.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "tests/models/streamed_graph.h"

namespace weft::open_time {
namespace {

void ExpectGoesOn(const BuildFor& build, const graph::TimeNames& time_axes = {}) {
  for (const int64_t steps : {1, 2, 3}) {
    ExpectSameBits(Of(12, build), Of(ir::kTimeLength, build), 12, steps, time_axes, TimeIs::kOpen);
  }
}

ir::Source RunningSum(GraphBuilder& g, ir::Source x, int64_t axis) {
  return g.Add("CumSum", 3, {x, g.Int(axis)});
}

using Form = std::function<ir::Source(GraphBuilder&, ir::Source)>;

BuildFor SumOf(const std::function<Dims(int64_t)>& dims_for, int64_t axis, const Form& form) {
  return [=](GraphBuilder& g, int64_t steps) {
    const ir::Source x = g.Parameter(F32(dims_for(steps)));
    g.Result(RunningSum(g, form(g, x), axis));
  };
}

TEST(OpenTimeAxis, IsBesideTheOnlyElementOfAnotherAxis) {
  const Form first = [](GraphBuilder& g, ir::Source x) {
    return g.Add("Gather", 8, {x, g.Int(0), g.Int(1)});
  };
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{1, 1, steps}; }, 1, first));
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{1, 1, steps, 3}; }, 1, first));
  ExpectGoesOn(SumOf([](int64_t steps) { return Dims{2, 1, steps, 3}; }, 1, first));
}

TEST(OpenTimeAxis, IsBesideAllElementsOfAnotherAxis) {
  const auto dims = [](int64_t steps) { return Dims{1, 6, steps, 2}; };
  ExpectGoesOn(SumOf(dims, 2, [](GraphBuilder& g, ir::Source x) {
    return g.Add("Gather", 8, {x, g.Ints({0, 1, 2, 3, 4, 5}), g.Int(1)});
  }));
  ExpectGoesOn(SumOf(dims, 3, [](GraphBuilder& g, ir::Source x) {
    const ir::Source rows = g.Const<int64_t>({ElementType::i64, {2, 3}}, {0, 1, 2, 3, 4, 5});
    return g.Add("Gather", 8, {x, rows, g.Int(1)});
  }));
}

}  // namespace
}  // namespace weft::open_time
