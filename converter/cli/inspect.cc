// SPDX-License-Identifier: Apache-2.0
// weft inspect: ports, memory, loops, copies and steps of a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/files.h"
#include "converter/cli/budget.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/model_json.h"
#include "converter/cli/numbers.h"
#include "converter/cli/plan_view.h"
#include "converter/cli/report_facts.h"
#include "converter/cli/streamed.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/streamed.h"
#include "converter/inspect/traffic.h"
#include "converter/report/page.h"
#include "converter/report/picture.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectFooter =
    R"(Sections are the loops and branches of the model. If the trip count of a loop is known only
at run time, all numbers are for its maximum. A multiply-add is a multiplication whose product is
added to a sum, as in dense, convolution and recurrent layers.

Examples:
  weft inspect model.weft
  weft inspect model.weft --listing
  weft inspect model.weft --budget
  weft inspect model.weft --plan | head -1
  weft inspect model.weft --json | jq .sections
  weft inspect model.weft --html model.html
  weft inspect old.weft new.weft --html both.html --bench times.json
  weft inspect model.weft --svg plan.svg)";

struct InspectCall {
  std::vector<std::string> models, times, comparisons;
  std::string html, svg;
  bool listing = false, budget = false, plan = false, json = false;
};

std::string Bytes(double bytes) { return Grouped(std::llround(bytes)); }

// A mean over unrolled copies may have a fraction.
std::string Mean(double bytes) {
  return bytes == static_cast<double>(static_cast<uint64_t>(bytes)) ? Bytes(bytes)
                                                                    : fmt::format("{:.1f}", bytes);
}

const char* ToleranceText(format::ToleranceClass tolerance) {
  return tolerance == format::ToleranceClass::exact
             ? "outputs are bit-identical on every target"
             : "outputs are bit-identical on targets with fused multiply-add; on others f32 is "
               "within 2^-16 * (1 + |expected|)";
}

void PrintPorts(const LoadedModel& model, const Json& json) {
  Table table({"port", "type", "names"});
  const auto rows = [&](const char* side, const std::vector<ModelPort>& ports) {
    for (size_t i = 0; i < ports.size(); ++i) {
      const std::string open = ports[i].has_length
                                   ? fmt::format(" (maximum of axis {})", ports[i].length_axis)
                                   : std::string();
      table.Row({fmt::format("{} {}", side, i), ToString(ports[i].type) + open,
                 fmt::format("{}", fmt::join(ports[i].names, ", "))});
    }
  };
  rows("input", model.inputs());
  rows("output", model.outputs());
  AnswerText(table.Text() + "\n");
  if (json["variables"].empty()) return;
  Table variables({"variable", "type"});
  for (const Json& variable : json["variables"]) {
    variables.Row({variable["name"].get<std::string>(), variable["type"].get<std::string>()});
  }
  AnswerText(variables.Text() + "\n");
}

void PrintSections(const Json& sections) {
  for (const Json& s : sections) {
    const auto number = [&](const char* key) { return s[key].get<uint32_t>(); };
    const auto plural = [&](const char* key) { return number(key) == 1 ? "" : "s"; };
    Answer("section {} \"{}\", nesting depth {}: {}{} iteration{}, {} {} of the body",
           number("section"), s["layer"].get<std::string>(), number("depth"),
           s["iterations_exact"].get<bool>() ? "" : "at most ", number("iterations"),
           plural("iterations"), number("unroll"), number("unroll") == 1 ? "copy" : "copies");
    Answer(
        "  carried values: {} in place, {} in ping-pong buffers, {} in the scan output, {} copied",
        number("in_place"), number("ping_pong"), number("through_scan"), number("by_copy"));
    Answer("  without a copy: {} sliced input{}, {} scan output{}", number("sliced"),
           plural("sliced"), number("scans"), plural("scans"));
    Answer("  bytes copied or filled: {} per iteration, {} per run of the section",
           Mean(s["copied_bytes_per_iteration"].get<double>()),
           Bytes(s["copied_bytes"].get<double>()));
  }
  if (!sections.empty()) AnswerText("\n");
}

