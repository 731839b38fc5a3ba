// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cli {

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    flush_right_.push_back(heading.starts_with('>'));
    if (flush_right_.back()) heading.erase(0, 1);
  }
  rows_.push_back(std::move(headings));
}

std::string Table::Text() const {
  std::vector<size_t> widths(flush_right_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) line += "  ";
      line += flush_right_[i] ? fmt::format("{:>{}}", row[i], widths[i])
                              : fmt::format("{:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace weft::cli
