// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/streamed.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "converter/base/visible.h"
#include "converter/cli/table.h"
#include "converter/inspect/streamed.h"
#include "converter/inspect/work.h"

namespace weft::cli {
namespace {

// "1 time step", "2 time steps"
std::string CountOf(int64_t steps) {
  return fmt::format("{} time step{}", steps, steps == 1 ? "" : "s");
}

// "streaming: 4 of 12 time steps per run"; `all` is 0 for any number.
std::string StepsText(int64_t steps, int64_t all) {
  return all == 0 ? fmt::format("streaming: {} per run", CountOf(steps))
                  : fmt::format("streaming: {} of {} per run", steps, CountOf(all));
}

// "each output depends on 7 time steps, including its own"; 0: on all so far.
std::string DependsText(int64_t receptive_steps) {
  if (receptive_steps == 0) return "each output depends on all time steps so far";
  if (receptive_steps == 1) return "each output depends on its own time step only";
  return fmt::format("each output depends on {}, including its own", CountOf(receptive_steps));
}

std::string StatesText(int64_t bytes, int64_t min_bytes) {
  return fmt::format(
      "states: {} bytes, in memory each rounded up to a multiple of 16; lower bound {} bytes",
      bytes, min_bytes);
}

// Adds the time axis to the facts of a port, and the latency to those of an output.
Json WithTime(Json port, const format::StreamedPort& row, bool is_output) {
  if (row.time() == format::PortTime::steps) {
    port["axis"] = row.axis();
    port["positions"] = row.positions();
    if (row.all_positions() != 0) port["of"] = row.all_positions();
  }
  if (row.time() == format::PortTime::so_far) port["so_far"] = true;
  if (is_output) port["latency"] = row.latency();
  return port;
}

// "time axis 1, 4 of 12 positions per run (2 per time step), delayed by 2 time steps". The number
// per time step is only in texts with `steps`, the steps of a run. Without a time axis the text
// begins with `fixed`.
std::string TimeText(const Json& port, const std::string& fixed, int64_t steps = 0) {
  std::string text = port.contains("so_far") ? "result of all time steps so far" : fixed;
  if (port.contains("axis")) {
    const int64_t positions = port["positions"].get<int64_t>(), all = port.value("of", int64_t{0});
    text = fmt::format("time axis {}, {}{} position{} per run", port["axis"].get<int64_t>(),
                       positions, all == 0 ? "" : fmt::format(" of {}", all),
                       positions == 1 && all <= 1 ? "" : "s");
    if (steps != 0 && positions != steps) {
      text += fmt::format(" ({} per time step)", positions / steps);
    }
  }
  const int64_t latency = port.value("latency", int64_t{0});
  return latency == 0 ? text : text + ", delayed by " + CountOf(latency);
}

Json JsonOf(const graph::StreamedPort& port, bool is_output) {
  return WithTime({{"name", port.name}, {"type", ToString(port.type)}}, port.row, is_output);
}

std::string LineOf(const graph::StreamedPort& port, bool is_output, int64_t steps) {
  const bool is_fixed = port.row.time() == format::PortTime::without;
  std::string fixed = is_output ? "written in every run" : "read in every run";
  if (port.is_initial) fixed = "initial state, read only in the first run after a reset";
  return fmt::format("  {:<6} \"{}\" {}: {}\n",
                     is_fixed    ? "fixed"
                     : is_output ? "output"
                                 : "input",
                     OneLine(port.name), ToString(port.type),
                     TimeText(JsonOf(port, is_output), fixed, steps));
}

}  // namespace

std::string StreamsText(int64_t count, int64_t state_bytes) {
  return fmt::format("streams: {} per run, each with {} bytes of state", count, state_bytes);
}

std::string StreamedText(const graph::Streamed& streamed) {
  std::string text = StepsText(streamed.steps, streamed.all_steps) + "\n";
  for (const graph::StreamedPort& port : streamed.inputs) {
    text += LineOf(port, false, streamed.steps);
  }
  for (const graph::StreamedPort& port : streamed.outputs) {
    text += LineOf(port, true, streamed.steps);
  }
  int64_t bytes = 0;
  for (const graph::StreamedState& state : streamed.states) {
    text +=
        fmt::format("  state  \"{}\" {} bytes: {}\n", OneLine(state.name), state.bytes, state.from);
    bytes += state.bytes;
  }
  text += "  " + DependsText(streamed.receptive_steps.value_or(0)) + "\n";
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
    json[port.HasTime() ? "inputs" : "whole"].push_back(JsonOf(port, false));
  }
  for (const graph::StreamedPort& port : streamed.outputs) {
    json["outputs"].push_back(JsonOf(port, true));
  }
  for (const graph::StreamedState& state : streamed.states) {
    json["states"].push_back({{"name", state.name}, {"bytes", state.bytes}, {"from", state.from}});
    json["state_bytes"] = json["state_bytes"].get<int64_t>() + state.bytes;
  }
  return json;
}

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
  const std::vector<ModelPort>&inputs = model.inputs(), &outputs = model.outputs();
  json["inputs"] = ListOfCount(inputs.size(), [&](size_t i) {
    return WithTime({{"name", inputs[i].display_name}}, note->ports[i], false);
  });
  json["outputs"] = ListOfCount(outputs.size(), [&](size_t i) {
    return WithTime({{"name", outputs[i].display_name}}, note->ports[inputs.size() + i], true);
  });
  return json;
}

std::string StreamedText(const Json& streamed, const std::string& layout) {
  if (streamed.is_null()) return layout.empty() ? "" : fmt::format("state layout {}\n\n", layout);
  Json ports = Json::array();
  for (const char* side : {"inputs", "outputs"}) {
    for (const Json& port : streamed[side]) {
      ports.push_back(
          {{"port", "  " + Plain(port["name"])}, {"time", TimeText(port, "no time axis")}});
    }
  }
  const auto number = [&](const char* key) { return streamed[key].get<int64_t>(); };
  const Json& full = streamed["full_multiply_adds"];
  return fmt::format(
      "{}\n{}{}\nmultiply-adds per time step: {}{}\n{}{}\n\n",
      StepsText(number("steps"), streamed.value("of", int64_t{0})),
      TableText(ports, "  port=port | time"),
      DependsText(streamed["receptive_steps"].is_null() ? 0 : number("receptive_steps")),
      Plain(streamed["multiply_adds"], "mean"),
      full.is_null() ? "" : "; without streaming: " + Plain(full, "mean"),
      StatesText(number("state_bytes"), number("min_state_bytes")),
      layout.empty() ? "" : "; layout " + layout);
}

}  // namespace weft::cli
