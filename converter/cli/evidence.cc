// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "converter/base/links.h"
#include "converter/base/paths.h"
#include "converter/base/shell_word.h"
#include "converter/base/split.h"
#include "converter/cli/call_files.h"
#include "converter/cli/evidence_facts.h"
#include "converter/cli/facts.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/model_check.h"
#include "converter/cli/table.h"
#include "converter/cli/vectors.h"
#include "converter/report/page.h"
#include "runtime/version.h"

namespace weft::cli {
namespace {

constexpr const char* kSummary = "summary.json";
constexpr const char* kPage = "index.html";
constexpr const char* kHashes = "SHA256SUMS";
constexpr const char* kVectorFolder = "vectors";
constexpr const char* kMark = "weft_evidence";  // key of the summary, with the layout's version
constexpr int kLayout = 1;

std::string TextOf(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string TextOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Name, size and hash of each file that the conversion read.
Json SourcesOf(const std::vector<std::string>& files, Faults& faults) {
  Json sources = Json::array();
  for (const std::string& file : files) {
    std::string reason = "it is not a regular file; --evidence must be able to read it again";
    std::optional<std::vector<std::byte>> bytes;
    if (std::filesystem::is_regular_file(PathOf(file))) bytes = ReadFile(PathOf(file), &reason);
    if (!bytes) {
      faults.Add(fmt::format("{}: cannot be read: {}", file, reason));
      continue;
    }
    sources.push_back(FileFacts(PathOf(file).filename().string(), *bytes));
  }
  return sources;
}

Json CommandsOf(const std::string& model, const Vectors& vectors) {
  const std::string file = ShellWord(model.starts_with('-') ? "./" + model : model);
  Json commands =
      Json::array({fmt::format("sha256sum --check {}", kHashes), "weft verify " + file});
  if (!vectors.compare_options.empty()) {
    commands.push_back("weft compare " + file + vectors.compare_options);
  }
  return commands;
}

Json SummaryOf(const EvidenceInput& input, LoadedModel& model, const Json& facts) {
  return {{kMark, kLayout},
          {"tool",
           {{"weft", WEFT_VERSION},
            {"file_format", facts["format_version"]},
            {"generator", facts["generator"]}}},
          {"model", FileFacts(input.model, input.file)},
          {"checksum", facts["checksum"]},
          {"sources", Json::array()},
          {"options", input.options},
          {"memory",
           {{"state_bytes", facts["needs"]["state_bytes"]},
            {"scratch_bytes", facts["needs"]["scratch_bytes"]},
            {"more_scratch_bytes", facts["needs"]["more_scratch_bytes"]},
            {"alignment", facts["needs"]["alignment"]},
            {"stack_bytes", facts["budget"]["stack_bytes"]},
            {"stack_bytes_helium", facts["budget"]["stack_bytes_helium"]},
            {"scratch_proof", facts["plan"].value("proof", Json())}}},
          {"max_steps_of_a_run", model.engine().MaxSteps()},
          {"max_instructions_of_a_run", Json::array()},
          {"work", facts["budget"]["work"]},
          {"state_layout", facts["state_layout"]},
          {"streamed", facts["streamed"]},
          {"numeric", NumericOf(model.root())},
          {"weights", input.conversion.value("weights", Json::array())}};
}

void AddVectors(const Vectors& vectors, std::vector<EvidenceFile>& files) {
  for (const VectorFile& file : vectors.files) {
    files.push_back({fmt::format("{}/{}", kVectorFolder, file.name), TextOf(NpyBytes(file.array)),
                     "Recorded bits of " + file.held});
  }
}

// A line of sha256sum. As in GNU coreutils, a line with an escaped name begins with a
// backslash.
std::string HashLine(const Json& file) {
  const std::string name = Plain(file["file"]);
  const std::string escaped = Replaced(name, {{'\n', "\\n"}, {'\\', "\\\\"}});
  return fmt::format("{}{}  {}\n", escaped == name ? "" : "\\", Plain(file["sha256"]), escaped);
}

// Adds the summary with the list of the other files, then the page, at the front: from its first
// file on, the folder has a summary. The hashes of all files and of the model are last: a folder
// that was not completely written fails their check.
void AddSummary(Json summary, const Json& mapping, const Json& plan,
                std::vector<EvidenceFile>& files) {
  summary["files"] = ListOf(files, [](const EvidenceFile& file) -> Json {
    Json row = FileFacts(file.name, BytesOfText(file.text));
    row["content"] = file.explanation;
    return row;
  });
  std::vector<EvidenceFile> first = {
      {kSummary, TextOf(summary), "This summary, for programs"},
      {kPage, EvidencePage(summary, mapping, plan), "This summary, for readers"}};
  files.insert(files.begin(), std::make_move_iterator(first.begin()),
               std::make_move_iterator(first.end()));
  std::string hashes = HashLine(summary["model"]);
  for (const EvidenceFile& file : files) {
    hashes += HashLine(FileFacts(file.name, BytesOfText(file.text)));
  }
  files.push_back({kHashes, std::move(hashes), "SHA-256 of the model and of all files"});
}

bool IsInside(const std::string& name) {
  const std::filesystem::path path = PathOf(name);
  return !name.empty() && path.is_relative() && path == path.lexically_normal() &&
         *path.begin() != "..";
}

// Names of the files in a summary of --evidence; nullopt for other texts.
std::optional<std::vector<std::string>> NamesInSummary(const std::filesystem::path& file) {
  std::string reason;
  const std::optional<std::vector<std::byte>> bytes = ReadFile(file, &reason);
  if (!bytes) return std::nullopt;
  bool too_deep = false;
  const Json json = ParseJson(TextOf(*bytes), &too_deep);
  if (!json.is_object() || !json.contains(kMark)) return std::nullopt;
  std::vector<std::string> names;
  for (const Json& row : json.value("files", Json::array())) {
    if (row.is_object() && row.contains("file") && row["file"].is_string() &&
        IsInside(row["file"])) {
      names.push_back(row["file"]);
    }
  }
  return names;
}

}  // namespace

std::vector<EvidenceFile> EvidenceOf(const EvidenceInput& input, Faults& faults) {
  const std::unique_ptr<LoadedModel> model = LoadedModel::Of(input.file, input.model, faults);
  if (model == nullptr) return {};
  const ModelCheck check = CheckModel(*model, faults);
  const Json sources = SourcesOf(input.sources, faults);
  if (!faults.ok() || !model->Open(faults)) return {};
  Json facts = FactsOf(*model, kAllFacts);
  const Json mapping = MappingOf(*model, facts), plan = PlanRowsOf(facts);
  const Vectors vectors = VectorsOf(*model, kVectorFolder, faults);
  if (!faults.ok()) return {};
  Json summary = SummaryOf(input, *model, facts);
  summary["sources"] = sources;
  const Json instructions = InstructionsOf(model->root());
  summary["max_instructions_of_a_run"] = InstructionSumsOf(instructions);
  summary["checks"] = ChecksOf(model->root(), check, plan);
  summary["vectors"] = vectors.facts;
  summary["commands"] = CommandsOf(input.model, vectors);
  summary["limits"] = Limits();
  for (const char* key : {"curve", "weights_by_layer"}) {
    if (input.conversion.contains(key)) facts[key] = input.conversion[key];
  }
  std::vector<EvidenceFile> files = {
      {"mapping.csv", CsvText(mapping, kMappingColumns),
       "Each step: layer, kernel, tests, bytes of the model file, memory"},
      {"plan.csv", CsvText(plan, kPlanColumns),
       "Each value: address, size, lifetime, values that share its bytes"},
      {"kernels.csv", CsvText(KernelRowsOf(model->root(), facts), kKernelColumns),
       "Kernels that firmware links for this model"},
      {"instructions.csv", CsvText(InstructionRowsOf(instructions), kInstructionColumns),
       "Maximum instructions of each step on each core with bounds; empty: no bound"},
      {"facts.json", TextOf(facts),
       "All facts of weft inspect --json --budget --plan --listing, and the available plans"},
      {"report.html", report::Page(facts), "Memory over time, work and flash, as pictures"},
      {"sbom.spdx.json", TextOf(SbomOf(summary["model"], sources)),
       "Bill of materials of the model and of weft, SPDX 2.3"}};
  AddVectors(vectors, files);
  AddSummary(std::move(summary), mapping, plan, files);
  return files;
}

EvidenceFolder::~EvidenceFolder() {
  std::error_code ignored;
  for (auto folder = created_.rbegin(); folder != created_.rend(); ++folder) {
    std::filesystem::remove(*folder, ignored);  // only if it is empty
  }
}

void EvidenceFolder::Check(Faults& faults) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status)) {
    faults.Add(fmt::format("{}: is not a folder; --evidence must name a folder", path_.string()));
    return;
  }
  if (std::filesystem::is_empty(path_, error) && !error) return;
  const std::optional<std::vector<std::string>> names = NamesInSummary(path_ / kSummary);
  if (names) {
    earlier_ = *names;
    return;
  }
  faults.Add(
      fmt::format("{}: has files, but no {} of --evidence; must be an empty folder, or one that "
                  "--evidence wrote",
                  path_.string(), kSummary));
}

