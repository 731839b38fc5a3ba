// SPDX-License-Identifier: Apache-2.0
// Runs a program on this machine: plans it, writes it to a file, and runs it with the runtime's
// engine. Results are bit-identical to those of a device.
#ifndef WEFT_CONVERTER_EMIT_RUN_HERE_H_
#define WEFT_CONVERTER_EMIT_RUN_HERE_H_

#include <cstdint>

#include "converter/program/run_program.h"

namespace weft::emit {

// Implements program::RunProgram.
program::ProgramRun RunHere(program::Program program, int64_t max_scratch_bytes);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_RUN_HERE_H_
