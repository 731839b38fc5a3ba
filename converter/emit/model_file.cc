// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>

#include "converter/base/aligned_bytes.h"
#include "converter/base/narrow.h"
#include "converter/emit/self_test.h"
#include "converter/plan/validate_placement.h"
#include "converter/plan/value_numbers.h"
#include "runtime/plan_number.h"
#include "runtime/weft.h"

namespace weft::emit {

namespace {

using program::kNone;
using program::Program;
using program::ValueId;

constexpr uint32_t kNoSlot = 0xFFFFFFFFu;
constexpr int64_t kLimit = plan::kMaxRegionBytes;

// Traverses the program once and appends to the vectors of the file.
class Writer {
 public:
  Writer(const plan::Plan& plan, const FileOptions& options)
      : plan_(plan), program_(plan.program), options_(options) {}

  // Returns false and adds a fault if the size exceeds the format's limit.
  bool Write(Faults& faults) {
    section_index_.assign(program_.sections.size(), kNone);
    NumberSections(program_.main);
    WriteBlock(program_.main, 0);
    for (const program::Port& port : program_.inputs) inputs_.push_back(WritePort(port));
    for (const program::Port& port : program_.outputs) outputs_.push_back(WritePort(port));
    WriteVariables();
    if (plan_.weights_bytes + ListingBytes() <= kLimit) return true;
    faults.Add(
        fmt::format("plan: weights need {} bytes and the listing {}; the sum must be at most {}",
                    plan_.weights_bytes, ListingBytes(), kLimit));
    return false;
  }

  std::vector<std::byte> Finish(const std::vector<std::byte>& self_test);

 private:
  void CopyWeights(uint8_t* weights) const;
  std::vector<format::Region> Regions() const;
  int64_t ListingBytes() const;
  std::string Generator() const;

  // Numbers sections in the order of execution.
  void NumberSections(program::BlockId block) {
    for (const program::SectionId id : SectionsIn(program_, block)) {
      section_index_[id] = section_count_++;
      const program::Section& section = program_.sections[id];
      for (const program::BlockId copy : section.copies) NumberSections(copy);
      for (const program::BlockId epilogue : section.epilogues) NumberSections(epilogue);
    }
  }

  uint32_t Name(const std::string& text) {
    const auto [it, added] = name_index_.try_emplace(text, Narrow32(names_.size(), "names"));
    if (added) names_.push_back(text);
    return it->second;
  }

  uint8_t RegionOf(ValueId root) const;
  // The copy of weights that steps read; nullptr: they read the weights in the file.
  const plan::WeightCopy* CopyOf(ValueId root) const;
  // Numbers buffers in the order of their first slots, so that each number is less than the number
  // of slots.
  uint32_t BufferOf(ValueId root, bool is_copy) {
    return buffer_index_.try_emplace({root, is_copy}, Narrow32(buffer_index_.size(), "buffers"))
        .first->second;
  }
  // `reads_copy`: the slot is in the copy of the weights, if they have one.
  uint32_t Slot(ValueId value, bool reads_copy = false);
  void WriteBlock(program::BlockId block, uint32_t depth);
  void WriteStep(const program::Step& step);
  void WriteSection(program::SectionId id, uint32_t depth);
  uint32_t AppendParams(const program::Step& step);
  void AppendOperands(const std::vector<ValueId>& values, uint32_t row_count);
  format::Port WritePort(const program::Port& port);
  void WriteVariables();

  uint32_t step_count() const { return Narrow32(steps_.size(), "steps"); }
  void AppendStep(uint16_t kind, uint32_t param, uint32_t first_operand, const std::string& layer,
                  format::Reason reason = format::Reason::operation) {
    steps_.emplace_back(kind, static_cast<std::underlying_type_t<format::Reason>>(reason), param,
                        first_operand);
    if (options_.names) step_names_.push_back(Name(layer));
  }

  const plan::Plan& plan_;
  const Program& program_;
  const FileOptions options_;
  std::vector<uint32_t> section_index_;
  uint32_t section_count_ = 0;

