// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify.h"

#include "runtime/bind/bind.h"
#include "runtime/footprint/footprint.h"
#include "runtime/format/weight_copy.h"
#include "runtime/tables.h"

namespace weft {
namespace {

using footprint::Clip;
using format::kNoSlot;
using format::Rows;
using format::RowsOf;

constexpr uint32_t kMinRegions = format::kFirstScratchRegion + 1;
constexpr uint32_t kMaxRegions = format::kFirstScratchRegion + kMaxScratchRegions;

constexpr uint32_t Number(format::ElementType type) { return static_cast<uint32_t>(type); }

// Alignment of an element's address: its size, or 1 for packed types.
uint32_t ElementAlignment(format::ElementType type) {
  const uint32_t bits = format::BitsOf(type);
  return bits < 8 ? 1 : bits / 8;
}

Fault CheckIdentity(Bytes model) {
  constexpr uint32_t kMinBytes = 16;  // root offset, identifier, the smallest table
  const uintptr_t address = reinterpret_cast<uintptr_t>(model.data);
  if (model.data == nullptr || model.size < kMinBytes) {
    return {FaultCode::kModelShort, 0, 0, 0, Clip(model.size), kMinBytes};
  }
  if (model.size >= FLATBUFFERS_MAX_BUFFER_SIZE) return {FaultCode::kModelLong};
  if (address % kModelAlignment != 0) {
    const auto rest = static_cast<uint32_t>(address % kModelAlignment);
    return {FaultCode::kModelMisaligned, 0, 0, 0, rest, kModelAlignment};
  }
  // Compared letter by letter: FlatBuffers' own check calls strncmp, which firmware may lack.
  const char* letters = static_cast<const char*>(model.data) + sizeof(flatbuffers::uoffset_t);
  for (size_t i = 0; i < flatbuffers::kFileIdentifierLength; ++i) {
    if (letters[i] != format::ModelIdentifier()[i]) return {FaultCode::kModelForeign};
  }
  return {};
}

Fault CheckRegions(const format::Model& model) {
  const Rows<format::Region> regions = RowsOf(model.regions());
  if (regions.count < kMinRegions || regions.count > kMaxRegions) {
    const uint32_t must = regions.count < kMinRegions ? kMinRegions : kMaxRegions;
    return {FaultCode::kRegionCount, 0, 0, 0, regions.count, must};
  }
  for (uint32_t i = 0; i < regions.count; ++i) {
    const format::Region& region = regions[i];
    const uint32_t kind = i < format::kFirstScratchRegion ? i : format::kFirstScratchRegion;
    const uint32_t alignment = region.alignment_bytes();
    if (static_cast<uint32_t>(region.kind()) != kind) {
      return {FaultCode::kRegionKind, 0, 0, i, static_cast<uint32_t>(region.kind()), kind};
    }
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > kMemoryAlignment) {
      return {FaultCode::kRegionAlignment, 0, 0, i, alignment, kMemoryAlignment};
    }
    const uint32_t reserved = uint32_t{region.reserved0()} | region.reserved1();
    if (reserved != 0) return {FaultCode::kRegionReserved, 0, 0, i, reserved, 0};
  }
  const flatbuffers::Vector<uint8_t>* weights = model.weights();
  const uint32_t bytes = weights == nullptr ? 0 : weights->size();
  if (regions[0].bytes() != bytes) {
    return {FaultCode::kRegionBytes, 0, 0, 0, regions[0].bytes(), bytes};
  }
  const uintptr_t address = bytes == 0 ? 0 : reinterpret_cast<uintptr_t>(weights->data());
  const auto rest = static_cast<uint32_t>(address % format::kWeightsAlignment);
  if (rest != 0) return {FaultCode::kWeightsMisaligned, 0, 0, 0, rest, format::kWeightsAlignment};
  return {};
}

// The sections that contain the step being checked, outermost first. Run j below unroll is copy j
// of the body, run unroll + p - 1 is epilogue p.
struct Frame {
  uint32_t section;
  uint32_t run;
};

class Verifier {
 public:
  Verifier(const format::Model& model, StepTable table, FaultSink sink)
      : model_(model),
        table_(table),
        sink_(sink),
        regions_(RowsOf(model.regions())),
        slots_(RowsOf(model.slots())),
        moves_(RowsOf(model.moves())),
        steps_(RowsOf(model.steps())),
        operands_(RowsOf(model.operands())),
        sections_(RowsOf(model.sections())),
        marks_(RowsOf(model.marks())),
        dims_(RowsOf(model.dims())),
        names_(model.names() == nullptr ? 0 : model.names()->size()) {}

