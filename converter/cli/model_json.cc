// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/model_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/cli/budget.h"
#include "converter/cli/plan_view.h"
#include "converter/inspect/carried.h"
#include "converter/inspect/listing.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/streamed.h"
#include "converter/inspect/traffic.h"
#include "converter/inspect/work.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

Json PortsJson(const std::vector<ModelPort>& ports, format::Rows<format::Port> rows) {
  Json list = Json::array();
  for (uint32_t i = 0; i < ports.size(); ++i) {
    const ModelPort& port = ports[i];
    Json entry = {{"name", port.display_name},
                  {"names", port.names},
                  {"type", Name(port.type.type)},
                  {"shape", port.type.dims},
                  {"slot", rows[i].slot()}};
    if (port.has_length) entry["run_time_axis"] = port.length_axis;
    list.push_back(std::move(entry));
  }
  return list;
}

Json VariablesJson(const format::Model& model) {
  Json list = Json::array();
  for (const format::Variable& row : format::RowsOf(model.variables())) {
    const bool named = row.first_name() != format::kNoSlot;
    const format::Slot& slot = format::RowsOf(model.slots())[row.slot()];
    list.push_back({{"name", named ? model.names()->Get(row.first_name())->str() : ""},
                    {"type", inspect::SlotType(model, row.slot())},
                    {"offset", slot.offset_bytes()},
                    {"bytes", slot.bytes()},
                    {"starts_as", row.initial_slot() == format::kNoSlot ? "zeros" : "weights"}});
  }
  return list;
}

Json StreamedPortJson(const ModelPort& port, const format::StreamedPort& row, bool is_output) {
  Json json = {{"name", port.display_name}};
  if (row.time() == format::PortTime::steps) {
    json["axis"] = row.axis();
    json["positions"] = row.positions();
    if (row.all_positions() != 0) json["of"] = row.all_positions();
  }
  if (row.time() == format::PortTime::so_far) json["so_far"] = true;
  if (is_output) json["latency"] = row.latency();
  return json;
}

// Hexadecimal, like the checksum; empty for a model without variables.
std::string LayoutText(const LoadedModel& model) {
  const uint64_t layout = StateLayout(model.bytes());
  return layout == 0 ? "" : fmt::format("{:016x}", layout);
}

// Pairs of slots of ping-pong buffers.
Json PingPongSlotsJson(const format::Model& model, uint32_t section) {
  Json list = Json::array();
  for (const inspect::PingPong& ping_pong : inspect::PingPongsOf(model, section)) {
    list.push_back({ping_pong.there, ping_pong.back});
  }
  return list;
}

Json SectionsJson(const format::Model& model, const inspect::Traffic& traffic) {
  Json list = Json::array();
  for (uint32_t i = 0; i < format::RowsOf(model.sections()).count; ++i) {
    const format::Section& row = inspect::SectionAt(model, i);
    const inspect::Trips trips = inspect::TripsOf(model, i);
    const inspect::Carried carried = inspect::CarriedBy(model, i);
    const inspect::SectionSum& bytes = traffic.bytes.sections[i];
    list.push_back({{"section", i},
                    {"layer", inspect::LayerOfSection(model, i)},
                    {"depth", row.depth()},
                    {"first_step", inspect::StepOfSection(model, i)},
                    {"end_step", inspect::EndOf(model, i)},
                    {"iterations", trips.count},
                    {"iterations_exact", trips.exact},
                    {"unroll", row.unroll()},
                    {"in_place", carried.in_place},
                    {"ping_pong", carried.ping_pongs},
                    {"ping_pong_slots", PingPongSlotsJson(model, i)},
                    {"through_scan", carried.through_scan},
                    {"by_copy", carried.by_copy},
                    {"sliced", carried.sliced},
                    {"scans", carried.scans},
                    {"copied_bytes_per_iteration", bytes.per_iteration},
                    {"epilogue_bytes", bytes.epilogue},
                    {"copied_bytes", bytes.per_entry}});
  }
  return list;
}

