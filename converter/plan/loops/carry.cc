// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/carry.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace weft::plan {

namespace {

constexpr size_t kNoState = static_cast<size_t>(-1);

class LineUpStates {
 public:
  explicit LineUpStates(std::span<const Origin> origins)
      : origins_(origins), successor_(origins.size(), kNoState), lined_up_(origins.size()) {}

  std::vector<DelayLine> Run() {
    std::vector<size_t> heads;
    for (size_t state = 0; state < origins_.size(); ++state) {
      const Origin& origin = origins_[state];
      if (origin.kind == Origin::Kind::kOldState && successor_[origin.index] == kNoState) {
        successor_[origin.index] = state;
      } else {
        heads.push_back(state);
      }
    }
    for (const size_t head : heads) {
      DelayLine line = LineFrom(head);
      line.fresh = TakesFirst(head);
      lines_.push_back(std::move(line));
    }
    for (size_t state = 0; state < origins_.size(); ++state) {
      if (lined_up_[state]) continue;
      DelayLine line = LineFrom(state);
      line.closed = true;
      lines_.push_back(std::move(line));
    }
    return std::move(lines_);
  }

 private:
  DelayLine LineFrom(size_t head) {
    DelayLine line;
    for (size_t state = head; state != kNoState && !lined_up_[state]; state = successor_[state]) {
      lined_up_[state] = true;
      line.states.push_back(state);
    }
    line.buffers = line.states.size();
    return line;
  }

  bool TakesFirst(size_t head) {
    const Origin& origin = origins_[head];
    return origin.kind == Origin::Kind::kResult && origin.fresh &&
           taker_.try_emplace(origin.index, head).second;
  }

  const std::span<const Origin> origins_;
  std::vector<size_t> successor_;  // by state: the state that takes its old value
  std::vector<bool> lined_up_;
  std::map<size_t, size_t> taker_;  // by result: the state that takes it
  std::vector<DelayLine> lines_;
};

}  // namespace

std::vector<DelayLine> LineUp(std::span<const Origin> origins) {
  return LineUpStates(origins).Run();
}

size_t PhasesOf(std::span<const DelayLine> lines) {
  size_t phases = 1;
  for (const DelayLine& line : lines) {
    if (!line.scan_buffer) phases = std::lcm(phases, line.buffers);
  }
  return phases;
}

void LimitPhases(std::vector<DelayLine>& lines, size_t limit) {
  while (PhasesOf(lines) > limit) {
    const auto longest =
        std::max_element(lines.begin(), lines.end(), [](const DelayLine& a, const DelayLine& b) {
          return (a.scan_buffer ? 0 : a.buffers) < (b.scan_buffer ? 0 : b.buffers);
        });
    const DelayLine broken = *longest;
    lines.erase(longest);
    for (const size_t state : broken.states) {
      DelayLine single;
      single.states = {state};
      lines.push_back(single);
    }
  }
}

}  // namespace weft::plan
