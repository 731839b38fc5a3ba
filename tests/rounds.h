// SPDX-License-Identifier: Apache-2.0
// How often a test repeats itself with other numbers. Sanitizers look for faults that any round may
// show, and take five times as long: a quarter of the rounds. The others check the results of all.
#ifndef WEFT_TESTS_ROUNDS_H_
#define WEFT_TESTS_ROUNDS_H_

#include "tests/address_sanitizer.h"

namespace weft {

constexpr int Rounds(int all) { return WEFT_ADDRESS_SANITIZER ? all / 4 : all; }

// Is one of a list's elements, by its number, taken?
constexpr bool IsRound(int number) { return !WEFT_ADDRESS_SANITIZER || number % 4 == 0; }

}  // namespace weft

#endif  // WEFT_TESTS_ROUNDS_H_
