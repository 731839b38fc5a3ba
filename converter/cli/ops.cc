// SPDX-License-Identifier: Apache-2.0
// weft ops: what can be converted, and what it becomes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/ops/operation.h"

namespace weft::cli {
namespace {

struct StepRow {
  const char* name;
  int inputs, outputs;
  const char* meaning;
};
constexpr StepRow kSteps[] = {
#define WEFT_STEP(name, Name, inputs, outputs, meaning) {#name, inputs, outputs, meaning},
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

using Versions = std::map<std::string_view, std::vector<int>>;

Versions Operations() {
  Versions versions;
  for (const ops::Operation& row : ops::Table()) versions[row.name].push_back(row.opset);
  return versions;
}

Exit Ops(bool json) {
  const Versions versions = Operations();
  if (json) {
    nlohmann::ordered_json operations = nlohmann::ordered_json::array();
    for (const auto& [name, opsets] : versions) {
      operations.push_back({{"name", name}, {"versions", opsets}});
    }
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const StepRow& row : kSteps) {
      steps.push_back({{"name", row.name},
                       {"inputs", row.inputs},
                       {"outputs", row.outputs},
                       {"meaning", row.meaning}});
    }
    Print({{"operations", operations}, {"steps", steps}});
    return Exit::kDone;
  }
  Table operations({"operation", "versions"});
  for (const auto& [name, opsets] : versions)
    operations.Row({std::string(name), fmt::format("{}", fmt::join(opsets, " "))});
  AnswerText(operations.Text() + "\n");
  Table steps({"step", ">inputs", ">outputs", "meaning"});
  for (const StepRow& row : kSteps) {
    steps.Row(
        {row.name, fmt::format("{}", row.inputs), fmt::format("{}", row.outputs), row.meaning});
  }
  AnswerText(steps.Text());
  return Exit::kDone;
}

}  // namespace

void AddOps(CLI::App& app, Exit* exit) {
  CLI::App* command =
      app.add_subcommand("ops", "List the operations that convert, and the steps of the engine");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer("An operation converts from each opset listed until the next version of it.");
  command->callback([json, exit] { *exit = Ops(*json); });
}

}  // namespace weft::cli
