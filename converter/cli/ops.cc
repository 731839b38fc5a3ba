// SPDX-License-Identifier: Apache-2.0
// weft ops: supported operations, unsupported operations with the reason, and the runtime's steps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "converter/base/nearest.h"
#include "converter/base/visible.h"
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

struct OpsCall {
  std::vector<std::string> names;  // empty: all operations, and the steps
  bool json = false;

  bool Wants(std::string_view name) const {
    return names.empty() || std::ranges::find(names, name) != names.end();
  }
};

Versions Operations(const OpsCall& call) {
  Versions versions;
  for (const ops::Operation& row : ops::Table()) {
    if (row.opset != ops::kPassOnly && call.Wants(row.name))
      versions[row.name].push_back(row.opset);
  }
  return versions;
}

std::vector<graph::MissingOperation> LeftOut(const OpsCall& call) {
  std::vector<graph::MissingOperation> rows;
  std::ranges::copy_if(graph::MissingOperations(), std::back_inserter(rows),
                       [&](const graph::MissingOperation& row) { return call.Wants(row.name); });
  return rows;
}

// Errors for names that are in neither list.
Faults UnknownNames(const OpsCall& call) {
  std::vector<std::string> known;
  for (const auto& [name, opsets] : Operations({})) known.emplace_back(name);
  for (const graph::MissingOperation& row : LeftOut({})) known.emplace_back(row.name);
  Faults faults;
  for (const std::string& name : call.names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    faults.Add(
        fmt::format("weft ops: \"{}\" is not a known OpenVINO operation; {}must be "
                    "one that \"weft ops\" lists",
                    OneLine(name), DidYouMean(name, known)));
  }
  return faults;
}

Exit Ops(const OpsCall& call) {
  if (const Faults unknown = UnknownNames(call); !unknown.ok()) {
    Report(unknown);
    return Exit::kCall;
  }
  const Versions versions = Operations(call);
  const std::vector<graph::MissingOperation> missing = LeftOut(call);
  if (call.json) {
    nlohmann::ordered_json operations = nlohmann::ordered_json::array();
    for (const auto& [name, opsets] : versions) {
      operations.push_back({{"name", name}, {"versions", opsets}});
    }
    nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
    for (const graph::MissingOperation& row : missing) {
      left_out.push_back({{"name", row.name}, {"reason", row.reason}, {"advice", row.must}});
    }
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const StepRow& row :
         call.names.empty() ? std::span<const StepRow>(kSteps) : std::span<const StepRow>()) {
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
  if (!versions.empty()) AnswerText(operations.Text());
  if (!versions.empty() && !missing.empty()) AnswerText("\n");
  Table left_out({"unsupported", "reason", "advice"});
  for (const graph::MissingOperation& row : missing)
    left_out.Row({std::string(row.name), std::string(row.reason), std::string(row.must)});
  if (!missing.empty()) AnswerText(left_out.Text());
  if (!call.names.empty()) return Exit::kDone;
  AnswerText("\n");
  Table steps({"step", "operands", "meaning"});
  for (const StepRow& row : kSteps) steps.Row({row.name, row.operands, row.meaning});
  AnswerText(steps.Text());
  return Exit::kDone;
}

}  // namespace

void AddOps(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("ops", "List supported and unsupported operations, and the runtime's steps");
  auto call = std::make_shared<OpsCall>();
  command.Add("OPERATION", call->names, "Operations to list. Default: all").Value("NAME");
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(
      "Versions are the opsets in which an operation was introduced or changed; each is supported "
      "up "
      "to the next version.\n\nExamples:\n"
      "  weft ops\n  weft ops GRUSequence TopK");
  command.OnCall([call, exit] { *exit = Ops(*call); });
}

}  // namespace weft::cli
