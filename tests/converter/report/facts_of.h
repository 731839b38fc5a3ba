// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_TESTS_CONVERTER_REPORT_FACTS_OF_H_
#define WEFT_TESTS_CONVERTER_REPORT_FACTS_OF_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace weft::report {

// A page split in three. `facts` is the text between the tag that opens their element and the first
// tag that could close it, as a browser parses it.
struct PageText {
  std::string before, facts, after;
};
inline PageText Taken(std::string_view page) {
  constexpr std::string_view kOpen = R"(<script type="application/json" id="facts">)";
  const size_t begin = page.find(kOpen) + kOpen.size(), end = page.find("</script", begin);
  return {std::string(page.substr(0, begin)), std::string(page.substr(begin, end - begin)),
          std::string(page.substr(end))};
}

inline nlohmann::ordered_json FactsOf(std::string_view page) {
  return nlohmann::ordered_json::parse(Taken(page).facts);
}

}  // namespace weft::report

#endif  // WEFT_TESTS_CONVERTER_REPORT_FACTS_OF_H_
