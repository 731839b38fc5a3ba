// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "runtime/format/listing.h"

namespace weft::plan {

namespace {

constexpr size_t kMostLines = 32;
constexpr uint32_t kMostIterations =
    2048;  // of one section; even, so that shuttles end where they began
constexpr uint32_t kNobody = 0xFFFFFFFFu;

// Which buffer was written last at each byte of a region: half-open runs of one owner, without
// gaps.
class Ownership {
 public:
  void Write(int64_t begin, int64_t end, uint32_t owner) {
    if (begin >= end) return;
    Split(begin);
    Split(end);
    runs_.erase(runs_.find(begin), runs_.find(end));
    runs_[begin] = owner;
  }

  // The first owner in [begin, end) other than `owner`; `owner` itself when there is none.
  uint32_t Stranger(int64_t begin, int64_t end, uint32_t owner) const {
    for (auto run = std::prev(runs_.upper_bound(begin)); run != runs_.end() && run->first < end;
         ++run) {
      if (run->second != owner) return run->second;
    }
    return owner;
  }

 private:
  void Split(int64_t at) {
    const auto run = std::prev(runs_.upper_bound(at));
    if (run->first != at) runs_[at] = run->second;
  }

  std::map<int64_t, uint32_t> runs_ = {{0, kNobody}};
};

class Walk {
 public:
  explicit Walk(const format::Model& model) : model_(model), owners_(model.regions()->size()) {
    for (const format::Port* port : *model.inputs()) Write(port->slot());
    for (const format::Variable* variable : *model.variables()) Write(variable->slot());
    Steps(0, model.steps()->size());
    step_ = model.steps()->size();
    for (const format::Port* port : *model.outputs()) Read(port->slot(), "output");
    for (const format::Variable* variable : *model.variables()) Read(variable->slot(), "variable");
  }

  std::vector<std::string> lines;

 private:
  void Steps(uint32_t first, uint32_t end) {
    for (uint32_t step = first; step < end && lines.size() < kMostLines;) {
      const format::Step& row = *model_.steps()->Get(step);
      step_ = step;
      step = row.kind() == 0 ? Section(row.param()) : Operands(row, step);
    }
  }

  uint32_t Operands(const format::Step& row, uint32_t step) {
    const format::Arity arity = format::kArity[row.kind()];
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const uint32_t slot = model_.operands()->Get(row.first_operand() + i);
      if (i < arity.inputs) {
        Read(slot, "operand");
      } else {
        Write(slot);
      }
    }
    return step + 1;
  }

  // Returns the step behind the section and its settle runs.
  uint32_t Section(uint32_t index) {
    const format::Section& section = *model_.sections()->Get(index);
    const auto mark = [&](uint32_t i) { return model_.marks()->Get(section.first_mark() + i); };
    Read(section.trip_slot(), "trip count");
    Read(section.first_condition_slot(), "condition");
    uint32_t trips = std::min(section.trip_count(), section.max_trips());
    if (trips > kMostIterations) trips = kMostIterations + trips % section.unroll();
    for (uint32_t i = 0; i < trips; ++i) {
      iteration_[section.depth()] = i;
      Write(section.iteration_slot());
      const uint32_t copy = i % section.unroll();
      Steps(mark(copy), mark(copy + 1));
      Read(section.body_condition_slot(), "body condition");
    }
    const uint32_t phase = trips % section.unroll();
    if (phase != 0) Steps(mark(section.unroll() + phase - 1), mark(section.unroll() + phase));
    Write(section.length_slot());
    return mark(2 * section.unroll() - 1);
  }

  int64_t Address(const format::Slot& slot) const {
    int64_t address = slot.offset_bytes();
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = *model_.moves()->Get(slot.first_move() + i);
      address += int64_t{iteration_[model_.sections()->Get(move.section())->depth()]} *
                 move.stride_bytes();
    }
    return address;
  }

  void Write(uint32_t index) {
    if (index == format::kNoSlot) return;
    const format::Slot& slot = *model_.slots()->Get(index);
    const int64_t address = Address(slot);
    owners_[slot.region()].Write(address, address + slot.bytes(),
                                 model_.slot_buffers()->Get(index));
  }

  void Read(uint32_t index, const char* what) {
    if (index == format::kNoSlot) return;
    const format::Slot& slot = *model_.slots()->Get(index);
    if (slot.region() == format::kWeightsRegion) return;
    const int64_t address = Address(slot);
    const uint32_t owner = model_.slot_buffers()->Get(index);
    const uint32_t stranger =
        owners_[slot.region()].Stranger(address, address + slot.bytes(), owner);
    if (stranger == owner) return;
    lines.push_back(
        fmt::format("step {}: {} slot {} reads buffer {} at [{}, {}) of region {}; {}", step_, what,
                    index, owner, address, address + slot.bytes(), slot.region(),
                    stranger == kNobody ? std::string("nothing was written there")
                                        : fmt::format("buffer {} has overwritten it", stranger)));
  }

  const format::Model& model_;
  std::vector<Ownership> owners_;
  std::array<uint32_t, format::kMaxSectionDepth> iteration_ = {};
  uint32_t step_ = 0;
};

}  // namespace

std::vector<std::string> CheckPlan(const format::Model& model) {
  const auto* buffers = model.slot_buffers();
  if (buffers == nullptr || buffers->size() != model.slots()->size()) return {};
  return Walk(model).lines;
}

}  // namespace weft::plan
