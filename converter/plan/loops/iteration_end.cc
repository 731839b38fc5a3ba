// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/iteration_end.h"

#include <algorithm>

#include "converter/program/schedule.h"

namespace weft::plan {

using format::Reason;

namespace {

void CopyResults(program::Builder& builder, const program::Section& section,
                 std::span<const program::ValueId> results, const IterationTargets& targets) {
  const program::Loop& loop = *section.loop;
  for (size_t scan = 0; scan < loop.scans.size(); ++scan) {
    if (targets.of_scans[scan] == program::kNone) continue;
    const program::Because because(builder, Reason::scan_chunk);
    builder.Copy(results[loop.scans[scan].result], targets.of_scans[scan]);
  }
  for (size_t last = 0; last < loop.lasts.size(); ++last) {
    if (targets.of_lasts[last] == program::kNone) continue;
    const program::Because because(builder, Reason::last_value);
    builder.Copy(results[loop.lasts[last].result], targets.of_lasts[last]);
  }
  if (!loop.condition) return;
  // The engine reads the condition after each iteration. The copy comes before the states change,
  // because the condition may be an old state.
  const program::Because because(builder, Reason::condition);
  builder.Copy(results[*loop.condition], section.body_condition);
}

}  // namespace

void CopyAtOnce(program::Builder& builder,
                std::vector<std::pair<program::ValueId, program::ValueId>> copies) {
  const program::Program& program = builder.program();
  const auto root = [&](program::ValueId value) { return Resolve(program, value).root; };
  std::erase_if(copies, [&](const auto& copy) {
    return Resolve(program, copy.first) == Resolve(program, copy.second);
  });
  while (!copies.empty()) {
    const auto free = std::ranges::find_if(copies, [&](const auto& copy) {
      return std::ranges::none_of(copies, [&](const auto& other) {
        return &other != &copy && root(other.first) == root(copy.second);
      });
    });
    if (free != copies.end()) {
      builder.Copy(free->first, free->second);
      copies.erase(free);
      continue;
    }
    const program::ValueId aside = builder.Scratch(builder.value(copies.front().first).type);
    builder.Copy(copies.front().first, aside);
    copies.front().first = aside;
  }
}

void EndIteration(program::Builder& builder, const program::Section& section, const LoopPlan& plan,
                  std::span<const program::ValueId> results,
                  std::span<const program::ValueId> states, const IterationTargets& targets) {
  const program::Loop& loop = *section.loop;
  CopyResults(builder, section, results, targets);
  std::vector<std::pair<program::ValueId, program::ValueId>> edges, oldest_first;
  for (size_t line = 0; line < plan.lines.size(); ++line) {
    const DelayLine& of = plan.lines[line];
    if (of.closed) continue;
    const program::ValueId made = results[loop.carried[of.states[0]].result];
    edges.emplace_back(made, targets.of_lines[line]);
    if (!of.scan_buffer && of.fresh) oldest_first.emplace_back(states[of.states.back()], made);
  }
  const program::Because because(builder, Reason::back_edge);
  CopyAtOnce(builder, std::move(edges));
  OrderReadersFirst(builder.program(), builder.block(), oldest_first);
}

}  // namespace weft::plan
