// SPDX-License-Identifier: Apache-2.0
// weft inspect: what a model takes and gives, how much memory it needs, how its loops run, what it
// copies, and every step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/budget.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/inspect/carried.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traffic.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectFooter =
    R"(Sections are the loops and branches of the model. Of each: how often it runs; how many copies of its body
the listing holds (unroll); how its carried values travel (in place, by shuttle between two places, through
the scan output, or by a copy step); how many inputs are sliced and outputs scanned without a copy; and the
bytes that copy and fill steps write, per iteration and for all of it.

The budget shows flash by part, memory by region, the engine's stack, and the work of a run. Its multiply-adds
are the products that enter a sum over an axis or a window; where a section's trip count is known only
at run time, its maximum counts.

Examples:
  weft inspect model.weft
  weft inspect model.weft --listing
  weft inspect model.weft --budget
  weft inspect model.weft --json | jq .sections)";

struct InspectCall {
  std::string model;
  bool listing = false, budget = false, json = false;
};

std::string Bytes(double bytes) { return fmt::format("{:.0f}", bytes); }

// Means over unrolled copies need not be whole.
std::string MeanBytes(double bytes) {
  return bytes == static_cast<double>(static_cast<uint64_t>(bytes)) ? Bytes(bytes)
                                                                    : fmt::format("{:.1f}", bytes);
}

Json PortsJson(const std::vector<ModelPort>& ports) {
  Json list = Json::array();
  for (const ModelPort& port : ports) {
    Json entry = {{"name", port.display_name},
                  {"names", port.names},
                  {"type", Name(port.type.type)},
                  {"shape", port.type.dims}};
    if (port.has_length) entry["run_time_axis"] = port.length_axis;
    list.push_back(std::move(entry));
  }
  return list;
}

Json VariablesJson(const format::Model& model) {
  Json list = Json::array();
  for (const format::Variable& row : format::RowsOf(model.variables())) {
    const bool named = row.first_name() != format::kNoSlot;
    list.push_back({{"name", named ? model.names()->Get(row.first_name())->str() : ""},
                    {"type", inspect::SlotType(model, row.slot())},
                    {"starts_as", row.initial_slot() == format::kNoSlot ? "zeros" : "weights"}});
  }
  return list;
}

Json SectionsJson(const format::Model& model, const inspect::Traffic& traffic) {
  Json list = Json::array();
  for (uint32_t i = 0; i < format::RowsOf(model.sections()).count; ++i) {
    const format::Section& row = inspect::SectionAt(model, i);
    const inspect::Trips trips = inspect::TripsOf(model, i);
    const inspect::Carried carried = inspect::CarriedBy(model, i);
    const inspect::SectionSum& bytes = traffic.bytes.sections[i];
    list.push_back({{"section", i},
                    {"layer", inspect::LayerOfSection(model, i)},
                    {"depth", row.depth()},
                    {"iterations", trips.count},
                    {"iterations_exact", trips.exact},
                    {"unroll", row.unroll()},
                    {"in_place", carried.in_place},
                    {"shuttles", carried.shuttles},
                    {"through_scan", carried.through_scan},
                    {"by_copy", carried.by_copy},
                    {"sliced", carried.sliced},
                    {"scans", carried.scans},
                    {"copied_bytes_per_iteration", bytes.per_iteration},
                    {"settle_bytes", bytes.settle},
                    {"copied_bytes", bytes.per_entry}});
  }
  return list;
}

Json CopiesJson(const inspect::Traffic& traffic) {
  Json list = Json::array();
  for (const inspect::Cause& cause : traffic.causes) {
    list.push_back({{"step", cause.kind},
                    {"layer", cause.layer},
                    {"reason", format::EnumNameReason(cause.reason)},
                    {"bytes", cause.bytes}});
  }
  return list;
}

Json StepsJson(const format::Model& model) {
  Json json = Json::object();
  for (const auto& [kind, count] : inspect::CountKinds(model))
    json[inspect::KindName(kind)] = count;
  return json;
}

const char* ToleranceText(format::ToleranceClass tolerance) {
  return tolerance == format::ToleranceClass::exact
             ? "every target gives the stored bits"
             : "targets that fuse multiply and add give the stored bits, others f32 within 2^-16 * "
               "(1 + |expected|)";
}

Json SelfTestJson(const format::Model& model) {
  const format::SelfTest* test = format::SelfTestOf(model);
  if (test == nullptr) return nullptr;
  return {{"runs", test->run_count()},
          {"bytes", model.self_test()->size()},
          {"tolerance", format::EnumNameToleranceClass(test->tolerance())}};
}

Json ModelJson(const LoadedModel& model) {
  const format::Model& root = model.root();
  Json regions = Json::array();
  for (const format::Region& region : format::RowsOf(root.regions())) {
    regions.push_back({{"kind", format::EnumNameRegionKind(region.kind())},
                       {"bytes", region.bytes()},
                       {"alignment", region.alignment_bytes()}});
  }
  const Needs& needs = model.needs();
  const inspect::Traffic traffic = inspect::TrafficOf(root);
  return {{"file", model.file()},
          {"file_bytes", model.bytes().size},
          {"format_version", root.format_version()},
          {"checksum", fmt::format("{:016x}", root.checksum())},
          {"generator", root.generator() != nullptr ? root.generator()->str() : ""},
          {"needs",
           {{"state_bytes", needs.state_bytes},
            {"scratch_bytes", needs.scratch_bytes},
            {"more_scratch_bytes", needs.more_scratch_bytes},
            {"alignment", needs.alignment}}},
          {"inputs", PortsJson(model.inputs())},
          {"outputs", PortsJson(model.outputs())},
          {"variables", VariablesJson(root)},
          {"regions", std::move(regions)},
          {"sections", SectionsJson(root, traffic)},
          {"copies", CopiesJson(traffic)},
          {"slots", format::RowsOf(root.slots()).count},
          {"self_test", SelfTestJson(root)},
          {"steps", StepsJson(root)}};
}

