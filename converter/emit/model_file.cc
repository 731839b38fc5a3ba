// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/emit/self_test.h"
#include "converter/plan/arena.h"
#include "converter/plan/regions.h"
#include "runtime/weft.h"

namespace weft::emit {

namespace {

using plan::kNone;
using plan::Program;
using plan::ValueId;

constexpr int64_t kWeightsAlignment = 64;  // a cache line, and a panel of 16 floats
constexpr int64_t kScratchAlignment = 16;
constexpr uint32_t kNoSlot = 0xFFFFFFFFu;
constexpr int64_t kLimit = INT32_MAX;  // flatbuffer offsets are 31 bits

int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Walks the program once and appends to the vectors of the file.
class Writer {
 public:
  Writer(const Program& program, const FileOptions& options)
      : program_(program), options_(options) {
    PlaceScratch();
    PlaceState();
  }

  // False after a fault: one line for each sum that is beyond the format.
  bool Write(Faults& faults) {
    if (file.scratch_bytes > kLimit || file.slow_scratch_bytes > kLimit ||
        file.state_bytes > kLimit) {
      faults.Add(fmt::format("plan: scratch needs {} bytes and state {}; each must be below {}",
                             file.scratch_bytes + file.slow_scratch_bytes, file.state_bytes,
                             kLimit));
      return false;
    }
    section_index_.assign(program_.sections.size(), kNone);
    NumberSections(program_.main);
    WriteBlock(program_.main, 0);
    for (const plan::Port& port : program_.inputs) inputs_.push_back(WritePort(port));
    for (const plan::Port& port : program_.outputs) outputs_.push_back(WritePort(port));
    WriteVariables();
    if (weights_bytes_ + ListingBytes() <= kLimit) return true;
    faults.Add(fmt::format("plan: weights need {} bytes and the listing {}; must be below {}",
                           weights_bytes_, ListingBytes(), kLimit));
    return false;
  }

  std::vector<std::byte> Finish(const std::vector<std::byte>& self_test);
  ModelFile file;

 private:
  void PlaceScratch() {
    const std::vector<plan::Interval> intervals = plan::Liveness(program_);
    const plan::Arena arena = plan::PlaceGreedily(intervals, kScratchAlignment);
    file.scratch_bound_bytes = arena.bound_bytes;
    if (options_.fast_bytes) return PlaceInTwo(intervals);
    for (size_t i = 0; i < intervals.size(); ++i) offsets_[intervals[i].root] = arena.offsets[i];
    file.scratch_bytes = arena.bytes;
  }

  void PlaceInTwo(const std::vector<plan::Interval>& intervals) {
    const plan::TwoArenas placed = plan::PlaceInTwo(intervals, plan::TrafficOf(program_, intervals),
                                                    *options_.fast_bytes, kScratchAlignment);
    for (size_t i = 0; i < intervals.size(); ++i) {
      offsets_[intervals[i].root] = placed.offsets[i];
      if (!placed.is_fast[i]) slow_.insert(intervals[i].root);
    }
    file.scratch_bytes = placed.fast_bytes;
    file.slow_scratch_bytes = placed.slow_bytes;
  }

  void PlaceState() {
    for (const plan::Variable& variable : program_.variables) {
      offsets_[variable.value] = file.state_bytes;
      file.state_bytes += RoundUp(program_.values[variable.value].bytes, kScratchAlignment);
    }
  }

  // Weights are placed when first used, so that unused ones (folded, repacked) stay out of the
  // file.
  int64_t WeightsOffset(ValueId root) {
    const auto [it, added] = offsets_.try_emplace(root, RoundUp(weights_bytes_, kWeightsAlignment));
    if (added) {
      weight_roots_.push_back(root);
      weights_bytes_ = it->second + program_.values[root].bytes;
    }
    return it->second;
  }

  std::vector<uint8_t> Weights() const;
  int64_t ListingBytes() const;

