// SPDX-License-Identifier: Apache-2.0
#include "runtime/run.h"

#include <cstring>

#include "kernels/element.h"

namespace weft {
namespace {

using format::kNoSlot;
using format::Rows;
using format::RowsOf;

using Operands = std::byte * [format::kMaxOperands];

// Caches the operand addresses of steps in loops: in later iterations only the addresses of
// operands that move with a section are recomputed.
template <bool kKeeps>
class StepOperands {
 public:
  // Called before the first step in a loop.
  void Begin() {
    for (Kept& kept : kept_) kept.step = kNoStep;
  }

  // Returns the operand addresses of a step. find(operands) stores all addresses and returns a bit
  // mask of the operands that move; follow(operands, moving) updates only those. Addresses of a
  // step outside loops go to `spare`.
  template <class Find, class Follow>
  std::byte* const* Of(uint32_t step, bool in_loop, Operands& spare, const Find& find,
                       const Follow& follow) {
    if (!in_loop) {
      find(spare);
      return spare;
    }
    Kept& kept = kept_[step % kPositions];
    if (kept.step == step) {
      follow(kept.operands, kept.moving);
    } else {
      kept.step = step;
      kept.moving = find(kept.operands);
    }
    return kept.operands;
  }

 private:
  static constexpr uint32_t kNoStep = 0xFFFFFFFFu;  // a file has fewer steps
  static constexpr uint32_t kPositions = 32;

  struct Kept {
    uint32_t step;
    uint32_t moving;
    Operands operands;
  };

  Kept kept_[kPositions];
};

// Firmware has little stack and computes the addresses each time.
template <>
class StepOperands<false> {
 public:
  void Begin() const {}

  template <class Find, class Follow>
  std::byte* const* Of(uint32_t, bool, Operands& spare, const Find& find, const Follow&) const {
    find(spare);
    return spare;
  }
};

// A section in execution. Iteration i runs copy i % unroll of the body; `copy` is updated without a
// division. The epilogues are reached when no further iteration follows.
struct Frame {
  const format::Section* section;
  uint32_t iteration;
  uint32_t wanted;
  uint32_t outer_end;
  uint8_t copy;
  bool settling;
  bool cut_short;  // at the hard maximum, with the condition still true
};

class Traversal : StepOperands<!kernels::kIsMicrocontroller> {
 public:
  Traversal(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
            const Profile* profile)
      : model_(model),
        entries_(entries),
        regions_(regions),
        profile_(profile),
        steps_(RowsOf(model.steps())),
        operands_(RowsOf(model.operands()).data),
        slots_(RowsOf(model.slots()).data),
        end_(steps_.count) {}

  Fault Run() {
    for (;;) {
      while (step_ != end_) {
        const format::Step& step = steps_[step_];
        if (step.kind() == 0) {
          Enter(step.param());
        } else {
          Call(step);
          ++step_;
        }
      }
      if (depth_ == 0) return cut_short_;
      FinishRun();
    }
  }

 private:
  std::byte* Address(uint32_t slot_index) const {
    const format::Slot& slot = slots_[slot_index];
    std::byte* const region = regions_[slot.region()];
    return region + (slot.move_count() == 0 ? slot.offset_bytes() : Moved(slot));
  }

  // The sum may wrap around in between if several moves cancel out; the final sum is in the region.
  uintptr_t Moved(const format::Slot& slot) const {
    uintptr_t offset = slot.offset_bytes();
    const format::Move* move = moves_ + slot.first_move();
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const uintptr_t iteration = frames_[sections_[move[i].section()].depth()].iteration;
      offset += iteration * static_cast<uintptr_t>(static_cast<intptr_t>(move[i].stride_bytes()));
    }
    return offset;
  }

  void Call(const format::Step& step) {
    static_assert(format::kMaxOperands <= 32, "must have a bit for each operand");
    const uint32_t* row = operands_ + step.first_operand();
    const auto find = [&](Operands& pointers) {
      const uint32_t count = format::kArity[step.kind()].operands();
      uint32_t moving = 0;
      for (uint32_t i = 0; i < count; ++i) {
        std::byte* at = nullptr;
        if (row[i] != kNoSlot) {
          const format::Slot& slot = slots_[row[i]];
          uintptr_t offset = slot.offset_bytes();
          if (slot.move_count() != 0) {
            offset = Moved(slot);
            moving |= uint32_t{1} << i;
          }
          at = regions_[slot.region()] + offset;
        }
        pointers[i] = at;
      }
      return moving;
    };
    const auto follow = [&](Operands& pointers, uint32_t moving) {
      for (; moving != 0; moving &= moving - 1) {
        const uint32_t i = static_cast<uint32_t>(__builtin_ctz(moving));
        pointers[i] = Address(row[i]);
      }
    };
    Operands spare;
    std::byte* const* pointers = Of(step_, depth_ != 0, spare, find, follow);
    const StepEntry& entry = entries_[step.kind() - 1];
    if (profile_ == nullptr) return entry.run(model_, step.param(), pointers);
    const uint64_t begin = profile_->now(profile_->user);
    entry.run(model_, step.param(), pointers);
    profile_->step(profile_->user, step_, begin, profile_->now(profile_->user));
  }

