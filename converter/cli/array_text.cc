// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/array_text.h"

#include <fmt/format.h>

#include <cmath>

#include "converter/base/elements.h"

namespace weft::cli {
namespace {

constexpr int64_t kMaxWhole = 1000;  // maximum number of elements that are all printed
constexpr int64_t kEdge = 3;         // elements printed at each end of an axis of a longer array
constexpr size_t kColumns = 80;

class ArrayPrinter {
 public:
  explicit ArrayPrinter(const Array& array)
      : array_(array), cuts_(ElementCount(array.type.dims).value_or(0) > kMaxWhole) {}

  std::string Text() {
    Print(0, 0);
    return text_ + "\n";
  }

 private:
  // Prints the subarray that starts at `element` and has the axes from `axis` on.
  void Print(size_t axis, int64_t element) {
    const Dims& dims = array_.type.dims;
    if (axis == dims.size()) return Put(ElementText(array_, static_cast<size_t>(element)));
    const int64_t step = ProductOf(dims, axis + 1, dims.size());
    const bool is_row = axis + 1 == dims.size();
    text_ += '[';
    ++column_;
    for (int64_t i = 0; i < dims[axis]; ++i) {
      if (i > 0) Separate(axis, is_row);
      if (cuts_ && i == kEdge && dims[axis] > 2 * kEdge) {
        Put("...");
        Separate(axis, is_row);
        i = dims[axis] - kEdge;
      }
      Print(axis + 1, element + i * step);
    }
    text_ += ']';
    ++column_;
  }

  void Put(const std::string& word) {
    if (column_ + word.size() > kColumns) BreakLine(array_.type.dims.size());
    text_ += word;
    column_ += word.size();
  }

  void Separate(size_t axis, bool is_row) {
    text_ += is_row ? ", " : ",";
    column_ += 2;
    if (!is_row) BreakLine(axis + 1);
  }

  void BreakLine(size_t indent) {
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += "\n" + std::string(indent, ' ');
    column_ = indent;
  }

  const Array& array_;
  const bool cuts_;
  std::string text_;
  size_t column_ = 0;
};

}  // namespace

std::string ElementText(const Array& array, size_t element) {
  const ElementType type = array.type.type;
  if (!IsFloat(type)) return fmt::format("{}", IntegerAt(type, array.bytes, element));
  const double value = RealAt(type, array.bytes, element);
  return type == ElementType::f64 ? fmt::format("{}", value)
                                  : fmt::format("{}", static_cast<float>(value));
}

std::string ArrayText(const Array& array) { return ArrayPrinter(array).Text(); }

Json ElementsJson(const Array& array) {
  const ElementType type = array.type.type;
  const auto count = static_cast<size_t>(ElementCount(array.type.dims).value_or(0));
  return ListOfCount(count, [&](size_t i) -> Json {
    if (!IsFloat(type)) return IntegerAt(type, array.bytes, i);
    const double value = RealAt(type, array.bytes, i);
    return std::isfinite(value) ? Json(value) : Json(ElementText(array, i));
  });
}

}  // namespace weft::cli
