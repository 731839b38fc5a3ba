// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/base/split.h"

namespace weft::cli {
namespace {

// Escapes text for roff: hyphens stay ASCII hyphens, and no line is read as a request.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins = escaped.empty() || escaped.back() == '\n';
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A footer in roff: paragraphs are filled, indented lines are kept verbatim.
std::string RoffText(std::string_view text) {
  std::string page;
  bool verbatim = false;
  for (const std::string_view line : LinesOf(text)) {
    const bool is_indented = line.starts_with(' ');
    if (is_indented != verbatim) page += is_indented ? ".nf\n" : ".fi\n";
    verbatim = is_indented;
    page += line.empty() ? ".PP\n" : Roff(line) + "\n";
  }
  return verbatim ? page + ".fi\n" : page;
}

// `.B \-\-output FILE`
std::string RoffOption(const Option& row) {
  std::string names =
      row.short_name.empty() ? "" : fmt::format("\\fB{}\\fR, ", Roff(row.short_name));
  names += fmt::format("\\fB{}\\fR", Roff(row.name));
  const char* gap = row.value.empty() || row.value[0] == '[' ? "" : " ";
  if (!row.value.empty()) names += fmt::format("{}\\fI{}\\fR", gap, Roff(row.value));
  return fmt::format(".TP\n{}\n{}{}\n", names, Roff(row.description),
                     row.is_required ? " (required)" : "");
}

std::string RoffCommand(const Command& command) {
  std::string usage = fmt::format("\\fBweft {}\\fR [options]", command.name);
  for (const Option& word : command.positionals) {
    usage += word.is_required ? " " : " [";
    usage += fmt::format("\\fI{}\\fR{}", word.name, word.is_required ? "" : "]");
  }
  std::string page =
      fmt::format(".SS weft {}\n{}.\n.PP\n{}\n", command.name, Roff(command.description), usage);
  for (const Option& word : command.positionals) page += RoffOption(word);
  std::string heading = command.options.empty() ? "" : command.options.front().heading;
  for (const Option& option : command.options) {
    if (option.heading != heading) page += fmt::format(".PP\n{}:\n", Roff(option.heading));
    heading = option.heading;
    page += RoffOption(option);
  }
  if (!command.footer.empty()) page += ".PP\n" + RoffText(command.footer);
  return page;
}

// The names of all options, separated by spaces.
std::string OptionWords(const Command& command) {
  std::string words;
  for (const Option& option : command.options) {
    if (!option.short_name.empty()) words += option.short_name + " ";
    words += option.name + " ";
  }
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

std::string CommandWords(const CommandLine& line) {
  std::string words;
  for (const Command& command : line.commands()) words += command.name + " ";
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

// Completions of the command's positional argument, separated by spaces; empty for a file. The
// words are the alternatives in the argument's placeholder, such as "bash|zsh|fish".
std::string WordsOf(const CommandLine& line, const Command& command) {
  if (command.positionals.empty()) return "";
  const Option& word = command.positionals.front();
  if (word.name == "COMMAND") return CommandWords(line);
  std::string words = word.value;
  if (words.find('|') == std::string::npos) return "";
  for (char& c : words) c = c == '|' ? ' ' : c;
  return words;
}

// The first sentence, for use in single quotes, without the characters that zsh interprets.
std::string ShortText(std::string_view description) {
  const size_t end = std::min({description.find(". "), description.find(';'), description.size()});
  std::string text;
  for (const char c : description.substr(0, end)) {
    if (c == '\'') continue;
    text += c == '[' || c == ']' || c == ':' ? ' ' : c;
  }
  return text;
}

}  // namespace

std::string ManualPage(const CommandLine& line, std::string_view version) {
  std::string page = fmt::format(
      ".TH WEFT 1 \"\" \"{}\"\n.SH NAME\nweft \\- converts and runs neural networks\n.SH SYNOPSIS\n"
      "\\fBweft\\fR \\fICOMMAND\\fR [options]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      Roff(version), Roff(line.root().description));
  for (const Command& command : line.commands()) page += RoffCommand(command);
  return page + ".SH NOTES\n" + RoffText(line.root().footer);
}

std::string BashCompletion(const CommandLine& line) {
  std::string cases, words;
  for (const Command& command : line.commands()) {
    cases += fmt::format("    {}) options='{}' words='{}' ;;\n", command.name, OptionWords(command),
                         WordsOf(line, command));
  }
  return fmt::format(R"(# Completes calls of weft in bash; made by "weft completion bash".
_weft() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command= options= words= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      command=${{COMP_WORDS[i]}}
      break
    fi
  done
  case $command in
    '') options='--help --version' words='{}' ;;
{}  esac
  [[ $word == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _weft weft
)",
                     CommandWords(line), cases);
}

std::string ZshCompletion(const CommandLine& line) {
  std::string commands, cases;
  for (const Command& command : line.commands()) {
    commands += fmt::format("    '{}:{}'\n", command.name, ShortText(command.description));
    cases += fmt::format("    {})\n      _arguments \\\n", command.name);
    for (const Option& option : command.options) {
      std::string value;
      if (!option.value.empty() && option.value[0] != '[') value = ":value:_files";
      cases += fmt::format("        '*{}[{}]{}' \\\n", option.name, ShortText(option.description),
                           value);
    }
    const std::string words = WordsOf(line, command);
    const std::string rest = words.empty() ? "_files" : fmt::format("({})", words);
    cases += command.positionals.empty()
                 ? "        && return\n"
                 : fmt::format("        '*:{}:{}'\n", command.positionals[0].name, rest);
    cases += "      ;;\n";
  }
  return fmt::format(R"(#compdef weft
# Completes calls of weft in zsh; made by "weft completion zsh".
_weft() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((--CURRENT))
  case $command in
{}  esac
}}
_weft "$@"
)",
                     commands, cases);
}

std::string FishCompletion(const CommandLine& line) {
  std::string text = "# Completes calls of weft in fish; made by \"weft completion fish\".\n";
  for (const Command& command : line.commands()) {
    text += fmt::format("complete -c weft -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, ShortText(command.description));
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    for (const Option& option : command.options) {
      const bool takes_value = !option.value.empty() && option.value[0] != '[';
      const std::string letter =
          option.short_name.empty() ? "" : fmt::format(" -s {}", option.short_name.substr(1));
      text += fmt::format("complete -c weft {}{} -l {}{} -d '{}'\n", when, letter,
                          option.name.substr(2), takes_value ? " -r" : "",
                          ShortText(option.description));
    }
    const std::string words = WordsOf(line, command);
    if (!words.empty()) text += fmt::format("complete -c weft {} -f -a '{}'\n", when, words);
  }
  return text;
}

}  // namespace weft::cli
