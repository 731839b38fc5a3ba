// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/value_numbers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/plan/access.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::plan {

namespace {

using format::kNoSlot;
using format::RowsOf;

constexpr int64_t kMostNumbered = int64_t{1} << 29;  // bytes; about a second
constexpr uint32_t kMostTrips = 4096;                // of a loop whose count a run decides
constexpr uint32_t kFewTrips = 6;

uint64_t Mixed(uint64_t number, uint64_t word) {
  number = (number ^ word) * 0x9FB21C651E98DF25u;
  return number ^ (number >> 32);
}

uint64_t MixedBytes(uint64_t number, const std::byte* bytes, size_t count) {
  for (; count >= sizeof(uint64_t); count -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    number = Mixed(number, word);
  }
  uint64_t rest = 0;
  if (count != 0) std::memcpy(&rest, bytes, count);
  return Mixed(number, rest ^ (uint64_t{count} << 56));
}

// Numbers the bytes from `begin` on: byte i by `number` and its place.
void NumberBytes(uint64_t number, uint64_t place, std::byte* bytes, size_t count) {
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t word = Mixed(number, place + at);
    std::memcpy(bytes + at, &word, std::min(sizeof(word), count - at));
  }
}

// In what order a cell computes its units is the plan's choice, and no part of what it computes.
template <typename Params>
uint64_t NumberOfParams(Params params, uint64_t number) {
  if constexpr (requires { params.mutate_backward(0u); }) params.mutate_backward(0u);
  return MixedBytes(number, reinterpret_cast<const std::byte*>(&params), sizeof(params));
}

class Numbering {
 public:
  explicit Numbering(const format::Model& model)
      : model_(model), slots_(RowsOf(model.slots())), sections_(RowsOf(model.sections())) {
    const uint8_t* weights = model.weights() == nullptr ? nullptr : model.weights()->data();
    // Only ever read.
    starts_.push_back(reinterpret_cast<std::byte*>(const_cast<uint8_t*>(weights)));
    const format::Rows<format::Region> regions = RowsOf(model.regions());
    for (uint32_t i = format::kStateRegion; i < regions.count; ++i) {
      starts_.push_back(memory_.emplace_back(regions[i].bytes()).data());
    }
  }

  std::optional<uint32_t> Number() {
    Reset();
    uint64_t all = 0;
    for (run_ = 0; run_ < RunCount() && Goes(); ++run_) {
      Begin();
      RunSteps(0, RowsOf(model_.steps()).count);
      for (const format::Port& port : RowsOf(model_.outputs())) {
        all = Mixed(all, NumberOf(port.slot()));
        if (port.length_slot() != kNoSlot) all = Mixed(all, NumberOf(port.length_slot()));
      }
      for (const format::Variable& variable : RowsOf(model_.variables())) {
        all = Mixed(all, NumberOf(variable.slot()));
      }
    }
    if (!Goes()) return std::nullopt;
    return Narrow<uint32_t>(all >> 32, "the number");
  }

 private:
  bool Goes() const { return numbered_ < kMostNumbered; }

  // The longest way through all conditions and loops, the shortest, and others.
  uint32_t RunCount() const {
    const bool decides = std::any_of(sections_.begin(), sections_.end(), [](const auto& section) {
      return section.trip_slot() != kNoSlot || section.first_condition_slot() != kNoSlot ||
             section.body_condition_slot() != kNoSlot;
    });
    return decides ? 12 : 3;
  }

  // As Engine::Reset.
  void Reset() {
    for (const format::Variable& variable : RowsOf(model_.variables())) {
      const size_t bytes = slots_[variable.slot()].bytes();
      if (bytes == 0) continue;
      if (variable.initial_slot() == kNoSlot) {
        std::memset(Address(variable.slot()), 0, bytes);
      } else {
        std::memcpy(Address(variable.slot()), Address(variable.initial_slot()), bytes);
      }
    }
  }

