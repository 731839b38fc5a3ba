// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/c_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "converter/base/visible.h"
#include "converter/emit/identifiers.h"

namespace weft::emit {

namespace {

// The identifier of the model that has a name of C which is the namespace of `name`: "kws" for
// "kws_model". Empty if there is none. C++ does not accept both.
std::string OwnerOf(const std::string& name) {
  for (const std::string_view end : {"_model", "_open", "_state", "_steps", "_scratch",
                                     "_more_scratch", "_more_scratch2", "_engines"}) {
    if (name.size() > end.size() && name.ends_with(end)) {
      return name.substr(0, name.size() - end.size());
    }
  }
  return "";
}

std::string FirstComment(const Origin& origin) {
  return fmt::format("/* Written by \"{}\" from {}; {} again instead of editing. */\n",
                     origin.command, Visible(origin.from), origin.verb);
}

constexpr const char* kSameNames =
    "#error \"two models have the same names in C{}; give one of them another name\"\n";

// Lines that define the guard of the owner's header, which then reports the collision.
std::string OwnerGuard(const std::string& owner) {
  if (owner.empty()) return "";
  return fmt::format(
      "#ifdef __cplusplus /* a name of {0}.h is the namespace of this model */\n#ifdef "
      "{1}_WEFT_MODEL_H_\n{2}#endif\n#define {1}_WEFT_MODEL_H_ 0\n#endif\n\n",
      owner, Upper(owner), fmt::format(fmt::runtime(kSameNames), "++"));
}

}  // namespace

uint32_t MarkOf(std::string_view stem, const Parts& parts,
                std::span<const std::span<const std::byte>> models) {
  uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&hash](uint32_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (const std::string_view text :
       {stem, std::string_view(parts.c), std::string_view(parts.cpp)}) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  for (const std::span<const std::byte> model : models) {
    for (const std::byte byte : model) add(std::to_integer<uint32_t>(byte));
  }
  return hash;
}

std::string HeaderOf(const std::string& stem, const Origin& origin, const Parts& parts) {
  const std::string name = Identifier(stem), upper = Upper(name);
  std::string header = FirstComment(origin);
  const auto add = [&header]<typename... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(header), text, std::forward<Args>(args)...);
  };
  add("#ifndef {0}_WEFT_MODEL_H_\n#define {0}_WEFT_MODEL_H_ 0x{1:08x}\n\n{2}", upper, origin.mark,
      OwnerGuard(OwnerOf(name)));
  add("#include \"runtime/weft_c.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{}",
      parts.c);
  add("#ifdef __cplusplus\n}} /* extern \"C\" */\n\n#include \"runtime/weft.h\"\n\n{}#endif\n\n",
      parts.cpp);
  add("#elif {}_WEFT_MODEL_H_ != 0x{:08x}\n{}", upper, origin.mark,
      fmt::format(fmt::runtime(kSameNames), ""));
  add("#endif /* {}_WEFT_MODEL_H_ */\n", upper);
  return header;
}

std::string SourceOf(const std::string& stem, const Origin& origin, const std::string& body) {
  return fmt::format(
      "{}#include \"{}.h\"\n\n#if {}_WEFT_MODEL_H_ != 0x{:08x}\n"
      "#error \"the header is of another conversion; convert again\"\n#endif\n\n"
      "#if defined(__GNUC__)\n#define ALIGNED "
      "__attribute__((aligned(64)))\n#else\n#define ALIGNED _Alignas(64)\n#endif\n\n{}",
      FirstComment(origin), stem, Upper(Identifier(stem)), origin.mark, body);
}

std::string Declaration(std::string_view identifier) {
  return fmt::format("unsigned char {0}[({1}_BYTES > 0) ? {1}_BYTES : 1]", identifier,
                     Upper(std::string(identifier)));
}

std::string MemoryType(std::string_view type, uint32_t bytes) {
  return fmt::format("struct {} {{\n  alignas(64) unsigned char bytes[{}];\n}};\n", type,
                     std::max<uint32_t>(bytes, 1));
}

Parts ProgramParts(const std::string& program, std::span<const ProgramModel> models,
                   const Parts& parts) {
  Parts all;
  uint32_t bytes = 0;
  std::string c_engines, c_open, cpp_states, cpp_engines, cpp_open, cpp_open_on, checks, c_checks;
  for (const ProgramModel& model : models) {
    bytes = std::max(bytes, model.scratch_bytes);
    c_engines += fmt::format("  weft_engine {};\n", model.name);
    c_open += fmt::format("  if (weft_ok(fault)) fault = {0}_open(&engines->{0});\n", model.name);
    cpp_states += fmt::format("  ::{0}::State {0};\n", model.name);
    cpp_engines += fmt::format("  ::weft::Engine {};\n", model.name);
    cpp_open += fmt::format("  if (fault.ok()) fault = ::{0}::Open(&engines->{0});\n", model.name);
    cpp_open_on +=
        fmt::format("  if (fault.ok()) fault = ::{0}::Open(&state->{0}, scratch, &engines->{0});\n",
                    model.name);
    checks += fmt::format(
        "static_assert(::{0}::kScratchBytes <= kScratchBytes, \"{0} must fit in the scratch\");\n",
        model.name);
    c_checks += fmt::format(
        "typedef char {0}_fits_in_scratch[((int){1}_SCRATCH_BYTES <= (int){2}_SCRATCH_BYTES) ? 1 : "
        "-1];\n",
        model.name, Upper(model.name), Upper(program));
  }
  all.c = fmt::format(
      "/* Scratch of all models below, which must not run at the same time: the maximum of theirs. "
      "No\n * model reads values that a run left there. Read the outputs of a model before the "
      "next one\n * runs, and write its inputs after that. */\n"
      "enum {{ {1}_SCRATCH_BYTES = {2} }};\nextern {3};\n\n{4}"
      "typedef struct {0}_engines {{\n{5}}} {0}_engines;\n\n"
      "/* Opens all models, and returns the error of the first one that does not open. */\n"
      "static inline weft_fault {0}_open({0}_engines* engines) {{\n"
      "  weft_fault fault = {{0, 0, 0, 0, 0, 0}};\n{6}  return fault;\n}}\n\n",
      program, Upper(program), bytes, Declaration(program + "_scratch"), parts.c, c_engines,
      c_open);
  all.cpp = fmt::format(
      "namespace {0} {{\nconstexpr uint32_t kScratchBytes = {1};\n"
      "/* Scratch of all models, which must not run at the same time. */\n{2}}}  // namespace "
      "{0}\n\n"
      "{3}namespace {0} {{\n{4}"
      "struct Engines {{\n{5}}};\n"
      "/* Opens all models, and returns the error of the first one that does not open. */\n"
      "static inline ::weft::Fault Open(Engines* engines) {{\n  ::weft::Fault fault;\n{6}  return "
      "fault;\n}}\n"
      "/* Memory of programs with several streams: one State per stream, one Scratch. */\n"
      "struct State {{\n{7}}};\n"
      "static inline ::weft::Fault Open(State* state, Scratch* scratch, Engines* engines) {{\n"
      "  ::weft::Fault fault;\n{8}  return fault;\n}}\n}}  // namespace {0}\n",
      program, bytes, MemoryType("Scratch", bytes), parts.cpp, checks, cpp_engines, cpp_open,
      cpp_states, cpp_open_on);
  all.source =
      fmt::format("ALIGNED {};\n{}\n{}", Declaration(program + "_scratch"), c_checks, parts.source);
  return all;
}

}  // namespace weft::emit
