// SPDX-License-Identifier: Apache-2.0
// Builds small models by hand, for tests of the runtime only. Slots are placed explicitly or one
// after the other; steps are in the order in which they are added; a section has the steps between
// Enter and Leave. Nothing is checked, because tests also build invalid files. Finish returns the
// file in a heap block of exactly its size, so that a sanitizer detects every read after its end.
#ifndef WEFT_TESTS_RUNTIME_LISTING_BUILDER_H_
#define WEFT_TESTS_RUNTIME_LISTING_BUILDER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/runtime/exact_bytes.h"

namespace weft::test {

using SlotIndex = uint32_t;
using format::ElementType;
using format::kNoSlot;

inline constexpr ElementType kF32 = ElementType::f32;
inline constexpr ElementType kI32 = ElementType::i32;

// The fields of format::Section that a test sets; the rest follows from Enter and Leave.
struct SectionSpec {
  uint32_t trip_count = format::kNoLimit;
  uint32_t max_trips = 1;
  uint8_t unroll = 1;
  SlotIndex trip = kNoSlot;
  SlotIndex first_condition = kNoSlot;
  SlotIndex body_condition = kNoSlot;
  SlotIndex iteration = kNoSlot;
  SlotIndex length = kNoSlot;
  uint8_t runs_when = 1;
};

inline format::Activation Activate(format::UnaryOp op, float alpha = 0, float beta = 0,
                                   float clip = 0) {
  return format::Activation(alpha, beta, clip, op, 0, 0);
}

class ListingBuilder {
 public:
  struct MoveSpec {
    uint32_t section;
    int32_t stride_bytes;
  };

  // A slot of `dims` after all others of its region, at a multiple of 8.
  SlotIndex Position(uint32_t region, ElementType type, const std::vector<uint32_t>& slot_dims) {
    uint64_t bits = format::BitsOf(type);
    for (uint32_t dim : slot_dims) bits *= dim;
    const uint32_t bytes = static_cast<uint32_t>((bits + 7) / 8);
    const uint32_t offset = (region_bytes[region] + 7) / 8 * 8;
    return PositionAt(region, offset, bytes, type, slot_dims);
  }
  SlotIndex PositionAt(uint32_t region, uint32_t offset, uint32_t bytes, ElementType type,
                       const std::vector<uint32_t>& slot_dims,
                       const std::vector<MoveSpec>& way = {}) {
    if (region_bytes[region] < offset + bytes) region_bytes[region] = offset + bytes;
    const uint32_t first_dim = static_cast<uint32_t>(dims.size());
    const uint32_t first_move = static_cast<uint32_t>(moves.size());
    dims.insert(dims.end(), slot_dims.begin(), slot_dims.end());
    for (const MoveSpec& move : way) moves.emplace_back(move.section, move.stride_bytes);
    slots.emplace_back(offset, bytes, first_dim, first_move, static_cast<uint8_t>(region), type,
                       static_cast<uint8_t>(slot_dims.size()), static_cast<uint8_t>(way.size()));
    return static_cast<SlotIndex>(slots.size() - 1);
  }
  SlotIndex Scratch(ElementType type, const std::vector<uint32_t>& slot_dims) {
    return Position(2, type, slot_dims);
  }
  SlotIndex State(ElementType type, const std::vector<uint32_t>& slot_dims) {
    return Position(1, type, slot_dims);
  }
  template <typename T>
  SlotIndex Weights(ElementType type, const std::vector<T>& values) {
    const SlotIndex slot = Position(0, type, {static_cast<uint32_t>(values.size())});
    weights.resize(region_bytes[0]);
    std::memcpy(weights.data() + slots[slot].offset_bytes(), values.data(),
                values.size() * sizeof(T));
    return slot;
  }
  // Part of `of` that starts `offset` bytes into it and moves.
  SlotIndex Part(SlotIndex of, uint32_t offset, uint32_t bytes, const std::vector<MoveSpec>& way) {
    const format::Slot whole = slots[of];
    return PositionAt(whole.region(), whole.offset_bytes() + offset, bytes, whole.type(), {}, way);
  }

