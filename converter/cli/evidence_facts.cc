// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/evidence_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "converter/base/paths.h"
#include "converter/base/sha256.h"
#include "converter/base/split.h"
#include "converter/cli/evidence_parts.h"
#include "converter/cli/facts.h"
#include "converter/cli/targets.h"
#include "converter/emit/c_source.h"
#include "converter/emit/self_test.h"
#include "converter/inspect/instructions.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/weight_copies.h"
#include "runtime/format/listing.h"
#include "runtime/plan_number.h"

namespace weft::cli {
namespace {

constexpr std::string_view kSection = "section";  // kind of the steps that enter loops and branches

// Options that print, or write other files. They do not change the model.
constexpr std::string_view kOutputOptions[] = {
    "--output", "--c-source", "--incbin",     "--report",  "--evidence",   "--json",
    "--quiet",  "--verbose",  "--dump-after", "--dump-to", "--sensitivity"};

// "x=samples/x.npy" becomes "x=x.npy".
std::string WithoutFolders(const std::string& value) {
  const size_t equals = value.find('=');
  const size_t begin = equals == std::string::npos ? 0 : equals + 1;
  std::filesystem::path path = PathOf(value.substr(begin));
  if (!path.has_filename()) path = path.parent_path();  // "samples/"
  return value.substr(0, begin) + path.filename().string();
}

StepFiles FilesOf(std::string_view kind) {
  if (kind == kSection) return {kSection, "runtime/run.cc", "tests/runtime/section_test.cc", ""};
  const auto* row = std::ranges::find(kStepFiles, kind, &StepFiles::step);
  return row == std::end(kStepFiles) ? StepFiles{} : *row;
}

// Variants of weight types are compiled from the source of their step.
StepFiles FilesOfVariant(std::string_view variant) {
  const StepFiles files = FilesOf(variant);
  return files.source.empty() ? FilesOf(variant.substr(0, variant.rfind('_'))) : files;
}

std::string FunctionOf(const std::map<uint16_t, std::string>& entries, uint16_t kind) {
  const auto entry = entries.find(kind);
  return entry == entries.end() ? "weft::Engine::Run" : "weft_run_" + entry->second;
}

// The operands of one side, and the ranges of the file that they read as weights.
struct Operands {
  std::vector<std::string> memory, file_bytes;
};

void AddOperands(const LoadedModel& model, const Json& operands, Operands& to) {
  const auto* weights = model.root().weights();
  const auto* file = static_cast<const uint8_t*>(model.bytes().data);
  const inspect::CopiedWeights copies(model.root());
  for (const Json& operand : operands) {
    if (operand.is_null()) continue;
    const uint32_t index = operand["slot"];
    const format::Slot slot = copies.InFile(format::RowsOf(model.root().slots())[index]);
    if (slot.region() == format::kWeightsRegion) {
      const int64_t begin = weights->data() - file + int64_t{slot.offset_bytes()};
      to.file_bytes.push_back(fmt::format("[{}, {})", begin, begin + slot.bytes()));
    } else {
      to.memory.push_back(fmt::format("{} {} ({} bytes)", operand["type"].get<std::string>(),
                                      operand["place"].get<std::string>(), slot.bytes()));
    }
  }
}

using Spans = std::vector<std::pair<int64_t, int64_t>>;

bool Intersect(const Spans& a, const Spans& b) {
  return std::ranges::any_of(a, [&](const auto& one) {
    return std::ranges::any_of(
        b, [&](const auto& two) { return one.first <= two.second && two.first <= one.second; });
  });
}

// The bytes and steps of a row of the plan.
struct Placed {
  std::string region;
  int64_t begin = 0, end = 0;
  Spans live;
};

std::vector<Placed> PlacedOf(const Json& rows) {
  std::vector<Placed> placed;
  for (const Json& row : rows) {
    const int64_t begin = row["offset"], bytes = row["bytes"];
    placed.push_back({row["region"], begin, begin + bytes, row["spans"].get<Spans>()});
  }
  return placed;
}

bool ShareBytes(const Placed& a, const Placed& b) {
  return a.region == b.region && a.begin < b.end && b.begin < a.end;
}

Json PlanRow(const Json& name, const std::string& region, const Json& from, const Spans& live) {
  std::vector<std::string> texts;
  for (const auto& [first, last] : live) texts.push_back(fmt::format("{}-{}", first, last));
  return {{"name", name},
          {"region", region},
          {"offset", from["offset"]},
          {"bytes", from["bytes"]},
          {"first_step", live.front().first},
          {"last_step", live.back().second},
          {"live", fmt::format("{}", fmt::join(texts, " "))},
          {"spans", live}};
}

}  // namespace

Json GivenOptions(const Command& command) {
  Json options = Json::array();
  for (const Option& option : command.options) {
    if (option.given.empty() || std::ranges::count(kOutputOptions, option.name) != 0) continue;
    const bool is_path = option.value.find("FILE") != std::string::npos;
    for (const std::string& value : option.given) {
      options.push_back(
          {{"option", option.name}, {"value", is_path ? WithoutFolders(value) : value}});
    }
  }
  return options;
}

Json FileFacts(const std::string& name, std::span<const std::byte> bytes) {
  return {{"file", name}, {"bytes", bytes.size()}, {"sha256", Sha256Of(bytes)}};
}

Json MappingOf(const LoadedModel& model, const Json& facts) {
  const std::map<uint16_t, std::string> entries = emit::StepEntriesOf(model.root());
  return ListOf(facts["listing"], [&](const Json& step) -> Json {
    const uint32_t index = step["step"];
    const StepFiles files = FilesOf(step["kind"].get<std::string>());
    Operands reads, writes;
    AddOperands(model, step.value("inputs", Json::array()), reads);
    AddOperands(model, step.value("outputs", Json::array()), writes);
    return {{"layer", step["layer"]},
            {"step", index},
            {"kernel", step["kind"]},
            {"function", FunctionOf(entries, format::RowsOf(model.root().steps())[index].kind())},
            {"source", files.source},
            {"tests", files.tests},
            {"executions", step["times"]},
            {"multiply_adds", step.value("multiply_adds", Json())},
            {"file_bytes", fmt::format("{}", fmt::join(reads.file_bytes, " "))},
            {"reads", fmt::format("{}", fmt::join(reads.memory, "; "))},
            {"writes", fmt::format("{}", fmt::join(writes.memory, "; "))}};
  });
}

Json PlanRowsOf(const Json& facts) {
  const auto last_step = std::max<int64_t>(0, static_cast<int64_t>(facts["listing"].size()) - 1);
  Json rows = Json::array();
  for (const Json& variable : facts["variables"]) {
    Json row = PlanRow(variable["name"], inspect::RegionName(format::kStateRegion), variable,
                       {{0, last_step}});
    row["kept"] = "between runs";
    rows.push_back(std::move(row));
  }
  for (const Json& buffer : facts["plan"]["buffers"]) {
    const uint32_t region = format::kFirstScratchRegion + buffer["region"].get<uint32_t>();
    Json row =
        PlanRow(buffer["name"], inspect::RegionName(region), buffer, buffer["live"].get<Spans>());
    row["slots"] = fmt::format("{}", fmt::join(buffer["slots"].get<std::vector<uint32_t>>(), " "));
    rows.push_back(std::move(row));
  }
  const std::vector<Placed> placed = PlacedOf(rows);
  for (size_t i = 0; i < placed.size(); ++i) {
    std::vector<size_t> others;
    for (size_t k = 0; k < placed.size(); ++k) {
      if (k != i && ShareBytes(placed[i], placed[k])) others.push_back(k);
    }
    rows[i]["value"] = i;
    rows[i]["shares_bytes_with"] = fmt::format("{}", fmt::join(others, " "));
  }
  return rows;
}

Json KernelRowsOf(const format::Model& model, const Json& facts) {
  Json rows = Json::array();
  for (const auto& [kind, entry] : emit::StepEntriesOf(model)) {
    const std::string name = format::NameOf(static_cast<format::Kind>(kind));
    const StepFiles files = FilesOf(name);
    rows.push_back({{"kernel", name},
                    {"function", "weft_run_" + entry},
                    {"steps", facts["steps"][name]},
                    {"source", files.source},
                    {"tests", files.tests},
                    {"coverage", files.coverage}});
  }
  for (const std::string& variant : emit::StepVariantsOf(model)) {
    const StepFiles files = FilesOfVariant(variant);
    rows.push_back({{"kernel", "variant"},
                    {"function", "weft_variant_" + variant},
                    {"source", files.source},
                    {"tests", files.tests},
                    {"coverage", files.coverage}});
  }
  return rows;
}

Json InstructionsOf(const format::Model& model) {
  return ListOf(inspect::CoresWithBounds(),
                [&model](const std::string& core) { return InstructionFactsOf(model, core); });
}

Json InstructionRowsOf(const Json& cores) {
  Json rows = Json::array();
  for (const Json& core : cores) {
    for (Json row : core["steps"]) {
      const Json& depends = row["depends_on_data"];
      row["depends_on_data"] = depends.is_null() ? Json() : depends.get<bool>() ? "yes" : "no";
      row["target"] = core["target"];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Json InstructionSumsOf(const Json& cores) {
  return ListOf(cores, [](const Json& core) -> Json {
    return {{"target", core["target"]},
            {"compiler", core["compiler"]},
            {"max", core["max"]},
            {"steps", core["steps"].size()},
            {"steps_without_bound", core["steps_without_bound"]}};
  });
}

Json ChecksOf(const format::Model& model, const ModelCheck& check, const Json& plan) {
  const std::vector<Placed> placed = PlacedOf(plan);
  uint64_t pairs = 0, sharing = 0, in_one_step = 0;
  for (size_t i = 0; i < placed.size(); ++i) {
    for (size_t k = i + 1; k < placed.size(); ++k) {
      if (placed[i].region != placed[k].region) continue;
      ++pairs;
      if (!ShareBytes(placed[i], placed[k])) continue;
      ++sharing;
      if (Intersect(placed[i].live, placed[k].live)) ++in_one_step;
    }
  }
  const bool holds = check.violations.empty();
  const uint32_t hash = StoredPlanNumber(model);
  return {{"result", !holds                 ? "violated"
                     : check.plan_validated ? "valid"
                                            : "not validated"},
          {"violations", check.violations},
          {"compared_byte_ranges", check.compared_ranges},
          {"pairs_of_values", pairs},
          {"pairs_that_share_bytes", sharing},
          {"pairs_that_share_bytes_in_one_step", in_one_step},
          {"plan_hash", hash == 0 ? "" : fmt::format("{:08x}", hash)},
          {"plan_hash_computed_again", check.has_plan_hash},
          {"self_test_runs", check.self_test_runs},
          {"proved",
           "Each step reads bytes that were last written for the buffer of its operand, for every "
           "branch and trip count: no live value is overwritten, and no value is read before it is "
           "written"},
          {"not_proved",
           "That a step reads the right element of its buffer. The plan hash, the vectors and the "
           "tests of the repository check it"}};
}

Json NumericOf(const format::Model& model) {
  const char* const exact = format::EnumNameToleranceClass(format::ToleranceClass::exact);
  const char* const without_fma = format::EnumNameToleranceClass(emit::ToleranceOf(model));
  Json targets = ListOf(TargetNames(), [&](const std::string& target) -> Json {
    return {{"target", target}, {"class", TargetOf(target).fuses ? exact : without_fma}};
  });
  return {{"by_target", targets}, {"targets_without_fused_multiply_add", without_fma}};
}

Json Limits() {
  Json limits = Json::array();
  for (const std::string_view part : LinesOf(kLimits)) {
    std::string line(part);
    const bool begins = line.starts_with("- ");
    line.erase(0, line.find_first_not_of("- "));
    if (begins) {
      limits.push_back(line);
    } else if (!limits.empty()) {
      limits.back() = limits.back().get<std::string>() + " " + line;
    }
  }
  return limits;
}

}  // namespace weft::cli