  const uint32_t* MarksOf(const format::Section& section) const {
    return marks_ + section.first_mark();
  }
  uint32_t EndOf(const format::Section& section) const {
    return MarksOf(section)[2u * section.unroll() - 1];
  }

  bool Condition(uint32_t slot_index) const { return *Address(slot_index) != std::byte{0}; }

  int64_t Number(uint32_t slot_index) const {
    const std::byte* from = Address(slot_index);
    if (slots_[slot_index].type() == format::ElementType::i32) {
      int32_t narrow;
      std::memcpy(&narrow, from, sizeof(narrow));
      return narrow;
    }
    int64_t wide;
    std::memcpy(&wide, from, sizeof(wide));
    return wide;
  }

  void SetNumber(uint32_t slot_index, uint32_t number) const {
    if (slot_index == kNoSlot) return;
    std::byte* to = Address(slot_index);
    if (slots_[slot_index].type() == format::ElementType::i32) {
      std::memcpy(to, &number, sizeof(number));
    } else {
      const int64_t wide = number;
      std::memcpy(to, &wide, sizeof(wide));
    }
  }

  // Every negative count means no limit, and so does one above the largest iteration number.
  uint32_t Wanted(const format::Section& section) const {
    if (section.trip_slot() == kNoSlot) return section.trip_count();
    const int64_t trips = Number(section.trip_slot());
    return trips < 0 || trips > format::kNoLimit ? format::kNoLimit : static_cast<uint32_t>(trips);
  }

  // Sets the tables that only sections need.
  void FindLoops() {
    moves_ = RowsOf(model_.moves()).data;
    sections_ = RowsOf(model_.sections()).data;
    marks_ = RowsOf(model_.marks()).data;
  }

  void Enter(uint32_t index) {
    if (depth_ == 0) FindLoops();
    const format::Section& section = sections_[index];
    const uint32_t wanted = Wanted(section);
    const uint32_t condition = section.first_condition_slot();
    const bool runs =
        wanted != 0 && (condition == kNoSlot || Condition(condition) == (section.runs_when() != 0));
    if (!runs) {
      SetNumber(section.length_slot(), 0);
      step_ = EndOf(section);
      return;
    }
    if (depth_ == 0) Begin();
    frames_[depth_++] = {&section, 0, wanted, end_, 0, false, false};
    StartIteration();
  }

  void StartIteration() {
    const Frame& frame = frames_[depth_ - 1];
    SetNumber(frame.section->iteration_slot(), frame.iteration);
    const uint32_t* marks = MarksOf(*frame.section) + frame.copy;
    step_ = marks[0];
    end_ = marks[1];
  }

  // Called at the end of a copy of the body or of an epilogue.
  void FinishRun() {
    Frame& frame = frames_[depth_ - 1];
    if (frame.settling) return Leave();
    const format::Section& section = *frame.section;
    const uint32_t condition = section.body_condition_slot();
    const bool holds = condition == kNoSlot || Condition(condition);
    const uint32_t done = ++frame.iteration;
    const bool goes_on = holds && done < frame.wanted;
    const uint32_t next = frame.copy + 1u;
    const uint32_t epilogue = next == section.unroll() ? 0 : next;
    if (goes_on && done < section.max_trips()) {
      frame.copy = static_cast<uint8_t>(epilogue);
      return StartIteration();
    }
    frame.cut_short = goes_on;
    if (epilogue == 0) return Leave();
    frame.settling = true;
    const uint32_t* marks = MarksOf(section) + section.unroll() + epilogue - 1;
    step_ = marks[0];
    end_ = marks[1];
  }

  // A loop that reaches its maximum does not end the run: later steps use the values computed so
  // far.
  void Leave() {
    const Frame& frame = frames_[--depth_];
    const format::Section& section = *frame.section;
    SetNumber(section.length_slot(), frame.iteration);
    step_ = EndOf(section);
    end_ = frame.outer_end;
    if (!frame.cut_short || !cut_short_.ok()) return;
    const uint32_t index = static_cast<uint32_t>(&section - sections_);
    cut_short_ = {FaultCode::kTripLimit, 0, 0, index, frame.iteration, section.max_trips()};
  }

  const format::Model& model_;
  const StepEntry* const entries_;
  std::byte* const* const regions_;
  const Profile* const profile_;
  const Rows<format::Step> steps_;
  const uint32_t* const operands_;
  const format::Slot* const slots_;
  const format::Move* moves_;  // these three are set before the first section
  const format::Section* sections_;
  const uint32_t* marks_;
  uint32_t step_ = 0;
  uint32_t end_;
  uint32_t depth_ = 0;
  Fault cut_short_;                         // of the first loop that was cut short
  Frame frames_[format::kMaxSectionDepth];  // those below depth_ are set
};

}  // namespace

Fault RunSteps(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
               const Profile* profile) {
  return Traversal(model, entries, regions, profile).Run();
}

}  // namespace weft
