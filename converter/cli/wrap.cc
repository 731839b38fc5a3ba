// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/wrap.h"

#include <algorithm>
#include <vector>

#include "converter/base/visible.h"

namespace weft::cli {
namespace {

// The indentation of continuation lines: the column after the line's last gap of two spaces.
size_t HangOf(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (begin == 0) return 0;
  constexpr size_t kFarthestColumn = 32;
  const size_t gap = line.substr(0, kFarthestColumn).rfind("  ");
  return gap == std::string_view::npos || gap < begin ? begin : gap + 2;
}

void AppendBroken(std::string_view line, size_t columns, std::string& text) {
  const size_t hang = HangOf(line);
  size_t indent = 0;
  while (indent + CharacterCount(line) > columns) {
    const size_t room = columns - indent;
    size_t blank = line.rfind(' ', room);
    if (blank == std::string_view::npos || blank <= (indent == 0 ? hang : 0)) {
      blank = line.find(' ', room);
    }
    if (blank == std::string_view::npos) break;
    text.append(indent, ' ').append(line.substr(0, blank)).append("\n");
    line.remove_prefix(blank + 1);
    indent = hang;
  }
  text.append(indent, ' ').append(line).append("\n");
}

}  // namespace

std::string Wrapped(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  bool joins = false;  // a following line without indentation continues the last one
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_paragraph = !line.empty() && line[0] != ' ';
    if (is_paragraph && joins) {
      lines.back().append(" ").append(line);
    } else {
      lines.emplace_back(line);
    }
    joins = is_paragraph;
  }
  std::string wrapped;
  for (const std::string& line : lines) AppendBroken(line, columns, wrapped);
  return wrapped;
}

}  // namespace weft::cli
