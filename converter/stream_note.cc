// SPDX-License-Identifier: Apache-2.0
#include "converter/stream_note.h"

#include <type_traits>
#include <variant>

#include "converter/base/narrow.h"
#include "converter/inspect/cost.h"
#include "converter/plan/traffic.h"

namespace weft::pipeline {
namespace {

double MultiplyAddsOfStep(const program::Step& step) {
  const auto count = [](const auto& params) -> double {
    if constexpr (std::is_same_v<std::decay_t<decltype(params)>, std::monostate>) {
      return 0;
    } else {
      return inspect::MultiplyAdds(params);
    }
  };
  return std::visit(count, step.params);
}

format::StreamedPort RowOf(const graph::StreamedPort& port) {
  const uint32_t latency = Narrow32(port.latency, "latency");
  if (port.time) {
    return {Narrow32(port.time->positions, "positions"),
            Narrow32(port.time->all_positions, "positions"),
            latency,
            Narrow<uint8_t>(port.time->axis, "axis"),
            format::PortTime::steps,
            0};
  }
  return {0, 0, latency, 0, port.so_far ? format::PortTime::so_far : format::PortTime::without, 0};
}

}  // namespace

double MultiplyAddsOf(const program::Program& program) {
  return plan::SumOverSteps(program, MultiplyAddsOfStep);
}

emit::StreamNote StreamNoteOf(const graph::Streamed& streamed) {
  emit::StreamNote note;
  note.row = format::Streaming(
      streamed.multiply_adds.value_or(-1), static_cast<uint64_t>(streamed.min_state_bytes),
      Narrow32(streamed.steps, "steps"), Narrow32(streamed.all_steps, "steps"),
      Narrow32(streamed.receptive_steps.value_or(0), "steps"), 0);
  for (const graph::StreamedPort& port : streamed.inputs) note.ports.push_back(RowOf(port));
  for (const graph::StreamedPort& port : streamed.outputs) note.ports.push_back(RowOf(port));
  return note;
}

}  // namespace weft::pipeline