  Fault Verify() {
    CheckSlots();
    if (IsOver()) return first_;
    VerifyEachStep();
    if (IsOver()) return first_;
    CheckPorts(RowsOf(model_.inputs()), 0, true);
    CheckPorts(RowsOf(model_.outputs()), RowsOf(model_.inputs()).count, false);
    CheckVariables();
    CheckNames();
    return first_;
  }

 private:
  void Report(const Fault& fault) {
    if (first_.ok()) first_ = fault;
    if (sink_.report != nullptr) sink_.report(sink_.user, fault);
  }
  // Returns true if checking may stop: without a sink only the first error is returned.
  bool IsOver() const { return !first_.ok() && sink_.report == nullptr; }
  // Reports an error unless `holds`; returns `holds`. Inlined, so that there is no call if it
  // holds: for a valid file those calls were a third of the time.
  __attribute__((always_inline)) bool Require(bool holds, FaultCode code, uint32_t index,
                                              uint32_t is, uint32_t must) {
    return holds || Refuse(code, index, is, must);
  }
  __attribute__((noinline)) bool Refuse(FaultCode code, uint32_t index, uint32_t is,
                                        uint32_t must) {
    Report({code, 0, 0, index, is, must});
    return false;
  }

  void CheckSlots();
  void CheckSlot(uint32_t index);
  void CheckMovesOf(uint32_t index);
  void VerifyEachStep();
  void CheckStep(uint32_t step_index);
  bool Enter(uint32_t step_index);
  bool CheckMarks(uint32_t index, uint32_t step_index, uint32_t limit);
  void CheckTrips(uint32_t index);
  void CheckSectionSlots(uint32_t index);
  void CheckInnerSlots(uint32_t index);
  void SectionSlot(uint32_t index, uint32_t slot_index, format::ElementType type, bool written);
  bool CheckMoves(uint32_t slot_index, bool any_run, FaultCode code, FaultCode range_code,
                  uint32_t index);
  void CheckPorts(Rows<format::Port> ports, uint32_t first_index, bool inputs);
  void CheckPortLength(const format::Port& port, uint32_t index, bool input);
  void CheckVariables();
  void CheckNames();
  uint32_t Mark(uint32_t section, uint32_t run) const {
    return marks_[sections_[section].first_mark() + run];
  }
  // Returns the end of the run of the innermost section that is being checked.
  uint32_t RunEnd() const {
    const Frame& frame = stack_[depth_ - 1];
    return Mark(frame.section, frame.run + 1);
  }

