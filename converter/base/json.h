// SPDX-License-Identifier: Apache-2.0
// Facts are JSON values: computed once, printed as JSON, and the rows of texts and pages.
#ifndef WEFT_CONVERTER_BASE_JSON_H_
#define WEFT_CONVERTER_BASE_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

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

// Copies and destruction of JSON are recursive.
constexpr int kMaxJsonDepth = 64;

// Parses the text of a file. Returns a discarded value for a text that is not JSON. Sets *too_deep
// and returns a discarded value if arrays and objects are nested more than kMaxJsonDepth deep.
inline Json ParseJson(std::string_view text, bool* too_deep) {
  *too_deep = false;
  using Event = Json::parse_event_t;
  const auto keep = [too_deep](int outer, Event event, Json&) {
    const bool begins = event == Event::object_start || event == Event::array_start;
    *too_deep = *too_deep || (begins && outer >= kMaxJsonDepth);
    return !*too_deep;
  };
  Json json = Json::parse(text, keep, /*allow_exceptions=*/false);
  return *too_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_JSON_H_
