// SPDX-License-Identifier: Apache-2.0
// weft diff: compares ports, bytes by part, plan, work, steps and layers of two model files. It
// does not compare the values of weights.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/plan_view.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "converter/inspect/budget.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traffic.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DiffCall {
  std::string before, after;
  bool json = false;
};

// A fact of a model: topic, name and value.
struct Fact {
  std::string about, name;
  Json value;
};

// The facts of a model in the order of printing; each topic and name occurs once.
class FactSheet {
 public:
  explicit FactSheet(const LoadedModel& model) : root_(model.root()) {
    AddPorts("input", model.inputs());
    AddPorts("output", model.outputs());
    const inspect::Budget budget = inspect::BudgetOf(model.bytes());
    Add("bytes", "file", model.bytes().size);
    for (const inspect::FlashPart& part : budget.flash) Add("bytes", part.name, part.bytes);
    AddPlan(model);
    Add("work", "multiply-adds", budget.work.multiply_adds.run);
    Add("work", "steps per run", budget.work.steps.run);
    Add("work", "bytes copied or filled", inspect::TrafficOf(root_).bytes.run);
    for (const auto& [kind, count] : inspect::CountKinds(root_)) {
      Add("steps", inspect::KindName(kind), count);
    }
    AddLayers();
  }

  const std::vector<Fact>& facts() const { return facts_; }

 private:
  void Add(const std::string& about, const std::string& name, Json value) {
    facts_.push_back({about, name, std::move(value)});
  }

  void AddPorts(const std::string& side, const std::vector<ModelPort>& ports) {
    for (size_t i = 0; i < ports.size(); ++i) {
      Add("ports", fmt::format("{} {}", side, i),
          fmt::format("{} {}{}", ports[i].display_name, ToString(ports[i].type),
                      ports[i].has_length ? " at most" : ""));
    }
  }

  void AddPlan(const LoadedModel& model) {
    const Json plan = PlanJson(model);
    const Json& arena = plan["arena_bytes"];
    for (size_t i = 0; i < arena.size(); ++i) Add("plan", fmt::format("scratch {}", i), arena[i]);
    if (plan.contains("bound_bytes")) Add("plan", "lower bound of scratch", plan["bound_bytes"]);
    Add("plan", "state", plan["state_bytes"]);
    Add("plan", "bytes copied per iteration", plan["copied_bytes_per_iteration"]);
    Add("plan", "buffers", plan["buffers"].size());
  }

  // Adds the number of steps of each layer.
  void AddLayers() {
    std::map<std::string, int64_t> steps;
    for (uint32_t step = 0; step < root_.steps()->size(); ++step) {
      const std::string layer = inspect::LayerOf(root_, step);
      if (!layer.empty()) ++steps[layer];
    }
    for (const auto& [layer, count] : steps) Add("layers", layer, count);
  }

  const format::Model& root_;
  std::vector<Fact> facts_;
};

// `before` or `after` is null if that model does not have the fact.
struct Change {
  std::string about, name;
  Json before, after;
};

std::vector<Change> ChangesOf(const FactSheet& before, const FactSheet& after) {
  std::map<std::pair<std::string, std::string>, Json> old;
  for (const Fact& fact : before.facts()) old[{fact.about, fact.name}] = fact.value;
  std::vector<Change> changes;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Fact& fact : after.facts()) {
    seen.insert({fact.about, fact.name});
    const auto found = old.find({fact.about, fact.name});
    const Json was = found == old.end() ? Json() : found->second;
    if (was != fact.value) changes.push_back({fact.about, fact.name, was, fact.value});
  }
  for (const Fact& fact : before.facts()) {
    if (!seen.contains({fact.about, fact.name})) {
      changes.push_back({fact.about, fact.name, fact.value, Json()});
    }
  }
  return changes;
}

std::string ValueText(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  return fmt::format("{:.0f}", value.get<double>());
}

std::string DifferenceText(const Change& change) {
  if (!change.before.is_number() || !change.after.is_number()) return "";
  return fmt::format("{:+.0f}", change.after.get<double>() - change.before.get<double>());
}

// Returns the unit of the values; empty for counts and texts.
std::string UnitOf(const Change& change) {
  const bool is_size = change.about == "bytes" || change.name == "bytes copied or filled" ||
                       (change.about == "plan" && change.name != "buffers");
  return is_size ? "bytes" : "";
}

void PrintChanges(const std::vector<Change>& changes) {
  Table table({"what", "name", ">before", ">after", ">difference", "unit"});
  for (const Change& change : changes) {
    table.Row({change.about, change.name, ValueText(change.before), ValueText(change.after),
               DifferenceText(change), UnitOf(change)});
  }
  AnswerText(table.Text());
}

Exit Diff(const DiffCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> before = LoadedModel::Load(call.before, faults);
  const std::unique_ptr<LoadedModel> after = LoadedModel::Load(call.after, faults);
  if (before == nullptr || after == nullptr || !before->Open(faults) || !after->Open(faults)) {
    return Report(faults);
  }
  const std::vector<Change> changes = ChangesOf(FactSheet(*before), FactSheet(*after));
  const bool same_file = before->root().checksum() == after->root().checksum();
  if (call.json) {
    Json list = Json::array();
    for (const Change& change : changes) {
      list.push_back({{"about", change.about},
                      {"name", change.name},
                      {"before", change.before},
                      {"after", change.after}});
    }
    Print({{"before", call.before},
           {"after", call.after},
           {"same_checksum", same_file},
           {"changes", std::move(list)}});
    return Exit::kDone;
  }
  if (!changes.empty()) {
    PrintChanges(changes);
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
  command.Add("BEFORE", call->before, "Model file").Value("FILE", PathName()).Required();
  command.Add("AFTER", call->after, "Model file to compare with BEFORE")
      .Value("FILE", PathName())
      .Required();
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer("Examples:\n  weft diff old.weft new.weft\n  weft diff old.weft new.weft --json");
  command.OnCall([call, exit] { *exit = Diff(*call); });
}

}  // namespace weft::cli
