// SPDX-License-Identifier: Apache-2.0
// The functions of steps. weft_check_<step> checks a step by the rules of its kind; weft_run_<step>
// calls the kernel and trusts the check. The names have C linkage, so that a table of them can be
// written in C.
#ifndef WEFT_RUNTIME_FORMAT_STEP_FUNCTIONS_H_
#define WEFT_RUNTIME_FORMAT_STEP_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/fault.h"

namespace weft::format {
struct Model;
}

namespace weft::steps {

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"  // C takes their addresses only
#endif
#define WEFT_FUNCTIONS(entry)                                                           \
  extern "C" Fault weft_check_##entry(const format::Model& model, uint32_t step_index); \
  extern "C" void weft_run_##entry(const format::Model& model, uint32_t param,          \
                                   std::byte* const* operands);
#define WEFT_STEP(name, ...) WEFT_FUNCTIONS(name)
#include "runtime/format/ops.inc"
#undef WEFT_STEP
#define WEFT_OVERLAPPING_STEP(name, Name) WEFT_FUNCTIONS(overlapping_##name)
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_NARROW_STEP(name, Name) WEFT_FUNCTIONS(narrow_##name)
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) WEFT_FUNCTIONS(overlapping_narrow_##name)
#define WEFT_SHORTS_STEP(name, Name) WEFT_FUNCTIONS(name##_shorts) WEFT_FUNCTIONS(name##_mixed)
#include "runtime/format/narrow_steps.inc"
#undef WEFT_SHORTS_STEP
#undef WEFT_NARROW_STEP
#undef WEFT_OVERLAPPING_NARROW_STEP
#undef WEFT_FUNCTIONS
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace weft::steps

#endif  // WEFT_RUNTIME_FORMAT_STEP_FUNCTIONS_H_
