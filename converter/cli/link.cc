// SPDX-License-Identifier: Apache-2.0
// weft link: several model files -> one C source, whose models share one scratch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "converter/base/files.h"
#include "converter/base/paths.h"
#include "converter/base/visible.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/model_check.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/emit/c_source.h"
#include "converter/emit/identifiers.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

using std::filesystem::path;

struct LinkCall {
  std::vector<std::string> models;
  std::string output;
  bool incbin = false, json = false, quiet = false;
};

using Models = std::vector<std::unique_ptr<LoadedModel>>;

void CheckFiles(const LinkCall& call, Faults& faults) {
  CallFiles files;
  for (const std::string& model : call.models) files.Reads("a MODEL", PathOf(model));
  files.Writes("--output", PathOf(call.output));
  files.Writes("the header of --output", HeaderOf(PathOf(call.output)));
  files.Check(faults);
}

// Adds a fault for each model whose identifier, compared in upper case, is that of an earlier model
// or of the output.
void CheckIdentifiers(const LinkCall& call, Faults& faults) {
  std::map<std::string, std::string> taken;  // identifier -> file
  const auto take = [&](const std::string& file) -> const std::string& {
    const std::string name = emit::Upper(emit::Identifier(PathOf(file).stem().string()));
    return taken.emplace(name, file).first->second;
  };
  take(call.output);
  for (size_t i = 0; i < call.models.size(); ++i) {
    const std::string& model = call.models[i];
    const size_t count = taken.size();
    const std::string& other = take(model);
    if (taken.size() > count) continue;
    faults.Add(fmt::format(
        "{}: its name in C is {}, like that of {}; must be unique, so copy the "
        "file to another name",
        OneLine(model), emit::Identifier(PathOf(model).stem().string()), OneLine(other)));
  }
}

// Adds a fault for each model whose C source has a name of an earlier model or of the program, such
// as kws_state of kws and of kws_state.
void CheckNames(const LinkCall& call, const Models& models, Faults& faults) {
  std::map<std::string, std::string> taken;  // name -> file
  for (const std::string& name : emit::ProgramNames(PathOf(call.output).stem().string())) {
    taken.emplace(name, call.output);
  }
  for (const auto& model : models) {
    const Bytes bytes = model->bytes();
    const std::span file(static_cast<const std::byte*>(bytes.data), bytes.size);
    bool is_new = true;
    for (const std::string& name : emit::NamesOf(file, PathOf(model->file()).stem().string())) {
      const auto [first, added] = taken.emplace(name, model->file());
      if (added || first->second == model->file() || !is_new) continue;
      is_new = false;
      faults.Add(fmt::format(
          "{}: its C source has the name {}, like that of {}; must be unique, so copy the file to "
          "another name",
          OneLine(model->file()), name, OneLine(first->second)));
    }
  }
}

// Adds faults unless the model may share its scratch: its plan must prove that a run reads no byte
// of scratch that an earlier run left there.
void CheckShares(LoadedModel& model, Faults& faults) {
  Faults found;
  const ModelCheck check = CheckModel(model, found);
  for (const std::string& line : found.lines()) faults.Add(line);
  for (const std::string& line : check.violations) {
    faults.Add(fmt::format("{}: {}", model.file(), line));
  }
  if (!found.ok() || !check.violations.empty()) return;
  if (!check.plan_validated) {
    faults.Add(
        fmt::format("{}: has no buffer table; must have one, to prove that no run reads "
                    "scratch of an earlier run",
                    model.file()));
  }
  const uint32_t regions = model.root().regions()->size() - format::kFirstScratchRegion;
  if (regions != 1) {
    faults.Add(fmt::format("{}: has {} scratch regions; must have 1, so convert without --region",
                           model.file(), regions));
  }
}

uint64_t WeightBytes(const LoadedModel& model) {
  const auto* weights = model.root().weights();
  return weights == nullptr ? 0 : weights->size();
}

