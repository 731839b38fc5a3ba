// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/base/element_type.h"
#include "converter/emit/c_frame.h"
#include "converter/emit/identifiers.h"
#include "kernels/elementwise/chain.h"
#include "kernels/variants.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/variants.h"
#include "runtime/footprint/footprint.h"
#include "runtime/format/listing.h"
#include "runtime/format/weight_copy.h"
#include "runtime/steps.h"
#include "runtime/weft.h"

namespace weft::emit {

namespace {

// Escapes a path for an assembler string inside a C string: special characters become octal, also
// question marks, which may start a trigraph.
std::string AssemblerPath(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/._-+,=@~").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("\\\\{:03o}", static_cast<unsigned char>(c));
  }
  return text;
}

// A literal of C: "0.5f", "1.0f", "1e-05f".
std::string FloatLiteral(float number) {
  const std::string text = fmt::format("{}", number);
  const bool is_integer = text.find_first_of(".e") == std::string::npos;
  return text + (is_integer ? ".0f" : "f");
}

// A memory array of a model, in section .bss.<section> if `section` is not empty.
struct Array {
  std::string name;
  uint32_t bytes;
  std::string section;
  std::string type;        // name of its C++ type
  std::string identifier;  // of the array that contains it
  bool is_shared = false;  // the array belongs to the program, not to the model
};

class CSourceWriter {
 public:
  // `shared` is the identifier of the program whose scratch the model uses; empty: its own scratch.
  CSourceWriter(const SourceModel& model, std::span<const std::string> regions,
                std::string_view shared)
      : file_(model.file),
        input_codes_(model.input_codes),
        output_codes_(model.output_codes),
        model_(*format::GetModel(file_.data())),
        name_(Identifier(model.name)),
        upper_(Upper(name_)),
        model_file_(model.included_file),
        shared_(shared) {
    const auto section = [&](size_t i) { return i < regions.size() ? regions[i] : ""; };
    const auto add = [&](const std::string& name, uint32_t region, const std::string& in,
                         const std::string& type) {
      memory_.push_back({name, RegionBytes(region), in, type, name_ + "_" + name});
    };
    add("state", format::kStateRegion, "", "State");
    add("scratch", format::kFirstScratchRegion, section(0), "Scratch");
    if (!shared_.empty()) {
      memory_.back().identifier = shared_ + "_scratch";
      memory_.back().is_shared = true;
    }
    for (uint32_t i = 1; i < model_.regions()->size() - format::kFirstScratchRegion; ++i) {
      const std::string number = i == 1 ? "" : std::to_string(i);
      add("more_scratch" + number, format::kFirstScratchRegion + i, section(i),
          "MoreScratch" + number);
    }
  }

  Parts Write() {
    WriteDeclarations();
    WriteCpp();
    WriteDefinitions();
    return std::move(parts_);
  }

 private:
  using Codes = std::span<const std::optional<StatedCodes>>;

