// SPDX-License-Identifier: Apache-2.0
// Runs a program on this machine as a device would: planned, written to a file, opened and run by
// the runtime's own engine, so that what it computes has the very bits the device would compute.
#ifndef WEFT_CONVERTER_EMIT_RUN_HERE_H_
#define WEFT_CONVERTER_EMIT_RUN_HERE_H_

#include <cstdint>

#include "converter/program/run_program.h"

namespace weft::emit {

// A plan::RunProgram.
plan::ProgramRun RunHere(plan::Program program, int64_t most_scratch_bytes);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_RUN_HERE_H_