void PrintPorts(const LoadedModel& model) {
  Table table({"port", "type", "names"});
  const auto rows = [&](const char* side, const std::vector<ModelPort>& ports) {
    for (size_t i = 0; i < ports.size(); ++i) {
      const std::string open = ports[i].has_length
                                   ? fmt::format(" (axis {} at most)", ports[i].length_axis)
                                   : std::string();
      table.Row({fmt::format("{} {}", side, i), ToString(ports[i].type) + open,
                 fmt::format("{}", fmt::join(ports[i].names, ", "))});
    }
  };
  rows("input", model.inputs());
  rows("output", model.outputs());
  const Json variables = VariablesJson(model.root());
  for (const Json& variable : variables) {
    table.Row(
        {"variable", variable["type"].get<std::string>(), variable["name"].get<std::string>()});
  }
  AnswerText(table.Text() + "\n");
}

void PrintSections(const format::Model& model, const inspect::Traffic& traffic) {
  const Json sections = SectionsJson(model, traffic);
  if (sections.empty()) return;
  Table table({">section", "layer", ">depth", ">iterations", ">unroll", ">in place", ">shuttles",
               ">in scan", ">by copy", ">sliced", ">scans", ">copied/iteration", ">copied"});
  const auto number = [](const Json& value) { return fmt::format("{}", value.get<uint32_t>()); };
  for (const Json& s : sections) {
    const char* most = s["iterations_exact"].get<bool>() ? "" : "<= ";
    table.Row({number(s["section"]), s["layer"].get<std::string>(), number(s["depth"]),
               most + number(s["iterations"]), number(s["unroll"]), number(s["in_place"]),
               number(s["shuttles"]), number(s["through_scan"]), number(s["by_copy"]),
               number(s["sliced"]), number(s["scans"]),
               MeanBytes(s["copied_bytes_per_iteration"].get<double>()),
               Bytes(s["copied_bytes"].get<double>())});
  }
  AnswerText(table.Text() + "\n");
}

void PrintCopies(const inspect::Traffic& traffic) {
  Answer("bytes copied or filled per run: {}", Bytes(traffic.bytes.run));
  if (!traffic.causes.empty()) {
    Table table({"  step", "layer", ">bytes", "why"});
    for (const inspect::Cause& cause : traffic.causes)
      table.Row({"  " + cause.kind, cause.layer, Bytes(cause.bytes), inspect::Why(cause.reason)});
    AnswerText(table.Text());
  }
  AnswerText("\n");
}

void PrintSelfTest(const format::Model& model) {
  const format::SelfTest* test = format::SelfTestOf(model);
  if (test == nullptr) return;
  Answer("self test: {} runs, {} bytes; {}", test->run_count(), model.self_test()->size(),
         ToleranceText(test->tolerance()));
  AnswerText("\n");
}

void PrintModel(const LoadedModel& model) {
  const format::Model& root = model.root();
  const Needs& needs = model.needs();
  Answer("{}: {} bytes, format {}, checksum {:016x}", model.file(), model.bytes().size,
         root.format_version(), root.checksum());
  std::string scratch = fmt::format("{}", needs.scratch_bytes);
  for (const uint32_t bytes : needs.more_scratch_bytes) {
    if (root.regions()->size() > format::kFirstScratchRegion + 1) {
      scratch += fmt::format(" + {}", bytes);
    }
  }
  Answer("weights {}, state {}, scratch {} bytes; alignment {}",
         format::RowsOf(root.regions())[0].bytes(), needs.state_bytes, scratch, needs.alignment);
  AnswerText("\n");
  PrintPorts(model);
  PrintSelfTest(root);
  const inspect::Traffic traffic = inspect::TrafficOf(root);
  PrintSections(root, traffic);
  PrintCopies(traffic);
  Table steps({"step", ">count"});
  const Json counts = StepsJson(root);
  for (const auto& [kind, count] : counts.items())
    steps.Row({kind, fmt::format("{}", count.get<uint32_t>())});
  AnswerText(steps.Text());
}

Exit Inspect(const InspectCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(call.model, faults);
  if (model == nullptr || !model->Open(faults)) return Report(faults);
  if (call.json) {
    Json json = ModelJson(*model);
    if (call.budget) json["budget"] = BudgetJson(*model);
    if (call.listing) json["listing"] = inspect::ListingJson(model->root());
    Print(json);
    return Exit::kDone;
  }
  PrintModel(*model);
  if (call.budget) AnswerText("\n" + BudgetText(BudgetJson(*model)));
  if (call.listing) AnswerText("\n" + inspect::ListingText(model->root()));
  return Exit::kDone;
}

}  // namespace

void AddInspect(CommandLine& line, Exit* exit) {
  Command command =
      line.AddCommand("inspect", "Print ports, memory, sections, copies and steps of a model");
  auto call = std::make_shared<InspectCall>();
  command.Add("MODEL", call->model, "The model.weft").Apply(PathName()).Type("FILE").Required();
  command.AddFlag("--listing", call->listing,
                  "Print every step with its operands and parameters too");
  command.AddFlag("--budget", call->budget,
                  "Print flash, memory, stack and work with what contributes most, too");
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kInspectFooter);
  command.OnCall([call, exit] { *exit = Inspect(*call); });
}

}  // namespace weft::cli
