// SPDX-License-Identifier: Apache-2.0
// Observes the operands of every step when the step ends, also inside loops. After a run the values
// of most layers are overwritten.
#ifndef WEFT_CONVERTER_CLI_WATCH_H_
#define WEFT_CONVERTER_CLI_WATCH_H_

#include <cstddef>
#include <functional>

#include "runtime/weft.h"

namespace weft::cli {

// A step table for Engine::Open: the steps of AllSteps, each of which records its operands first.
StepTable WatchedSteps();

// During its lifetime, an engine that was opened with WatchedSteps calls `see` after each step, in
// this thread.
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
