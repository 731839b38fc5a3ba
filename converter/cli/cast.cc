// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/cast.h"

#include <fmt/format.h>

#include <utility>

#include "converter/base/elements.h"
#include "converter/cli/array_text.h"
#include "kernels/elementwise/convert.h"

namespace weft::cli {
namespace {

bool IsSameNumber(const Array& is, const Array& was, size_t element) {
  const int64_t now = IntegerAt(is.type.type, is.bytes, element);
  if (!IsFloat(was.type.type)) return now == IntegerAt(was.type.type, was.bytes, element);
  return static_cast<double>(now) == RealAt(was.type.type, was.bytes, element);
}

}  // namespace

bool Cast(ElementType type, Array& array, std::string* reason) {
  if (array.type.type == type) return true;
  if (array.type.type == ElementType::bf16) {
    *reason = "is uint16, the bits of bf16; --cast needs numbers of another type";
    return false;
  }
  Array cast{.type = {type, array.type.dims}, .bytes = {}};
  const auto bytes = DenseBytes(cast.type), count = ElementCount(cast.type.dims);
  const kernels::ConvertShape shape = {static_cast<uint32_t>(count.value_or(0)),
                                       static_cast<kernels::Element>(array.type.type),
                                       static_cast<kernels::Element>(type)};
  if (!bytes || !kernels::ConvertKnows(shape.from, shape.to)) {
    *reason =
        fmt::format("is {}, which --cast cannot convert to {}", ToString(array.type), Name(type));
    return false;
  }
  cast.bytes.resize(static_cast<size_t>(*bytes));
  if (*bytes != 0) kernels::Convert(shape, array.bytes.data(), cast.bytes.data());
  for (size_t i = 0; i < shape.count && !IsFloat(type); ++i) {
    if (IsSameNumber(cast, array, i)) continue;
    *reason = fmt::format("element {} is {}; must be a value of {} for --cast", i,
                          ElementText(array, i), Name(type));
    return false;
  }
  array = std::move(cast);
  return true;
}

}  // namespace weft::cli
