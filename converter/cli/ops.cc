// SPDX-License-Identifier: Apache-2.0
// weft ops: what can be converted, what cannot and why, and what it becomes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/graph/missing.h"
#include "converter/ops/operation.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

struct StepRow {
  const char* name;
  const char* operands;
  const char* meaning;
};
constexpr StepRow kSteps[] = {
#define WEFT_STEP(name, Name, operands, multiply_adds, moved_bytes, tail, fuses, meaning) \
  {#name, operands, meaning},
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

using Versions = std::map<std::string_view, std::vector<int>>;

Versions Operations() {
  Versions versions;
  for (const ops::Operation& row : ops::Table()) {
    if (row.opset != ops::kOfPasses) versions[row.name].push_back(row.opset);
  }
  return versions;
}

Exit Ops(bool json) {
  const Versions versions = Operations();
  if (json) {
    nlohmann::ordered_json operations = nlohmann::ordered_json::array();
    for (const auto& [name, opsets] : versions) {
      operations.push_back({{"name", name}, {"versions", opsets}});
    }
    nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
    for (const graph::MissingOperation& row : graph::MissingOperations()) {
      left_out.push_back({{"name", row.name}, {"reason", row.reason}, {"advice", row.must}});
    }
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const StepRow& row : kSteps) {
      const format::Arity arity = format::ArityOf(row.operands);
      steps.push_back({{"name", row.name},
                       {"inputs", arity.inputs},
                       {"outputs", arity.outputs},
                       {"operands", row.operands},
                       {"meaning", row.meaning}});
    }
    Print({{"operations", operations}, {"left_out", left_out}, {"steps", steps}});
    return Exit::kDone;
  }
  Table operations({"operation", "versions"});
  for (const auto& [name, opsets] : versions)
    operations.Row({std::string(name), fmt::format("{}", fmt::join(opsets, " "))});
  AnswerText(operations.Text() + "\n");
  Table left_out({"left out", "because", "so it"});
  for (const graph::MissingOperation& row : graph::MissingOperations())
    left_out.Row({std::string(row.name), std::string(row.reason), std::string(row.must)});
  AnswerText(left_out.Text() + "\n");
  Table steps({"step", "operands", "meaning"});
  for (const StepRow& row : kSteps) steps.Row({row.name, row.operands, row.meaning});
  AnswerText(steps.Text());
  return Exit::kDone;
}

}  // namespace

void AddOps(CommandLine& line, Exit* exit) {
  Command command =
      line.AddCommand("ops", "List the operations that convert, those that do not, and the steps");
  auto json = std::make_shared<bool>(false);
  command.AddFlag("--json", *json, "Print JSON");
  command.Footer("An operation converts from each opset listed until the next version of it.");
  command.OnCall([json, exit] { *exit = Ops(*json); });
}

}  // namespace weft::cli
