// SPDX-License-Identifier: Apache-2.0
#include "converter/program/program.h"

#include <fmt/format.h>

#include "runtime/format/listing.h"

namespace weft::program {

Location Resolve(const Program& program, ValueId value) {
  Location location{value, 0, {}};
  while (program.values[location.root].parent != kNone) {
    const Value& view = program.values[location.root];
    location.offset_bytes += view.offset_bytes;
    location.moves.insert(location.moves.end(), view.moves.begin(), view.moves.end());
    location.root = view.parent;
  }
  return location;
}

bool IsCompleteScratch(const Program& program, const Location& location, ValueId value) {
  const Value& root = program.values[location.root];
  return root.storage == Storage::kScratch && location.offset_bytes == 0 &&
         location.moves.empty() && root.bytes == program.values[value].bytes;
}

std::vector<SectionId> SectionsIn(const Program& program, BlockId block) {
  std::vector<SectionId> sections;
  for (const Item& item : program.blocks[block].items) {
    if (const auto* entry = std::get_if<SectionEntry>(&item)) sections.push_back(entry->section);
  }
  return sections;
}

std::string_view Name(StepKind kind) { return format::NameOf(static_cast<format::Kind>(kind)); }

namespace {

std::string OperandText(const Program& program, ValueId id) {
  if (id == kNone) return "-";
  const Location location = Resolve(program, id);
  const Value& root = program.values[location.root];
  static constexpr const char* kStorages[] = {"%", "w", "s"};
  std::string text = fmt::format("{}{}", kStorages[static_cast<int>(root.storage)], location.root);
  if (location.offset_bytes != 0) text += fmt::format("+{}", location.offset_bytes);
  for (const Move& move : location.moves) {
    text += fmt::format("+i{}*{}", move.section, move.stride_bytes);
  }
  return text + ":" + ToString(program.values[id].type);
}

class Listing {
 public:
  explicit Listing(const Program& program) : program_(program) { Print(program.main, 0); }
  std::string text;

 private:
  void Print(BlockId block, int depth) {
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        Print(*step, depth);
      } else {
        Print(program_.sections[std::get<SectionEntry>(item).section],
              std::get<SectionEntry>(item).section, depth);
      }
    }
  }

  void Print(const Step& step, int depth) {
    text += fmt::format("{:{}}{}", "", 2 * depth, Name(step.kind()));
    for (const ValueId output : step.outputs) text += " " + OperandText(program_, output);
    text += " <-";
    for (const ValueId input : step.inputs) text += " " + OperandText(program_, input);
    text += step.layer.empty() ? "\n" : fmt::format("  ({})\n", step.layer);
  }

  void Print(const Section& section, SectionId id, int depth) {
    text +=
        fmt::format("{:{}}section {} \"{}\" trips {} of at most {}, copies {}\n", "", 2 * depth, id,
                    section.layer, section.trip_count, section.max_trips, section.copies.size());
    if (section.loop) Print(*section.loop, depth + 1);
    for (const BlockId copy : section.copies) Print(copy, depth + 1);
    for (const BlockId epilogue : section.epilogues) {
      text += fmt::format("{:{}}settle\n", "", 2 * depth);
      Print(epilogue, depth + 1);
    }
  }

  // Prints the inputs of an iteration, its steps, and the targets of its results.
  void Print(const Loop& loop, int depth) {
    const auto line = [&](std::string_view what, ValueId target, ValueId source) {
      text += fmt::format("{:{}}{} {} <- {}\n", "", 2 * depth, what, OperandText(program_, target),
                          OperandText(program_, source));
    };
    const std::vector<ValueId>& results = program_.blocks[loop.body].results;
    for (const Loop::Sliced& input : loop.sliced) {
      line(input.backward ? "slice backward" : "slice", input.chunk, input.whole);
    }
    for (const Loop::Carried& carried : loop.carried) line("first", carried.state, carried.initial);
    Print(loop.body, depth);
    for (const Loop::Carried& carried : loop.carried) {
      line("next", carried.state, results[carried.result]);
    }
    for (const Loop::Scan& scan : loop.scans) {
      line(scan.backward ? "gather backward" : "gather", scan.whole, results[scan.result]);
    }
    for (const Loop::Last& last : loop.lasts) line("last", last.value, results[last.result]);
    if (loop.condition) {
      text += fmt::format("{:{}}while {}\n", "", 2 * depth,
                          OperandText(program_, results[*loop.condition]));
    }
  }

  const Program& program_;
};

}  // namespace

bool IsPlainCopy(const Program& program, const Step& step) {
  const auto* params = std::get_if<format::CopyParams>(&step.params);
  if (params == nullptr || params->rank() != 1 || params->src_offset() != 0 ||
      params->dst_offset() != 0 || params->src_strides()->Get(0) != 1 ||
      params->dst_strides()->Get(0) != 1) {
    return false;
  }
  const int64_t bytes = static_cast<int64_t>(params->dims()->Get(0)) * params->element_bytes();
  return bytes == program.values[step.inputs[0]].bytes &&
         bytes == program.values[step.outputs[0]].bytes;
}

std::string ToString(const Program& program) { return Listing(program).text; }

}  // namespace weft::program