Json CopiesJson(const inspect::Traffic& traffic) {
  Json list = Json::array();
  for (const inspect::Cause& cause : traffic.causes) {
    list.push_back({{"step", cause.kind},
                    {"layer", cause.layer},
                    {"reason", format::EnumNameReason(cause.reason)},
                    {"why", inspect::Why(cause.reason)},
                    {"bytes", cause.bytes}});
  }
  return list;
}

Json StepsJson(const format::Model& model) {
  Json json = Json::object();
  for (const auto& [kind, count] : inspect::CountKinds(model))
    json[inspect::KindName(kind)] = count;
  return json;
}

Json SelfTestJson(const format::Model& model) {
  const format::SelfTest* test = format::SelfTestOf(model);
  if (test == nullptr) return nullptr;
  return {{"runs", test->run_count()},
          {"bytes", model.self_test()->size()},
          {"tolerance", format::EnumNameToleranceClass(test->tolerance())}};
}

}  // namespace

Json StreamedJson(const LoadedModel& model) {
  const std::optional<inspect::StreamNote> note = inspect::StreamNoteOf(model.root());
  if (!note) return nullptr;
  const format::Streaming& row = note->row;
  Json json = {{"steps", row.steps()}};
  if (row.all_steps() != 0) json["of"] = row.all_steps();
  json["receptive_steps"] = nullptr;
  if (row.receptive_steps() != 0) json["receptive_steps"] = row.receptive_steps();
  json["state_bytes"] = inspect::VariableBytesOf(model.root());
  json["min_state_bytes"] = row.min_state_bytes();
  json["multiply_adds"] = inspect::WorkOf(model.root()).multiply_adds.run / row.steps();
  json["full_multiply_adds"] = nullptr;
  if (row.multiply_adds() >= 0 && row.all_steps() != 0)
    json["full_multiply_adds"] = row.multiply_adds() / row.all_steps();
  json["inputs"] = json["outputs"] = Json::array();
  for (size_t i = 0; i < note->ports.size(); ++i) {
    const bool is_output = i >= model.inputs().size();
    const ModelPort& port =
        is_output ? model.outputs()[i - model.inputs().size()] : model.inputs()[i];
    json[is_output ? "outputs" : "inputs"].push_back(
        StreamedPortJson(port, note->ports[i], is_output));
  }
  return json;
}

Json ModelJson(const LoadedModel& model) {
  const format::Model& root = model.root();
  Json regions = Json::array();
  for (const format::Region& region : format::RowsOf(root.regions())) {
    regions.push_back({{"kind", format::EnumNameRegionKind(region.kind())},
                       {"bytes", region.bytes()},
                       {"alignment", region.alignment_bytes()}});
  }
  const Needs& needs = model.needs();
  const inspect::Traffic traffic = inspect::TrafficOf(root);
  return {{"file", model.file()},
          {"file_bytes", model.bytes().size},
          {"format_version", root.format_version()},
          {"checksum", fmt::format("{:016x}", root.checksum())},
          {"generator", root.generator() != nullptr ? root.generator()->str() : ""},
          {"needs",
           {{"state_bytes", needs.state_bytes},
            {"scratch_bytes", needs.scratch_bytes},
            {"more_scratch_bytes", needs.more_scratch_bytes},
            {"alignment", needs.alignment}}},
          {"inputs", PortsJson(model.inputs(), format::RowsOf(root.inputs()))},
          {"outputs", PortsJson(model.outputs(), format::RowsOf(root.outputs()))},
          {"variables", VariablesJson(root)},
          {"state_layout", LayoutText(model)},
          {"streamed", StreamedJson(model)},
          {"regions", std::move(regions)},
          {"sections", SectionsJson(root, traffic)},
          {"copies", CopiesJson(traffic)},
          {"slots", format::RowsOf(root.slots()).count},
          {"self_test", SelfTestJson(root)},
          {"steps", StepsJson(root)}};
}

Json ReportJson(const LoadedModel& model) {
  Json json = ModelJson(model);
  json["budget"] = BudgetJson(model, SIZE_MAX);
  json["plan"] = PlanJson(model);
  json["listing"] = inspect::ListingJson(model.root());
  return json;
}

}  // namespace weft::cli
