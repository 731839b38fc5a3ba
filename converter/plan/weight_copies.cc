// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/weight_copies.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "converter/plan/traffic.h"

namespace weft::plan {
namespace {

constexpr int64_t kSearchNodes = 2000;

// A gather reads few rows of its table, and a copy of it would count as read completely.
bool ReadsAll(const program::Step& step, size_t input) {
  return step.kind() != program::StepKind::kGather || input != 0;
}

// The weights that steps read.
std::set<program::ValueId> WeightsOf(const program::Program& program) {
  std::set<program::ValueId> roots, partly_read;
  ForEachStep(program, [&](const program::Step& step) {
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == program::kNone) continue;
      const program::ValueId root = Resolve(program, step.inputs[i]).root;
      if (program.values[root].storage != program::Storage::kWeights) continue;
      (ReadsAll(step, i) ? roots : partly_read).insert(root);
    }
  });
  for (const program::ValueId root : partly_read) roots.erase(root);
  return roots;
}

// All times at which a buffer of the problem is live.
TimeRange AllTimesOf(const Problem& problem) {
  TimeRange all = {0, 1};
  for (const Buffer& buffer : problem.buffers) {
    all.begin = std::min(all.begin, buffer.lifetime.begin);
    all.end = std::max(all.end, buffer.lifetime.end);
  }
  return all;
}

struct CopyCandidate {
  program::ValueId root;
  Buffer buffer;
  double density() const { return buffer.traffic_bytes / static_cast<double>(buffer.bytes); }
};

// Sorted by traffic per byte, the most first.
std::vector<CopyCandidate> CandidatesOf(const Plan& plan) {
  const TimeRange all = AllTimesOf(plan.problem);
  const std::vector<double> traffic = TrafficOf(plan.program);
  std::vector<CopyCandidate> candidates;
  for (const program::ValueId root : WeightsOf(plan.program)) {
    const program::Value& value = plan.program.values[root];
    if (value.bytes < kMinCopyBytes || plan.offsets_bytes[root] == kNoOffset) continue;
    candidates.push_back({root,
                          {.name = "weights of " + value.name,
                           .bytes = value.bytes,
                           .lifetime = all,
                           .alignment_bytes = kScratchAlignment,
                           .traffic_bytes = traffic[root],
                           .is_weights = true}});
  }
  std::ranges::stable_sort(candidates, std::greater(), &CopyCandidate::density);
  return candidates;
}

// Sets the account of a placement that was found with candidates that are no longer in the problem.
void SetAccount(Plan& plan) {
  const int64_t granule = GranuleOf(plan.problem.buffers);
  plan.account.used_bytes = 0;
  for (const int64_t bytes : plan.placement.used_bytes) {
    plan.account.used_bytes += RoundUp(bytes, granule);
  }
  plan.account.bound_bytes =
      std::min(RoundUp(LowerBound(plan.problem), granule), plan.account.used_bytes);
  plan.account.peak_bytes = PeakOf(plan.problem.buffers, granule).bytes;
}

// Places the buffers of the plan and the candidates together. Erases candidates without a memory.
Plan PlacedWith(Plan plan, std::vector<CopyCandidate>& candidates) {
  for (const CopyCandidate& candidate : candidates)
    plan.problem.buffers.push_back(candidate.buffer);
  Effort effort;
  effort.max_nodes = kSearchNodes;
  plan.placement = Solve(plan.problem, effort);
  std::vector<CopyCandidate> placed;
  const size_t first = plan.scratch_roots.size();
  size_t next = first;
  for (const CopyCandidate& candidate : candidates) {
    const auto at = plan.placement.buffers.begin() + static_cast<std::ptrdiff_t>(next);
    if (at->memory == kNoMemory) {
      plan.placement.buffers.erase(at);
      plan.problem.buffers.erase(plan.problem.buffers.begin() + static_cast<std::ptrdiff_t>(next));
      continue;
    }
    plan.weight_copies.push_back({candidate.root, at->memory, at->offset_bytes});
    placed.push_back(candidate);
    ++next;
  }
  candidates = std::move(placed);
  SetScratchAddresses(plan);
  SetAccount(plan);
  return plan;
}

}  // namespace

Plan WithWeightCopies(Plan plan, const PlanOptions& options) {
  if (std::ranges::none_of(options.memories, &Memory::holds_weights)) return plan;
  std::vector<CopyCandidate> candidates = CandidatesOf(plan);
  while (!candidates.empty()) {
    Plan copied = PlacedWith(plan, candidates);
    if (ExcessOf(copied, options).empty()) return copied;
    if (!candidates.empty()) candidates.pop_back();
  }
  return plan;
}

}  // namespace weft::plan