void PrintCopies(const inspect::Traffic& traffic) {
  Answer("bytes copied or filled per run: {}", Bytes(traffic.bytes.run));
  if (!traffic.causes.empty()) {
    Table table({"  kind", "layer", ">bytes per run", "reason"});
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

// Returns a text such as "time axis 1, 4 of 12 positions per run, delayed by 2 time steps".
std::string TimeText(const Json& port) {
  std::string text = port.contains("so_far") ? "result of all time steps so far" : "no time axis";
  if (port.contains("axis")) {
    text = TimeAxisText(port["axis"].get<uint32_t>(), port["positions"].get<uint32_t>(),
                        port.value("of", 0u));
  }
  return text + DelayText(port.value("latency", 0u));
}

void PrintStreamed(const Json& json, const std::string& layout) {
  if (json.is_null()) {
    if (layout.empty()) return;
    Answer("state layout {}", layout);
    return AnswerText("\n");
  }
  const Json& receptive = json["receptive_steps"];
  Answer("{}", StepsText(json["steps"].get<uint32_t>(), json.value("of", 0u)));
  Table table({"  port", "time"});
  for (const char* side : {"inputs", "outputs"}) {
    for (const Json& port : json[side]) {
      table.Row({"  " + port["name"].get<std::string>(), TimeText(port)});
    }
  }
  AnswerText(table.Text());
  Answer("{}",
         DependsText(receptive.is_null() ? std::nullopt : std::optional(receptive.get<int64_t>())));
  const Json& whole = json["full_multiply_adds"];
  Answer("multiply-adds per time step: {}{}", Mean(json["multiply_adds"].get<double>()),
         whole.is_null() ? "" : "; without streaming: " + Mean(whole.get<double>()));
  Answer("{}{}",
         StatesText(json["state_bytes"].get<int64_t>(), json["min_state_bytes"].get<int64_t>()),
         layout.empty() ? "" : "; layout " + layout);
  AnswerText("\n");
}

void PrintModel(const LoadedModel& model) {
  const Json json = ModelJson(model);
  const format::Model& root = model.root();
  const Needs& needs = model.needs();
  Answer("{}: {} bytes, file format {}, checksum {:016x}", model.file(),
         Grouped(static_cast<int64_t>(model.bytes().size)), root.format_version(), root.checksum());
  std::string scratch = Size(needs.scratch_bytes);
  for (uint32_t i = format::kFirstScratchRegion + 1; i < root.regions()->size(); ++i) {
    scratch += " + " + Size(root.regions()->Get(i)->bytes());
  }
  Answer("weights {}, state {}, scratch {}; alignment {} bytes",
         Size(format::RowsOf(root.regions())[0].bytes()), Size(needs.state_bytes), scratch,
         needs.alignment);
  AnswerText("\n");
  PrintPorts(model, json);
  PrintStreamed(json["streamed"], json["state_layout"].get<std::string>());
  PrintSelfTest(root);
  PrintSections(json["sections"]);
  PrintCopies(inspect::TrafficOf(root));
  Table steps({"kind of step", ">count"});
  for (const auto& [kind, count] : json["steps"].items())
    steps.Row({kind, fmt::format("{}", count.get<uint32_t>())});
  AnswerText(steps.Text());
}

// The first given option that accepts one model only, or null.
const char* OptionForOne(const InspectCall& call) {
  if (!call.svg.empty()) return "--svg";
  if (call.json) return "--json";
  if (call.listing) return "--listing";
  if (call.budget) return "--budget";
  return call.plan ? "--plan" : nullptr;
}

// Checks the combination of options.
void CheckInspectCall(const InspectCall& call) {
  const size_t models = call.models.size();
  const char* for_one = OptionForOne(call);
  if (models > 1 && for_one != nullptr) {
    RefuseOption(for_one, fmt::format("is given with {} models; must be given with one", models));
  }
  if (!call.html.empty()) return;
  if (models > 1) {
    RefuseOption("MODEL", fmt::format("is given {} times without --html; must be one", models));
  }
  if (!call.times.empty()) {
    RefuseOption("--bench", "is given without --html; must be given with it");
  }
  if (!call.comparisons.empty()) {
    RefuseOption("--accuracy", "is given without --html; must be given with it");
  }
}

Diagnostics FilesOf(const InspectCall& call) {
  Diagnostics complaints;
  CallFiles files;
  for (const std::string& model : call.models) files.Reads("MODEL", model);
  for (const std::string& file : call.times) files.Reads("--bench", file);
  for (const std::string& file : call.comparisons) files.Reads("--accuracy", file);
  if (!call.html.empty()) files.Writes("--html", call.html);
  if (!call.svg.empty()) files.Writes("--svg", call.svg);
  files.Check(complaints.call);
  return complaints;
}

using Models = std::vector<std::unique_ptr<LoadedModel>>;

Models LoadModels(const InspectCall& call, Faults& faults) {
  Models models;
  for (const std::string& file : call.models) {
    std::unique_ptr<LoadedModel> model = LoadedModel::Load(file, faults);
    if (model == nullptr || !model->Open(faults)) continue;
    models.push_back(std::move(model));
  }
  return models;
}

// Writes the requested page and picture: both or none.
void WritePages(const InspectCall& call, const Models& models, Faults& faults) {
  std::vector<Json> facts;
  for (const auto& model : models) facts.push_back(ReportJson(*model));
  AddTimes(call.times, facts, faults);
  AddComparisons(call.comparisons, facts, faults);
  if (!faults.ok()) return;
  std::string page, picture;
  std::vector<FileToWrite> files;
  const auto add = [&](const std::string& file, const std::string& text) {
    files.push_back({file, std::as_bytes(std::span(text.data(), text.size()))});
  };
  if (!call.html.empty()) {
    page = report::Page(facts.size() == 1 ? facts[0] : Json{{"models", facts}});
    add(call.html, page);
  }
  if (!call.svg.empty()) {
    picture = report::Picture(facts[0]);
    add(call.svg, picture);
  }
  std::string reason;
  if (!WriteFiles(files, &reason)) faults.Add(reason);
}

void PrintAll(const InspectCall& call, const LoadedModel& model) {
  if (call.json) {
    Json json = ModelJson(model);
    if (call.budget) json["budget"] = BudgetJson(model);
    if (call.plan) json["plan"] = PlanJson(model);
    if (call.listing) json["listing"] = inspect::ListingJson(model.root());
    return Print(json);
  }
  if (call.plan && !call.budget && !call.listing) return AnswerText(PlanText(PlanJson(model)));
  PrintModel(model);
  if (call.plan) AnswerText("\n" + PlanText(PlanJson(model)));
  if (call.budget) AnswerText("\n" + BudgetText(BudgetJson(model)));
  if (call.listing) AnswerText("\n" + inspect::ListingText(model.root()));
}

// --html and --svg replace the text on stdout, unless another option requests text.
Exit Inspect(const InspectCall& call) {
  CheckInspectCall(call);
  Diagnostics complaints = FilesOf(call);
  if (!complaints.ok()) return Report(complaints);
  Faults& faults = complaints.input;
  const Models models = LoadModels(call, faults);
  if (!faults.ok()) return Report(complaints);
  const bool has_pages = !call.html.empty() || !call.svg.empty();
  if (has_pages) WritePages(call, models, faults);
  if (!faults.ok()) return Report(complaints);
  if (!has_pages || call.json || call.plan || call.budget || call.listing) {
    PrintAll(call, *models[0]);
  }
  return Exit::kDone;
}

}  // namespace

void AddInspect(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("inspect", "Print a model's ports, memory, loops, copies and steps");
  auto call = std::make_shared<InspectCall>();
  command.Add("MODEL", call->models, "Model file; with --html several, shown side by side")
      .Value("FILE", PathName())
      .Required();
  command.AddFlag("--listing", call->listing,
                  "Also print every step with its operands and parameters");
  command.AddFlag("--budget", call->budget,
                  "Also print flash by part, memory by region, stack and work, with the largest "
                  "contributors");
  command.AddFlag(
      "--plan", call->plan,
      "Print only the memory plan: a summary line for logs, and address, size and lifetime of "
      "each buffer");
  command
      .Add("--html", call->html,
           "Write an HTML page with all of this: memory over time, work and flash")
      .Value("FILE.html", PathName());
  command
      .Add("--bench", call->times,
           "With --html: measured times, one file for each model in order: the output of \"weft "
           "bench --json --profile\", or the table of steps that a board printed")
      .Value("FILE", PathName());
  command
      .Add("--accuracy", call->comparisons,
           "With --html: measured accuracy, one file for each model in order: the output of "
           "\"weft compare --json\"")
      .Value("FILE.json", PathName());
  command.Add("--svg", call->svg, "Write memory over time as a picture")
      .Value("FILE.svg", PathName());
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kInspectFooter);
  command.OnCall([call, exit] { *exit = Inspect(*call); });
}

}  // namespace weft::cli
