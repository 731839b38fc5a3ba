// SPDX-License-Identifier: Apache-2.0
// Tables as text. Columns are as wide as their longest cell. Columns of numbers, whose heading
// starts with ">", are flush right.
#ifndef WEFT_CONVERTER_CLI_TABLE_H_
#define WEFT_CONVERTER_CLI_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/base/json.h"

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

// Returns a fact as text: "-" for null, numbers without fraction, or in a format of fmt (".1f"), or
// in one of these: "mean" (a fraction has one decimal), "%" (a share), "," (digit groups, if stdout
// is a terminal).
std::string Plain(const Json& value, std::string_view format = ".0f");

// Returns a table of objects. `columns` are separated by " | "; each is "heading=key format".
// Default key: the heading. A missing member is null.
std::string TableText(const Json& rows, std::string_view columns);
// The same as CSV (RFC 4180), in which null is an empty field.
std::string CsvText(const Json& rows, std::string_view columns);
// The same as an HTML table. Columns of numbers have class "number".
std::string HtmlText(const Json& rows, std::string_view columns);
// Returns a text in which no character has a meaning in HTML.
std::string HtmlEscaped(std::string_view text);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TABLE_H_