Json LinkFacts(const LinkCall& call, const Models& models) {
  Json rows = Json::array();
  uint64_t file_bytes = 0, weight_bytes = 0, state_bytes = 0, sum = 0, max = 0;
  for (const auto& model : models) {
    const Needs& needs = model->needs();
    rows.push_back({{"name", emit::Identifier(PathOf(model->file()).stem().string())},
                    {"file", model->file()},
                    {"file_bytes", model->bytes().size},
                    {"weight_bytes", WeightBytes(*model)},
                    {"state_bytes", needs.state_bytes},
                    {"scratch_bytes", needs.scratch_bytes}});
    file_bytes += model->bytes().size;
    weight_bytes += WeightBytes(*model);
    state_bytes += needs.state_bytes;
    sum += needs.scratch_bytes;
    max = std::max<uint64_t>(max, needs.scratch_bytes);
  }
  return {{"file", call.output},
          {"header", HeaderOf(PathOf(call.output)).string()},
          {"models", rows},
          {"file_bytes", file_bytes},
          {"weight_bytes", weight_bytes},
          {"state_bytes", state_bytes},
          {"scratch_bytes", max},
          {"separate_scratch_bytes", sum}};
}

std::string LinkText(const Json& facts) {
  Json rows = facts["models"];
  Json total = facts;
  total["name"] = "total, scratch shared";
  Json separate = facts;
  separate["name"] = "total, scratch separate";
  separate["scratch_bytes"] = facts["separate_scratch_bytes"];
  rows.push_back(total);
  rows.push_back(separate);
  return fmt::format(
      "{}: {} models; no run reads scratch of an earlier run, so one scratch of the maximum size "
      "suffices\n{}",
      facts["file"].get<std::string>(), facts["models"].size(),
      TableText(rows,
                "model=name | >weights=weight_bytes , | >state=state_bytes , | "
                ">scratch=scratch_bytes , | >file=file_bytes ,"));
}

bool Write(const LinkCall& call, const Models& models, Faults& faults) {
  std::vector<emit::SourceModel> sources;
  std::string from;
  for (const auto& model : models) {
    const path file = PathOf(model->file());
    std::error_code error;  // if the working directory was deleted
    const Bytes bytes = model->bytes();
    sources.push_back({{static_cast<const std::byte*>(bytes.data), bytes.size},
                       file.stem().string(),
                       call.incbin ? std::filesystem::absolute(file, error).string() : ""});
    from += (from.empty() ? "" : ", ") + file.filename().string();
  }
  const path source = PathOf(call.output);
  const emit::CSource c = emit::WriteProgram(sources, source.stem().string(), from);
  const std::vector<FileToWrite> files = {{source, BytesOfText(c.source)},
                                          {HeaderOf(source), BytesOfText(c.header)}};
  std::string reason;
  if (WriteFiles(files, &reason)) return true;
  faults.Add(reason);
  return false;
}

Exit Link(const LinkCall& call) {
  Diagnostics complaints;
  CheckFiles(call, complaints.call);
  if (!complaints.ok()) return Report(complaints);
  Faults& faults = complaints.input;
  CheckIdentifiers(call, faults);
  Models models;
  for (const std::string& file : call.models) {
    models.push_back(LoadedModel::Load(file, faults));
    if (models.back() != nullptr) CheckShares(*models.back(), faults);
  }
  if (faults.ok()) CheckNames(call, models, faults);
  if (!faults.ok() || !Write(call, models, faults)) return Report(complaints);
  const Json facts = LinkFacts(call, models);
  if (call.json) {
    Print(facts);
  } else if (!call.quiet) {
    AnswerText(LinkText(facts));
  }
  return Exit::kDone;
}

}  // namespace

void AddLink(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("link", "Write several model files as one C source with shared scratch");
  auto call = std::make_shared<LinkCall>();
  command.Add("MODEL", call->models, "Model files; each stem becomes the name of its engine")
      .Value("FILE", PathName)
      .Required();
  command
      .Add("-o,--output", call->output,
           "C source to write; its header has the extension .h, and its stem is the name of the "
           "program")
      .Value("FILE.c", PathName)
      .Check(CheckCSourceName)
      .Required();
  command.AddFlag("--incbin", call->incbin,
                  "FILE.c includes the model files when it is compiled, instead of containing "
                  "their bytes");
  command.AddFlag("--json", call->json, "Print the sizes or the errors as JSON");
  command.AddFlag("--quiet", call->quiet, "Print only errors and warnings, and the JSON of --json");
  command.Footer(
      "For models that never run at the same time. Each has its own weights and state. One scratch "
      "of the maximum size serves all: weft link proves from the plan of each file that no run "
      "reads scratch of an earlier run. FILE_open() opens all models, and NAME_open() one of "
      "them.\n\nExample:\n  weft link front.weft vad.weft classifier.weft -o pipeline.c");
  command.OnCall([call, exit] { *exit = Link(*call); });
}

}  // namespace weft::cli