  template <typename Params>
  uint32_t Step(format::Kind kind, const Params& row, const std::vector<SlotIndex>& slot_indices) {
    std::vector<Params>& rows = Rows(static_cast<const Params*>(nullptr));
    rows.push_back(row);
    steps.emplace_back(static_cast<uint16_t>(kind), 0, static_cast<uint32_t>(rows.size() - 1),
                       static_cast<uint32_t>(operands.size()));
    operands.insert(operands.end(), slot_indices.begin(), slot_indices.end());
    return static_cast<uint32_t>(steps.size() - 1);
  }
  // y = op(x), as many f32 elements as y's slot holds.
  uint32_t Unary(format::UnaryOp op, SlotIndex x, SlotIndex y) {
    return Step(format::Kind::unary,
                format::UnaryParams(slots[y].bytes() / 4, Activate(op), ElementType::f32, 0, 0),
                {x, y});
  }
  // y = a op b over equal f32 vectors.
  uint32_t Binary(format::BinaryOp op, SlotIndex a, SlotIndex b, SlotIndex y,
                  ElementType type = ElementType::f32) {
    const uint32_t count = slots[y].bytes() * 8 / format::BitsOf(type);
    const uint32_t vector_dims[8] = {count};
    const uint32_t strides[8] = {1};
    return Step(format::Kind::binary,
                format::BinaryParams(1, vector_dims, strides, strides, op, type, 0), {a, b, y});
  }
  uint32_t Compare(format::CompareOp op, SlotIndex a, SlotIndex b, SlotIndex y, ElementType type) {
    const uint32_t vector_dims[8] = {slots[y].bytes()};
    const uint32_t strides[8] = {1};
    return Step(format::Kind::compare,
                format::CompareParams(1, vector_dims, strides, strides, op, type, 0), {a, b, y});
  }
  // Moves all bytes of y from the start of x, as elements of 4 bytes.
  uint32_t Copy(SlotIndex x, SlotIndex y) {
    const uint32_t vector_dims[8] = {slots[y].bytes() / 4};
    const int32_t strides[8] = {1};
    return Step(format::Kind::copy, format::CopyParams(1, vector_dims, strides, strides, 0, 0, 4),
                {x, y});
  }
  uint32_t Fill(SlotIndex y, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return Step(format::Kind::fill, format::FillParams(slots[y].bytes() / 4, 4, bits, 0), {y});
  }

  // The index that the next Enter will return; for moves of slots that are placed before it.
  uint32_t NextSection() const { return static_cast<uint32_t>(sections.size()); }
  uint32_t Enter(const SectionSpec& spec) {
    const uint32_t index = NextSection();
    steps.emplace_back(0, 0, index, 0);
    sections.emplace_back(0, spec.trip_count, spec.trip, spec.max_trips, spec.first_condition,
                          spec.body_condition, spec.iteration, spec.length,
                          static_cast<uint8_t>(open_.size()), spec.unroll, spec.runs_when, 0);
    section_marks.emplace_back();
    open_.push_back(index);
    NextRun();
    return index;
  }
  // Ends a copy of the body, or an epilogue, of the innermost open section.
  void NextRun() { section_marks[open_.back()].push_back(static_cast<uint32_t>(steps.size())); }
  void Leave() {
    NextRun();
    open_.pop_back();
  }

  void Input(SlotIndex slot, const std::vector<std::string>& port_names) {
    inputs.push_back(PortOf(slot, port_names, 0, kNoSlot));
  }
  void Output(SlotIndex slot, const std::vector<std::string>& port_names, uint8_t length_axis = 0,
              SlotIndex length = kNoSlot) {
    outputs.push_back(PortOf(slot, port_names, length_axis, length));
  }
  void Variable(SlotIndex slot, SlotIndex initial = kNoSlot) {
    variables.emplace_back(slot, initial, kNoSlot);
  }

  ExactBytes Finish() {
    flatbuffers::FlatBufferBuilder fbb;
    fbb.ForceDefaults(true);
    std::vector<uint32_t> marks = JoinMarks();
    if (edit_sections != nullptr) edit_sections(sections, marks);
    weights.resize(region_bytes[0]);
    std::vector<format::Region> regions;
    for (size_t i = 0; i < region_bytes.size(); ++i) {
      const format::RegionKind kind = static_cast<format::RegionKind>(i < 2 ? i : 2);
      regions.emplace_back(region_bytes[i], region_alignment, kind, 0, 0);
    }
    if (edit_regions != nullptr) edit_regions(regions);
    const auto self_test_at = SelfTestAt(fbb);  // before the weights, so that it ends the file
    fbb.ForceVectorAlignment(weights.size(), 1, 64);
    const auto weights_at = fbb.CreateVector(weights);
    flatbuffers::Offset<flatbuffers::String> generator_at;
    if (!generator.empty()) generator_at = fbb.CreateString(generator);
    const auto regions_at = fbb.CreateVectorOfStructs(regions);
    const auto slots_at = fbb.CreateVectorOfStructs(slots);
    const auto dims_at = fbb.CreateVector(dims);
    const auto moves_at = fbb.CreateVectorOfStructs(moves);
    const auto steps_at = fbb.CreateVectorOfStructs(steps);
    const auto operands_at = fbb.CreateVector(operands);
    const auto sections_at = fbb.CreateVectorOfStructs(sections);
    const auto marks_at = fbb.CreateVector(marks);
    const auto inputs_at = fbb.CreateVectorOfStructs(inputs);
    const auto outputs_at = fbb.CreateVectorOfStructs(outputs);
    const auto variables_at = fbb.CreateVectorOfStructs(variables);
    const auto names_at = fbb.CreateVectorOfStrings(names);
    const auto step_names_at = fbb.CreateVector(step_names);
    const auto buffers_at = fbb.CreateVector(slot_buffers);
#define WEFT_STEP(name, ...) const auto name##_at = fbb.CreateVectorOfStructs(name##_rows);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    format::ModelBuilder model(fbb);
    model.add_format_version(format_version);
    model.add_checksum(checksum);
    model.add_generator(generator_at);
    model.add_regions(regions_at);
    model.add_slots(slots_at);
    model.add_dims(dims_at);
    model.add_moves(moves_at);
    model.add_steps(steps_at);
    model.add_operands(operands_at);
    model.add_sections(sections_at);
    model.add_marks(marks_at);
    model.add_inputs(inputs_at);
    model.add_outputs(outputs_at);
    model.add_variables(variables_at);
    model.add_names(names_at);
    model.add_step_names(step_names_at);
    model.add_slot_buffers(buffers_at);
#define WEFT_STEP(name, ...) model.add_##name(name##_at);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    model.add_weights(weights_at);
    model.add_self_test(self_test_at);
    format::FinishModelBuffer(fbb, model.Finish());
    ExactBytes file(fbb.GetSize());
    std::memcpy(file.data(), fbb.GetBufferPointer(), fbb.GetSize());
    return file;
  }