  std::map<std::tuple<ValueId, bool, int64_t, int64_t, std::vector<std::pair<uint32_t, int64_t>>,
                      int, Dims>,
           uint32_t>
      slot_index_;
  std::vector<format::Slot> slots_;
  std::vector<uint32_t> slot_buffers_;                         // by slot: the number of its buffer
  std::map<std::pair<ValueId, bool>, uint32_t> buffer_index_;  // of a root, or of its copy
  std::map<Dims, uint32_t> dims_index_;
  std::vector<uint32_t> dims_;
  std::vector<format::Move> moves_;
  std::vector<format::Step> steps_;
  std::vector<uint32_t> operands_, step_names_;
  std::vector<format::Section> sections_;
  std::vector<uint32_t> marks_;
  std::vector<format::Port> inputs_, outputs_;
  std::vector<format::Variable> variables_;
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> name_index_;
  struct {
#define WEFT_STEP(name, Name, ...) std::vector<format::Name##Params> name;
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  } params_;
};

// Region 2 and later regions are the memories of scratch.
uint8_t Writer::RegionOf(ValueId root) const {
  switch (program_.values[root].storage) {
    case program::Storage::kWeights:
      return 0;
    case program::Storage::kState:
      return 1;
    case program::Storage::kScratch:
      break;
  }
  return Narrow<uint8_t>(2 + plan_.memories[root], "regions");
}

const plan::WeightCopy* Writer::CopyOf(ValueId root) const {
  const auto found = std::ranges::find(plan_.weight_copies, root, &plan::WeightCopy::root);
  return found == plan_.weight_copies.end() ? nullptr : &*found;
}

uint32_t Writer::Slot(ValueId id, bool reads_copy) {
  if (id == kNone) return kNoSlot;
  const program::Value& value = program_.values[id];
  const program::Location location = program::Resolve(program_, id);
  std::vector<std::pair<uint32_t, int64_t>> moves;
  for (const program::Move& move : location.moves) {
    moves.emplace_back(section_index_[move.section], move.stride_bytes);
  }
  std::sort(moves.begin(), moves.end());  // as the format requires
  // If weights exceed the limit, the traversal continues with offsets 0 and Write adds the fault.
  const bool is_refused = plan_.weights_bytes > kLimit;
  assert(plan_.offsets_bytes[location.root] != plan::kNoOffset);
  const plan::WeightCopy* copy = reads_copy ? CopyOf(location.root) : nullptr;
  const int64_t first = copy ? copy->offset_bytes : plan_.offsets_bytes[location.root];
  const int64_t offset = is_refused ? 0 : first + location.offset_bytes;
  const int64_t bytes = is_refused ? 0 : value.bytes;
  const auto region = copy ? Narrow<uint8_t>(format::kFirstScratchRegion + copy->memory, "regions")
                           : RegionOf(location.root);
  const auto key = std::tuple(location.root, copy != nullptr, location.offset_bytes, value.bytes,
                              moves, static_cast<int>(value.type.type), value.type.dims);
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
  slots_.emplace_back(Narrow32(offset, "an offset"), Narrow32(bytes, "a size in bytes"),
                      dims->second, moves.empty() ? 0 : first_move, region, value.type.type,
                      Narrow<uint8_t>(value.type.dims.size(), "rank"),
                      Narrow<uint8_t>(moves.size(), "moves"));
  slot_buffers_.push_back(BufferOf(location.root, copy != nullptr));
  return it->second;
}

void Writer::WriteBlock(program::BlockId block, uint32_t depth) {
  for (const program::Item& item : program_.blocks[block].items) {
    const auto* step = std::get_if<program::Step>(&item);
    const program::SectionId section =
        step == nullptr ? std::get<program::SectionEntry>(item).section : kNone;
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

uint32_t Writer::AppendParams(const program::Step& step) {
  switch (step.kind()) {
#define WEFT_STEP(name, Name, ...)                                       \
  case program::StepKind::k##Name:                                       \
    params_.name.push_back(std::get<format::Name##Params>(step.params)); \
    return Narrow32(params_.name.size() - 1, "parameters");
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case program::StepKind::kSection:
      break;
  }
  return 0;
}

void Writer::AppendOperands(const std::vector<ValueId>& values, uint32_t row_count) {
  for (uint32_t i = 0; i < row_count; ++i) {
    operands_.push_back(i < values.size() ? Slot(values[i], true) : kNoSlot);
  }
}

void Writer::WriteStep(const program::Step& step) {
  const auto kind = static_cast<std::underlying_type_t<program::StepKind>>(step.kind());
  const auto first_operand = Narrow32(operands_.size(), "first operand");
  AppendOperands(step.inputs, format::kArity[kind].inputs);
  AppendOperands(step.outputs, format::kArity[kind].outputs);
  AppendStep(kind, AppendParams(step), first_operand, step.layer, step.reason);
}

void Writer::WriteSection(program::SectionId id, uint32_t depth) {
  const program::Section& section = program_.sections[id];
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
  for (uint32_t epilogue = 1; epilogue < unroll; ++epilogue) {
    if (epilogue <= section.epilogues.size())
      WriteBlock(section.epilogues[epilogue - 1], depth + 1);
    marks_[first_mark + unroll + epilogue] = step_count();
  }
  if (sections_.size() <= index) sections_.resize(index + 1);
  const auto trips = section.trip_count < 0 ? kNoSlot : Narrow32(section.trip_count, "trip count");
  // Slot() numbers slots in call order, so the calls must be separate statements, not arguments.
  const uint32_t length = Slot(section.length), iteration = Slot(section.iteration);
  const uint32_t body_condition = Slot(section.body_condition);
  const uint32_t first_condition = Slot(section.first_condition), trip = Slot(section.trip);
  sections_[index] = format::Section(
      first_mark, trips, trip, Narrow32(section.max_trips, "trip count"), first_condition,
      body_condition, iteration, length, Narrow<uint8_t>(depth, "depth"),
      Narrow<uint8_t>(unroll, "unroll"), section.runs_when ? 1 : 0, uint8_t{0});
}

format::Port Writer::WritePort(const program::Port& port) {
  auto first_name = Narrow32(names_.size(), "first name");
  if (options_.names) names_.insert(names_.end(), port.names.begin(), port.names.end());
  const auto name_count = Narrow<uint16_t>(options_.names ? port.names.size() : 0, "name count");
  if (name_count == 0) first_name = 0;
  const uint32_t length = Slot(port.length), value = Slot(port.value);
  return format::Port(value, first_name, name_count, port.length_axis, uint8_t{0}, length);
}

void Writer::WriteVariables() {
  for (const program::Variable& variable : program_.variables) {
    const uint32_t name = options_.names ? Name(variable.name) : format::kNoSlot;
    const uint32_t initial = Slot(variable.initial), value = Slot(variable.value);
    variables_.emplace_back(value, initial, name);
  }
  for (const plan::WeightCopy& copy : plan_.weight_copies) {
    const uint32_t name = options_.names ? Name(program_.values[copy.root].name) : format::kNoSlot;
    const uint32_t weights = Slot(copy.root), value = Slot(copy.root, true);
    variables_.emplace_back(value, weights, name);
  }
}

// Writes the plan hash into the placeholder in the generator's text.
void NumberValues(format::Model& model) {
  char* text = reinterpret_cast<char*>(model.mutable_generator()->Data());
  const std::string_view mark = kPlanNumberText;
  const size_t at = model.generator()->string_view().find(mark);
  if (at == std::string_view::npos) return;
  const std::optional<uint32_t> number = plan::NumberOfValues(model);
  if (!number) return;
  fmt::format_to(text + at + mark.size(), "{:0{}x}", *number, kPlanNumberDigits);
}

// Returns the bytes of the file with plan hash and, if requested, checksum.
std::vector<std::byte> Sealed(const flatbuffers::FlatBufferBuilder& builder, bool has_checksum) {
  // The runtime and the checksum require an aligned model.
  AlignedBytes aligned(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
  NumberValues(*format::GetMutableModel(aligned.data()));
  if (has_checksum) {
    const uint64_t checksum = Checksum({aligned.data(), aligned.size()});
    format::GetMutableModel(aligned.data())->mutate_checksum(checksum);
  }
  return {aligned.data(), aligned.data() + aligned.size()};
}

flatbuffers::Offset<flatbuffers::Vector<uint8_t>> CreateBytes(
    flatbuffers::FlatBufferBuilder& builder, const std::vector<std::byte>& bytes) {
  return builder.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// Returns no vector if there are no rows.
template <typename Row>
flatbuffers::Offset<flatbuffers::Vector<const Row*>> RowsOrNone(
    flatbuffers::FlatBufferBuilder& builder, const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  return builder.CreateVectorOfStructs(rows);
}

void Writer::CopyWeights(uint8_t* weights) const {
  std::fill_n(weights, plan_.weights_bytes, uint8_t{0});
  for (const ValueId root : plan_.weight_roots) {
    const std::vector<std::byte>& data = *program_.values[root].data;
    if (data.empty()) continue;
    std::memcpy(weights + plan_.offsets_bytes[root], data.data(), data.size());
  }
}

std::vector<format::Region> Writer::Regions() const {
  std::vector<format::Region> regions;
  const auto add = [&](int64_t bytes, int64_t alignment, format::RegionKind kind) {
    regions.emplace_back(Narrow32(bytes, "a region"), Narrow32(alignment, "alignment"), kind,
                         uint8_t{0}, uint16_t{0});
  };
  add(plan_.weights_bytes, plan::kWeightsAlignment, format::RegionKind::weights);
  add(plan_.state_bytes, plan::kScratchAlignment, format::RegionKind::state);
  for (const int64_t bytes : plan_.scratch_bytes) {
    add(bytes, plan::kScratchAlignment, format::RegionKind::scratch);
  }
  return regions;
}

// Upper bound of the size of the listing, including the padding of FlatBuffers.
int64_t Writer::ListingBytes() const {
  int64_t bytes = 65536;
  const auto add = [&](const auto&... vectors) {
    ((bytes += std::ssize(vectors) * static_cast<int64_t>(sizeof(vectors[0]))), ...);
  };
  add(slots_, slot_buffers_, dims_, moves_, steps_, operands_, step_names_, sections_, marks_,
      inputs_, outputs_, variables_, options_.stream_parts);
  constexpr int64_t kAroundText = 16;  // entry in the vector, length, terminator and padding
  for (const std::string& name : names_) bytes += std::ssize(name) + kAroundText;
#define WEFT_STEP(name, ...) add(params_.name);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return bytes;
}

std::string Writer::Generator() const {
  std::string text = "weft " WEFT_VERSION;
  if (options_.names && plan_.scratch_bytes.size() == 1) {
    text += fmt::format("{}{}", kScratchBound, plan_.account.bound_bytes);
  }
  // A placeholder, which stays 0 if the plan hash is too expensive to compute.
  if (options_.names) text += fmt::format("{}{:0{}}", kPlanNumberText, 0, kPlanNumberDigits);
  if (options_.f16_weights) text += kF16Weights;
  return text;
}

// Omits the vectors of the self test and the streaming note if there are none.
std::vector<std::byte> Writer::Finish(const std::vector<std::byte>& self_test) {
  flatbuffers::FlatBufferBuilder builder(static_cast<size_t>(plan_.weights_bytes + ListingBytes()));
  // The builder writes backwards. Self test and weights are created first, so that they are at the
  // end and the listing is contiguous at the start of the file.
  flatbuffers::Offset<flatbuffers::Vector<uint8_t>> self_test_vector;
  if (!self_test.empty()) self_test_vector = CreateBytes(builder, self_test);
  builder.ForceVectorAlignment(static_cast<size_t>(plan_.weights_bytes), 1,
                               plan::kWeightsAlignment);
  uint8_t* weight_bytes = nullptr;
  const auto weights =
      builder.CreateUninitializedVector(static_cast<size_t>(plan_.weights_bytes), &weight_bytes);
  CopyWeights(weight_bytes);
  const auto regions = builder.CreateVectorOfStructs(Regions());
  const auto slots = builder.CreateVectorOfStructs(slots_);
  const auto dims = builder.CreateVector(dims_);
  const auto moves = builder.CreateVectorOfStructs(moves_);
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
  const auto slot_buffers = builder.CreateVector(slot_buffers_);
  const auto streaming = RowsOrNone(builder, options_.streaming);
  const auto streamed_ports = RowsOrNone(builder, options_.streamed_ports);
  const auto stream_parts = RowsOrNone(builder, options_.stream_parts);
  const auto generator = builder.CreateString(Generator());
// Only kinds that the model has: an empty vector would need eight bytes and time of every Open.
#define WEFT_STEP(name, Name, ...)                                                     \
  flatbuffers::Offset<flatbuffers::Vector<const format::Name##Params*>> name##_params; \
  if (!params_.name.empty()) name##_params = builder.CreateVectorOfStructs(params_.name);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  format::ModelBuilder model(builder);
  // Fields with default values would be omitted, but the checksum must be stored.
  builder.ForceDefaults(true);
  model.add_checksum(0);
  model.add_format_version(kFormatVersion);
  model.add_generator(generator);
  model.add_regions(regions);
  model.add_slots(slots);
  model.add_dims(dims);
  model.add_moves(moves);
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
#define WEFT_STEP(name, ...) model.add_##name(name##_params);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  model.add_weights(weights);
  model.add_self_test(self_test_vector);
  model.add_streaming(streaming);
  model.add_streamed_ports(streamed_ports);
  model.add_stream_parts(stream_parts);
  format::FinishModelBuffer(builder, model.Finish());
  return Sealed(builder, options_.checksum);
}

}  // namespace

std::optional<int64_t> ScratchBoundOf(const format::Model& model) {
  if (model.generator() == nullptr) return std::nullopt;
  const std::string_view text = model.generator()->string_view();
  const size_t at = text.find(kScratchBound);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t bytes = 0;
  const char* first = text.data() + at + kScratchBound.size();
  const auto [last, fault] = std::from_chars(first, text.data() + text.size(), bytes);
  const int64_t all_bytes = format::RowsOf(model.regions())[format::kFirstScratchRegion].bytes();
  if (fault != std::errc() || bytes < 0 || bytes > all_bytes) return std::nullopt;
  return bytes;
}

ModelFile WriteModelFile(const plan::Plan& plan, const FileOptions& options, Faults& faults) {
  if (const std::string excess = plan::ExcessOf(plan, {}); !excess.empty()) {
    faults.Add("plan: " + excess);
    return {};
  }
  const auto broken = plan::ValidatePlacement(plan.problem, plan.placement);
  for (const plan::PlacementFault& fault : broken) {
    faults.Add("weft: internal error: invalid placement: " + fault.text);
  }
  if (!broken.empty()) return {};
  Writer writer(plan, options);
  try {
    if (!writer.Write(faults)) return {};
  } catch (const TooWide& wide) {
    faults.Add(wide.Line("plan"));
    return {};
  }
  ModelFile file;
  file.bytes = writer.Finish({});
  if (options.self_test_runs == 0) return file;
  const std::vector<std::byte> self_test =
      RecordSelfTest(file.bytes, options.self_test_runs, faults);
  if (self_test.empty()) return {};
  if (file.bytes.size() + self_test.size() > kLimit) {
    faults.Add(fmt::format("--self-test: has {} bytes and the model {}; the sum must be below {}",
                           self_test.size(), file.bytes.size(), kLimit));
    return {};
  }
  file.self_test_bytes = std::ssize(self_test);
  file.bytes = writer.Finish(self_test);
  return file;
}

}  // namespace weft::emit
