// SPDX-License-Identifier: Apache-2.0
// Rules for the operands of every kind of step. Nothing read here has been checked before: each
// step is checked separately, so that a file with many errors is checked to its end.
#include "runtime/bind/param_checker.h"

namespace weft::bind {
namespace {

using format::Rows;
using format::RowsOf;

// Iterates over the existing moves of a slot, at most as many as a valid slot has.
class MoveCursor {
 public:
  MoveCursor(const Rows<format::Move>& moves, const format::Slot& slot) {
    if (slot.move_count() == 0 || slot.first_move() >= moves.count) return;
    const uint32_t left = moves.count - slot.first_move();
    const uint32_t max = left < format::kMaxSectionDepth ? left : format::kMaxSectionDepth;
    next_ = moves.data + slot.first_move();
    end_ = next_ + (slot.move_count() < max ? slot.move_count() : max);
  }
  bool ended() const { return next_ == end_; }
  // The section of the next move; at the end a number that no section has.
  uint32_t section() const { return ended() ? format::kNoSlot : next_->section(); }
  // Returns the stride with that section and advances; 0 if it is not the next one.
  int64_t Take(uint32_t section) {
    if (ended() || next_->section() != section) return 0;
    return (next_++)->stride_bytes();
  }

 private:
  const format::Move* next_ = nullptr;
  const format::Move* end_ = nullptr;
};

// Minimum and maximum distance between two slots in bytes, over all iterations. Common moves cancel
// out.
struct Distance {
  int64_t low, high;
};

// The distance that `stride_bytes` adds up to in the iterations of a section, clamped beyond any
// region so that sums cannot overflow.
int64_t Carry(int64_t stride_bytes, uint32_t trips) {
  constexpr int64_t kFar = int64_t{1} << 40;
  if (trips < 2 || stride_bytes == 0) return 0;
  if (stride_bytes > 0x7FFFFFFF) return kFar;
  if (stride_bytes < -0x7FFFFFFF) return -kFar;
  const int64_t carry = stride_bytes * (trips - 1);
  return carry > kFar ? kFar : carry < -kFar ? -kFar : carry;
}

// Checks one step, with the tables that its rules read.
class OperandChecker {
 public:
  OperandChecker(const format::Model& model, const format::Step& step)
      : kind_(step.kind()),
        first_(step.first_operand()),
        operands_(RowsOf(model.operands())),
        slots_(RowsOf(model.slots())),
        regions_(RowsOf(model.regions())),
        moves_(RowsOf(model.moves())),
        model_(model) {}

  Fault Collect(OperandSlots& slots) const;
  Fault CheckOverlaps(const ParamChecker& check) const;

 private:
  uint32_t AlignmentOf(const format::Slot& slot) const;
  Distance DistanceOf(const format::Slot& from, const format::Slot& to) const;
  format::Arity arity() const { return format::kArity[kind_]; }

