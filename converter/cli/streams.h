// SPDX-License-Identifier: Apache-2.0
// Standard output and error of the command. Results are answers, on stdout: one that could not be
// written makes the call fail. Talk goes to stderr, and whether it can be read changes
// nothing. Both show foreign text as visible.h has it.
#ifndef WEFT_CONVERTER_CLI_STREAMS_H_
#define WEFT_CONVERTER_CLI_STREAMS_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converter/cli/terminal.h"

namespace weft::cli {

// For main, before it opens any file. Descriptors 0, 1 and 2 that came closed are held by something
// that takes no bytes, so that no file gets their number and receives what is meant for people.
// Writing to a closed pipe or beyond the limit of file sizes becomes an error of the write, where
// it would end the process.
void HoldStandardStreams();

// One line on stderr, without its line end.
void SayLine(std::string_view line, Tint tint = Tint::kNone);
template <typename... Args>
void Say(fmt::format_string<Args...> text, Args&&... args) {
  SayLine(fmt::format(text, std::forward<Args>(args)...));
}

// Text of whole lines on stderr.
void SayText(std::string_view text);

// Text of whole lines on stdout.
void AnswerText(std::string_view text);
void AnswerJson(std::string_view json);
// One line, without its line end.
void AnswerOne(std::string_view line, Tint tint = Tint::kNone);
template <typename... Args>
void Answer(fmt::format_string<Args...> text, Args&&... args) {
  AnswerOne(fmt::format(text, std::forward<Args>(args)...));
}

// Nothing when every answer is written, else the reason ("No space left on device").
std::optional<std::string> FlushAnswers();

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMS_H_
