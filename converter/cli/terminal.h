// SPDX-License-Identifier: Apache-2.0
// Formatting for terminals, not for files and pipes: numbers with digit groups and larger units,
// and colours unless NO_COLOR is set.
#ifndef WEFT_CONVERTER_CLI_TERMINAL_H_
#define WEFT_CONVERTER_CLI_TERMINAL_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::cli {

enum class Tint : uint8_t { kNone, kFault, kWarning, kGood };

// Colours `text` up to its first ": " if the stream of `descriptor` shows colours; otherwise
// returns `text`. It must not contain control characters (visible.h).
std::string Tinted(std::string_view text, Tint tint, int descriptor);

// Numbers for stdout, with digit groups and units if it is a terminal.
// Returns "1,572,864", else "1572864".
std::string Grouped(int64_t number);
// Returns "1,572,864 bytes (1.5 MiB)", else "1572864 bytes".
std::string Size(int64_t bytes);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TERMINAL_H_
