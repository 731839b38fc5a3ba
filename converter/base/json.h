// SPDX-License-Identifier: Apache-2.0
// Facts are JSON values: computed once, printed as JSON, and the rows of texts and pages.
#ifndef WEFT_CONVERTER_BASE_JSON_H_
#define WEFT_CONVERTER_BASE_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>

namespace weft {

using Json = nlohmann::ordered_json;

// Returns an array with `value_of(element)` for each element.
template <typename Range, typename ValueOf>
Json ListOf(const Range& range, const ValueOf& value_of) {
  Json list = Json::array();
  for (const auto& element : range) list.push_back(value_of(element));
  return list;
}

// Likewise with `value_of(i)` for each i less than `count`.
template <typename ValueOf>
Json ListOfCount(size_t count, const ValueOf& value_of) {
  Json list = Json::array();
  for (size_t i = 0; i < count; ++i) list.push_back(value_of(i));
  return list;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_JSON_H_
