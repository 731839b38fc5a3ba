// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/table.h"

#include <algorithm>

#include "converter/base/visible.h"

namespace weft::cli {

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

}  // namespace weft::cli
