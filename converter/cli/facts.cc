// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "converter/cli/streamed.h"
#include "converter/emit/model_file.h"
#include "converter/inspect/budget.h"
#include "converter/inspect/carried.h"
#include "converter/inspect/instructions.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/shared.h"
#include "converter/inspect/traffic.h"
#include "converter/inspect/weight_copies.h"
#include "converter/plan/solve.h"
#include "runtime/format/weight_copy.h"

namespace weft::cli {
namespace {

Json PortsOf(const std::vector<ModelPort>& ports, format::Rows<format::Port> rows) {
  return ListOfCount(ports.size(), [&](uint32_t i) {
    const ModelPort& port = ports[i];
    Json entry = {{"name", port.display_name},
                  {"names", port.names},
                  {"type", Name(port.type.type)},
                  {"shape", port.type.dims},
                  {"slot", rows[i].slot()}};
    if (port.has_length) entry["run_time_axis"] = port.length_axis;
    return entry;
  });
}

// The variables in the state.
Json VariablesOf(const format::Model& model) {
  const auto rows = format::RowsOf(model.variables());
  Json variables = Json::array();
  for (uint32_t i = 0; i < rows.count; ++i) {
    const format::Variable& row = rows[i];
    const format::Slot& slot = format::RowsOf(model.slots())[row.slot()];
    if (format::IsWeightCopy(row, slot)) continue;
    variables.push_back(
        {{"name", VariableName(model, i)},
         {"type", inspect::SlotType(model, row.slot())},
         {"offset", slot.offset_bytes()},
         {"bytes", slot.bytes()},
         {"starts_as", row.initial_slot() == format::kNoSlot ? "zeros" : "weights"}});
  }
  return variables;
}

Json WeightCopiesOf(const format::Model& model) {
  return ListOf(inspect::WeightCopiesOf(model), [&](uint32_t i) -> Json {
    const uint32_t index = format::RowsOf(model.variables())[i].slot();
    const format::Slot& slot = format::RowsOf(model.slots())[index];
    return {{"name", VariableName(model, i)},
            {"type", inspect::SlotType(model, index)},
            {"region", inspect::RegionName(slot.region())},
            {"offset", slot.offset_bytes()},
            {"bytes", slot.bytes()}};
  });
}

// The streams of one run, and the bytes of a saved stream; null without --streams.
Json StreamsOf(const LoadedModel& model) {
  Streams streams;
  const Block state = {nullptr, model.needs().state_bytes};
  if (!Streams::Open(model.bytes(), state, &streams).ok()) return nullptr;
  return {{"count", streams.count()}, {"state_bytes", streams.state_bytes()}};
}

// Hexadecimal, like the checksum; empty for a model without variables.
std::string LayoutText(const LoadedModel& model) {
  const uint64_t layout = StateLayout(model.bytes());
  return layout == 0 ? "" : fmt::format("{:016x}", layout);
}

Json SectionsOf(const format::Model& model, const inspect::Traffic& traffic) {
  return ListOfCount(format::RowsOf(model.sections()).count, [&](uint32_t i) -> Json {
    const format::Section& row = inspect::SectionAt(model, i);
    const inspect::Trips trips = inspect::TripsOf(model, i);
    const inspect::Carried carried = inspect::CarriedBy(model, i);
    const inspect::SectionSum& bytes = traffic.bytes.sections[i];
    const auto slots = [](const inspect::PingPong& pair) { return Json{pair.there, pair.back}; };
    return {{"section", i},
            {"layer", inspect::LayerOfSection(model, i)},
            {"depth", row.depth()},
            {"first_step", inspect::StepOfSection(model, i)},
            {"end_step", inspect::EndOf(model, i)},
            {"iterations", trips.count},
            {"iterations_exact", trips.exact},
            {"unroll", row.unroll()},
            {"in_place", carried.in_place},
            {"ping_pong", carried.ping_pongs},
            {"ping_pong_slots", ListOf(inspect::PingPongsOf(model, i), slots)},
            {"through_scan", carried.through_scan},
            {"by_copy", carried.by_copy},
            {"sliced", carried.sliced},
            {"scans", carried.scans},
            {"copied_bytes_per_iteration", bytes.per_iteration},
            {"epilogue_bytes", bytes.epilogue},
            {"copied_bytes", bytes.per_entry}};
  });
}

Json CopiesOf(const inspect::Traffic& traffic) {
  return ListOf(traffic.causes, [](const inspect::Cause& cause) -> Json {
    return {{"step", cause.kind},
            {"layer", cause.layer},
            {"reason", format::EnumNameReason(cause.reason)},
            {"why", inspect::Why(cause.reason)},
            {"bytes", cause.bytes}};
  });
}

Json StepsOf(const format::Model& model) {
  Json json = Json::object();
  for (const auto& [kind, count] : inspect::CountKinds(model))
    json[inspect::KindName(kind)] = count;
  return json;
}

Json SelfTestFacts(const format::Model& model) {
  const format::SelfTest* test = format::SelfTestOf(model);
  if (test == nullptr) return nullptr;
  return {{"runs", test->run_count()},
          {"bytes", model.self_test()->size()},
          {"tolerance", format::EnumNameToleranceClass(test->tolerance())}};
}

Json RegionsOf(const format::Model& model) {
  return ListOf(format::RowsOf(model.regions()), [](const format::Region& region) -> Json {
    return {{"kind", format::EnumNameRegionKind(region.kind())},
            {"bytes", region.bytes()},
            {"alignment", region.alignment_bytes()}};
  });
}

// Bytes shared by inputs and outputs, each output slot counted once. A run may overwrite its
// inputs.
int64_t SharedPortBytes(const format::Model& model) {
  std::set<uint32_t> outputs;
  for (const format::Port& port : format::RowsOf(model.outputs())) outputs.insert(port.slot());
  int64_t shared = 0;
  for (const format::Port& port : format::RowsOf(model.inputs())) {
    const format::Slot& input = *model.slots()->Get(port.slot());
    for (const uint32_t slot : outputs) {
      const format::Slot& output = *model.slots()->Get(slot);
      if (output.region() != input.region()) continue;
      const int64_t begin = std::max(input.offset_bytes(), output.offset_bytes());
      const int64_t end = std::min(int64_t{input.offset_bytes()} + input.bytes(),
                                   int64_t{output.offset_bytes()} + output.bytes());
      shared += std::max<int64_t>(0, end - begin);
    }
  }
  return shared;
}

Json SharedOf(const inspect::SharedAddress& shared) {
  return {{"slot", shared.slot},
          {"of", shared.of},
          {"offset", shared.offset_bytes},
          {"bytes", shared.bytes},
          {"first_step", shared.first_step},
          {"last_step", shared.last_step},
          {"why", inspect::Why(shared.why)}};
}

Json BuffersOf(const format::Model& model) {
  const std::vector<inspect::PlacedBuffer> buffers = inspect::BuffersOf(model);
  const std::vector<std::vector<inspect::SharedAddress>> shared = inspect::SharedIn(model, buffers);
  return ListOfCount(buffers.size(), [&](uint32_t i) -> Json {
    const inspect::PlacedBuffer& buffer = buffers[i];
    const auto span = [](const inspect::StepSpan& steps) { return Json{steps.first, steps.last}; };
    return {{"name", buffer.name},
            {"region", buffer.region - format::kFirstScratchRegion},
            {"offset", buffer.offset_bytes},
            {"bytes", buffer.bytes},
            {"first_step", buffer.live.front().first},
            {"last_step", buffer.live.back().last},
            {"live", ListOf(buffer.live, span)},
            {"slots", buffer.slots},
            {"shared", ListOf(shared[i], SharedOf)}};
  });
}

// Loops copy once per iteration; a model without loops copies only per run.
std::string CopiedText(const Json& plan, double bytes_per_run) {
  const std::string per_run = fmt::format("copied per run {:.0f} bytes", bytes_per_run);
  const double per_iteration = plan["copied_bytes_per_iteration"];
  return per_iteration == 0 ? per_run
                            : fmt::format("{}, per iteration {:.0f}", per_run, per_iteration);
}

std::string LineOf(const Json& plan, double copied_bytes_per_run) {
  std::string arena;
  for (const Json& bytes : plan["arena_bytes"]) {
    arena += fmt::format("{}{}", arena.empty() ? "" : " + ", bytes.get<int64_t>());
  }
  std::string bound;
  if (plan.contains("bound_bytes")) {
    const int64_t min = plan["bound_bytes"];
    bound = plan["arena_bytes"][0] == min
                ? fmt::format(", proven minimum for this order of steps (bound {})", min)
                : ", " + plan["proof"].get<std::string>();
  }
  return fmt::format("scratch {} bytes{} | state {} bytes | {} | weights {} bytes", arena, bound,
                     plan["state_bytes"].get<int64_t>(), CopiedText(plan, copied_bytes_per_run),
                     plan["weights_bytes"].get<int64_t>());
}

Json PlanOf(const LoadedModel& model, const inspect::Traffic& traffic) {
  const format::Model& root = model.root();
  Json arena = Json::array();
  for (uint32_t i = format::kFirstScratchRegion; i < root.regions()->size(); ++i) {
    arena.push_back(root.regions()->Get(i)->bytes());
  }
  Json plan = {{"line", ""}, {"arena_bytes", arena}};
  if (const std::optional<int64_t> bound = emit::ScratchBoundOf(root)) {
    plan::Account account;
    account.used_bytes = arena[0];
    account.bound_bytes = *bound;
    plan["bound_bytes"] = account.bound_bytes;
    plan["proof"] = plan::ToString(account);
  }
  plan["state_bytes"] = model.needs().state_bytes;
  double per_iteration = 0;  // the maximum over all loops
  for (const inspect::SectionSum& section : traffic.bytes.sections) {
    per_iteration = std::max(per_iteration, section.per_iteration);
  }
  plan["copied_bytes_per_iteration"] = per_iteration;
  plan["weights_bytes"] = format::RowsOf(root.regions())[0].bytes();
  plan["ports_shared_bytes"] = SharedPortBytes(root);
  plan["line"] = LineOf(plan, traffic.bytes.run);
  plan["buffers"] = BuffersOf(root);
  plan["live_bytes"] = inspect::LiveBytesOf(root);
  return plan;
}

}  // namespace

Json InstructionFactsOf(const format::Model& model, const std::string& target) {
  const inspect::RunBound bound = inspect::InstructionsOf(model, target);
  const auto number = [](const std::optional<double>& value) -> Json {
    return value ? Json(*value) : nullptr;
  };
  const auto rows = format::RowsOf(model.steps());
  Json steps = Json::array();
  double without_bound = 0;
  for (uint32_t i = 0; i < rows.count; ++i) {
    const inspect::StepBound& step = bound.steps[i];
    if (step.executions == 0) continue;
    if (!step.max) ++without_bound;
    steps.push_back({{"step", i},
                     {"kind", inspect::KindName(rows[i].kind())},
                     {"layer", inspect::LayerOf(model, i)},
                     {"executions", step.executions},
                     {"max", number(step.max)},
                     {"excess", step.max ? Json(step.excess) : nullptr},
                     {"max_per_run", step.max ? number(step.executions * *step.max) : nullptr},
                     {"depends_on_data", step.max ? Json(!step.is_constant) : nullptr}});
  }
  return {{"target", target},
          {"compiler", bound.compiler},
          {"max", number(bound.max)},
          {"steps_without_bound", without_bound},
          {"engine", number(bound.engine)},
          {"steps", steps}};
}

Json FactsOf(const LoadedModel& model, const FactParts& parts) {
  const format::Model& root = model.root();
  const Needs& needs = model.needs();
  const inspect::Traffic traffic = inspect::TrafficOf(root);
  Json facts = {{"file", model.file()},
                {"file_bytes", model.bytes().size},
                {"format_version", root.format_version()},
                {"checksum", ChecksumText(model)},
                {"generator", root.generator() != nullptr ? root.generator()->str() : ""},
                {"needs",
                 {{"state_bytes", needs.state_bytes},
                  {"scratch_bytes", needs.scratch_bytes},
                  {"more_scratch_bytes", needs.more_scratch_bytes},
                  {"alignment", needs.alignment}}},
                {"inputs", PortsOf(model.inputs(), format::RowsOf(root.inputs()))},
                {"outputs", PortsOf(model.outputs(), format::RowsOf(root.outputs()))},
                {"variables", VariablesOf(root)},
                {"weight_copies", WeightCopiesOf(root)},
                {"state_layout", LayoutText(model)},
                {"streamed", StreamedJson(model)},
                {"streams", StreamsOf(model)},
                {"regions", RegionsOf(root)},
                {"sections", SectionsOf(root, traffic)},
                {"copies", CopiesOf(traffic)},
                {"slots", format::RowsOf(root.slots()).count},
                {"self_test", SelfTestFacts(root)},
                {"steps", StepsOf(root)}};
  if (parts.budget_rows > 0) {
    facts["budget"] = inspect::BudgetOf(model.bytes(), parts.budget_rows);
  }
  if (parts.plan) facts["plan"] = PlanOf(model, traffic);
  if (!parts.target.empty()) facts["instructions"] = InstructionFactsOf(root, parts.target);
  if (parts.listing) facts["listing"] = inspect::ListingJson(root);
  return facts;
}

}  // namespace weft::cli
