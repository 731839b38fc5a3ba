// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/streaming_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace weft::cli {

void SuggestStreaming(const pipeline::ConvertOptions& options, Faults& faults) {
  const bool exceeds = std::ranges::any_of(faults.lines(), [](const std::string& line) {
    return line.find("--arena-budget is ") != std::string::npos;
  });
  if (!exceeds || options.streaming_steps) return;
  pipeline::ConvertOptions streamed = options;
  streamed.streaming_steps = 1;
  streamed.arena_budget_bytes.reset();
  streamed.progress = nullptr;
  streamed.dump = nullptr;
  Faults discarded;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(streamed, discarded);
  if (!converted) return;
  faults.Add(fmt::format(
      "{}: with --streaming a run processes one time step and needs {} bytes of scratch "
      "and {} bytes of state",
      options.model.string(), converted->scratch_bytes, converted->state_bytes));
}

}  // namespace weft::cli
