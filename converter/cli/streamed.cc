// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/streamed.h"

#include <fmt/format.h>

#include "converter/base/visible.h"
#include "converter/ir/graph.h"

namespace weft::cli {
namespace {

std::string LineOf(const graph::StreamedPort& port, std::string_view side, int64_t steps) {
  const bool is_whole = !port.time && !port.so_far, is_input = side == "input";
  std::string line = fmt::format("  {:<6} \"{}\" {}", is_whole ? "fixed" : side, OneLine(port.name),
                                 ToString(port.type));
  if (port.time) {
    line += fmt::format(": axis {}, {}", port.time->axis, port.time->positions);
    if (port.time->all_positions != 0) line += fmt::format(" of {}", port.time->all_positions);
    if (port.time->positions != steps) {
      line += fmt::format(" ({} per step)", port.time->positions / steps);
    }
  } else if (port.so_far) {
    line += ": result of all steps so far";
  } else {
    line += fmt::format(": {} in every run", is_input ? "read" : "written");
  }
  if (port.latency > 0) {
    line += fmt::format(", delayed by {} step{}", port.latency, port.latency == 1 ? "" : "s");
  }
  return line + "\n";
}

std::string DependsText(const std::optional<int64_t>& receptive_steps) {
  if (!receptive_steps) return "  each output depends on all steps so far\n";
  if (*receptive_steps == 1) return "  each output depends on its own step only\n";
  return fmt::format("  each output depends on {} steps, including its own\n", *receptive_steps);
}

nlohmann::ordered_json JsonOf(const graph::StreamedPort& port) {
  nlohmann::ordered_json json;
  json["name"] = port.name;
  json["type"] = ToString(port.type);
  if (port.time) {
    json["axis"] = port.time->axis;
    json["positions"] = port.time->positions;
    if (port.time->all_positions != 0) json["of"] = port.time->all_positions;
  }
  return json;
}

}  // namespace

std::string StreamedText(const graph::Streamed& streamed) {
  const std::string of = streamed.all_steps == 0 ? "" : fmt::format(" of {}", streamed.all_steps);
  std::string text = fmt::format("streaming: {} step{}{} per run\n", streamed.steps,
                                 streamed.steps == 1 ? "" : "s", of);
  for (const graph::StreamedPort& port : streamed.inputs) {
    text += LineOf(port, "input", streamed.steps);
  }
  for (const graph::StreamedPort& port : streamed.outputs) {
    text += LineOf(port, "output", streamed.steps);
  }
  int64_t bytes = 0;
  for (const graph::StreamedState& state : streamed.states) {
    text +=
        fmt::format("  state  \"{}\" {} bytes: {}\n", OneLine(state.name), state.bytes, state.from);
    bytes += state.bytes;
  }
  text += DependsText(streamed.receptive_steps);
  text +=
      fmt::format("  states: {} bytes; lower bound {} bytes\n", bytes, streamed.min_state_bytes);
  return text;
}

nlohmann::ordered_json StreamedJson(const graph::Streamed& streamed) {
  nlohmann::ordered_json json;
  json["steps"] = streamed.steps;
  if (streamed.all_steps != 0) json["of"] = streamed.all_steps;
  json["receptive_steps"] = nullptr;
  if (streamed.receptive_steps) json["receptive_steps"] = *streamed.receptive_steps;
  json["state_bytes"] = 0;
  json["min_state_bytes"] = streamed.min_state_bytes;
  for (const char* key : {"inputs", "outputs", "states", "whole"}) {
    json[key] = nlohmann::ordered_json::array();
  }
  for (const graph::StreamedPort& port : streamed.inputs) {
    json[port.time ? "inputs" : "whole"].push_back(JsonOf(port));
  }
  for (const graph::StreamedPort& port : streamed.outputs) {
    json["outputs"].push_back(JsonOf(port));
    if (port.so_far) json["outputs"].back()["so_far"] = true;
    json["outputs"].back()["latency"] = port.latency;
  }
  for (const graph::StreamedState& state : streamed.states) {
    json["states"].push_back({{"name", state.name}, {"bytes", state.bytes}, {"from", state.from}});
    json["state_bytes"] = json["state_bytes"].get<int64_t>() + state.bytes;
  }
  return json;
}

}  // namespace weft::cli
