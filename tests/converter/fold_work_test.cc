// SPDX-License-Identifier: Apache-2.0
#include "converter/fold_work.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "converter/program/builder.h"

namespace weft::pipeline {
namespace {

// A program of one step with these parameters and outputs of `elements` floats.
template <typename Params>
double WorkOf(const Params& params, int64_t elements) {
  program::Program program;
  program::Builder builder(program);
  const program::ValueId y = builder.Scratch({ElementType::f32, {elements}});
  builder.Emit(params, {}, {y});
  return FoldWork(program);
}

TEST(FoldWork, CountsElementsOfOperands) {
  format::FillParams fill;
  fill.mutate_count(1000);
  EXPECT_EQ(WorkOf(fill, 1000), 1001);
}

TEST(FoldWork, CountsMultiplyAdds) {
  format::DenseParams dense;
  dense.mutate_rows(8192);
  dense.mutate_inputs(8192);
  dense.mutate_outputs(8192);
  EXPECT_GE(WorkOf(dense, 1), 8192.0 * 8192 * 8192 / 4);
}

TEST(FoldWork, CountsWindowsSortsAndPairs) {
  format::PoolParams pool;
  pool.mutate_batch(1);
  pool.mutate_channels(1);
  pool.mutate_out_height(1000);
  pool.mutate_out_width(1000);
  pool.mutate_kernel_height(1000);
  pool.mutate_kernel_width(1000);
  EXPECT_GE(WorkOf(pool, 1), 1e12);
  format::TopParams top;
  top.mutate_outer(1);
  top.mutate_axis(1 << 20);
  top.mutate_inner(1);
  top.mutate_k(1 << 20);
  EXPECT_GE(WorkOf(top, 1), 20.0 * (1 << 20));
  format::SuppressParams suppress;
  suppress.mutate_batch(1);
  suppress.mutate_classes(1);
  suppress.mutate_boxes(100000);
  suppress.mutate_max(100000);
  EXPECT_GE(WorkOf(suppress, 1), 1e10);
  format::DetectParams detect;
  detect.mutate_batch(1);
  detect.mutate_classes(1);
  detect.mutate_priors(100000);
  detect.mutate_candidates(100000);
  EXPECT_GE(WorkOf(detect, 1), 1e10);
  format::RegionParams region;
  region.mutate_regions(100000);
  region.mutate_channels(1);
  region.mutate_height(1000);
  region.mutate_width(1000);
  EXPECT_GE(WorkOf(region, 1), 1e11);
}

TEST(FoldWork, LimitGrowsWithTheBudgetAndWithConstants) {
  ir::Graph graph;
  EXPECT_EQ(FoldWorkLimit(0, graph), int64_t{1} << 20);
  EXPECT_EQ(FoldWorkLimit(int64_t{1} << 30, graph), int64_t{1} << 24);
  EXPECT_EQ(FoldWorkLimit(INT64_MAX, graph), INT64_MAX / 64);
  auto node = std::make_unique<ir::Node>();
  node->constant.emplace();
  node->constant->type = {ElementType::f32, {1000, 1000}};
  graph.nodes.push_back(std::move(node));
  EXPECT_EQ(FoldWorkLimit(int64_t{1} << 30, graph), (int64_t{1} << 24) + 256'000'000);
}

}  // namespace
}  // namespace weft::pipeline
