// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_number.h"

#include <cstring>

#include "runtime/access.h"
#include "runtime/bind/bind.h"
#include "runtime/format/weight_copy.h"

namespace weft {

namespace {

using format::kNoSlot;
using format::Rows;
using format::RowsOf;

// Work is charged before it is done, in bytes that are hashed sequentially.
constexpr int64_t kMaxWork = int64_t{1} << 30;  // at most about a second on a desktop
constexpr int64_t kStepWork = 256;    // of a step or an iteration, in addition to its bytes
constexpr int64_t kRunWork = 16;      // of a run of bytes, in addition to them, or of a move
constexpr int64_t kCopyWork = 8;      // of an element
constexpr uint32_t kMaxTrips = 4096;  // of a loop whose count is known at run time only
constexpr uint32_t kFewTrips = 6;
constexpr uint64_t kOverwritten = 1;  // joins the hash if a run overwrites a copy of weights

// The addition makes zero words count: without it a number of 0 would stay 0.
uint64_t Mixed(uint64_t number, uint64_t word) {
  number = ((number ^ word) + 0x632BE59BD9B4E019u) * 0x9FB21C651E98DF25u;
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

// Writes hash bytes to `bytes`: byte i depends on `number` and on its position, `position` + i.
void NumberBytes(uint64_t number, uint64_t position, std::byte* bytes, size_t count) {
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t word = Mixed(number, position + at);
    std::memcpy(bytes + at, &word, count - at < sizeof(word) ? count - at : sizeof(word));
  }
}

constexpr uint8_t kRowBytes[] = {
    0,
#define WEFT_STEP(name, Name, ...) sizeof(format::Name##Params),
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

// The order in which a cell computes its units is chosen by the plan and does not affect the
// result.
template <typename Params>
uint64_t NumberWithoutOrder(const Params& params, uint64_t number) {
  Params same = params;
  same.mutate_backward(0);
  return MixedBytes(number, reinterpret_cast<const std::byte*>(&same), sizeof(same));
}

uint64_t NumberOfStep(const format::Model& model, const format::Step& step, uint64_t number) {
  const uint32_t kind = step.kind(), param = step.param();
  number = Mixed(number, kind);
  switch (static_cast<format::Kind>(kind)) {
    case format::Kind::lstm_cell:
      return NumberWithoutOrder(*model.lstm_cell()->Get(param), number);
    case format::Kind::gru_cell:
      return NumberWithoutOrder(*model.gru_cell()->Get(param), number);
    case format::Kind::gru_reset_cell:
      return NumberWithoutOrder(*model.gru_reset_cell()->Get(param), number);
    default:
      break;
  }
  const size_t bytes = kRowBytes[kind];
  const uint8_t* row = bind::ParamsOf(model, kind)->Data() + param * bytes;
  return MixedBytes(number, reinterpret_cast<const std::byte*>(row), bytes);
}

uint64_t NumberOfRuns(const StridedBytes& access, const std::byte* from) {
  uint64_t number = 0;
  access.ForEachRun([&](int64_t at) {
    number = MixedBytes(number, from + at, static_cast<size_t>(access.run_bytes));
  });
  return number;
}

void NumberRuns(const StridedBytes& access, uint64_t number, uint64_t position, std::byte* to) {
  access.ForEachRun([&](int64_t at) {
    const auto bytes = static_cast<size_t>(access.run_bytes);
    NumberBytes(number, position, to + at, bytes);
    position += bytes;
  });
}

// The hash of a constant that an operand has read; identified by the index of the operand in the
// file and the offset of the constant's first byte.
struct KnownConstant {
  uint64_t number;
  uint32_t operand_and_one;  // 0: none
  uint32_t offset;
};
static_assert(sizeof(KnownConstant) == kPlanTableBytesPerOperand,
              "must be the size that weft.h states");

// A table in the caller's bytes, which need no alignment. Operands share rows if there are too few.
class Constants {
 public:
  explicit Constants(Block table)
      : rows_(static_cast<std::byte*>(table.data)),
        count_(table.data == nullptr ? 0 : table.bytes / sizeof(KnownConstant)) {
    if (count_ != 0) std::memset(rows_, 0, count_ * sizeof(KnownConstant));
  }

  bool Find(uint32_t operand, uint32_t offset, uint64_t* number) const {
    if (count_ == 0) return false;
    KnownConstant row;
    std::memcpy(&row, RowOf(operand), sizeof(row));
    *number = row.number;
    return row.operand_and_one == operand + 1 && row.offset == offset;
  }

  void Keep(uint32_t operand, uint32_t offset, uint64_t number) {
    if (count_ == 0) return;
    const KnownConstant row = {number, operand + 1, offset};
    std::memcpy(RowOf(operand), &row, sizeof(row));
  }

 private:
  std::byte* RowOf(uint32_t operand) const {
    return rows_ + operand % count_ * sizeof(KnownConstant);
  }
  std::byte* rows_;
  size_t count_;
};

class Numbering {
 public:
  Numbering(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
            Block table)
      : model_(model),
        entries_(entries),
        regions_(regions),
        slots_(RowsOf(model.slots())),
        moves_(RowsOf(model.moves())),
        sections_(RowsOf(model.sections())),
        steps_(RowsOf(model.steps())),
        operands_(RowsOf(model.operands())),
        constants_(table) {}

  uint32_t Number() {
    uint64_t all = NumberOfPorts(RowsOf(model_.inputs()), 0);
    all = NumberOfPorts(RowsOf(model_.outputs()), all);
    Reset();
    const uint32_t runs = RunCount();
    for (run_ = 0; run_ < runs && Goes(); ++run_) {
      Begin();
      RunSteps(0, steps_.count);
      for (const format::Port& port : RowsOf(model_.outputs())) {
        all = Mixed(all, NumberOf(port.slot()));
        if (port.length_slot() != kNoSlot) all = Mixed(all, NumberOf(port.length_slot()));
      }
      for (const format::Variable& variable : RowsOf(model_.variables())) {
        if (!IsCopy(variable)) {
          all = Mixed(all, NumberOf(variable.slot()));
        } else if (NumberOf(variable.slot()) != NumberOf(variable.initial_slot())) {
          all = Mixed(all, kOverwritten);
        }
      }
    }
    if (!Goes()) return 0;
    const auto number = static_cast<uint32_t>(Mixed(all, alternatives_) >> 32);
    return number == 0 ? 1 : number;
  }

 private:
  bool Goes() const { return work_ < kMaxWork; }

  // Charges work before it is done. Returns false if the work must not be done.
  bool Charge(int64_t work) {
    work_ += work < kMaxWork ? work : kMaxWork;
    return Goes();
  }

  // Hashes the ports as their callers see them: names, element type, dims, size and length axis.
  uint64_t NumberOfPorts(Rows<format::Port> ports, uint64_t number) {
    number = Mixed(number, ports.count);
    for (const format::Port& port : ports) {
      const format::Slot& slot = slots_[port.slot()];
      const uint64_t has_length = port.length_slot() != kNoSlot;
      number = Mixed(number, uint64_t{slot.bytes()} << 32 | has_length << 24 |
                                 uint64_t{port.length_axis()} << 16 | uint64_t{slot.rank()} << 8 |
                                 static_cast<uint64_t>(slot.type()));
      for (uint32_t i = 0; i < slot.rank(); ++i) {
        number = Mixed(number, model_.dims()->Get(slot.first_dim() + i));
      }
      for (uint32_t i = 0; i < port.name_count(); ++i) {
        const flatbuffers::String& name = *model_.names()->Get(port.first_name() + i);
        if (!Charge(name.size())) return 0;
        number = MixedBytes(number, reinterpret_cast<const std::byte*>(name.Data()), name.size());
      }
    }
    return number;
  }

  // Runs take the longest path through all conditions and loops, the shortest, and others.
  uint32_t RunCount() const {
    for (const format::Section& section : sections_) {
      if (section.trip_slot() != kNoSlot || section.first_condition_slot() != kNoSlot ||
          section.body_condition_slot() != kNoSlot) {
        return 24;
      }
    }
    return 3;
  }

  // Marks a region as unwritten: its bytes depend only on the region and the run.
  void Forget(uint32_t region) {
    const uint32_t bytes = RowsOf(model_.regions())[region].bytes();
    if (Charge(bytes))
      NumberBytes(~uint64_t{run_}, uint64_t{region} << 40, regions_[region], bytes);
  }

  // As Engine::Open does, in memory with any contents.
  void Reset() {
    Forget(format::kStateRegion);
    Initialise(false);
    for (const format::Port& port : RowsOf(model_.outputs())) {
      if (port.length_slot() == kNoSlot) continue;
      const format::Slot& slot = slots_[port.slot()];
      const uint32_t dim = model_.dims()->Get(slot.first_dim() + port.length_axis());
      std::memcpy(Address(port.length_slot()), &dim, sizeof(dim));
    }
  }

  bool IsCopy(const format::Variable& variable) const {
    return format::IsWeightCopy(variable, slots_[variable.slot()]);
  }

  // Sets the variables in the state to their initial values, or the copies of weights.
  void Initialise(bool copies) {
    for (const format::Variable& variable : RowsOf(model_.variables())) {
      const uint32_t bytes = slots_[variable.slot()].bytes();
      if (IsCopy(variable) != copies || bytes == 0 || !Charge(bytes)) continue;
      if (variable.initial_slot() == kNoSlot) {
        std::memset(Address(variable.slot()), 0, bytes);
      } else {
        std::memcpy(Address(variable.slot()), Address(variable.initial_slot()), bytes);
      }
    }
  }

  // Before a run, the scratch is unwritten except for copies of weights, and the inputs are set.
  void Begin() {
    const uint32_t regions = RowsOf(model_.regions()).count;
    for (uint32_t i = format::kFirstScratchRegion; i < regions; ++i) Forget(i);
    Initialise(true);
    uint64_t index = 0;
    for (const format::Port& port : RowsOf(model_.inputs())) {
      const uint32_t bytes = slots_[port.slot()].bytes();
      ++index;
      if (Charge(bytes)) NumberBytes(Mixed(run_, index), 0, Address(port.slot()), bytes);
    }
  }

  std::byte* Address(uint32_t index) const {
    const format::Slot& slot = slots_[index];
    return regions_[slot.region()] + OffsetOf(slot);
  }

  std::ptrdiff_t OffsetOf(const format::Slot& slot) const {
    int64_t offset = slot.offset_bytes();
    for (uint32_t i = 0; i < slot.move_count(); ++i) {
      const format::Move& move = moves_[slot.first_move() + i];
      offset += int64_t{iterations_[sections_[move.section()].depth()]} * move.stride_bytes();
    }
    return static_cast<std::ptrdiff_t>(offset);
  }

  uint64_t NumberOf(uint32_t slot) {
    const uint32_t bytes = slots_[slot].bytes();
    return Charge(kRunWork + bytes) ? MixedBytes(0, Address(slot), bytes) : 0;
  }

  void RunSteps(uint32_t first, uint32_t end) {
    for (uint32_t step = first; step < end && Charge(kStepWork);) {
      const format::Step& row = steps_[step];
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

  // Values that decide conditions and trip counts are part of the result. They are added up because
  // plans may enter sections in another order. The type is hashed as well: it selects how many of
  // the slot's bytes are the count.
  uint64_t Decide(uint32_t slot) {
    const uint64_t number = NumberOf(slot);
    alternatives_ += Mixed(number, static_cast<uint64_t>(slots_[slot].type()));
    return number;
  }

  bool Condition(uint32_t slot) {
    const std::byte at = *Address(slot);
    if (IsConstant(slot)) return at != std::byte{0};
    Decide(slot);
    if (run_ < 2) return run_ == 0;
    return (Mixed(run_, static_cast<uint64_t>(at)) & 1) != 0;
  }

  uint32_t Trips(const format::Section& section) {
    uint32_t trips = section.trip_count();
    if (trips > section.max_trips()) trips = section.max_trips();
    const uint32_t slot = section.trip_slot();
    if (slot != kNoSlot && IsConstant(slot)) {
      const int64_t count = Constant(slot);
      const bool is_cut_short = count < 0 || count > trips;
      alternatives_ += is_cut_short;  // an error of the run
      return is_cut_short ? trips : static_cast<uint32_t>(count);
    }
    const bool decides = slot != kNoSlot || section.body_condition_slot() != kNoSlot;
    if (!decides) return trips;
    // The trip count is part of the result, because fewer iterations may be tried here, and because
    // reaching the maximum is an error.
    const bool is_cut_short = section.trip_count() > section.max_trips();
    alternatives_ += Mixed(trips, uint64_t{slot != kNoSlot} << 1 | uint64_t{is_cut_short});
    if (trips > kMaxTrips) trips = kMaxTrips;
    const uint64_t number = slot != kNoSlot ? Decide(slot) : 0;
    if (slot == kNoSlot || run_ == 0) return trips;
    if (run_ == 1) return 0;
    const uint32_t few = static_cast<uint32_t>(number) % (kFewTrips * (1 + run_ % 3));
    return trips < few ? trips : few;
  }

  int64_t Constant(uint32_t slot) const {
    if (slots_[slot].type() == format::ElementType::i32) {
      int32_t narrow;
      std::memcpy(&narrow, Address(slot), sizeof(narrow));
      return narrow;
    }
    int64_t wide;
    std::memcpy(&wide, Address(slot), sizeof(wide));
    return wide;
  }

  void SetNumber(uint32_t slot, uint64_t number) const {
    if (slot == kNoSlot) return;
    std::memcpy(Address(slot), &number, slots_[slot].type() == format::ElementType::i32 ? 4 : 8);
  }

  // As the engine does; sections nest at most kMaxSectionDepth deep.
  void RunSection(uint32_t index) {
    const format::Section& section = sections_[index];
    const uint32_t unroll = section.unroll();
    const uint32_t trips = Trips(section);
    const uint32_t first_condition = section.first_condition_slot();
    if (trips == 0 ||
        (first_condition != kNoSlot && Condition(first_condition) != (section.runs_when() != 0))) {
      return SetNumber(section.length_slot(), 0);
    }
    uint32_t& done = iterations_[section.depth()];
    bool goes_on = true;
    for (done = 0; goes_on;) {
      if (!Charge(kStepWork)) return;
      SetNumber(section.iteration_slot(), done);
      const uint32_t copy = done % unroll;
      RunSteps(Mark(index, copy), Mark(index, copy + 1));
      const uint32_t condition = section.body_condition_slot();
      goes_on = condition == kNoSlot || Condition(condition);
      goes_on = ++done < trips && goes_on && Goes();
    }
    const uint32_t epilogue = done % unroll;
    if (epilogue != 0) RunSteps(Mark(index, unroll + epilogue - 1), Mark(index, unroll + epilogue));
    SetNumber(section.length_slot(), done);
  }

  // Not inlined: its frame would be added to those of all enclosing sections.
  __attribute__((noinline)) void RunStep(uint32_t index) {
    const format::Step& step = steps_[index];
    const format::Arity arity = format::kArity[step.kind()];
    std::byte* pointers[format::kMaxOperands] = {};
    const bool is_copy = static_cast<format::Kind>(step.kind()) == format::Kind::copy;
    bool goes = !is_copy || Charge(WorkOfCopy(*model_.copy()->Get(step.param())));
    for (uint32_t i = 0; i < arity.operands() && goes; ++i) {
      if (IsAbsent(step, i)) continue;
      const uint32_t slot = operands_[step.first_operand() + i];
      pointers[i] = Address(slot);
      goes = Charge(slots_[slot].move_count() * kRunWork + (is_copy ? 0 : WorkOf(step, i)));
    }
    if (!goes) return;
    if (is_copy) return entries_[step.kind() - 1].run(model_, step.param(), pointers);
    uint64_t number = NumberOfStep(model_, step, run_);
    for (uint32_t i = 0; i < arity.inputs; ++i) {
      number = Mixed(number, IsAbsent(step, i) ? i : NumberOfRead(step, i, pointers[i]));
    }
    for (uint32_t i = arity.inputs; i < arity.operands(); ++i) {
      if (IsAbsent(step, i)) continue;
      NumberRuns(AccessOf(model_, step, i), number, uint64_t{i} << 40, pointers[i]);
    }
  }

  bool IsAbsent(const format::Step& step, uint32_t operand) const {
    return operands_[step.first_operand() + operand] == kNoSlot;
  }

  // In a hostile file the runs of bytes may overlap and have any count.
  __attribute__((noinline)) int64_t WorkOf(const format::Step& step, uint32_t operand) const {
    const StridedBytes access = AccessOf(model_, step, operand);
    const int64_t runs = access.RunCount();
    if (runs > kMaxWork || access.run_bytes > kMaxWork) return runs == 0 ? 0 : kMaxWork;
    return (access.run_bytes + kRunWork) * runs;
  }

  // A copy reads and writes as many elements as its dims have, including those with stride 0.
  static int64_t WorkOfCopy(const format::CopyParams& params) {
    uint64_t elements = 1;  // at most as many as fit into the slot of y
    for (uint32_t i = 0; i < params.rank(); ++i) elements *= params.dims()->Get(i);
    return static_cast<int64_t>(elements) * kCopyWork;
  }

  __attribute__((noinline)) uint64_t NumberOfRead(const format::Step& step, uint32_t operand,
                                                  const std::byte* from) {
    const uint32_t index = step.first_operand() + operand;
    const format::Slot& slot = slots_[operands_[index]];
    const bool is_constant = slot.region() == format::kWeightsRegion;
    const auto offset = static_cast<uint32_t>(OffsetOf(slot));
    uint64_t number;
    if (is_constant && constants_.Find(index, offset, &number)) return number;
    number = NumberOfRuns(AccessOf(model_, step, operand), from);
    if (is_constant) constants_.Keep(index, offset, number);
    return number;
  }

  const format::Model& model_;
  const StepEntry* const entries_;
  std::byte* const* const regions_;
  const Rows<format::Slot> slots_;
  const Rows<format::Move> moves_;
  const Rows<format::Section> sections_;
  const Rows<format::Step> steps_;
  const Rows<uint32_t> operands_;
  Constants constants_;
  uint32_t iterations_[format::kMaxSectionDepth] = {};
  uint32_t run_ = 0;
  uint64_t alternatives_ = 0;
  int64_t work_ = 0;
};

// Returns the text after the first `name` in `text`, or null if there is none.
const char* After(const char* text, const char* name) {
  for (; *text != 0; ++text) {
    uint32_t same = 0;
    while (name[same] != 0 && text[same] == name[same]) ++same;
    if (name[same] == 0) return text + same;
  }
  return nullptr;
}

}  // namespace

uint32_t StoredPlanNumber(const format::Model& model) {
  if (model.generator() == nullptr) return 0;
  const char* at = After(model.generator()->c_str(), kPlanNumberText);
  if (at == nullptr) return 0;
  uint32_t number = 0;
  for (uint32_t i = 0; i < kPlanNumberDigits; ++i) {
    const bool is_decimal = at[i] >= '0' && at[i] <= '9';
    if (!is_decimal && !(at[i] >= 'a' && at[i] <= 'f')) return 0;  // also at the end of the text
    number = number << 4 | static_cast<uint32_t>(is_decimal ? at[i] - '0' : at[i] - 'a' + 10);
  }
  return number;
}

uint32_t PlanNumber(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
                    Block table) {
  return Numbering(model, entries, regions, table).Number();
}

}  // namespace weft