  template <typename... Args>
  void Head(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(parts_.c), text, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Cpp(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(parts_.cpp), text, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Body(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(parts_.source), text, std::forward<Args>(args)...);
  }

  void WriteDeclarations();
  void WriteOpen();
  void WriteCpp();
  void WriteCppOpen(std::string_view parameters, const std::string& memory);
  std::string Memory(bool is_of_parameters) const;
  void WriteSelfTest();
  void WritePorts(const flatbuffers::Vector<const format::Port*>& ports, const Codes& codes,
                  std::string_view side);
  void WriteCodes(const Codes& codes, std::span<const std::string> constants,
                  std::string_view side);
  void WriteDefinitions();
  void WriteBytes();
  void WriteSteps();
  void WriteVariants();

  static constexpr size_t kOwnBlocks = 2;  // blocks in Memory: state and scratch

  bool HasWeightCopies() const {
    return std::ranges::any_of(
        format::RowsOf(model_.variables()), [&](const format::Variable& variable) {
          return format::IsWeightCopy(variable, *model_.slots()->Get(variable.slot()));
        });
  }

  uint32_t RegionBytes(uint32_t region) const { return model_.regions()->Get(region)->bytes(); }

  const std::span<const std::byte> file_;
  const Codes input_codes_, output_codes_;
  const format::Model& model_;
  const std::string name_, upper_, model_file_, shared_;
  std::vector<Array> memory_;
  std::string scales_;  // lines of the scales of ports
  Parts parts_;
};

void CSourceWriter::WriteDeclarations() {
  WriteSelfTest();
  Head(
      "/* weft_state_layout() of the model: state may be exchanged with models of the same layout. "
      "*/\n");
  Head("#define {}_STATE_LAYOUT UINT64_C(0x{:016x})\n\n", upper_,
       StateLayout({file_.data(), file_.size()}));
  Head("enum {{\n  {}_MODEL_BYTES = {},\n", upper_, file_.size());
  for (const Array& array : memory_) {
    Head("  {}_{}_BYTES = {},\n", upper_, Upper(array.name), array.bytes);
  }
  const format::SelfTest* test = format::SelfTestOf(model_);
  Head("  {}_SELF_TEST_RUNS = {},\n", upper_, test == nullptr ? 0 : test->run_count());
  Head("  {}_STEPS = {}, /* for tables of profiles */\n", upper_,
       format::RowsOf(model_.steps()).count);
  WritePorts(*model_.inputs(), input_codes_, "INPUT");
  WritePorts(*model_.outputs(), output_codes_, "OUTPUT");
  Head("}};\n");
  if (!scales_.empty()) Head("/* number = (code - zero point) * scale */\n{}", scales_);
  Head("\nextern const unsigned char {}_model[{}_MODEL_BYTES];\n", name_, upper_);
  Head("/* Only the kernels that this model uses. */\nextern const weft_steps {}_steps;\n", name_);
  Head("/* Memory of the required size; linked only if the program uses it. */\n");
  if (HasWeightCopies()) {
    Head("/* Scratch keeps weights between runs: no other model may use it. */\n");
  }
  for (const Array& array : memory_) {
    if (!array.is_shared) Head("extern {};\n", Declaration(array.identifier));
  }
  WriteOpen();
}

// The initializer of a weft_memory or weft::Memory, from the arrays or from parameters.
std::string CSourceWriter::Memory(bool is_of_parameters) const {
  constexpr std::string_view kNextLine = ",\n                              ";
  std::string blocks, more;
  for (size_t i = 0; i < memory_.size(); ++i) {
    const std::string& name = memory_[i].name;
    std::string& list = i < kOwnBlocks ? blocks : more;
    if (!list.empty()) list += kNextLine;
    list += fmt::format("{{{}, {}_{}_BYTES}}",
                        is_of_parameters ? name + "->bytes" : memory_[i].identifier, upper_,
                        Upper(name));
  }
  return fmt::format("memory = {{{}{}{{{}}}}};\n", blocks, kNextLine,
                     more.empty() ? "{0, 0}" : more);
}

void CSourceWriter::WriteOpen() {
  Head("\n/* Opens the model on that memory. */\n");
  Head("static inline weft_fault {}_open(weft_engine* engine) {{\n", name_);
  Head("  const weft_memory {}", Memory(false));
  Head("  return weft_open({0}_model, {1}_MODEL_BYTES, {0}_steps, memory, engine);\n}}\n\n", name_,
       upper_);
}

// The C++ interface, for weft::Engine.
void CSourceWriter::WriteCpp() {
  Cpp("namespace {} {{\n", name_);
  Cpp("constexpr uint32_t kModelBytes = {}, kStateBytes = {}, kScratchBytes = {};\n", file_.size(),
      RegionBytes(1), RegionBytes(2));
  Cpp("/* Only the kernels that this model uses. */\nstatic inline ::weft::StepTable Steps() "
      "{{\n");
  Cpp("  return {{reinterpret_cast<const ::weft::StepEntry*>({0}_steps.entries), "
      "{0}_steps.count}};\n",
      name_);
  Cpp("}}\n/* Opens the model on the memory above. */\n");
  WriteCppOpen("", Memory(false));
  Cpp("/* Memory of programs with several streams: one State per stream, one Scratch. */\n");
  std::string parameters;
  for (const Array& array : memory_) {
    Cpp("{}", array.is_shared ? fmt::format("using ::{}::{};\n", shared_, array.type)
                              : MemoryType(array.type, array.bytes));
    parameters += fmt::format("{}* {}, ", array.type, array.name);
  }
  WriteCppOpen(parameters, Memory(true));
  Cpp("}}  // namespace {}\n", name_);
}

void CSourceWriter::WriteCppOpen(std::string_view parameters, const std::string& memory) {
  Cpp("static inline ::weft::Fault Open({}::weft::Engine* engine) {{\n", parameters);
  Cpp("  const ::weft::Memory {}", memory);
  Cpp("  return ::weft::Engine::Open({{{}_model, kModelBytes}}, Steps(), memory, engine);\n}}\n",
      name_);
}

void CSourceWriter::WriteSelfTest() {
  const format::SelfTest* test = format::SelfTestOf(model_);
  if (test == nullptr) return;
  Head(
      "/* Contains a self test for weft_self_test: {} runs, {} bytes. Outputs are bit-identical "
      "on\n",
      test->run_count(), model_.self_test()->size());
  Head(" * {}. */\n", test->tolerance() == format::ToleranceClass::exact
                          ? "every target"
                          : "targets with fused multiply-add; on others f32 is within\n"
                            " * 2^-16 * (1 + |expected|)");
}

using Ports = flatbuffers::Vector<const format::Port*>;

std::vector<std::string> ConstantsOf(const format::Model& model, const Ports& ports) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const format::Port& port = *ports.Get(i);
    names.push_back(port.name_count() > 0 ? model.names()->Get(port.first_name())->str()
                                          : fmt::format("{}", i));
  }
  return PortConstants(names);
}

