// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "converter/base/split.h"
#include "converter/base/visible.h"
#include "converter/cli/terminal.h"

namespace weft::cli {
namespace {

struct Column {
  std::string heading, key, format = ".0f";
  bool is_number() const { return heading.starts_with('>'); }
  std::string name() const { return heading.substr(is_number() ? 1 : 0); }
};

std::vector<Column> ColumnsOf(std::string_view text) {
  std::vector<Column> columns;
  for (const std::string_view part : Split(text, " | ")) {
    Column& column = columns.emplace_back();
    const size_t equals = part.find('=');
    column.heading = part.substr(0, equals);
    column.key = column.name();
    if (equals == std::string_view::npos) continue;
    const size_t blank = part.find(' ', equals);
    column.key = part.substr(equals + 1, blank - equals - 1);
    if (blank != std::string_view::npos) column.format = part.substr(blank + 1);
  }
  return columns;
}

std::string CellOf(const Json& row, const Column& column) {
  return Plain(row.value(column.key, Json()), column.format);
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  return "\"" + Replaced(text, {{'"', "\"\""}}) + "\"";
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    flush_right_.push_back(heading.starts_with('>'));
    if (flush_right_.back()) heading.erase(0, 1);
  }
  rows_.push_back(std::move(headings));
}

void Table::Row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Visible(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::Text() const {
  std::vector<size_t> widths(flush_right_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], CharacterCount(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string blanks(widths[i] - CharacterCount(row[i]), ' ');
      line += flush_right_[i] ? blanks + row[i] : row[i] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Plain(const Json& value, std::string_view format) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  const double number = value.get<double>();
  if (format == "%") return fmt::format("{:.1f} %", 100 * number);
  if (format == "," || (format == "mean" && number == std::trunc(number))) {
    return Grouped(std::llround(number));
  }
  if (format == "mean") format = ".1f";
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format)), number);
}

std::string TableText(const Json& rows, std::string_view columns) {
  const std::vector<Column> parsed = ColumnsOf(columns);
  std::vector<std::string> headings;
  for (const Column& column : parsed) headings.push_back(column.heading);
  Table table(std::move(headings));
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : parsed) cells.push_back(CellOf(row, column));
    table.Row(std::move(cells));
  }
  return table.Text();
}

std::string CsvText(const Json& rows, std::string_view columns) {
  const std::vector<Column> parsed = ColumnsOf(columns);
  std::string text;
  for (const Column& column : parsed) text += (text.empty() ? "" : ",") + column.name();
  for (const Json& row : rows) {
    const char* before = "\n";
    for (const Column& column : parsed) {
      const bool is_null = row.value(column.key, Json()).is_null();
      text += before + (is_null ? "" : CsvField(Visible(CellOf(row, column))));
      before = ",";
    }
  }
  return text + "\n";
}

std::string HtmlText(const Json& rows, std::string_view columns) {
  const std::vector<Column> parsed = ColumnsOf(columns);
  std::string text = "<table>\n<tr>";
  for (const Column& column : parsed) {
    text += fmt::format("<th>{}</th>", HtmlEscaped(column.name()));
  }
  for (const Json& row : rows) {
    text += "</tr>\n<tr>";
    for (const Column& column : parsed) {
      const bool is_null = row.value(column.key, Json()).is_null();
      text += fmt::format("<td{}>{}</td>", column.is_number() ? " class=\"number\"" : "",
                          is_null ? "" : HtmlEscaped(Visible(CellOf(row, column))));
    }
  }
  return text + "</tr>\n</table>\n";
}

std::string HtmlEscaped(std::string_view text) {
  return Replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

}  // namespace weft::cli
