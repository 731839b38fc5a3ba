// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/shared.h"

#include <algorithm>

namespace weft::inspect {
namespace {

// First and last step that access a slot, and the input slot that a step overwrites with this slot.
struct Touched {
  uint32_t first_step = UINT32_MAX, last_step = 0;
  uint32_t read_there = format::kNoSlot;
};

bool Overlap(const format::Slot& a, const format::Slot& b) {
  const int64_t a_begin = a.offset_bytes(), b_begin = b.offset_bytes();
  return a.region() == b.region() && a_begin < b_begin + b.bytes() && b_begin < a_begin + a.bytes();
}

bool IsWithin(const format::Slot& part, const format::Slot& whole) {
  const int64_t begin = part.offset_bytes(), whole_begin = whole.offset_bytes();
  return begin >= whole_begin && begin + part.bytes() <= whole_begin + whole.bytes();
}

std::vector<Touched> TouchedSlots(const format::Model& model) {
  const auto slots = format::RowsOf(model.slots());
  const auto steps = format::RowsOf(model.steps());
  std::vector<Touched> touched(slots.count);
  for (uint32_t i = 0; i < steps.count; ++i) {
    if (steps[i].kind() == 0) continue;
    const format::Arity arity = format::kArity[steps[i].kind()];
    const uint32_t* operands = format::RowsOf(model.operands()).data + steps[i].first_operand();
    for (uint32_t k = 0; k < arity.operands(); ++k) {
      const uint32_t slot = operands[k];
      if (slot == format::kNoSlot) continue;
      touched[slot].first_step = std::min(touched[slot].first_step, i);
      touched[slot].last_step = std::max(touched[slot].last_step, i);
      if (k < arity.inputs) continue;
      for (uint32_t j = 0; j < arity.inputs; ++j) {
        const bool lies_over = operands[j] != format::kNoSlot && operands[j] != slot &&
                               Overlap(slots[operands[j]], slots[slot]);
        if (lies_over) touched[slot].read_there = operands[j];
      }
    }
  }
  return touched;
}

class BufferOfSlots {
 public:
  BufferOfSlots(const format::Model& model, const std::vector<Touched>& touched,
                const PlacedBuffer& buffer)
      : slots_(format::RowsOf(model.slots())), touched_(touched), buffer_(buffer) {}

  std::vector<SharedAddress> Shared() const {
    std::vector<SharedAddress> list;
    for (const uint32_t slot : buffer_.slots) {
      SharedAddress location;
      if (touched_[slot].first_step > touched_[slot].last_step || !Find(slot, location)) continue;
      location.slot = slot;
      location.offset_bytes = slots_[slot].offset_bytes();
      location.bytes = slots_[slot].bytes();
      location.first_step = touched_[slot].first_step;
      location.last_step = touched_[slot].last_step;
      list.push_back(location);
    }
    return list;
  }

 private:
  // Finds the slot whose memory `slot` shares. Returns false if there is none.
  bool Find(uint32_t slot, SharedAddress& location) const {
    const auto take = [&](uint32_t of, Sharing why) {
      location.of = of;
      location.why = why;
      return true;
    };
    const uint32_t read = touched_[slot].read_there;
    if (read != format::kNoSlot) return take(read, Sharing::in_place);
    for (const uint32_t other : buffer_.slots) {
      if (other == slot || !IsWithin(slots_[slot], slots_[other])) continue;
      const bool is_smaller = slots_[slot].bytes() < slots_[other].bytes();
      if (is_smaller) return take(other, IsMoved(slot) ? Sharing::chunk : Sharing::part);
      if (other < slot && IsMoved(slot) == IsMoved(other)) return take(other, Sharing::view);
    }
    if (IsMoved(slot)) return take(slot, Sharing::chunk);
    return false;
  }

  bool IsMoved(uint32_t slot) const { return slots_[slot].move_count() > 0; }

  const format::Rows<format::Slot> slots_;
  const std::vector<Touched>& touched_;
  const PlacedBuffer& buffer_;
};

}  // namespace

std::vector<std::vector<SharedAddress>> SharedIn(const format::Model& model,
                                                 const std::vector<PlacedBuffer>& buffers) {
  const std::vector<Touched> touched = TouchedSlots(model);
  std::vector<std::vector<SharedAddress>> lists;
  for (const PlacedBuffer& buffer : buffers) {
    lists.push_back(BufferOfSlots(model, touched, buffer).Shared());
  }
  return lists;
}

const char* Why(Sharing why) {
  // In the order of Sharing.
  constexpr const char* kReasons[] = {
      "the step overwrites an input that is not read later",
      "the part of a sequence that one iteration accesses",
      "a part of a larger value, accessed without a copy",
      "the same bytes with another shape or type",
  };
  return kReasons[static_cast<size_t>(why)];
}

}  // namespace weft::inspect
