// SPDX-License-Identifier: Apache-2.0
// Runs a program, for passes that need its results. The function is passed in by the caller,
// because planning and emitting are in higher layers than the passes.
#ifndef WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_
#define WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

// Result of a run.
struct ProgramRun {
  std::vector<std::vector<std::byte>> outputs;  // by output port
  std::string fault;                            // why it could not run; empty on success
  int64_t scratch_bytes = 0;                    // required scratch
};

// Runs a program without inputs once, starting from Reset. A program that needs more than
// `max_scratch_bytes` does not run: then scratch_bytes is set, and there are neither outputs nor
// an error.
using RunProgram = std::function<ProgramRun(Program program, int64_t max_scratch_bytes)>;

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_RUN_PROGRAM_H_