  // Sections are numbered in the order the engine meets them.
  void NumberSections(plan::BlockId block) {
    for (const plan::Item& item : program_.blocks[block].items) {
      const auto* entry = std::get_if<plan::SectionEntry>(&item);
      if (entry == nullptr) continue;
      section_index_[entry->section] = section_count_++;
      const plan::Section& section = program_.sections[entry->section];
      for (const plan::BlockId copy : section.copies) NumberSections(copy);
      for (const plan::BlockId settle : section.settles) NumberSections(settle);
    }
  }

  uint32_t Name(const std::string& text) {
    const auto [it, added] = name_index_.try_emplace(text, Narrow32(names_.size(), "names"));
    if (added) names_.push_back(text);
    return it->second;
  }

  uint32_t Slot(ValueId value);
  void WriteBlock(plan::BlockId block, uint32_t depth);
  void WriteStep(const plan::Step& step);
  void WriteSection(plan::SectionId id, uint32_t depth);
  uint32_t AppendParams(const plan::Step& step);
  void AppendOperands(const std::vector<ValueId>& values, uint32_t row_count);
  format::Port WritePort(const plan::Port& port);
  void WriteVariables();

  uint32_t step_count() const { return Narrow32(steps_.size(), "steps"); }
  void AppendStep(uint16_t kind, uint32_t param, uint32_t first_operand, const std::string& layer,
                  format::Reason reason = format::Reason::operation) {
    steps_.emplace_back(kind, static_cast<std::underlying_type_t<format::Reason>>(reason), param,
                        first_operand);
    if (options_.names) step_names_.push_back(Name(layer));
  }

  const Program& program_;
  const FileOptions options_;
  std::map<ValueId, int64_t> offsets_;  // by root
  std::set<ValueId> slow_;              // roots in the second scratch region
  std::vector<ValueId> weight_roots_;   // in the order of their places
  int64_t weights_bytes_ = 0;
  std::vector<uint32_t> section_index_;
  uint32_t section_count_ = 0;