void CSourceWriter::WritePorts(const Ports& ports, const Codes& codes, std::string_view side) {
  const std::vector<std::string> constants = ConstantsOf(model_, ports);
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const format::Port& port = *ports.Get(i);
    const format::Slot& slot = *model_.slots()->Get(port.slot());
    Head("  {}_{}_{} = {}, /* {}, {} bytes{} */\n", upper_, side, constants[i], i,
         ToString(TypeOfSlot(model_, slot)), slot.bytes(),
         port.length_slot() == format::kNoSlot
             ? ""
             : fmt::format("; axis {} has a run-time length", port.length_axis()));
  }
  WriteCodes(codes, constants, side);
}

// The scales are macros, because an enumerator is an integer. A name that another port of the side
// has gets an index, as the names of ports do.
void CSourceWriter::WriteCodes(const Codes& codes, std::span<const std::string> constants,
                               std::string_view side) {
  std::vector<std::string> names(constants.begin(), constants.end());
  for (const std::string& constant : constants) {
    names.push_back(constant + "_SCALE");
    names.push_back(constant + "_ZERO_POINT");
  }
  names = PortConstants(names);
  const std::string* name = &names[constants.size()];
  for (size_t i = 0; i < std::min(codes.size(), constants.size()); ++i, name += 2) {
    if (!codes[i]) continue;
    scales_ +=
        fmt::format("#define {}_{}_{} {}\n", upper_, side, name[0], FloatLiteral(codes[i]->scale));
    Head("  {}_{}_{} = {},\n", upper_, side, name[1], codes[i]->zero);
  }
}

void CSourceWriter::WriteDefinitions() {
  WriteBytes();
  Body("\n");
  for (const Array& array : memory_) {
    if (array.is_shared) continue;
    if (!array.section.empty()) {
      // Sections of Mach-O have other names, and macOS has no regions.
      Body("#ifndef __APPLE__\n__attribute__((section(\".bss.{}\")))\n#endif\n", array.section);
    }
    Body("ALIGNED {};\n", Declaration(array.identifier));
  }
  Body("\n");
  WriteSteps();
  WriteVariants();
}

void CSourceWriter::WriteBytes() {
  if (!model_file_.empty()) {
    Body(
        "__asm__(\".section .rodata.{0}_model,\\\"a\\\",%progbits\\n\"\n"
        "        \".global {0}_model\\n\"\n        \".balign 64\\n\"\n"
        "        \"{0}_model: .incbin \\\"{1}\\\"\\n\"\n        \".previous\\n\");\n",
        name_, AssemblerPath(model_file_));
    return;
  }
  Body("ALIGNED const unsigned char {}_model[{}_MODEL_BYTES] = {{", name_, upper_);
  constexpr size_t kPerLine = 20;
  for (size_t i = 0; i < file_.size(); ++i) {
    Body("{}{}", i % kPerLine == 0 ? "\n    " : "", static_cast<unsigned>(file_[i]));
    if (i + 1 < file_.size()) Body(",");
  }
  Body("}};\n");
}

constexpr std::string_view kMixed = "_mixed";

// The variant of its kind in steps.h that a step needs.
struct EntryNeeds {
  bool overlaps = false;   // y overlaps x
  bool is_narrow = false;  // its weights are not f32
  // Its values are i16; they could be i16, and are not.
  bool has_shorts = false, has_bytes = false;
};

