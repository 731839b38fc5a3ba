// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/streamed.h"

#include <fmt/format.h>

#include "converter/base/visible.h"

namespace weft::cli {
namespace {

// "1 time step", "2 time steps"
std::string CountOf(int64_t steps) {
  return fmt::format("{} time step{}", steps, steps == 1 ? "" : "s");
}

// The text of a port without a time axis.
std::string FixedText(const graph::StreamedPort& port, bool is_input) {
  if (port.so_far) return "result of all time steps so far";
  if (port.is_initial) return "initial state, read only in the first run after a reset";
  return is_input ? "read in every run" : "written in every run";
}

std::string LineOf(const graph::StreamedPort& port, std::string_view side, int64_t steps) {
  const bool is_whole = !port.time && !port.so_far;
  std::string line = fmt::format("  {:<6} \"{}\" {}: ", is_whole ? "fixed" : side,
                                 OneLine(port.name), ToString(port.type));
  if (port.time) {
    line += TimeAxisText(port.time->axis, port.time->positions, port.time->all_positions);
    if (port.time->positions != steps) {
      line += fmt::format(" ({} per time step)", port.time->positions / steps);
    }
  } else {
    line += FixedText(port, side == "input");
  }
  return line + DelayText(port.latency) + "\n";
}

Json JsonOf(const graph::StreamedPort& port) {
  Json json = {{"name", port.name}, {"type", ToString(port.type)}};
  if (port.time) {
    json["axis"] = port.time->axis;
    json["positions"] = port.time->positions;
    if (port.time->all_positions != 0) json["of"] = port.time->all_positions;
  }
  return json;
}

}  // namespace

std::string StepsText(int64_t steps, int64_t all) {
  return all == 0 ? fmt::format("streaming: {} per run", CountOf(steps))
                  : fmt::format("streaming: {} of {} per run", steps, CountOf(all));
}

std::string TimeAxisText(int64_t axis, int64_t positions, int64_t all) {
  const std::string of = all == 0 ? "" : fmt::format(" of {}", all);
  return fmt::format("time axis {}, {}{} position{} per run", axis, positions, of,
                     positions == 1 && all <= 1 ? "" : "s");
}

std::string DelayText(int64_t latency) {
  return latency == 0 ? "" : ", delayed by " + CountOf(latency);
}

std::string DependsText(const std::optional<int64_t>& receptive_steps) {
  if (!receptive_steps) return "each output depends on all time steps so far";
  if (*receptive_steps == 1) return "each output depends on its own time step only";
  return fmt::format("each output depends on {}, including its own", CountOf(*receptive_steps));
}

std::string StatesText(int64_t bytes, int64_t min_bytes) {
  return fmt::format(
      "states: {} bytes, in memory each rounded up to a multiple of 16; lower bound {} bytes",
      bytes, min_bytes);
}

std::string StreamsText(int64_t count, int64_t state_bytes) {
  return fmt::format("streams: {} per run, each with {} bytes of state", count, state_bytes);
}

std::string StreamedText(const graph::Streamed& streamed) {
  std::string text = StepsText(streamed.steps, streamed.all_steps) + "\n";
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
  text += "  " + DependsText(streamed.receptive_steps) + "\n";
  text += "  " + StatesText(bytes, streamed.min_state_bytes) + "\n";
  return text;
}

Json StreamedJson(const graph::Streamed& streamed) {
  Json json;
  json["steps"] = streamed.steps;
  if (streamed.all_steps != 0) json["of"] = streamed.all_steps;
  json["receptive_steps"] = nullptr;
  if (streamed.receptive_steps) json["receptive_steps"] = *streamed.receptive_steps;
  json["state_bytes"] = 0;
  json["min_state_bytes"] = streamed.min_state_bytes;
  for (const char* key : {"inputs", "outputs", "states", "whole"}) {
    json[key] = Json::array();
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
