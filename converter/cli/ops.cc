// SPDX-License-Identifier: Apache-2.0
// weft ops: supported operations, unsupported operations with the reason, operators of TensorFlow
// Lite, and the runtime's steps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "converter/base/nearest.h"
#include "converter/base/visible.h"
#include "converter/cli/commands.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/graph/missing.h"
#include "converter/ops/operation.h"
#include "converter/tflite/unsupported.h"
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

// The rows of the names that the call wants.
template <typename Rows>
auto Wanted(const Rows& rows, const OpsCall& call) {
  std::vector<std::ranges::range_value_t<Rows>> wanted;
  std::ranges::copy_if(rows, std::back_inserter(wanted),
                       [&](const auto& row) { return call.Wants(row.name); });
  return wanted;
}

template <typename Rows>
auto WantedSorted(const Rows& rows, const OpsCall& call) {
  auto wanted = Wanted(rows, call);
  std::ranges::sort(wanted, {}, [](const auto& row) { return row.name; });
  return wanted;
}

// Errors for names that are in no list.
Faults UnknownNames(const OpsCall& call) {
  std::vector<std::string> known;
  for (const auto& [name, opsets] : Operations({})) known.emplace_back(name);
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) known.emplace_back(row.name);
  };
  add(graph::MissingOperations());
  add(WantedSorted(tflite::Operators(), {}));
  add(WantedSorted(tflite::UnsupportedOperators(), {}));
  add(kSteps);
  Faults faults;
  for (const std::string& name : call.names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    faults.Add(
        fmt::format("weft ops: \"{}\" is not a known operation of OpenVINO or TensorFlow Lite, nor "
                    "a step; {}must "
                    "be one that \"weft ops\" lists",
                    OneLine(name), DidYouMean(name, known)));
  }
  return faults;
}

Json OpsFacts(const OpsCall& call) {
  const auto step = [](const StepRow& row) -> Json {
    const format::Arity arity = format::ArityOf(row.operands);
    return {{"name", row.name},
            {"inputs", arity.inputs},
            {"outputs", arity.outputs},
            {"operands", row.operands},
            {"meaning", row.meaning}};
  };
  return {{"operations", ListOf(Operations(call),
                                [](const auto& row) -> Json {
                                  return {{"name", row.first}, {"versions", row.second}};
                                })},
          {"left_out",
           ListOf(Wanted(graph::MissingOperations(), call),
                  [](const graph::MissingOperation& row) -> Json {
                    return {{"name", row.name}, {"reason", row.reason}, {"advice", row.must}};
                  })},
          {"tflite_operators", ListOf(WantedSorted(tflite::Operators(), call),
                                      [](const tflite::OperatorRow& row) -> Json {
                                        return {{"name", row.name}, {"version", row.max_version}};
                                      })},
          {"tflite_left_out", ListOf(WantedSorted(tflite::UnsupportedOperators(), call),
                                     [](const tflite::UnsupportedRow& row) -> Json {
                                       return {{"name", row.name}, {"advice", row.advice}};
                                     })},
          {"steps", ListOf(Wanted(kSteps, call), step)}};
}

Exit Ops(const OpsCall& call) {
  if (const Faults unknown = UnknownNames(call); !unknown.ok()) {
    Report(unknown);
    return Exit::kCall;
  }
  const Json facts = OpsFacts(call);
  if (call.json) {
    Print(facts);
    return Exit::kDone;
  }
  Json operations = facts["operations"];
  for (Json& row : operations) {
    row["versions"] = fmt::format("{}", fmt::join(row["versions"].get<std::vector<int>>(), " "));
  }
  std::string text;
  const auto add = [&](const Json& rows, const char* columns) {
    if (!rows.empty()) text += (text.empty() ? "" : "\n") + TableText(rows, columns);
  };
  add(operations, "operation=name | versions");
  add(facts["left_out"], "unsupported=name | reason | advice");
  add(facts["tflite_operators"], "TensorFlow Lite operator=name | newest version=version");
  add(facts["tflite_left_out"], "unsupported TensorFlow Lite operator=name | advice");
  add(facts["steps"], "step=name | operands | meaning");
  AnswerText(text);
  return Exit::kDone;
}

}  // namespace

void AddOps(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("ops", "List supported and unsupported operations, and the runtime's steps");
  auto call = std::make_shared<OpsCall>();
  command.Add("OPERATION", call->names, "Operations or steps to list. Default: all").Value("NAME");
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(
      "Versions are the opsets in which an operation was introduced or changed; each is supported "
      "up "
      "to the next version. Operators of TensorFlow Lite are supported up to the newest version."
      "\n\nExamples:\n"
      "  weft ops\n  weft ops GRUSequence TopK CONV_2D dense");
  command.OnCall([call, exit] { *exit = Ops(*call); });
}

}  // namespace weft::cli
