// SPDX-License-Identifier: Apache-2.0
#include "converter/stream_note.h"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/inspect/cost.h"

namespace weft::pipeline {
namespace {

class Counting {
 public:
  explicit Counting(const program::Program& program) : program_(program) {}

  double Of(program::BlockId block) const {
    double sum = 0;
    for (const program::Item& item : program_.blocks[block].items) {
      if (const program::Step* step = std::get_if<program::Step>(&item)) {
        sum += OfStep(*step);
      } else {
        sum += OfSection(program_.sections[std::get<program::SectionEntry>(item).section]);
      }
    }
    return sum;
  }

 private:
  static double OfStep(const program::Step& step) {
    const auto count = [](const auto& params) -> double {
      if constexpr (std::is_same_v<std::decay_t<decltype(params)>, std::monostate>) {
        return 0;
      } else {
        return inspect::MultiplyAdds(params);
      }
    };
    return std::visit(count, step.params);
  }

  // Iteration i executes copy i mod copies; epilogues have no multiply-adds.
  double OfSection(const program::Section& section) const {
    const auto copies = std::ssize(section.copies);
    const int64_t trips = section.trip_count < 0 ? section.max_trips
                                                 : std::min(section.trip_count, section.max_trips);
    double sum = 0;
    for (int64_t copy = 0; copy < std::min<int64_t>(copies, trips); ++copy) {
      const int64_t runs = (trips - copy - 1) / copies + 1;
      sum += static_cast<double>(runs) * Of(section.copies[static_cast<size_t>(copy)]);
    }
    return sum;
  }

  const program::Program& program_;
};

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
  return Counting(program).Of(program.main);
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
