// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/dumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "converter/base/files.h"
#include "converter/base/nearest.h"
#include "converter/base/paths.h"
#include "converter/base/visible.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/pipeline.h"

namespace weft::cli {
namespace {

constexpr std::string_view kList = "list";

// A line per pass, in order: stage, name and account.
std::string PassesText() {
  Table table({"stage", "pass, or part of the next pass", "description"});
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    const std::string indent = row.is_part ? "  " : "";
    table.Row({std::string(row.stage), indent + row.name, std::string(row.account)});
  }
  return table.Text();
}

Json PassesJson() {
  return ListOf(pipeline::Passes(), [](const pipeline::PassRow& row) -> Json {
    return {{"stage", row.stage},
            {"pass", row.name},
            {"is_part", row.is_part},
            {"description", row.account}};
  });
}

std::string CheckPassName(const std::string& value, bool as_json) {
  std::vector<std::string> names;
  for (const pipeline::PassRow& row : pipeline::Passes()) names.push_back(row.name);
  names.emplace_back(pipeline::kAllPasses);
  names.emplace_back(kList);
  if (value == kList && as_json) {
    Print(PassesJson());
    AnswerCall("");
  }
  if (value == kList) AnswerCall(PassesText());
  if (std::ranges::find(names, value) != names.end()) return "";
  return fmt::format("is \"{}\"; {}must be a pass of --dump-after list", OneLine(value),
                     DidYouMean(value, names));
}

}  // namespace

void Dumps::AddOptions(Command& command, std::string& dump_after) {
  const Option& after =
      command
          .Add("--dump-after", dump_after,
               "Print the model after this pass or part of a pass, or with --dump-to after all of "
               "them. --dump-after list prints their names")
          .Value("PASS|all|list", [&command](const std::string& value) {
            return CheckPassName(value, !command.Find("--json")->given.empty());
          });
  command
      .Add("--dump-to", folder_,
           "With --dump-after: write its output to files in this folder: 01-read.txt and so on")
      .Value("FOLDER", PathName)
      .Needs(after);
}

void Dumps::CheckCall(const std::string& dump_after) const {
  if (dump_after != pipeline::kAllPasses || !folder_.empty()) return;
  RefuseOption("--dump-after", "is all, without a folder; must be given with --dump-to FOLDER");
}

// Returns a name such as "passes/06-infer.txt", for a part of a pass "passes/27-plan.02-hoist.txt";
// names sort in the order of the passes.
std::filesystem::path Dumps::FileOf(std::string_view pass) const {
  int number = 1, part = 1;
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    if (row.name == pass) break;
    part = row.is_part ? part + 1 : 1;
    if (!row.is_part) ++number;
  }
  const size_t dot = pass.find('.');
  const std::string name =
      dot == std::string_view::npos
          ? std::string(pass)
          : fmt::format("{}.{:02}-{}", pass.substr(0, dot), part, pass.substr(dot + 1));
  return PathOf(folder_) / PathOf(fmt::format("{:02}-{}.txt", number, name));
}

void Dumps::AddFiles(CallFiles& files) const {
  if (folder_.empty()) return;
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    files.Writes("a file of --dump-to", FileOf(row.name));
  }
  files.MakesFolder("--dump-to", PathOf(folder_));
}

bool Dumps::MakeFolder(Faults& faults) const {
  if (folder_.empty()) return true;
  return MakeFolders(folder_, faults);
}

void Dumps::Take(std::string_view pass, std::string_view text, bool print) {
  if (folder_.empty()) {
    if (print) AnswerText(text);
    text_ += text;
    return;
  }
  const FileToWrite file = {FileOf(pass), std::as_bytes(std::span(text.data(), text.size()))};
  if (reason_.empty()) WriteFiles({&file, 1}, &reason_);
}

}  // namespace weft::cli
