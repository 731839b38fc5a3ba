// SPDX-License-Identifier: Apache-2.0
// weft diff: compares ports, bytes by part, plan, work, steps and layers of two model files. It
// does not compare the values of weights.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "converter/base/paths.h"
#include "converter/cli/commands.h"
#include "converter/cli/facts.h"
#include "converter/cli/facts_text.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"

namespace weft::cli {
namespace {

struct DiffCall {
  std::string before, after;
  bool json = false;
};

// The facts of a model that are compared, with topic, name and value; each topic and name occurs
// once.
Json RowsOf(const LoadedModel& model) {
  const Json facts = FactsOf(model, {.budget_rows = 1, .plan = true, .listing = true});
  Json rows = Json::array();
  const auto add = [&](const char* about, const std::string& name, const Json& value) {
    rows.push_back({{"about", about}, {"name", name}, {"value", value}});
  };
  for (const char* side : {"input", "output"}) {
    size_t i = 0;
    for (const Json& port : facts[fmt::format("{}s", side)]) {
      add("ports", fmt::format("{} {}", side, i++),
          fmt::format("{} {}{}", Plain(port["name"]), TypeText(port),
                      port.contains("run_time_axis") ? " at most" : ""));
    }
  }
  const Json &budget = facts["budget"], &plan = facts["plan"];
  add("bytes", "file", facts["file_bytes"]);
  for (const Json& part : budget["flash"]) add("bytes", Plain(part["part"]), part["bytes"]);
  size_t region = 0;
  for (const Json& bytes : plan["arena_bytes"]) {
    add("plan", fmt::format("scratch {}", region++), bytes);
  }
  if (plan.contains("bound_bytes")) add("plan", "lower bound of scratch", plan["bound_bytes"]);
  add("plan", "state", plan["state_bytes"]);
  add("plan", "bytes copied per iteration", plan["copied_bytes_per_iteration"]);
  add("plan", "buffers", plan["buffers"].size());
  add("work", "multiply-adds", budget["work"]["multiply_adds"]);
  add("work", "steps per run", budget["work"]["steps"]);
  add("work", "bytes copied or filled", CopiedBytes(facts));
  for (const auto& [kind, count] : facts["steps"].items()) add("steps", kind, count);
  std::map<std::string, int64_t> layers;  // the number of steps of each
  for (const Json& step : facts["listing"]) ++layers[Plain(step["layer"])];
  layers.erase("");
  for (const auto& [layer, count] : layers) add("layers", layer, count);
  return rows;
}

// "before" or "after" is null if that model does not have the fact.
Json ChangesOf(const Json& before, const Json& after) {
  const auto name_of = [](const Json& row) {
    return std::pair(Plain(row["about"]), Plain(row["name"]));
  };
  std::map<std::pair<std::string, std::string>, Json> old;
  for (const Json& row : before) old[name_of(row)] = row["value"];
  Json changes = Json::array();
  const auto add = [&](const Json& row, const Json& was, const Json& is) {
    if (was == is) return;
    changes.push_back(
        {{"about", row["about"]}, {"name", row["name"]}, {"before", was}, {"after", is}});
  };
  for (const Json& row : after) {
    const auto found = old.extract(name_of(row));
    add(row, found.empty() ? Json() : found.mapped(), row["value"]);
  }
  for (const Json& row : before) {
    if (old.contains(name_of(row))) add(row, row["value"], Json());
  }
  return changes;
}

// Adds the difference of two numbers, and the unit of sizes.
Json WithUnits(Json changes) {
  for (Json& change : changes) {
    const Json &about = change["about"], &name = change["name"];
    const Json &before = change["before"], &after = change["after"];
    const bool is_size = about == "bytes" || name == "bytes copied or filled" ||
                         (about == "plan" && name != "buffers");
    const bool are_numbers = before.is_number() && after.is_number();
    const std::string difference =
        are_numbers ? fmt::format("{:+.0f}", after.get<double>() - before.get<double>()) : "";
    change["difference"] = difference;
    change["unit"] = is_size ? "bytes" : "";
  }
  return changes;
}

Exit Diff(const DiffCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> before = LoadedModel::Load(PathOf(call.before), faults);
  const std::unique_ptr<LoadedModel> after = LoadedModel::Load(PathOf(call.after), faults);
  if (before == nullptr || after == nullptr || !before->Open(faults) || !after->Open(faults)) {
    return Report(faults);
  }
  const Json changes = ChangesOf(RowsOf(*before), RowsOf(*after));
  const bool same_file = before->root().checksum() == after->root().checksum();
  if (call.json) {
    Print({{"before", call.before},
           {"after", call.after},
           {"same_checksum", same_file},
           {"changes", changes}});
    return Exit::kDone;
  }
  if (!changes.empty()) {
    AnswerText(TableText(WithUnits(changes),
                         "what=about | name | >before | >after | "
                         ">difference | unit"));
  } else {
    Answer("{}", same_file ? "the files are the same"
                           : "ports, sizes, plan, work and layers are the same; the bytes of the "
                             "files differ");
  }
  return Exit::kDone;
}

}  // namespace

void AddDiff(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("diff", "Print the differences between two models");
  auto call = std::make_shared<DiffCall>();
  command.Add("BEFORE", call->before, "Model file").Value("FILE", PathName).Required();
  command.Add("AFTER", call->after, "Model file to compare with BEFORE")
      .Value("FILE", PathName)
      .Required();
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer("Examples:\n  weft diff old.weft new.weft\n  weft diff old.weft new.weft --json");
  command.OnCall([call, exit] { *exit = Diff(*call); });
}

}  // namespace weft::cli