  std::map<
      std::tuple<ValueId, int64_t, int64_t, std::vector<std::pair<uint32_t, int64_t>>, int, Dims>,
      uint32_t>
      slot_index_;
  std::vector<format::Slot> slots_;
  std::vector<uint32_t> slot_buffers_;  // the root each slot lies in
  std::map<Dims, uint32_t> dims_index_;
  std::vector<uint32_t> dims_;
  std::vector<format::Move> moves_;
  std::vector<format::Step> steps_;
  std::vector<uint32_t> operands_, step_names_;
  std::vector<format::Section> sections_;
  std::vector<format::LoopNote> loop_notes_;
  std::vector<uint32_t> marks_;
  std::vector<format::Port> inputs_, outputs_;
  std::vector<format::Variable> variables_;
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> name_index_;
  struct {
#define WEFT_STEP(name, Name, inputs, outputs, meaning) std::vector<format::Name##Params> name;
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  } params_;
};

uint32_t Writer::Slot(ValueId id) {
  if (id == kNone) return kNoSlot;
  const plan::Value& value = program_.values[id];
  const plan::Place place = plan::Resolve(program_, id);
  const plan::Home home = program_.values[place.root].home;
  std::vector<std::pair<uint32_t, int64_t>> moves;
  for (const plan::Move& move : place.moves) {
    moves.emplace_back(section_index_[move.section], move.stride_bytes);
  }
  std::sort(moves.begin(), moves.end());  // as the format wants them
  const int64_t base =
      home == plan::Home::kWeights ? WeightsOffset(place.root) : offsets_[place.root];
  // Weights beyond the limit are summed up to the end and then refused as a whole.
  const bool is_refused = weights_bytes_ > kLimit;
  const int64_t offset = is_refused ? 0 : base + place.offset_bytes;
  const int64_t bytes = is_refused ? 0 : value.bytes;
  const auto key = std::tuple(place.root, place.offset_bytes, value.bytes, moves,
                              static_cast<int>(value.type.type), value.type.dims);
  const auto [it, added] = slot_index_.try_emplace(key, Narrow32(slots_.size(), "slots"));
  if (!added) return it->second;
  const auto [dims, fresh] =
      dims_index_.try_emplace(value.type.dims, Narrow32(dims_.size(), "dims"));
  if (fresh) {
    for (const int64_t dim : value.type.dims) dims_.push_back(Narrow32(dim, "a dimension"));
  }
  const auto first_move = Narrow32(moves_.size(), "first move");
  for (const auto& [section, stride] : moves) {
    moves_.emplace_back(section, Narrow<int32_t>(stride, "the bytes between two iterations"));
  }
  static constexpr uint8_t kRegions[] = {2, 0, 1};  // scratch, weights, state
  constexpr uint8_t kSlowScratch = 3;
  slots_.emplace_back(Narrow32(offset, "an offset"), Narrow32(bytes, "a size in bytes"),
                      dims->second, moves.empty() ? 0 : first_move, uint16_t{0xFFFF},
                      slow_.contains(place.root) ? kSlowScratch : kRegions[static_cast<int>(home)],
                      value.type.type, Narrow<uint8_t>(value.type.dims.size(), "rank"),
                      Narrow<uint8_t>(moves.size(), "moves"), uint16_t{0});
  slot_buffers_.push_back(place.root);
  return it->second;
}

void Writer::WriteBlock(plan::BlockId block, uint32_t depth) {
  for (const plan::Item& item : program_.blocks[block].items) {
    const auto* step = std::get_if<plan::Step>(&item);
    const plan::SectionId section =
        step == nullptr ? std::get<plan::SectionEntry>(item).section : kNone;
    try {
      if (step != nullptr) {
        WriteStep(*step);
      } else {
        WriteSection(section, depth);
      }
    } catch (TooWide& wide) {
      const std::string& layer = step ? step->layer : program_.sections[section].layer;
      wide.SayWhere(fmt::format("plan: layer \"{}\"", layer));
      throw;
    }
  }
}

uint32_t Writer::AppendParams(const plan::Step& step) {
  switch (step.kind()) {
#define WEFT_STEP(name, Name, inputs, outputs, meaning)                  \
  case plan::StepKind::k##Name:                                          \
    params_.name.push_back(std::get<format::Name##Params>(step.params)); \
    return Narrow32(params_.name.size() - 1, "parameters");
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case plan::StepKind::kSection:
      break;
  }
  return 0;
}

void Writer::AppendOperands(const std::vector<ValueId>& values, uint32_t row_count) {
  for (uint32_t i = 0; i < row_count; ++i) {
    operands_.push_back(i < values.size() ? Slot(values[i]) : kNoSlot);
  }
}

void Writer::WriteStep(const plan::Step& step) {
  static constexpr struct {
    uint32_t inputs, outputs;
  } kArity[] = {
      {0, 0},
#define WEFT_STEP(name, Name, inputs, outputs, meaning) {inputs, outputs},
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  };
  const auto kind = static_cast<std::underlying_type_t<plan::StepKind>>(step.kind());
  const auto first_operand = Narrow32(operands_.size(), "first operand");
  AppendOperands(step.inputs, kArity[kind].inputs);
  AppendOperands(step.outputs, kArity[kind].outputs);
  AppendStep(kind, AppendParams(step), first_operand, step.layer, step.reason);
}

void Writer::WriteSection(plan::SectionId id, uint32_t depth) {
  const plan::Section& section = program_.sections[id];
  const uint32_t index = section_index_[id];
  AppendStep(0, index, 0, section.layer);
  const auto unroll = Narrow32(section.copies.size(), "unroll");
  const auto first_mark = Narrow32(marks_.size(), "first mark");
  marks_.resize(marks_.size() + 2 * unroll);
  for (uint32_t copy = 0; copy < unroll; ++copy) {
    marks_[first_mark + copy] = step_count();
    WriteBlock(section.copies[copy], depth + 1);
  }
  marks_[first_mark + unroll] = step_count();
  for (uint32_t settle = 1; settle < unroll; ++settle) {
    if (settle <= section.settles.size()) WriteBlock(section.settles[settle - 1], depth + 1);
    marks_[first_mark + unroll + settle] = step_count();
  }
  if (sections_.size() <= index) {
    sections_.resize(index + 1);
    loop_notes_.resize(index + 1);
  }
  const auto& report = section.report;
  // For people alone: what is beyond the field shows as its most.
  const auto count = [](uint32_t n) {
    return Narrow<uint16_t>(std::min<uint32_t>(n, UINT16_MAX), "count");
  };
  loop_notes_[index] = format::LoopNote(
      count(report.carried_in_place), count(report.shuttles), count(report.through_scan_output),
      count(report.carried_by_copy), count(report.sliced), count(report.scans));
  const auto trips = section.trip_count < 0 ? kNoSlot : Narrow32(section.trip_count, "trip count");
  sections_[index] = format::Section(
      first_mark, trips, Slot(section.trip), Narrow32(section.max_trips, "trip count"),
      Slot(section.first_condition), Slot(section.body_condition), Slot(section.iteration),
      Slot(section.length), Narrow<uint8_t>(depth, "depth"), Narrow<uint8_t>(unroll, "unroll"),
      section.runs_when ? 1 : 0, uint8_t{0});
}

format::Port Writer::WritePort(const plan::Port& port) {
  auto first_name = Narrow32(names_.size(), "first name");
  if (options_.names) names_.insert(names_.end(), port.names.begin(), port.names.end());
  const auto name_count = Narrow<uint16_t>(options_.names ? port.names.size() : 0, "name count");
  if (name_count == 0) first_name = 0;
  return format::Port(Slot(port.value), first_name, name_count, port.length_axis, uint8_t{0},
                      Slot(port.length));
}

void Writer::WriteVariables() {
  for (const plan::Variable& variable : program_.variables) {
    const uint32_t name = options_.names ? Name(variable.name) : format::kNoSlot;
    variables_.emplace_back(Slot(variable.value), Slot(variable.initial), name);
  }
}

// The finished bytes with their checksum filled in.
std::vector<std::byte> Sealed(const flatbuffers::FlatBufferBuilder& builder) {
  // The runtime reads models at their own alignment only, its checksum too.
  AlignedBytes aligned(builder.GetSize());
  std::memcpy(aligned.data(), builder.GetBufferPointer(), aligned.size());
  const uint64_t checksum = Checksum({aligned.data(), aligned.size()});
  format::GetMutableModel(aligned.data())->mutate_checksum(checksum);
  return {aligned.data(), aligned.data() + aligned.size()};
}

flatbuffers::Offset<flatbuffers::Vector<uint8_t>> CreateBytes(
    flatbuffers::FlatBufferBuilder& builder, const std::vector<std::byte>& bytes) {
  return builder.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::vector<uint8_t> Writer::Weights() const {
  std::vector<uint8_t> weights(static_cast<size_t>(weights_bytes_));
  for (const ValueId root : weight_roots_) {
    const std::vector<std::byte>& data = *program_.values[root].data;
    if (!data.empty()) std::memcpy(weights.data() + offsets_.at(root), data.data(), data.size());
  }
  return weights;
}

// At most; what FlatBuffers puts between its vectors included.
int64_t Writer::ListingBytes() const {
  int64_t bytes = 65536;
  const auto add = [&](const auto&... vectors) {
    ((bytes += std::ssize(vectors) * static_cast<int64_t>(sizeof(vectors[0]))), ...);
  };
  add(slots_, slot_buffers_, dims_, moves_, steps_, operands_, step_names_, sections_, loop_notes_,
      marks_, inputs_, outputs_, variables_);
  constexpr int64_t kAroundText = 16;  // its place in the vector, its length, its end
  for (const std::string& name : names_) bytes += std::ssize(name) + kAroundText;
#define WEFT_STEP(name, Name, ins, outs, meaning) add(params_.name);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return bytes;
}

// Without a self test its vector is left out.
std::vector<std::byte> Writer::Finish(const std::vector<std::byte>& self_test) {
  flatbuffers::FlatBufferBuilder builder(static_cast<size_t>(weights_bytes_ + ListingBytes()));
  // The builder writes backwards: what is created first lies last. The self test and the weights
  // first, so that the listing stands together at the front of the file.
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> self_test_vector;
  if (!self_test.empty()) self_test_vector = CreateBytes(builder, self_test);
  builder.ForceVectorAlignment(static_cast<size_t>(weights_bytes_), 1, kWeightsAlignment);
  const auto weights = builder.CreateVector(Weights());
  const format::Region regions[] = {
      {Narrow32(weights_bytes_, "weights"), kWeightsAlignment, format::RegionKind::weights, 0, 0},
      {Narrow32(file.state_bytes, "state"), kScratchAlignment, format::RegionKind::state, 0, 0},
      {Narrow32(file.scratch_bytes, "scratch"), kScratchAlignment, format::RegionKind::scratch, 0,
       0},
      {Narrow32(file.slow_scratch_bytes, "slow scratch"), kScratchAlignment,
       format::RegionKind::scratch, 0, 0}};
  const auto region_vector = builder.CreateVectorOfStructs(regions, options_.fast_bytes ? 4 : 3);
  const auto slots = builder.CreateVectorOfStructs(slots_);
  const auto dims = builder.CreateVector(dims_);
  const auto moves = builder.CreateVectorOfStructs(moves_);
  const auto quantizations = builder.CreateVectorOfStructs(std::vector<format::Quantization>());
  const auto steps = builder.CreateVectorOfStructs(steps_);
  const auto operands = builder.CreateVector(operands_);
  const auto sections = builder.CreateVectorOfStructs(sections_);
  const auto marks = builder.CreateVector(marks_);
  const auto inputs = builder.CreateVectorOfStructs(inputs_);
  const auto outputs = builder.CreateVectorOfStructs(outputs_);
  const auto variables = builder.CreateVectorOfStructs(variables_);
  const auto names = builder.CreateVectorOfStrings(names_);
  const auto step_names = builder.CreateVector(step_names_);
  if (!options_.names) slot_buffers_.clear();
  if (!options_.names) loop_notes_.clear();
  const auto loop_notes = builder.CreateVectorOfStructs(loop_notes_);
  const auto slot_buffers = builder.CreateVector(slot_buffers_);
  const auto generator = builder.CreateString("weft");
#define WEFT_STEP(name, Name, ins, outs, meaning) \
  const auto name##_params = builder.CreateVectorOfStructs(params_.name);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  format::ModelBuilder model(builder);
  // A default-valued field would be left out, and the checksum must have its place in the file.
  builder.ForceDefaults(true);
  model.add_checksum(0);
  model.add_format_version(kFormatVersion);
  model.add_generator(generator);
  model.add_regions(region_vector);
  model.add_slots(slots);
  model.add_dims(dims);
  model.add_moves(moves);
  model.add_quantizations(quantizations);
  model.add_steps(steps);
  model.add_operands(operands);
  model.add_sections(sections);
  model.add_marks(marks);
  model.add_inputs(inputs);
  model.add_outputs(outputs);
  model.add_variables(variables);
  model.add_names(names);
  model.add_step_names(step_names);
  model.add_slot_buffers(slot_buffers);
  model.add_loop_notes(loop_notes);
#define WEFT_STEP(name, Name, ins, outs, meaning) model.add_##name(name##_params);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  model.add_weights(weights);
  model.add_self_test(self_test_vector);
  format::FinishModelBuffer(builder, model.Finish());
  file.weights_bytes = weights_bytes_;
  return Sealed(builder);
}

}  // namespace

ModelFile WriteModelFile(const Program& program, const FileOptions& options, Faults& faults) {
  Writer writer(program, options);
  try {
    if (!writer.Write(faults)) return {};
  } catch (const TooWide& wide) {
    faults.Add(wide.Line("plan"));
    return {};
  }
  writer.file.bytes = writer.Finish({});
  if (options.self_test_runs == 0) return std::move(writer.file);
  const std::vector<std::byte> self_test =
      RecordSelfTest(writer.file.bytes, options.self_test_runs, faults);
  if (self_test.empty()) return {};
  if (writer.file.bytes.size() + self_test.size() > kLimit) {
    faults.Add(fmt::format("--self-test: its {} bytes and the model's {} make no file below {}",
                           self_test.size(), writer.file.bytes.size(), kLimit));
    return {};
  }
  writer.file.self_test_bytes = std::ssize(self_test);
  writer.file.bytes = writer.Finish(self_test);
  return std::move(writer.file);
}

}  // namespace weft::emit
