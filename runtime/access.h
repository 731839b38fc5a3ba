// SPDX-License-Identifier: Apache-2.0
// The bytes of an operand that a step accesses, by its footprint (runtime/footprint/). A program
// that does not check a plan (Engine::OpenChecked) does not link this.
#ifndef WEFT_RUNTIME_ACCESS_H_
#define WEFT_RUNTIME_ACCESS_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/strided_bytes.h"

namespace weft {

// Returns the bytes of operand `operand` (inputs first), relative to the address of its slot. The
// step is one of a verified model, and not a section.
StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand);

// The same for a step that is not in a file yet, for the converter. Firmware does not compile it: a
// second caller of each kind's code prevents inlining of the first, which costs 1 KB.
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define WEFT_STEP(name, Name, ...) \
  StridedBytes AccessOf(const format::Name##Params& params, uint32_t operand);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
#endif

}  // namespace weft

#endif  // WEFT_RUNTIME_ACCESS_H_