  // All content of the file, which tests may change.
  uint32_t format_version = kFormatVersion;
  uint64_t checksum = 0;
  std::string generator;
  uint32_t region_alignment = 64;
  std::vector<uint32_t> region_bytes = {0, 0, 0};
  std::vector<format::Slot> slots;
  std::vector<uint32_t> dims;
  std::vector<format::Move> moves;
  std::vector<format::Step> steps;
  std::vector<uint32_t> operands;
  std::vector<format::Section> sections;
  std::vector<std::vector<uint32_t>> section_marks;
  std::vector<format::Port> inputs, outputs;
  std::vector<format::Variable> variables;
  std::vector<std::string> names;
  std::vector<uint32_t> step_names, slot_buffers;
  std::vector<uint8_t> weights;
  std::optional<format::SelfTest> self_test;
  std::vector<uint8_t> self_test_data;  // after the SelfTest
  void (*edit_sections)(std::vector<format::Section>&, std::vector<uint32_t>&) = nullptr;
  void (*edit_regions)(std::vector<format::Region>&) = nullptr;

#define WEFT_STEP(name, Name, ...) std::vector<format::Name##Params> name##_rows;
#include "runtime/format/ops.inc"
#undef WEFT_STEP

 private:
#define WEFT_STEP(name, Name, ...) \
  std::vector<format::Name##Params>& Rows(const format::Name##Params*) { return name##_rows; }
#include "runtime/format/ops.inc"
#undef WEFT_STEP

  // Concatenates the sections' marks and sets each section's first mark.
  std::vector<uint32_t> JoinMarks() {
    std::vector<uint32_t> marks;
    for (size_t i = 0; i < sections.size(); ++i) {
      const format::Section s = sections[i];
      sections[i] = format::Section(static_cast<uint32_t>(marks.size()), s.trip_count(),
                                    s.trip_slot(), s.max_trips(), s.first_condition_slot(),
                                    s.body_condition_slot(), s.iteration_slot(), s.length_slot(),
                                    s.depth(), s.unroll(), s.runs_when(), s.reserved());
      marks.insert(marks.end(), section_marks[i].begin(), section_marks[i].end());
    }
    return marks;
  }

  // The SelfTest and the data after it; empty without a self test.
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> SelfTestAt(
      flatbuffers::FlatBufferBuilder& fbb) const {
    if (!self_test) return {};
    std::vector<uint8_t> bytes(sizeof(format::SelfTest) + self_test_data.size());
    std::memcpy(bytes.data(), &*self_test, sizeof(format::SelfTest));
    std::copy(self_test_data.begin(), self_test_data.end(),
              bytes.begin() + sizeof(format::SelfTest));
    return fbb.CreateVector(bytes);
  }

  format::Port PortOf(SlotIndex slot, const std::vector<std::string>& port_names,
                      uint8_t length_axis, SlotIndex length) {
    const uint32_t first_name = static_cast<uint32_t>(names.size());
    names.insert(names.end(), port_names.begin(), port_names.end());
    return format::Port(slot, first_name, static_cast<uint16_t>(port_names.size()), length_axis, 0,
                        length);
  }

  std::vector<uint32_t> open_;
};

// A model with exactly the memory that it requires.
struct Loaded {
  explicit Loaded(ExactBytes file, StepTable table = AllSteps()) : model(std::move(file)) {
    Needs needs;
    fault = ReadNeeds(model.bytes(), &needs);
    if (!fault.ok()) return;
    state = ExactBytes(needs.state_bytes);
    scratch = ExactBytes(needs.scratch_bytes);
    fault = Engine::Open(model.bytes(), table, {state.block(), scratch.block()}, &engine);
  }
  std::string Text() const { return TextOf(fault); }
  static std::string TextOf(const Fault& fault) {
    char text[256];
    return std::string(text, Describe(fault, text, sizeof(text)));
  }
  float* in(uint32_t port) const { return engine.input(port).as<float>(); }
  const float* out(uint32_t port) const { return engine.output(port).as<float>(); }

  ExactBytes model, state, scratch;
  Engine engine;
  Fault fault;
};

// Returns the model in a file that Finish returned.
inline const format::Model& ModelOf(const ExactBytes& file) {
  return *format::GetModel(file.data());
}

}  // namespace weft::test

#endif  // WEFT_TESTS_RUNTIME_LISTING_BUILDER_H_
