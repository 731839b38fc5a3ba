// SPDX-License-Identifier: Apache-2.0
// Which bytes of an operand a step touches, taken from the step's parameters. Outputs: exactly the
// bytes that the kernel writes. Inputs: at least the bytes that it reads. (compact, whose extent is
// known at run time alone, counts as reading and writing all it may.) A program that does not check
// a plan (Engine::OpenChecked) does not hold it.
#ifndef WEFT_RUNTIME_ACCESS_H_
#define WEFT_RUNTIME_ACCESS_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/strided_bytes.h"

namespace weft {

// The bytes of operand `operand` (inputs first), seen from the address of its slot. The step is one
// of a verified model, and not a section.
StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand);

// The same of a step that is in no file yet, for the converter: on a board a second caller of each
// kind's code would keep the first one from being one function, which takes 1 KB more.
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define WEFT_STEP(name, Name, ...) \
  StridedBytes AccessOf(const format::Name##Params& params, uint32_t operand);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
#endif

}  // namespace weft

#endif  // WEFT_RUNTIME_ACCESS_H_
