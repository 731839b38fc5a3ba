// SPDX-License-Identifier: Apache-2.0
// Strict checks of option values: decimal digits only (a leading 0 is not octal), no infinity, no
// NaN, and messages with the allowed values.
#ifndef WEFT_CONVERTER_CLI_NUMBERS_H_
#define WEFT_CONVERTER_CLI_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/cli/command_line.h"

namespace weft::cli {

// Checks of an option, which normalise the value. Some are functions that return the check.

// An integer from `low` to `high`, both included.
Transform Integer(int64_t low, int64_t high = INT64_MAX);
// A finite number of at least 0.
std::string Tolerable(std::string& text);
// A number of bytes, with an optional unit K, M, G or T (also KB, KiB, k, ...), a power of 1024.
Transform ByteCount();
// A time above 0 with its unit, such as "20.8us"; becomes nanoseconds.
std::string Duration(std::string& text);
// A number of bytes, or one of these words.
Transform ByteCountOr(std::vector<std::string> words);
// The name of a file, a folder or a type: any text that is not empty.
std::string PathName(std::string& text);

// Parses a number of bytes; nullopt for texts that ByteCount rejects.
std::optional<int64_t> ParseByteCount(std::string_view text);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_NUMBERS_H_
