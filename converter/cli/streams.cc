// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/streams.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "converter/base/visible.h"
#include "converter/cli/system_streams.h"

namespace weft::cli {
namespace {

int answer_errno = 0;  // of the first failed write to stdout

void Write(std::string_view text) {
  if (answer_errno != 0) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    answer_errno = errno == 0 ? EIO : errno;
  }
}

}  // namespace

void SayLine(std::string_view line, Tint tint) {
  constexpr size_t kLongestBytes = 4000;  // longer lines are shortened in the middle
  // A single write, because other programs may write to the same terminal.
  const std::string text =
      Tinted(Shortened(Visible(line), kLongestBytes), tint, kStandardError) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void SayText(std::string_view text) {
  const std::string visible = Visible(text, /*keep_line_ends=*/true);
  std::fwrite(visible.data(), 1, visible.size(), stderr);
}

void AnswerText(std::string_view text) { Write(Visible(text, /*keep_line_ends=*/true)); }

void AnswerJson(std::string_view json) { Write(VisibleJson(json) + "\n"); }

void AnswerOne(std::string_view line, Tint tint) {
  Write(Tinted(Visible(line), tint, kStandardOutput) + "\n");
}

std::optional<std::string> FlushAnswers() {
  if (answer_errno == 0 && std::fflush(stdout) != 0) answer_errno = errno;
  // Some devices report errors only when the stream is flushed.
  if (answer_errno == 0 && std::ferror(stdout) != 0) answer_errno = EIO;
  if (answer_errno == 0) return std::nullopt;
  return std::generic_category().message(answer_errno);
}

}  // namespace weft::cli
