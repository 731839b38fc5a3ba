// SPDX-License-Identifier: Apache-2.0
// Formulas as table rows: a pattern (pattern.h), and the operation that replaces its matches. The
// patterns may use these readers:
//   Times(x)     a number times x, in any algebraic form; the number
//   Scaled(x)    products and quotients of x and constants; the constants
//   Square(x)    x * x, x ^ 2        Root(x)  sqrt x, x ^ 0.5       Inverse(x)  1 / x, x ^ -1
//   Sum(x)       the sum of x over axes, which remain with extent 1
//   Max(x), Mean(x)  the maximum and the mean, likewise
//   Reduced(x)   the sum of x over axes times a number; the number
//   Length(x)    the Euclidean norm of x over axes, as one operation
//   AtLeast(x)   the maximum of x and a number; the number
//   View(x)      x with other dims, or x itself
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_ROWS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_ROWS_H_

#include <optional>
#include <span>
#include <string_view>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/pattern.h"

namespace weft::graph {

Pattern FormPattern(std::string_view text);

struct FormRow {
  Pattern pattern;
  // Returns the operation for a match that ends at `root`; nullopt if its numbers do not fit. The
  // operation replaces match.covered. If the pattern has a value x, its elements are those of the
  // result one by one, and x with the result's dims becomes the first input of the operation.
  std::optional<Form> (*form)(FormSite& site, const ir::Node& root, Pattern::Match& match);
};

// Replaces `node` by the operation of the first row that fits. Returns false if none does.
bool ReplaceByRow(FormSite& site, ir::Node& node, std::span<const FormRow> rows);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_FORM_ROWS_H_
