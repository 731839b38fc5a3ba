// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "converter/base/split.h"
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

// "  --shape NAME=DIM,...     Set the shape of ..."
std::string Entry(const std::string& name, const std::string& description) {
  constexpr size_t kColumn = 30;
  std::string head = "  " + name;
  head += head.size() + 2 <= kColumn ? std::string(kColumn - head.size(), ' ')
                                     : "\n" + std::string(kColumn, ' ');
  const std::string lines = Wrapped(description, kHelpColumns - kColumn);
  std::string text;
  for (const char c : lines.substr(0, lines.find_last_not_of('\n') + 1)) {
    text += c;
    if (c == '\n') text.append(kColumn, ' ');
  }
  return head + text + "\n";
}

// Options of a list show no "...": each value needs its option, or is NAME=VALUE.
bool IsOpenList(const Option& option) {
  return option.takes == Takes::kList && option.name[0] != '-';
}

// "-o,--output FILE", "MODEL FILE ... REQUIRED", "--warm-up N=10"
std::string HeadOf(const Option& option) {
  std::string text = option.short_name.empty() ? "" : option.short_name + ",";
  text += option.name + (option.value.empty() ? "" : " " + option.value);
  if (!option.shown_default.empty()) text += "=" + option.shown_default;
  if (IsOpenList(option)) text += " ...";
  return text + (option.is_required ? " REQUIRED" : "");
}

// The arguments under their headings.
std::string ArgumentsText(const Command& command) {
  std::string text = command.positionals.empty() ? "" : "\nPositionals:\n", heading;
  for (const Option& word : command.positionals) text += Entry(HeadOf(word), word.description);
  for (const Option& option : command.options) {
    if (option.heading != heading) text += "\n" + option.heading + ":\n";
    heading = option.heading;
    text += Entry(HeadOf(option), option.description);
  }
  return text;
}

// " MODEL [OTHER]"
std::string UsageOf(const Command& command) {
  std::string text;
  for (const Option& option : command.positionals) {
    const std::string name = option.name + (option.takes == Takes::kList ? "..." : "");
    text += option.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return text;
}

}  // namespace

std::string HelpText(const CommandLine& line) {
  const Command& root = line.root();
  std::string text = root.description + "\nUsage: weft [OPTIONS] SUBCOMMAND\n" +
                     ArgumentsText(root) + "\nSubcommands:\n";
  for (const Command& command : line.commands()) text += Entry(command.name, command.description);
  return text + "\n" + Wrapped(root.footer);
}

std::string HelpText(const Command& command) {
  return fmt::format("{}\nUsage: weft {} [OPTIONS]{}\n{}\n{}", command.description, command.name,
                     UsageOf(command), ArgumentsText(command), Wrapped(command.footer));
}

std::string Wrapped(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  bool joins = false;  // a following line without indentation continues the last one
  for (const std::string_view line : LinesOf(text)) {
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
