// SPDX-License-Identifier: Apache-2.0
// What a pass needs that wants to know what a program computes: something that runs it, which is
// handed in from above, since planning and emitting lie above the passes.
#ifndef WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_
#define WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

struct ProgramRun {
  std::vector<std::vector<std::byte>> outputs;  // of each output port
  std::string fault;                            // why it could not run; empty when it could
  int64_t scratch_bytes = 0;                    // that it needs
};

// Runs a program without inputs once, from Reset on. One that needs more than `most_scratch_bytes`
// is not run: scratch_bytes says so then, and there are neither outputs nor a fault.
using RunProgram = std::function<ProgramRun(Program program, int64_t most_scratch_bytes)>;

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_