  const format::Model& model_;
  const StepTable table_;
  const FaultSink sink_;
  Fault first_;
  const Rows<format::Region> regions_;
  const Rows<format::Slot> slots_;
  const Rows<format::Move> moves_;
  const Rows<format::Step> steps_;
  const Rows<uint32_t> operands_;
  const Rows<format::Section> sections_;
  const Rows<uint32_t> marks_;
  const Rows<uint32_t> dims_;
  const uint32_t names_;
  Frame stack_[format::kMaxSectionDepth] = {};
  uint32_t depth_ = 0;
  uint32_t next_section_ = 0;
  uint32_t port_names_ = 0;  // of all earlier ports
};

void Verifier::CheckSlots() {
  for (uint32_t i = 0; i < slots_.count; ++i) CheckSlot(i);
  for (uint32_t i = 0; i < moves_.count; ++i) {
    const uint32_t section = moves_[i].section();
    Require(section < sections_.count, FaultCode::kMoveSection, i, section, sections_.count);
  }
}

void Verifier::CheckSlot(uint32_t index) {
  const format::Slot& slot = slots_[index];
  const uint32_t type = Number(slot.type());
  if (Require(slot.rank() <= kMaxRank, FaultCode::kSlotRank, index, slot.rank(), kMaxRank)) {
    const uint64_t dims_end = uint64_t{slot.first_dim()} + slot.rank();
    Require(dims_end <= dims_.count, FaultCode::kSlotDims, index, Clip(dims_end), dims_.count);
  }
  const uint64_t moves_end = uint64_t{slot.first_move()} + slot.move_count();
  const bool moves_exist = Require(moves_end <= moves_.count, FaultCode::kSlotMoves, index,
                                   Clip(moves_end), moves_.count);
  if (moves_exist) CheckMovesOf(index);
  const bool type_exists = Require(type < format::kElementTypeCount, FaultCode::kSlotType, index,
                                   type, format::kElementTypeCount);
  if (!Require(slot.region() < regions_.count, FaultCode::kSlotRegion, index, slot.region(),
               regions_.count)) {
    return;
  }
  const format::Region& region = regions_[slot.region()];
  const uint64_t end = uint64_t{slot.offset_bytes()} + slot.bytes();
  Require(end <= region.bytes(), FaultCode::kSlotRange, index, Clip(end), region.bytes());
  if (!type_exists || !moves_exist) return;
  uint32_t bits = slot.offset_bytes() | region.alignment_bytes();
  for (uint32_t i = 0; i < slot.move_count(); ++i) {
    bits |= static_cast<uint32_t>(moves_[slot.first_move() + i].stride_bytes());
  }
  const uint32_t alignment = bits & (0u - bits);
  const uint32_t must = ElementAlignment(slot.type());
  Require(alignment >= must, FaultCode::kSlotAlignment, index, alignment, must);
}

// A slot has at most one move for each section that can contain a step, outermost first. This
// bounds the cost of a step in Open and in Run.
void Verifier::CheckMovesOf(uint32_t index) {
  const format::Slot& slot = slots_[index];
  const uint32_t count = slot.move_count();
  bool sound = Require(count <= format::kMaxSectionDepth, FaultCode::kSlotMoveCount, index, count,
                       format::kMaxSectionDepth);
  const format::Move* moves = moves_.data + slot.first_move();
  for (uint32_t i = 1; sound && i < count; ++i) {
    const uint32_t before = moves[i - 1].section();
    const uint32_t section = moves[i].section();
    sound = Require(before < section, FaultCode::kSlotMoveOrder, index, section, before);
  }
}

void Verifier::VerifyEachStep() {
  for (uint32_t step = 0;; ++step) {
    while (depth_ > 0 && RunEnd() == step) {
      Frame& frame = stack_[depth_ - 1];
      const uint32_t run_count = 2u * sections_[frame.section].unroll() - 1;
      if (++frame.run == run_count) --depth_;
    }
    if (step == steps_.count) break;
    if (steps_[step].kind() != 0) {
      CheckStep(step);
    } else if (!Enter(step)) {
      return;
    }
  }
  Require(next_section_ == sections_.count, FaultCode::kSectionOrphan, next_section_, 0, 0);
}

void Verifier::CheckStep(uint32_t step_index) {
  const format::Step& step = steps_[step_index];
  const uint32_t kind = step.kind();
  if (!Require(kind < format::kKindCount, FaultCode::kStepKind, step_index, kind,
               format::kKindCount)) {
    return;
  }
  constexpr uint16_t kLast = static_cast<uint16_t>(format::Reason::MAX);
  Require(step.reason() <= kLast, FaultCode::kStepReserved, step_index, step.reason(), kLast);
  if (kind > table_.count || table_.entries[kind - 1].check == nullptr) {
    return Report({FaultCode::kStepAbsent, static_cast<uint8_t>(kind), 0, step_index, 0, 0});
  }
  // Checked before the rules of the kind, so that a slot that leaves its region is not reported as
  // an overlap.
  const uint32_t count = format::kArity[kind].operands();
  const bool exist = uint64_t{step.first_operand()} + count <= operands_.count;
  for (uint32_t i = 0; exist && i < count; ++i) {
    const uint32_t slot = operands_[step.first_operand() + i];
    if (slot >= slots_.count || slots_[slot].move_count() == 0) continue;
    if (!CheckMoves(slot, false, FaultCode::kOperandMove, FaultCode::kOperandMoveRange,
                    step_index)) {
      return;
    }
  }
  const Fault fault = table_.entries[kind - 1].check(model_, step_index);
  if (!fault.ok()) Report(fault);
}

// The slot's moves must belong to sections that contain the current step, and the slot must be
// inside its region in every iteration that reaches the step. CheckSlot checks slots without moves.
// With any_run the innermost section may be in any iteration.
bool Verifier::CheckMoves(uint32_t slot_index, bool any_run, FaultCode code, FaultCode range_code,
                          uint32_t index) {
  constexpr int64_t kFarthest = int64_t{1} << 33;  // beyond any region; keeps the sums small
  const format::Slot& slot = slots_[slot_index];
  const uint64_t moves_end = uint64_t{slot.first_move()} + slot.move_count();
  if (moves_end > moves_.count || slot.region() >= regions_.count)
    return true;  // reported with its table
  int64_t low = slot.offset_bytes();
  int64_t high = int64_t{slot.offset_bytes()} + slot.bytes();
  for (uint32_t i = 0; i < slot.move_count(); ++i) {
    const format::Move& move = moves_[slot.first_move() + i];
    if (move.section() >= sections_.count) return true;  // reported with its table
    const format::Section& section = sections_[move.section()];
    const uint32_t level = section.depth();
    const bool around = level < depth_ && stack_[level].section == move.section();
    const bool any = any_run && level + 1 == depth_;
    const uint32_t run = around && !any ? stack_[level].run : 0;
    // Epilogues belong to no iteration, so no slot moves there.
    if (!Require(around && run < section.unroll(), code, index, slot_index, move.section()))
      return false;
    uint32_t last = section.max_trips() - 1;
    if (run > last) return true;  // this copy of the body is never reached
    if (!any) last -= (last - run) % section.unroll();
    const int64_t from = int64_t{run} * move.stride_bytes();
    const int64_t to = int64_t{last} * move.stride_bytes();
    const bool overlap =
        from <= kFarthest && from >= -kFarthest && to <= kFarthest && to >= -kFarthest;
    if (!Require(overlap, range_code, index, slot_index, regions_[slot.region()].bytes()))
      return false;
    low += from < to ? from : to;
    high += from < to ? to : from;
  }
  return Require(low >= 0 && high <= regions_[slot.region()].bytes(), range_code, index, slot_index,
                 regions_[slot.region()].bytes());
}

// Returns false if the steps after this one can no longer be attributed to sections.
bool Verifier::Enter(uint32_t step_index) {
  const format::Step& step = steps_[step_index];
  const uint32_t index = step.param();
  Require(step.reason() == 0 && step.first_operand() == 0, FaultCode::kStepReserved, step_index,
          step.first_operand() | step.reason(), 0);
  if (!Require(index < sections_.count, FaultCode::kStepParam, step_index, index,
               sections_.count) ||
      !Require(index == next_section_, FaultCode::kSectionOrder, step_index, index,
               next_section_) ||
      !Require(depth_ < format::kMaxSectionDepth, FaultCode::kSectionTooDeep, index, depth_,
               format::kMaxSectionDepth)) {
    return false;
  }
  const format::Section& section = sections_[index];
  const uint32_t limit = depth_ == 0 ? steps_.count : RunEnd();
  if (!Require(section.depth() == depth_, FaultCode::kSectionDepth, index, section.depth(),
               depth_) ||
      !Require(section.unroll() >= 1, FaultCode::kSectionUnroll, index, section.unroll(), 1) ||
      !Require(section.max_trips() >= 1, FaultCode::kSectionMaximum, index, section.max_trips(),
               1) ||
      !CheckMarks(index, step_index, limit)) {
    return false;
  }
  Require(section.reserved() == 0, FaultCode::kSectionReserved, index, section.reserved(), 0);
  CheckTrips(index);
  CheckSectionSlots(index);
  ++next_section_;
  stack_[depth_++] = {index, 0};
  CheckInnerSlots(index);
  return true;
}

bool Verifier::CheckMarks(uint32_t index, uint32_t step_index, uint32_t limit) {
  const format::Section& section = sections_[index];
  const uint32_t mark_count = 2u * section.unroll();
  const uint64_t marks_end = uint64_t{section.first_mark()} + mark_count;
  if (!Require(marks_end <= marks_.count, FaultCode::kSectionMarks, index, Clip(marks_end),
               marks_.count) ||
      !Require(Mark(index, 0) == step_index + 1, FaultCode::kSectionStart, index, Mark(index, 0),
               step_index + 1)) {
    return false;
  }
  for (uint32_t i = 1; i < mark_count; ++i) {
    const uint32_t start = Mark(index, i - 1);
    const uint32_t end = Mark(index, i);
    if (!Require(end >= start, FaultCode::kSectionRun, index, end, start)) return false;
  }
  const uint32_t end = Mark(index, mark_count - 1);
  return Require(end <= limit, FaultCode::kSectionEnd, index, end, limit);
}

void Verifier::CheckTrips(uint32_t index) {
  const format::Section& section = sections_[index];
  const uint32_t count = section.trip_count();
  if (section.trip_slot() != kNoSlot) {
    Require(count == format::kNoLimit, FaultCode::kSectionTwoCounts, index, count,
            format::kNoLimit);
  } else if (count == format::kNoLimit) {
    Require(section.body_condition_slot() != kNoSlot, FaultCode::kSectionEndless, index, count, 0);
  } else {
    Require(count <= section.max_trips(), FaultCode::kSectionTrips, index, count,
            section.max_trips());
  }
  const bool conditional = section.first_condition_slot() != kNoSlot;
  Require(section.runs_when() == 1 || (section.runs_when() == 0 && conditional),
          FaultCode::kSectionRunsWhen, index, section.runs_when(), 1);
}

// Checks the slots that are read or written outside the section's own iterations.
void Verifier::CheckSectionSlots(uint32_t index) {
  const format::Section& section = sections_[index];
  const uint32_t slots[] = {section.trip_slot(), section.first_condition_slot(),
                            section.length_slot()};
  SectionSlot(index, slots[0], format::ElementType::i64, false);
  SectionSlot(index, slots[1], format::ElementType::boolean, false);
  SectionSlot(index, slots[2], format::ElementType::i32, true);
  for (const uint32_t slot : slots) {
    if (slot >= slots_.count) continue;
    CheckMoves(slot, false, FaultCode::kSectionMove, FaultCode::kSectionMoveRange, index);
  }
}

// Checks the slots that belong to one iteration, which may move with the section.
void Verifier::CheckInnerSlots(uint32_t index) {
  const format::Section& section = sections_[index];
  const uint32_t slots[] = {section.body_condition_slot(), section.iteration_slot()};
  SectionSlot(index, slots[0], format::ElementType::boolean, false);
  SectionSlot(index, slots[1], format::ElementType::i64, true);
  for (const uint32_t slot : slots) {
    if (slot >= slots_.count) continue;
    CheckMoves(slot, true, FaultCode::kSectionMove, FaultCode::kSectionMoveRange, index);
  }
}

// Checks one slot of a section. Type i64 means a count, which may also be i32.
void Verifier::SectionSlot(uint32_t index, uint32_t slot_index, format::ElementType type,
                           bool written) {
  if (slot_index == kNoSlot) return;
  if (!Require(slot_index < slots_.count, FaultCode::kSectionSlot, index, slot_index,
               slots_.count)) {
    return;
  }
  const format::Slot& slot = slots_[slot_index];
  const format::ElementType narrow =
      type == format::ElementType::i64 ? format::ElementType::i32 : type;
  Require(slot.type() == type || slot.type() == narrow, FaultCode::kSectionSlotType, index,
          Number(slot.type()), Number(narrow));
  const uint32_t bytes = ElementAlignment(slot.type());
  Require(slot.bytes() >= bytes, FaultCode::kSectionSlotBytes, index, slot.bytes(), bytes);
  Require(!written || slot.region() != format::kWeightsRegion, FaultCode::kSectionSlotConstant,
          index, slot_index, 0);
}

// A search by name visits the names of all ports, so all ports together have at most as many names
// as the file.
void Verifier::CheckPorts(Rows<format::Port> ports, uint32_t first_index, bool inputs) {
  for (uint32_t i = 0; i < ports.count; ++i) {
    const format::Port& port = ports[i];
    const uint32_t index = first_index + i;
    Require(port.reserved() == 0, FaultCode::kPortReserved, index, port.reserved(), 0);
    const uint64_t names_end = uint64_t{port.first_name()} + port.name_count();
    Require(port.name_count() == 0 || names_end <= names_, FaultCode::kPortNames, index,
            Clip(names_end), names_);
    const uint32_t names_left = names_ - port_names_;
    const bool has_room = Require(port.name_count() <= names_left, FaultCode::kPortNameCount, index,
                                  port.name_count(), names_left);
    if (has_room) port_names_ += port.name_count();
    if (!Require(port.slot() < slots_.count, FaultCode::kPortSlot, index, port.slot(),
                 slots_.count)) {
      continue;
    }
    const format::Slot& slot = slots_[port.slot()];
    Require(slot.move_count() == 0, FaultCode::kPortMoves, index, slot.move_count(), 0);
    Require(!inputs || slot.region() != format::kWeightsRegion, FaultCode::kPortConstant, index,
            slot.region(), 0);
    if (slot.rank() > kMaxRank || uint64_t{slot.first_dim()} + slot.rank() > dims_.count) continue;
    const uint32_t elements = footprint::CountOf(slot.rank(), dims_.data + slot.first_dim());
    const uint64_t bytes = (uint64_t{elements} * format::BitsOf(slot.type()) + 7) / 8;
    Require(slot.bytes() == bytes && elements != footprint::kOutOfReach, FaultCode::kPortBytes,
            index, slot.bytes(), Clip(bytes));
    CheckPortLength(port, index, inputs);
  }
}

void Verifier::CheckPortLength(const format::Port& port, uint32_t index, bool input) {
  const uint32_t axis = port.length_axis();
  if (port.length_slot() == kNoSlot) {
    Require(axis == 0, FaultCode::kPortLengthAxis, index, axis, 0);
    return;
  }
  if (!Require(port.length_slot() < slots_.count && !input, FaultCode::kPortLength, index,
               port.length_slot(), input ? 0 : slots_.count)) {
    return;
  }
  const format::Slot& length = slots_[port.length_slot()];
  const bool plain = length.type() == format::ElementType::i32 && length.bytes() >= 4 &&
                     length.move_count() == 0 && length.region() != format::kWeightsRegion;
  Require(plain, FaultCode::kPortLengthType, index, Number(length.type()),
          Number(format::ElementType::i32));
  const uint32_t rank = slots_[port.slot()].rank();
  Require(axis < rank, FaultCode::kPortLengthAxis, index, axis, rank);
}

// All variables in the state together are at most as large as the state, and all copies of weights
// as the weights. This bounds the time of Reset.
void Verifier::CheckVariables() {
  const Rows<format::Variable> variables = RowsOf(model_.variables());
  uint32_t state_left = regions_[format::kStateRegion].bytes();
  uint32_t copies_left = regions_[format::kWeightsRegion].bytes();
  for (uint32_t i = 0; i < variables.count; ++i) {
    const format::Variable& variable = variables[i];
    const uint32_t name = variable.first_name();
    const uint32_t initial_index = variable.initial_slot();
    Require(name < names_ || name == kNoSlot, FaultCode::kVariableName, i, name, names_);
    if (!Require(variable.slot() < slots_.count, FaultCode::kVariableSlot, i, variable.slot(),
                 slots_.count)) {
      continue;
    }
    const format::Slot& slot = slots_[variable.slot()];
    Require(slot.move_count() == 0, FaultCode::kVariableMoves, i, 0, 0);
    const bool is_copy = format::IsWeightCopy(variable, slot);
    Require(is_copy || slot.region() == format::kStateRegion, FaultCode::kVariableRegion, i,
            slot.region(), format::kStateRegion);
    uint32_t& left = is_copy ? copies_left : state_left;
    if (Require(slot.bytes() <= left, FaultCode::kVariableBytes, i, slot.bytes(), left)) {
      left -= slot.bytes();
    }
    if (initial_index == kNoSlot) continue;
    if (!Require(initial_index < slots_.count, FaultCode::kVariableInitial, i, initial_index,
                 slots_.count)) {
      continue;
    }
    const format::Slot& initial = slots_[initial_index];
    Require(initial.move_count() == 0, FaultCode::kVariableMoves, i, 0, 0);
    Require(initial.region() == format::kWeightsRegion, FaultCode::kVariableInitialRegion, i,
            initial.region(), format::kWeightsRegion);
    Require(initial.bytes() == slot.bytes(), FaultCode::kVariableInitialBytes, i, initial.bytes(),
            slot.bytes());
  }
}

void Verifier::CheckNames() {
  const Rows<uint32_t> step_names = RowsOf(model_.step_names());
  const Rows<uint32_t> buffers = RowsOf(model_.slot_buffers());
  Require(step_names.count == 0 || step_names.count == steps_.count, FaultCode::kStepNameCount, 0,
          step_names.count, steps_.count);
  for (uint32_t i = 0; i < step_names.count; ++i) {
    Require(step_names[i] < names_ || step_names[i] == kNoSlot, FaultCode::kStepName, i,
            step_names[i], names_);
  }
  Require(buffers.count == 0 || buffers.count == slots_.count, FaultCode::kBufferCount, 0,
          buffers.count, slots_.count);
}

}  // namespace

Fault VerifyHeader(Bytes model, const format::Model** root) {
  const format::Model* found = nullptr;
  Fault fault = CheckIdentity(model);
  if (fault.ok()) fault = VerifyTables(model, &found);
  if (fault.ok()) fault = CheckRegions(*found);
  if (fault.ok()) *root = found;
  return fault;
}

Fault VerifyListing(const format::Model& model, StepTable steps, FaultSink sink) {
  return Verifier(model, steps, sink).Verify();
}

Fault VerifyAll(Bytes model, StepTable steps, FaultSink sink) {
  const format::Model* root = nullptr;
  const Fault fault = VerifyHeader(model, &root);
  if (fault.ok()) return VerifyListing(*root, steps, sink);
  if (sink.report != nullptr) sink.report(sink.user, fault);
  return fault;
}

}  // namespace weft
