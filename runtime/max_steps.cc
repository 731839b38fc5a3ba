// SPDX-License-Identifier: Apache-2.0
// Only Engine::MaxSteps, so that firmware that does not call it does not link it.
#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {
namespace {

using format::Rows;
using format::RowsOf;

constexpr uint64_t kMax = UINT64_MAX;

constexpr uint64_t Sum(uint64_t a, uint64_t b) { return a > kMax - b ? kMax : a + b; }

constexpr uint64_t Product(uint64_t a, uint32_t b) {
  const uint64_t high = (a >> 32) * b;
  if (high >> 32 != 0) return kMax;
  return Sum(high << 32, (a & 0xFFFFFFFFu) * b);
}

// Maximum number of iterations of a section.
uint32_t Trips(const format::Section& section) {
  const uint32_t count = section.trip_count();  // kNoLimit is the largest number
  return count < section.max_trips() ? count : section.max_trips();
}

// Maximum number of times that one entry of the section executes run `run`. Runs below unroll are
// copies of the body, the others are epilogues.
uint32_t Visits(const format::Section& section, uint32_t run) {
  const uint32_t trips = Trips(section);
  const uint32_t unroll = section.unroll();
  if (run >= unroll) return trips == 0 ? 0 : 1;
  return trips <= run ? 0 : (trips - run - 1) / unroll + 1;
}

// Traverses a valid step list and counts each step as often as its enclosing sections let it run.
class Count {
 public:
  explicit Count(const format::Model& model)
      : sections_(RowsOf(model.sections()).data),
        marks_(RowsOf(model.marks()).data),
        steps_(RowsOf(model.steps())) {}

  uint64_t Total() {
    for (uint32_t step = 0;; ++step) {
      while (depth_ > 0 && RunEnd() == step) NextRun();
      if (step == steps_.count) return total_;
      total_ = Sum(total_, Times());
      if (steps_[step].kind() == 0) Enter(sections_[steps_[step].param()]);
    }
  }

 private:
  struct Frame {
    const format::Section* section;
    uint32_t run;
    uint64_t entries;  // of the section
    uint64_t times;    // that the run is executed
  };

  uint64_t Times() const { return depth_ == 0 ? 1 : stack_[depth_ - 1].times; }

  uint32_t RunEnd() const {
    const Frame& frame = stack_[depth_ - 1];
    return marks_[frame.section->first_mark() + frame.run + 1];
  }

  // An iteration counts as a step, so that sections without steps are not free.
  void Enter(const format::Section& section) {
    const uint64_t entries = Times();
    total_ = Sum(total_, Product(entries, Trips(section)));
    stack_[depth_++] = {&section, 0, entries, Product(entries, Visits(section, 0))};
  }

  void NextRun() {
    Frame& frame = stack_[depth_ - 1];
    if (++frame.run == 2u * frame.section->unroll() - 1) {
      --depth_;
    } else {
      frame.times = Product(frame.entries, Visits(*frame.section, frame.run));
    }
  }

  const format::Section* const sections_;
  const uint32_t* const marks_;
  const Rows<format::Step> steps_;
  Frame stack_[format::kMaxSectionDepth] = {};
  uint32_t depth_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

uint64_t Engine::MaxSteps() const { return model_ == nullptr ? 0 : Count(*model_).Total(); }

}  // namespace weft
