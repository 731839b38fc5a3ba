// SPDX-License-Identifier: Apache-2.0
// A table for people: columns as wide as their widest cell. A column whose heading begins with ">"
// is flushed right, for numbers.
#ifndef WEFT_CONVERTER_CLI_TABLE_H_
#define WEFT_CONVERTER_CLI_TABLE_H_

#include <string>
#include <vector>

namespace weft::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings);
  // As many cells as there are headings, each shown as visible.h has it.
  void Row(std::vector<std::string> cells);
  // With a line end after each row.
  std::string Text() const;

 private:
  std::vector<bool> flush_right_;
  std::vector<std::vector<std::string>> rows_;  // the headings are the first
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TABLE_H_
