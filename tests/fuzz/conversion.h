// SPDX-License-Identifier: Apache-2.0
// Converts a hostile model with options that the first bytes of an input select, and runs the
// result.
#ifndef WEFT_TESTS_FUZZ_CONVERSION_H_
#define WEFT_TESTS_FUZZ_CONVERSION_H_

#include <cstddef>

#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {

// Bytes of an input before the model, one for each option.
inline constexpr size_t kOptionBytes = 8;

// Converts the model in memory. It is a finding if the conversion has neither errors nor a file, or
// both; if an error reports a defect of weft; if the file does not open; if its outputs depend on
// what the memory held before Open. `name` is the model's name in messages.
void ConvertInput(Choices& choices, Input model, Input weights, const char* name);

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_CONVERSION_H_
