// SPDX-License-Identifier: Apache-2.0
// What holds for the operands of every kind of step. Nothing read here has been checked before:
// each step is checked by itself, so that a listing with many faults can be checked to its end.
#include "runtime/bind/bind.h"

namespace weft::bind {
namespace {

using format::Rows;
using format::RowsOf;

// The existing moves of a slot from front to back, as many as a sound slot has at most.
class MoveCursor {
 public:
  MoveCursor(const format::Model& model, const format::Slot& slot) {
    const Rows<format::Move> moves = RowsOf(model.moves());
    if (slot.first_move() >= moves.count) return;
    const uint32_t left = moves.count - slot.first_move();
    const uint32_t most = left < format::kMaxSectionDepth ? left : format::kMaxSectionDepth;
    next_ = moves.data + slot.first_move();
    end_ = next_ + (slot.move_count() < most ? slot.move_count() : most);
  }
  bool ended() const { return next_ == end_; }
  // Of the next move; at the end a number that no section has.
  uint32_t section() const { return ended() ? format::kNoSlot : next_->section(); }
  // The stride with that section, which is passed by; 0 where it is not the next one.
  int64_t Take(uint32_t section) {
    if (ended() || next_->section() != section) return 0;
    return (next_++)->stride_bytes();
  }

 private:
  const format::Move* next_ = nullptr;
  const format::Move* end_ = nullptr;
};

uint32_t AlignmentOf(const format::Model& model, const format::Slot& slot) {
  uint32_t bits = slot.offset_bytes() | RowsOf(model.regions())[slot.region()].alignment_bytes();
  for (MoveCursor move(model, slot); !move.ended();)
    bits |= static_cast<uint32_t>(move.Take(move.section()));
  return bits & (0u - bits);
}

// Where one slot lies seen from another, over all iterations: low and high bound in bytes. Moves
// that both make cancel out.
struct Distance {
  int64_t low, high;
};

// How far `stride_bytes` carries in the trips of a section, cut off where no region reaches, so
// that sums of it cannot overflow.
int64_t Carry(int64_t stride_bytes, uint32_t trips) {
  constexpr int64_t kFar = int64_t{1} << 40;
  if (trips < 2 || stride_bytes == 0) return 0;
  if (stride_bytes > 0x7FFFFFFF) return kFar;
  if (stride_bytes < -0x7FFFFFFF) return -kFar;
  const int64_t carry = stride_bytes * (trips - 1);
  return carry > kFar ? kFar : carry < -kFar ? -kFar : carry;
}

Distance DistanceOf(const format::Model& model, const format::Slot& from, const format::Slot& to) {
  const Rows<format::Section> sections = RowsOf(model.sections());
  const int64_t start = int64_t{to.offset_bytes()} - from.offset_bytes();
  Distance distance = {start, start};
  // Both name their sections in ascending order, so the moves with one section meet.
  MoveCursor of_from(model, from), of_to(model, to);
  while (!of_from.ended() || !of_to.ended()) {
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

// Fills in step and kind of a fault.
Fault AtStep(const format::Model& model, uint32_t step_index, Fault fault) {
  fault.kind = static_cast<uint8_t>(RowsOf(model.steps())[step_index].kind());
  fault.index = step_index;
  return fault;
}

// Fills `slots` from the operands of a step: they name existing slots, in an existing region,
// outputs not in the weights; only what the row of its kind calls optional is absent.
__attribute__((noinline)) Fault CollectOperands(const format::Model& model, uint32_t step_index,
                                                OperandSlots& slots) {
  const format::Step& step = RowsOf(model.steps())[step_index];
  const Rows<uint32_t> operands = RowsOf(model.operands());
  const Rows<format::Slot> rows = RowsOf(model.slots());
  const uint32_t region_count = RowsOf(model.regions()).count;
  const format::Arity arity = format::kArity[step.kind()];
  const auto fault = [&](FaultCode code, uint32_t operand, uint32_t is, uint32_t must) {
    return AtStep(model, step_index, {code, 0, static_cast<uint8_t>(operand), 0, is, must});
  };
  const uint64_t end = uint64_t{step.first_operand()} + arity.operands();
  if (end > operands.count) {
    const uint32_t is = end < format::kNoSlot ? static_cast<uint32_t>(end) : format::kNoSlot;
    return fault(FaultCode::kStepOperands, 0, is, operands.count);
  }
  for (uint32_t i = 0; i < arity.operands(); ++i) {
    const uint32_t index = operands[step.first_operand() + i];
    if (index == format::kNoSlot) {
      if (arity.MayLack(i)) continue;
      return fault(FaultCode::kOperandAbsent, i, 0, 0);
    }
    if (index >= rows.count) return fault(FaultCode::kOperandSlot, i, index, rows.count);
    const format::Slot& slot = rows[index];
    if (slot.region() >= region_count) {
      return {FaultCode::kSlotRegion, 0, 0, index, slot.region(), region_count};
    }
    if (i >= arity.inputs && slot.region() == format::kWeightsRegion) {
      return fault(FaultCode::kOperandConstant, i, slot.region(), 0);
    }
    slots[i] = {true, slot.type(), slot.bytes(), AlignmentOf(model, slot)};
  }
  return {};
}

// No output lies over an operand, but where the kind allows the pair to lie at one address.
__attribute__((noinline)) Fault CheckOverlaps(const format::Model& model, uint32_t step_index,
                                              const KindRules& rules, const void* params) {
  const format::Step& step = RowsOf(model.steps())[step_index];
  const uint32_t* operands = RowsOf(model.operands()).data + step.first_operand();
  const Rows<format::Slot> slots = RowsOf(model.slots());
  const format::Arity arity = format::kArity[step.kind()];
  for (uint32_t output = arity.inputs; output < arity.operands(); ++output) {
    if (operands[output] == format::kNoSlot) continue;
    const format::Slot& written = slots[operands[output]];
    for (uint32_t other = 0; other < output; ++other) {
      if (operands[other] == format::kNoSlot) continue;
      const format::Slot& slot = slots[operands[other]];
      if (slot.region() != written.region()) continue;
      const Distance distance = DistanceOf(model, written, slot);
      const bool apart = distance.low >= written.bytes() || distance.high <= -int64_t{slot.bytes()};
      if (apart) continue;
      const bool same = distance.low == 0 && distance.high == 0;
      if (same && other < arity.inputs && rules.may_share(params, other, output - arity.inputs)) {
        continue;
      }
      return AtStep(model, step_index,
                    {FaultCode::kOperandOverlap, 0, static_cast<uint8_t>(output), 0, other, 0});
    }
  }
  return {};
}

}  // namespace

Fault CheckStep(const format::Model& model, uint32_t step_index, const void* rows,
                uint32_t row_count, const KindRules& rules) {
  const uint32_t param = RowsOf(model.steps())[step_index].param();
  if (param >= row_count) {
    return AtStep(model, step_index, {FaultCode::kStepParam, 0, 0, 0, param, row_count});
  }
  OperandSlots slots;
  Fault fault = CollectOperands(model, step_index, slots);
  if (!fault.ok()) return fault;
  const void* params = static_cast<const std::byte*>(rows) + size_t{param} * rules.row_bytes;
  fault = rules.check(params, slots);
  if (!fault.ok()) return AtStep(model, step_index, fault);
  return CheckOverlaps(model, step_index, rules, params);
}

}  // namespace weft::bind
