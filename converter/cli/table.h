// SPDX-License-Identifier: Apache-2.0
// A text table with columns as wide as their widest cell. A column whose heading starts with ">" is
// right-aligned, for numbers.
#ifndef WEFT_CONVERTER_CLI_TABLE_H_
#define WEFT_CONVERTER_CLI_TABLE_H_

#include <string>
#include <vector>

namespace weft::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings);
  // Adds a row with one cell per heading. Control characters are escaped (visible.h).
  void Row(std::vector<std::string> cells);
  // Returns all rows, each with a line end.
  std::string Text() const;

 private:
  std::vector<bool> flush_right_;
  std::vector<std::vector<std::string>> rows_;  // the headings are the first
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TABLE_H_
