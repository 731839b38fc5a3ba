// SPDX-License-Identifier: Apache-2.0
#include "converter/program/block_access.h"

#include <algorithm>
#include <variant>

#include "converter/base/narrow.h"
#include "runtime/footprint/steps.h"

namespace weft::program {

namespace {

class Collector {
 public:
  Collector(const Program& program, AccessMap& accesses) : program_(program), accesses_(accesses) {}

  void VisitPorts() {
    item_ = kBeforeRun;
    for (const Port& port : program_.inputs) Add(port.value, true, -1, nullptr, false);
    for (const Variable& variable : program_.variables)
      Add(variable.value, true, -1, nullptr, false);
    item_ = kAfterRun;
    for (const Port& port : program_.outputs) {
      Add(port.value, false, -1, nullptr, false);
      Add(port.length, false, -1, nullptr, false);
    }
    for (const Variable& variable : program_.variables)
      Add(variable.value, false, -1, nullptr, false);
  }

  void VisitResults(BlockId block) {
    item_ = kAfterRun;
    for (const ValueId result : program_.blocks[block].results) Read(result);
  }

  void Visit(BlockId block, bool nested) {
    const Block& items = program_.blocks[block];
    for (uint32_t i = 0; i < items.items.size(); ++i) {
      if (!nested) item_ = i;
      if (const auto* step = std::get_if<Step>(&items.items[i])) {
        VisitStep(*step, nested);
      } else {
        VisitSection(program_.sections[std::get<SectionEntry>(items.items[i]).section]);
      }
    }
  }

 private:
  void VisitStep(const Step& step, bool nested) {
    int32_t operand = 0;
    for (const ValueId input : step.inputs) Add(input, false, operand++, &step, nested);
    for (const ValueId output : step.outputs) Add(output, true, operand++, &step, nested);
  }

  void Read(ValueId value) { Add(value, false, -1, nullptr, true); }
  void Write(ValueId value) { Add(value, true, -1, nullptr, true); }

  void VisitLoop(const Loop& loop) {
    for (const Loop::Sliced& input : loop.sliced) Read(input.whole);
    for (const Loop::Carried& carried : loop.carried) Read(carried.initial);
    Visit(loop.body, true);
    for (const ValueId result : program_.blocks[loop.body].results) Read(result);
    for (const Loop::Scan& scan : loop.scans) Write(scan.whole);
    for (const Loop::Last& last : loop.lasts) Write(last.value);
  }

  void VisitSection(const Section& section) {
    Read(section.trip);
    Read(section.first_condition);
    Write(section.iteration);
    if (section.loop) VisitLoop(*section.loop);
    for (const BlockId copy : section.copies) Visit(copy, true);
    Read(section.body_condition);
    for (const BlockId epilogue : section.epilogues) Visit(epilogue, true);
    Write(section.length);
  }

  void Add(ValueId value, bool write, int32_t operand, const Step* step, bool nested) {
    if (value == kNone) return;
    Location location = Resolve(program_, value);
    accesses_[location.root].push_back({item_, write, operand, step, location.offset_bytes,
                                        location.offset_bytes + program_.values[value].bytes,
                                        std::move(location.moves), nested});
  }

  const Program& program_;
  AccessMap& accesses_;
  int64_t item_ = 0;
};

}  // namespace

AccessMap CollectAccesses(const Program& program, BlockId block) {
  AccessMap accesses;
  Collector collector(program, accesses);
  collector.Visit(block, false);
  collector.VisitResults(block);
  if (block == program.main) collector.VisitPorts();
  return accesses;
}

bool IsWritten(const AccessMap& accesses, ValueId root, int64_t first, int64_t last) {
  const auto found = accesses.find(root);
  return found != accesses.end() && std::ranges::any_of(found->second, [&](const Access& access) {
           return access.write && access.item >= first && access.item <= last;
         });
}

bool Overlap(const Access& a, const Access& b) {
  if (a.moves != b.moves) return true;
  return a.begin_bytes < b.end_bytes && b.begin_bytes < a.end_bytes;
}

std::optional<size_t> SoleWriter(const Program& program, const AccessMap& accesses, ValueId value,
                                 int64_t reader) {
  const Location location = Resolve(program, value);
  const Value& root = program.values[location.root];
  if (root.storage != Storage::kScratch || root.bytes != program.values[value].bytes) {
    return std::nullopt;
  }
  const auto found = accesses.find(location.root);
  if (found == accesses.end() || found->second.size() != 2) return std::nullopt;
  const bool written_first = found->second[0].write;
  const Access& write = found->second[written_first ? 0 : 1];
  const Access& read = found->second[written_first ? 1 : 0];
  if (!write.write || read.write || write.nested || read.nested || write.item < 0) {
    return std::nullopt;
  }
  const bool whole = write.moves.empty() && write.end_bytes - write.begin_bytes == root.bytes;
  if (!whole || read.item != reader || write.item >= read.item) return std::nullopt;
  return static_cast<size_t>(write.item);
}

bool MayShare(const Step& step, size_t input, size_t output) {
  const uint32_t written = Narrow32(step.inputs.size() + output, "operands");
  switch (step.kind()) {
#define WEFT_STEP(name, Name, ...)                                          \
  case StepKind::k##Name:                                                   \
    return footprint::MayShare(std::get<format::Name##Params>(step.params), \
                               Narrow32(input, "operands"), written);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case StepKind::kSection:
      break;
  }
  return false;
}

}  // namespace weft::program
