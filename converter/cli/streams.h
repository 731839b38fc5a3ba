// SPDX-License-Identifier: Apache-2.0
// Standard output and error of the command. Answer* print results on stdout; the call fails if a
// result cannot be written. Say* print notes and errors on stderr, whose failure is ignored. Both
// escape control characters (visible.h).
#ifndef WEFT_CONVERTER_CLI_STREAMS_H_
#define WEFT_CONVERTER_CLI_STREAMS_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converter/cli/terminal.h"

namespace weft::cli {

// Prints one line on stderr; `line` has no line end.
void SayLine(std::string_view line, Tint tint = Tint::kNone);
template <typename... Args>
void Say(fmt::format_string<Args...> text, Args&&... args) {
  SayLine(fmt::format(text, std::forward<Args>(args)...));
}

// Prints lines on stderr.
void SayText(std::string_view text);

// Prints lines on stdout.
void AnswerText(std::string_view text);
void AnswerJson(std::string_view json);
// Prints one line on stdout; `line` has no line end.
void AnswerOne(std::string_view line, Tint tint = Tint::kNone);
template <typename... Args>
void Answer(fmt::format_string<Args...> text, Args&&... args) {
  AnswerOne(fmt::format(text, std::forward<Args>(args)...));
}

// Flushes stdout. Returns nullopt if all output was written, else the reason ("No space left on
// device").
std::optional<std::string> FlushAnswers();

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMS_H_
