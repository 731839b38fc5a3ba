// SPDX-License-Identifier: Apache-2.0
// Values of options, as strict as they are printed: decimal digits alone (what begins with 0 is not
// octal), no infinity, no NaN, and a refusal that says what must be. CLI11's own checks take
// hexadecimal numbers and print the bounds of a double with all their 309 digits.
#ifndef WEFT_CONVERTER_CLI_NUMBERS_H_
#define WEFT_CONVERTER_CLI_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/cli/command_line.h"

namespace weft::cli {

// All are for Option::Apply: what CLI11 then converts is in the plainest form.

// An integer from `low` to `high`, both included.
Transform Integer(int64_t low, int64_t high = INT64_MAX);
// A finite number from 0.
Transform Tolerable();
// A number of bytes; K, M, G and T (KB, KiB, k ... too) count in powers of 1024.
Transform ByteCount();
// A time above 0 with its unit, "20.8us"; becomes nanoseconds.
Transform Duration();
// Or one of these words.
Transform ByteCountOr(std::vector<std::string> words);
// The name of a file, a folder or a type: anything but nothing.
Transform PathName();

// As ByteCount; nullopt for what it refuses.
std::optional<int64_t> ParseByteCount(std::string text);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_NUMBERS_H_
