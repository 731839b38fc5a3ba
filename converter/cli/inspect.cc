// SPDX-License-Identifier: Apache-2.0
// weft inspect: ports, memory, loops, copies and steps of a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "converter/base/files.h"
#include "converter/base/paths.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/facts.h"
#include "converter/cli/facts_text.h"
#include "converter/cli/numbers.h"
#include "converter/cli/report_facts.h"
#include "converter/cli/streams.h"
#include "converter/inspect/instructions.h"
#include "converter/inspect/listing.h"
#include "converter/report/page.h"
#include "converter/report/picture.h"

namespace weft::cli {
namespace {

constexpr size_t kReadableRows = 10;  // of the lists of contributors

constexpr const char* kInspectFooter =
    R"(Sections are the loops and branches of the model. If the trip count of a loop is known only
at run time, all numbers are for its maximum. A multiply-add is a multiplication whose product is
added to a sum, as in dense, convolution and recurrent layers.

Examples:
  weft inspect model.weft
  weft inspect model.weft --listing
  weft inspect model.weft --budget
  weft inspect model.weft --target cortex-m4f
  weft inspect model.weft --plan | head -1
  weft inspect model.weft --json | jq .sections
  weft inspect model.weft --html model.html
  weft inspect old.weft new.weft --html both.html --bench old.json --bench new.json
  weft inspect model.weft --svg plan.svg)";

struct InspectCall {
  std::vector<std::string> models, times, comparisons;
  std::string html, svg, target;
  bool listing = false, budget = false, plan = false, json = false;
};

// The first given option that accepts one model only, or null.
const char* OptionForOne(const InspectCall& call) {
  if (!call.svg.empty()) return "--svg";
  if (call.json) return "--json";
  if (call.listing) return "--listing";
  if (call.budget) return "--budget";
  if (!call.target.empty()) return "--target";
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
  RefuseOptionIf(models > 1, "MODEL",
                 fmt::format("is given {} times without --html; must be one", models));
  RefuseOptionIf(!call.times.empty(), "--bench", "is given without --html; must be given with it");
  RefuseOptionIf(!call.comparisons.empty(), "--accuracy",
                 "is given without --html; must be given with it");
}

Diagnostics FilesOf(const InspectCall& call) {
  Diagnostics complaints;
  CallFiles files;
  for (const std::string& model : call.models) files.Reads("MODEL", PathOf(model));
  for (const std::string& file : call.times) files.Reads("--bench", PathOf(file));
  for (const std::string& file : call.comparisons) files.Reads("--accuracy", PathOf(file));
  if (!call.html.empty()) files.Writes("--html", PathOf(call.html));
  if (!call.svg.empty()) files.Writes("--svg", PathOf(call.svg));
  files.Check(complaints.call);
  return complaints;
}

using Models = std::vector<std::unique_ptr<LoadedModel>>;

Models LoadModels(const InspectCall& call, Faults& faults) {
  Models models;
  for (const std::string& file : call.models) {
    std::unique_ptr<LoadedModel> model = LoadedModel::Load(PathOf(file), faults);
    if (model == nullptr || !model->Open(faults)) continue;
    models.push_back(std::move(model));
  }
  return models;
}

// Writes the requested page and picture: both or none.
void WritePages(const InspectCall& call, const Models& models, Faults& faults) {
  std::vector<Json> facts;
  for (const auto& model : models) facts.push_back(FactsOf(*model, kAllFacts));
  AddTimes(call.times, facts, faults);
  AddComparisons(call.comparisons, facts, faults);
  if (!faults.ok()) return;
  std::string page, picture;
  std::vector<FileToWrite> files;
  const auto add = [&](const std::string& file, const std::string& text) {
    files.push_back({PathOf(file), std::as_bytes(std::span(text.data(), text.size()))});
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
  const FactParts parts = {call.budget ? kReadableRows : 0, call.plan, call.listing && call.json,
                           call.target};
  const Json facts = FactsOf(model, parts);
  if (call.json) return Print(facts);
  const bool only_plan = call.plan && !call.budget && !call.listing && call.target.empty();
  if (only_plan) return AnswerText(PlanText(facts["plan"]));
  AnswerText(FactsText(facts));
  if (call.plan) AnswerText("\n" + PlanText(facts["plan"]));
  if (call.budget) AnswerText("\n" + BudgetText(facts["budget"]));
  if (!call.target.empty()) {
    const size_t rows = call.listing ? SIZE_MAX : kReadableRows;
    AnswerText("\n" + InstructionsText(facts["instructions"], rows));
  }
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
  const bool has_text = call.plan || call.budget || call.listing || !call.target.empty();
  if (!has_pages || call.json || has_text) {
    PrintAll(call, *models[0]);
  }
  return Exit::kDone;
}

std::string CheckCore(const std::string& value) {
  const std::vector<std::string> cores = inspect::CoresWithBounds();
  if (std::ranges::find(cores, value) != cores.end()) return {};
  return fmt::format("is \"{}\"; must be one of {}, for which instructions were measured",
                     OneLine(value), fmt::join(cores, ", "));
}

}  // namespace

void AddInspect(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("inspect", "Print a model's ports, memory, loops, copies and steps");
  auto call = std::make_shared<InspectCall>();
  command.Add("MODEL", call->models, "Model file; with --html several, shown side by side")
      .Value("FILE", PathName)
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
      .Add("--target", call->target,
           fmt::format("Also print the maximum number of instructions of a run on a core: {}. Each "
                       "step has a bound with its excess above measured steps, or is reported to "
                       "have none",
                       fmt::join(inspect::CoresWithBounds(), ", ")))
      .Value("NAME", CheckCore);
  command
      .Add("--html", call->html,
           "Write an HTML page with all of this: memory over time, work and flash")
      .Value("FILE.html", PathName);
  command
      .Add("--bench", call->times,
           "With --html: measured times, given once for each model in order: the output of \"weft "
           "bench --json --profile\", or the table of steps that a board printed")
      .Value("FILE", PathName);
  command
      .Add("--accuracy", call->comparisons,
           "With --html: measured accuracy, given once for each model in order: the output of "
           "\"weft compare --json\"")
      .Value("FILE.json", PathName);
  command.Add("--svg", call->svg, "Write memory over time as a picture")
      .Value("FILE.svg", PathName);
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kInspectFooter);
  command.OnCall([call, exit] { *exit = Inspect(*call); });
}

}  // namespace weft::cli