void EvidenceFolder::Prepare(const std::vector<EvidenceFile>& files, std::vector<FileToWrite>& to,
                             Faults& faults) {
  for (const EvidenceFile& file : files) {
    const std::filesystem::path path = path_ / PathOf(file.name);
    std::vector<std::filesystem::path> missing;  // inner folders first
    std::error_code error;
    for (std::filesystem::path folder = path.parent_path();
         !folder.empty() && !std::filesystem::exists(folder, error);
         folder = folder.parent_path()) {
      missing.push_back(folder);
    }
    for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
      const std::filesystem::path target = FollowLinks(*folder);  // of a link to a missing folder
      if (std::filesystem::create_directory(target, error)) created_.push_back(target);
      if (!error) continue;
      faults.Add(fmt::format("{}: cannot be created: {}", folder->string(), error.message()));
      return;
    }
    to.push_back({path, BytesOfText(file.text)});
  }
}

void EvidenceFolder::Keep(const std::vector<EvidenceFile>& files) {
  created_.clear();
  std::error_code ignored;
  for (const std::string& name : earlier_) {
    if (std::ranges::count(files, name, &EvidenceFile::name) != 0) continue;
    std::filesystem::remove(path_ / PathOf(name), ignored);
  }
}

}  // namespace weft::cli
