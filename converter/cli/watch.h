// SPDX-License-Identifier: Apache-2.0
// Sees the operands of every step of a run as the step ends, also of those in loops, where values
// move. Between two runs the values of a layer are long overwritten.
#ifndef WEFT_CONVERTER_CLI_WATCH_H_
#define WEFT_CONVERTER_CLI_WATCH_H_

#include <cstddef>
#include <functional>

#include "runtime/weft.h"

namespace weft::cli {

// For Engine::Open: the steps of AllSteps, each of which notes its operands before it runs.
StepTable WatchedSteps();

// While it lives, an engine opened with them calls `see` behind each step, in this thread.
class Watch {
 public:
  using See = std::function<void(uint32_t step, std::byte* const* operands)>;
  Watch(Engine& engine, See see);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  Engine& engine_;
  See see_;
  Profile profile_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_WATCH_H_