EntryNeeds NeedsOf(const format::Model& model, uint32_t step_index) {
  const format::Step& step = *model.steps()->Get(step_index);
  const auto kind = static_cast<format::Kind>(step.kind());
  EntryNeeds needs;
  StepEntry entry = {};  // an entry whose check fails if y overlaps x
#define WEFT_OVERLAPPING_STEP(name, Name) \
  if (kind == format::Kind::name) entry = steps::k##Name;
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_NARROW_STEP(name, Name)                                                          \
  if (kind == format::Kind::name) {                                                           \
    needs.is_narrow = model.name()->Get(step.param())->weights() != format::ElementType::f32; \
    entry = steps::kNarrow##Name;                                                             \
  }
#define WEFT_SHORTS_STEP(name, Name)                                           \
  if (kind == format::Kind::name) {                                            \
    const format::CodeRange& codes = model.name()->Get(step.param())->codes(); \
    needs.has_shorts = footprint::IsOfShorts(codes);                           \
    needs.has_bytes = !needs.has_shorts;                                       \
  }
#include "runtime/format/narrow_steps.inc"
#undef WEFT_SHORTS_STEP
#undef WEFT_NARROW_STEP
  needs.overlaps =
      entry.check != nullptr && entry.check(model, step_index).code == FaultCode::kOperandOverlap;
  return needs;
}

void CSourceWriter::WriteSteps() {
  Body("static const weft_step_entry {}_entries[] = {{\n", name_);
  const std::map<uint16_t, std::string> entries = StepEntriesOf(model_);
  for (const auto& [kind, entry] : entries) {
    const char* const name = format::NameOf(static_cast<format::Kind>(kind));
    if (entry.ends_with(kMixed)) Body("    /* weft_check_{0} and weft_check_{0}_shorts */\n", name);
    Body("    [WEFT_STEP_{0}] = {{weft_check_{1}, weft_run_{1}}},\n", name, entry);
  }
  if (entries.empty()) Body("    [0] = {{0, 0}},\n");
  Body(
      "}};\n\nconst weft_steps {0}_steps = {{{0}_entries,\n    sizeof({0}_entries) / "
      "sizeof({0}_entries[0])}};\n",
      name_);
}

// Visits all activations in the parameters of a step, using flatc's reflection.
template <typename Params, typename Visit>
void ForEachActivation(const Params& params, const Visit& visit) {
  const flatbuffers::TypeTable& table = *Params::MiniReflectTypeTable();
  for (size_t i = 0; i < table.num_elems; ++i) {
    const flatbuffers::TypeCode code = table.type_codes[i];
    if (code.base_type != flatbuffers::ET_SEQUENCE ||
        table.type_refs[code.sequence_ref]() != format::ActivationTypeTable()) {
      continue;
    }
    const auto* at = reinterpret_cast<const std::byte*>(&params) + table.values[i];
    visit(*reinterpret_cast<const format::Activation*>(at));
  }
}

// The activations of a chain are instructions.
template <typename Visit>
void ForEachActivation(const format::ChainParams& chain, const Visit& visit) {
  for (uint32_t i = 0; i < chain.instructions(); ++i) {
    const uint8_t op = chain.code()->Get(4 * i);
    if (op >= kernels::kChainBinary) continue;
    visit(format::Activation(0, 0, 0, static_cast<format::UnaryOp>(op), 0, 0));
  }
}

// The variants of kernels that the model's steps call.
std::set<kernels::Variant> VariantsOf(const format::Model& model) {
  std::set<kernels::Variant> variants;
  const auto take = [&variants](kernels::Variant variant) { variants.insert(variant); };
  const auto take_all = [&take](const auto& params) {
    bind::ForEachVariant(params, take);
    if constexpr (requires { params.codes(), params.activation(); }) {
      bind::ForEachVariant(params.codes(), take);
    }
    if (!bind::CallsActivations(params)) return;
    ForEachActivation(params, [&take](const format::Activation& activation) {
      bind::ForEachVariant(activation, take);
    });
  };
#define WEFT_STEP(name, ...) \
  for (const auto& row : format::RowsOf(model.name())) take_all(row);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return variants;
}

void CSourceWriter::WriteVariants() {
  const std::vector<std::string> variants = StepVariantsOf(model_);
  if (variants.empty()) return;
  std::string list;
  Body("\n/* Kernel variants of these steps; the references make the linker keep them. */\n");
  for (const std::string& name : variants) {
    Body("extern const char weft_variant_{};\n", name);
    list += fmt::format("{}&weft_variant_{}", list.empty() ? "" : ", ", name);
  }
  Body("#if defined(__GNUC__)\n__attribute__((used))\n#endif\n");
  Body("static const char* const {}_variants[] = {{{}}};\n", name_, list);
}

}  // namespace

bool CanBeIncluded(std::string_view name) {
  const auto unfit = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '"' || c == '\\' || byte < 0x20 || byte == 0x7F;
  };
  return name.find("??") == std::string_view::npos && std::none_of(name.begin(), name.end(), unfit);
}