  // Scratch is unwritten, and the inputs are there.
  void Begin() {
    for (size_t i = format::kFirstScratchRegion; i < starts_.size(); ++i) {
      const size_t bytes = memory_[i - format::kStateRegion].size();
      NumberBytes(~uint64_t{run_}, uint64_t{i} << 40, starts_[i], bytes);
    }
    uint64_t index = 0;
    for (const format::Port& port : RowsOf(model_.inputs())) {
      NumberBytes(Mixed(run_, ++index), 0, Address(port.slot()), slots_[port.slot()].bytes());
    }
  }

  std::byte* Address(uint32_t index) {
    const format::Slot& slot = slots_[index];
    int64_t offset = slot.offset_bytes();
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = RowsOf(model_.moves())[slot.first_move() + i];
      offset += int64_t{iterations_[sections_[move.section()].depth()]} * move.stride_bytes();
    }
    return starts_[slot.region()] + offset;
  }

  uint64_t NumberOf(uint32_t slot) { return MixedBytes(0, Address(slot), slots_[slot].bytes()); }

  void RunSteps(uint32_t first, uint32_t end) {
    for (uint32_t step = first; step < end && Goes();) {
      const format::Step& row = *model_.steps()->Get(step);
      if (row.kind() == 0) {
        RunSection(row.param());
        step = Mark(row.param(), 2 * sections_[row.param()].unroll() - 1);
      } else {
        RunStep(step++);
      }
    }
  }

  uint32_t Mark(uint32_t section, uint32_t run) const {
    return model_.marks()->Get(sections_[section].first_mark() + run);
  }

  bool IsConstant(uint32_t slot) const { return slots_[slot].region() == format::kWeightsRegion; }

  bool Condition(uint32_t slot) {
    const std::byte* at = Address(slot);
    if (IsConstant(slot)) return *at != std::byte{0};
    if (run_ < 2) return run_ == 0;
    return (Mixed(run_, std::to_integer<uint64_t>(*at)) & 1) != 0;
  }

  uint64_t Trips(const format::Section& section) {
    uint32_t trips = std::min(section.trip_count(), section.max_trips());
    const uint32_t slot = section.trip_slot();
    if (slot != kNoSlot && IsConstant(slot)) {
      const int64_t count = Constant(slot);
      return count < 0 || count > trips ? trips : static_cast<uint64_t>(count);
    }
    const bool decides = slot != kNoSlot || section.body_condition_slot() != kNoSlot;
    if (!decides) return trips;
    trips = std::min(trips, kMostTrips);
    if (slot == kNoSlot || run_ == 0) return trips;
    if (run_ == 1) return 0;
    return std::min<uint64_t>(trips, NumberOf(slot) % (kFewTrips * (1 + run_ % 3)));
  }

  int64_t Constant(uint32_t slot) {
    if (slots_[slot].type() == format::ElementType::i32) {
      int32_t narrow;
      std::memcpy(&narrow, Address(slot), sizeof(narrow));
      return narrow;
    }
    int64_t wide;
    std::memcpy(&wide, Address(slot), sizeof(wide));
    return wide;
  }

  void SetNumber(uint32_t slot, uint64_t number) {
    if (slot == kNoSlot) return;
    std::memcpy(Address(slot), &number, slots_[slot].type() == format::ElementType::i32 ? 4 : 8);
  }

  // As the engine does it.
  void RunSection(uint32_t index) {
    const format::Section& section = sections_[index];
    const uint32_t unroll = section.unroll();
    const uint64_t trips = Trips(section);
    const uint32_t first_condition = section.first_condition_slot();
    if (trips == 0 ||
        (first_condition != kNoSlot && Condition(first_condition) != (section.runs_when() != 0))) {
      return SetNumber(section.length_slot(), 0);
    }
    uint32_t& done = iterations_[section.depth()];
    bool goes_on = true;
    for (done = 0; goes_on;) {
      numbered_ += kStepWork;
      SetNumber(section.iteration_slot(), done);
      const uint32_t copy = done % unroll;
      RunSteps(Mark(index, copy), Mark(index, copy + 1));
      const uint32_t condition = section.body_condition_slot();
      goes_on = condition == kNoSlot || Condition(condition);
      goes_on = ++done < trips && goes_on && Goes();
    }
    const uint32_t settle = done % unroll;
    if (settle != 0) RunSteps(Mark(index, unroll + settle - 1), Mark(index, unroll + settle));
    SetNumber(section.length_slot(), done);
  }

  void RunStep(uint32_t index) {
    const format::Step& step = *model_.steps()->Get(index);
    const format::Arity arity = format::kArity[step.kind()];
    const format::Rows<uint32_t> operands = RowsOf(model_.operands());
    std::byte* pointers[format::kMaxOperands] = {};
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const uint32_t slot = operands[step.first_operand() + i];
      if (slot != kNoSlot) pointers[i] = Address(slot);
    }
    if (accesses_.empty()) accesses_.resize(RowsOf(model_.steps()).count);
    std::vector<StridedBytes>& accesses = accesses_[index];
    for (uint32_t i = 0; accesses.size() < arity.operands(); ++i) {
      accesses.push_back(pointers[i] == nullptr ? StridedBytes() : AccessOf(model_, step, i));
    }
    for (const StridedBytes& access : accesses) numbered_ += access.run_bytes * access.RunCount();
    numbered_ += kStepWork;
    if (!Goes()) return;
    if (static_cast<format::Kind>(step.kind()) == format::Kind::copy) {
      return AllSteps().entries[step.kind() - 1].run(model_, step.param(), pointers);
    }
    uint64_t number = NumberOfStep(step);
    for (uint32_t i = 0; i < arity.inputs; ++i) {
      const uint32_t slot = operands[step.first_operand() + i];
      number = Mixed(number, slot == kNoSlot ? i : NumberOfRead(slot, accesses[i], pointers[i]));
    }
    for (uint32_t i = arity.inputs; i < arity.operands(); ++i) {
      if (pointers[i] == nullptr) continue;
      uint64_t place = uint64_t{i} << 40;
      accesses[i].ForEachRun([&](int64_t at) {
        const auto bytes = static_cast<size_t>(accesses[i].run_bytes);
        NumberBytes(number, place, pointers[i] + at, bytes);
        place += bytes;
      });
    }
  }

  uint64_t NumberOfStep(const format::Step& step) const {
    const uint64_t number = Mixed(run_, step.kind());
    switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return NumberOfParams(*model_.name()->Get(step.param()), number);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
      case format::Kind::section:
        break;
    }
    return number;
  }

  // Constants, of which a loop may read many, once.
  uint64_t NumberOfRead(uint32_t slot, const StridedBytes& access, const std::byte* from) {
    if (IsConstant(slot)) {
      const auto found = constants_.find({from, &access});
      if (found != constants_.end()) return found->second;
    }
    uint64_t number = 0;
    access.ForEachRun([&](int64_t at) {
      number = MixedBytes(number, from + at, static_cast<size_t>(access.run_bytes));
    });
    if (IsConstant(slot)) constants_[{from, &access}] = number;
    return number;
  }

  static constexpr int64_t kStepWork = 64;  // in bytes that would take as long

  const format::Model& model_;
  const format::Rows<format::Slot> slots_;
  const format::Rows<format::Section> sections_;
  std::vector<AlignedBytes> memory_;                 // of the state and the scratch regions
  std::vector<std::byte*> starts_;                   // of all regions
  std::vector<std::vector<StridedBytes>> accesses_;  // by step and operand, once it was met
  std::map<std::pair<const std::byte*, const StridedBytes*>, uint64_t> constants_;
  uint32_t iterations_[format::kMaxSectionDepth] = {};
  uint32_t run_ = 0;
  int64_t numbered_ = 0;
};

}  // namespace

std::optional<uint32_t> NumberOfValues(const format::Model& model) {
  int64_t bytes = 0;
  for (const format::Region& region : RowsOf(model.regions())) bytes += region.bytes();
  if (bytes > kMostNumbered) return std::nullopt;
  const std::optional<uint32_t> number = Numbering(model).Number();
  return number == 0u ? 1u : number;
}

}  // namespace weft::plan
