// SPDX-License-Identifier: Apache-2.0
#include "converter/fold_work.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "converter/inspect/cost.h"
#include "converter/plan/traffic.h"

namespace weft::pipeline {
namespace {

constexpr double kMultiplyAddsPerOperation = 4;
constexpr int64_t kBudgetBytesPerOperation = 64;
constexpr int64_t kOperationsPerElement = 256;  // per element of the file's constants
constexpr int64_t kMinLimit = int64_t{1} << 20;

template <typename... Numbers>
double Product(Numbers... numbers) {
  return (1.0 * ... * numbers);
}

// Additional reads of steps that read their inputs more than once without multiplying; else 0.
template <typename Params>
double MoreReads(const Params&) {
  return 0;
}
double MoreReads(const format::PoolParams& p) {
  return Product(p.batch(), p.channels(), p.out_height(), p.out_width(), p.kernel_height(),
                 p.kernel_width());
}
double MoreReads(const format::TopParams& p) {
  return Product(p.outer(), p.axis(), p.inner()) * std::log2(1.0 + p.k());
}
double MoreReads(const format::SuppressParams& p) {
  return Product(p.batch(), p.classes(), p.boxes()) * (std::log2(1.0 + p.boxes()) + p.max());
}
double MoreReads(const format::DetectParams& p) {
  return Product(p.batch(), p.classes()) *
         (p.priors() * std::log2(1.0 + p.candidates()) + Product(p.candidates(), p.candidates()));
}
// Without a fixed number of samples a bin may include all of x.
double MoreReads(const format::RegionParams& p) {
  const double samples =
      p.samples() == 0 ? Product(p.height(), p.width())
                       : Product(p.pooled_height(), p.pooled_width(), p.samples(), p.samples());
  return Product(p.regions(), p.channels()) * samples;
}

double Products(const std::monostate&) { return 0; }
template <typename Params>
double Products(const Params& params) {
  return inspect::MultiplyAdds(params) / kMultiplyAddsPerOperation;
}

double ElementsOf(const program::Program& program, program::ValueId value) {
  if (value == program::kNone) return 0;
  double count = 1;
  for (const int64_t dim : program.values[value].type.dims) count *= static_cast<double>(dim);
  return count;
}

double WorkOfStep(const program::Program& program, const program::Step& step) {
  double work = 1;
  for (const program::ValueId input : step.inputs) work += ElementsOf(program, input);
  for (const program::ValueId output : step.outputs) work += ElementsOf(program, output);
  return work + std::visit([](const auto& params) { return Products(params) + MoreReads(params); },
                           step.params);
}

int64_t ElementsOfConstants(const ir::Graph& graph) {
  int64_t count = 0;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (node->constant) count += ElementCount(node->constant->type.dims).value_or(0);
    for (const ir::Body& body : node->bodies) count += ElementsOfConstants(*body.graph);
  }
  return count;
}

}  // namespace

double FoldWork(const program::Program& program) {
  return plan::SumOverSteps(program,
                            [&](const program::Step& step) { return WorkOfStep(program, step); });
}

int64_t FoldWorkLimit(int64_t budget_bytes, const ir::Graph& graph) {
  constexpr int64_t kMaxElements = int64_t{1} << 48;
  const int64_t elements = std::min(ElementsOfConstants(graph), kMaxElements);
  return std::max(budget_bytes / kBudgetBytesPerOperation, kMinLimit) +
         elements * kOperationsPerElement;
}

}  // namespace weft::pipeline