CSource WriteCSource(const SourceModel& model, std::span<const std::string> regions,
                     std::string_view from) {
  const AlignedBytes bytes(model.file);
  SourceModel aligned = model;
  aligned.file = {bytes.data(), bytes.size()};
  const Parts parts = CSourceWriter(aligned, regions, "").Write();
  const Origin origin = {"weft convert --c-source", "convert",
                         from.empty() ? model.name + ".weft" : std::string(from),
                         MarkOf(model.name, parts, std::span(&aligned.file, 1))};
  return {HeaderOf(model.name, origin, parts), SourceOf(model.name, origin, parts.source)};
}

CSource WriteProgram(std::span<const SourceModel> models, const std::string& name,
                     std::string_view from) {
  const std::string program = Identifier(name);
  std::vector<ProgramModel> members;
  std::vector<std::span<const std::byte>> files;
  Parts parts;
  for (const SourceModel& model : models) {
    const AlignedBytes bytes(model.file);
    const SourceModel aligned = {{bytes.data(), bytes.size()}, model.name, model.included_file};
    const Parts own = CSourceWriter(aligned, {}, program).Write();
    files.push_back(model.file);
    parts.c += own.c;
    parts.cpp += own.cpp + "\n";
    parts.source += own.source + "\n";
    const format::Model& file = *format::GetModel(bytes.data());
    members.push_back(
        {Identifier(model.name), file.regions()->Get(format::kFirstScratchRegion)->bytes()});
  }
  const Parts all = ProgramParts(program, members, parts);
  const Origin origin = {"weft link", "link", std::string(from), MarkOf(name, all, files)};
  return {HeaderOf(name, origin, all), SourceOf(name, origin, all.source)};
}

std::vector<std::string> NamesOf(std::span<const std::byte> file, const std::string& name) {
  const AlignedBytes bytes(file);
  const format::Model& model = *format::GetModel(bytes.data());
  const std::string own = Identifier(name), upper = Upper(own);
  std::vector<std::string> names = {own};
  for (const char* end :
       {"entries", "fits_in_scratch", "model", "open", "state", "steps", "variants"}) {
    names.push_back(fmt::format("{}_{}", own, end));
  }
  for (const char* end :
       {"MODEL_BYTES", "SCRATCH_BYTES", "SELF_TEST_RUNS", "STATE_BYTES", "STATE_LAYOUT", "STEPS"}) {
    names.push_back(fmt::format("{}_{}", upper, end));
  }
  for (const std::string& port : ConstantsOf(model, *model.inputs())) {
    names.push_back(fmt::format("{}_INPUT_{}", upper, port));
  }
  for (const std::string& port : ConstantsOf(model, *model.outputs())) {
    names.push_back(fmt::format("{}_OUTPUT_{}", upper, port));
  }
  return names;
}

// A member of Engines or State must not have the name of its class.
std::vector<std::string> ProgramNames(const std::string& name) {
  const std::string own = Identifier(name);
  return {
      own,       own + "_engines", own + "_open", own + "_scratch", Upper(own) + "_SCRATCH_BYTES",
      "Engines", "State"};
}

std::map<uint16_t, std::string> StepEntriesOf(const format::Model& model) {
  std::map<uint16_t, EntryNeeds> kinds;  // union over all steps of the kind
  for (uint32_t i = 0; i < model.steps()->size(); ++i) {
    const uint16_t kind = model.steps()->Get(i)->kind();
    if (kind == 0) continue;
    const EntryNeeds needs = NeedsOf(model, i);
    kinds[kind].overlaps |= needs.overlaps;
    kinds[kind].is_narrow |= needs.is_narrow;
    kinds[kind].has_shorts |= needs.has_shorts;
    kinds[kind].has_bytes |= needs.has_bytes;
  }
  std::map<uint16_t, std::string> entries;
  for (const auto& [kind, needs] : kinds) {
    const bool is_mixed = needs.has_shorts && needs.has_bytes;
    entries[kind] = fmt::format("{}{}{}{}", needs.overlaps ? "overlapping_" : "",
                                needs.is_narrow ? "narrow_" : "",
                                format::NameOf(static_cast<format::Kind>(kind)),
                                is_mixed           ? kMixed
                                : needs.has_shorts ? "_shorts"
                                                   : "");
  }
  return entries;
}

std::vector<std::string> StepVariantsOf(const format::Model& model) {
  std::vector<std::string> names;
  for (const kernels::Variant variant : VariantsOf(model)) {
    names.emplace_back(kernels::NameOf(variant));
  }
  return names;
}

}  // namespace weft::emit