  const uint32_t kind_;
  const uint32_t first_;
  const Rows<uint32_t> operands_;
  const Rows<format::Slot> slots_;
  const Rows<format::Region> regions_;
  const Rows<format::Move> moves_;
  const format::Model& model_;
};

uint32_t OperandChecker::AlignmentOf(const format::Slot& slot) const {
  uint32_t bits = slot.offset_bytes() | regions_[slot.region()].alignment_bytes();
  for (MoveCursor move(moves_, slot); !move.ended();)
    bits |= static_cast<uint32_t>(move.Take(move.section()));
  return bits & (0u - bits);
}

Distance OperandChecker::DistanceOf(const format::Slot& from, const format::Slot& to) const {
  const int64_t start = int64_t{to.offset_bytes()} - from.offset_bytes();
  Distance distance = {start, start};
  // Both lists are sorted by section, so moves with the same section are found together.
  MoveCursor of_from(moves_, from), of_to(moves_, to);
  while (!of_from.ended() || !of_to.ended()) {
    const Rows<format::Section> sections = RowsOf(model_.sections());
    const uint32_t section =
        of_from.section() < of_to.section() ? of_from.section() : of_to.section();
    const int64_t stride_bytes = of_to.Take(section) - of_from.Take(section);
    if (section >= sections.count) continue;
    const int64_t carry = Carry(stride_bytes, sections[section].max_trips());
    distance.low += carry < 0 ? carry : 0;
    distance.high += carry > 0 ? carry : 0;
  }
  return distance;
}

// Fills `slots` from the operands of a step. Checks that they name existing slots in existing
// regions, that outputs are not in the weights, and that only optional operands are absent.
__attribute__((noinline)) Fault OperandChecker::Collect(OperandSlots& slots) const {
  const format::Arity arity = this->arity();
  const uint64_t end = uint64_t{first_} + arity.operands();
  if (end > operands_.count) {
    const uint32_t is = end < format::kNoSlot ? static_cast<uint32_t>(end) : format::kNoSlot;
    return {FaultCode::kStepOperands, 0, 0, 0, is, operands_.count};
  }
  for (uint32_t i = 0; i < arity.operands(); ++i) {
    const auto operand = static_cast<uint8_t>(i);
    const uint32_t index = operands_[first_ + i];
    if (index == format::kNoSlot) {
      if (arity.MayLack(i)) continue;
      return {FaultCode::kOperandAbsent, 0, operand};
    }
    if (index >= slots_.count) {
      return {FaultCode::kOperandSlot, 0, operand, 0, index, slots_.count};
    }
    const format::Slot& slot = slots_[index];
    if (slot.region() >= regions_.count) {
      return {FaultCode::kSlotRegion, 0, 0, index, slot.region(), regions_.count};
    }
    if (i >= arity.inputs && slot.region() == format::kWeightsRegion) {
      return {FaultCode::kOperandConstant, 0, operand, 0, slot.region(), 0};
    }
    slots[i] = {true, slot.type(), slot.bytes(), AlignmentOf(slot)};
  }
  return {};
}

// Checks that no output overlaps an operand, except at the same address if the step allows it.
__attribute__((noinline)) Fault OperandChecker::CheckOverlaps(const ParamChecker& check) const {
  const uint32_t* operands = operands_.data + first_;
  const format::Arity arity = this->arity();
  for (uint32_t output = arity.inputs; output < arity.operands(); ++output) {
    if (operands[output] == format::kNoSlot) continue;
    const format::Slot& written = slots_[operands[output]];
    for (uint32_t other = 0; other < output; ++other) {
      if (operands[other] == format::kNoSlot) continue;
      const format::Slot& slot = slots_[operands[other]];
      if (slot.region() != written.region()) continue;
      const Distance distance = DistanceOf(written, slot);
      const bool apart = distance.low >= written.bytes() || distance.high <= -int64_t{slot.bytes()};
      if (apart) continue;
      const bool same = distance.low == 0 && distance.high == 0;
      if (same && other < arity.inputs && check.Shares(other, output)) continue;
      return {FaultCode::kOperandOverlap, 0, static_cast<uint8_t>(output), 0, other, 0};
    }
  }
  return {};
}

}  // namespace

Fault CheckStep(const format::Model& model, uint32_t step_index, const KindRules& rules) {
  const format::Step& step = RowsOf(model.steps())[step_index];
  const flatbuffers::Vector<uint8_t>* rows = ParamsOf(model, step.kind());
  const uint32_t row_count = rows == nullptr ? 0 : rows->size();
  const uint32_t param = step.param();
  Fault fault = {FaultCode::kStepParam, 0, 0, 0, param, row_count};
  if (param < row_count) {
    const OperandChecker operands(model, step);
    OperandSlots slots;
    fault = operands.Collect(slots);
    if (fault.code == FaultCode::kSlotRegion)
      return fault;  // an error of the slot, not of the step
    ParamChecker check(slots, &fault);
    if (fault.ok()) rules.check(rows->Data() + size_t{param} * rules.row_bytes, check);
    if (fault.ok()) fault = operands.CheckOverlaps(check);
    if (fault.ok()) return fault;
  }
  fault.kind = static_cast<uint8_t>(step.kind());
  fault.index = step_index;
  return fault;
}

}  // namespace weft::bind
