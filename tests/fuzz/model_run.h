// SPDX-License-Identifier: Apache-2.0
// Runs model files in guarded memory, filled in several ways.
#ifndef WEFT_TESTS_FUZZ_MODEL_RUN_H_
#define WEFT_TESTS_FUZZ_MODEL_RUN_H_

#include <optional>
#include <string>

#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {

// The bytes in state and scratch before Open, the page at which blocks end, and the inputs.
struct Variation {
  unsigned fill = 0;  // below kFills
  bool at_begin = false;
  unsigned inputs = 0;  // below kInputKinds
};
inline constexpr unsigned kFills = 5, kInputKinds = 3;
Variation VariationOf(unsigned number);
inline constexpr unsigned kVariations = kFills * 2 * kInputKinds;

// Calls every function of the runtime on a file that may be hostile. Returns true if it was opened
// and all calls ended in time.
bool UseModel(Input file, const Variation& variation);

// The outputs of two runs of a file from the converter, which must open, have the right plan hash
// and pass its self test. Returns nullopt if a run takes too long or too much memory.
std::optional<std::string> OutputsOf(Input file, const Variation& variation);

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_MODEL_RUN_H_
