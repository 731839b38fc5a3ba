// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/repeat.h"

#include <algorithm>

namespace weft::plan {

namespace {

// Returns the bytes that `phase` needs and `done` has not written, as offsets of `phase`.
ByteRuns<Needed> StillNeeded(const Effect& done, const Effect& phase, int64_t shift) {
  ByteRuns<Needed> missing;
  for (const auto& [begin, run] : phase.needed()) {
    const Needed& needed = run.value;
    done.written().ForEach(begin + shift, run.end + shift,
                           [&](int64_t from, int64_t to, const Written* written) {
                             if (written == nullptr || !written->certain)
                               missing.Assign(from - shift, to - shift, needed);
                           });
  }
  return missing;
}

// Calls add(begin, end) for [begin, end) and for its copies 1 .. count - 1, each `step` further.
// Calls it once for the union if the copies leave no gap.
template <typename Add>
void ForEachCopy(int64_t begin, int64_t end, int64_t step, int64_t count, uint64_t max_work,
                 Findings& findings, Add add) {
  if (count <= 0) return;
  const int64_t distance = step * (count - 1);
  if (step <= end - begin && -step <= end - begin) {
    return add(begin + std::min<int64_t>(distance, 0), end + std::max<int64_t>(distance, 0));
  }
  for (int64_t i = 0; i < count && findings.work < max_work; ++i) {
    add(begin + i * step, end + i * step);
  }
}

// The part of one phase that repeats after the iterations that were simulated one by one.
struct Repetition {
  const Effect* phase;
  ByteRuns<Needed> missing;
  int64_t shift;  // of its first repetition
  int64_t count;
};

// Returns true if all phases have the same effect relative to their own offset: then they count as
// one phase that repeats more often.
bool AllEqual(const std::vector<Repetition>& rest) {
  return std::all_of(rest.begin(), rest.end(), [&](const Repetition& one) {
    return one.missing == rest[0].missing && one.phase->written() == rest[0].phase->written();
  });
}

}  // namespace

Effect Repeated(const std::vector<const Effect*>& phases, int64_t stride_bytes, int64_t trips,
                uint64_t max_work, Findings& findings) {
  const auto period = static_cast<int64_t>(phases.size());
  // Two periods fill the delay lines. Two more reach the state in which the missing bytes no longer
  // change: a later iteration has more written bytes before it.
  const int64_t visited = std::min(trips, 4 * period);
  Effect total;
  std::vector<Repetition> rest;
  for (int64_t i = 0; i < visited && findings.work < max_work; ++i) {
    const Effect& phase = *phases[static_cast<size_t>(i % period)];
    if (i >= visited - period && i + period < trips) {
      rest.push_back({&phase, StillNeeded(total, phase, i * stride_bytes),
                      (i + period) * stride_bytes, (trips - 1 - i) / period});
    }
    total.Then(phase, i * stride_bytes, findings);
  }
  int64_t step = period * stride_bytes;
  if (rest.size() == phases.size() && AllEqual(rest)) {
    rest.resize(1);
    rest[0].count = trips - visited;
    step = stride_bytes;
  }
  for (const Repetition& again : rest) {
    for (const auto& [begin, run] : again.missing) {
      const Needed needed = run.value;
      ForEachCopy(begin + again.shift, run.end + again.shift, step, again.count, max_work, findings,
                  [&](int64_t from, int64_t to) { total.Need(from, to, needed, findings); });
    }
    for (const auto& [begin, run] : again.phase->written()) {
      const Written written = run.value;
      ForEachCopy(begin + again.shift, run.end + again.shift, step, again.count, max_work, findings,
                  [&](int64_t from, int64_t to) { total.Write(from, to, written, findings); });
    }
  }
  return total;
}

}  // namespace weft::plan
