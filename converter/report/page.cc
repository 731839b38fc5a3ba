// SPDX-License-Identifier: Apache-2.0
#include "converter/report/page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "converter/base/split.h"
#include "converter/report/page_parts.h"

namespace weft::report {
namespace {

// Escapes JSON for a script element, because "</script>" and "<!--" would end or change it. These
// characters occur only in strings, where the escapes are equivalent.
std::string EmbeddedJson(const nlohmann::ordered_json& facts) {
  constexpr bool kAscii = true;
  const std::string json =
      facts.dump(-1, ' ', kAscii, nlohmann::ordered_json::error_handler_t::replace);
  return Replaced(json, {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}});
}

}  // namespace

std::string Page(const nlohmann::ordered_json& facts) {
  struct Part {
    std::string_view mark;
    std::string text;
  };
  const Part parts[] = {
      {"@style@", kPageStyle}, {"@facts@", EmbeddedJson(facts)}, {"@script@", kPageScript}};
  // Parts in the order of the page. Placeholders are searched only in the template, not in inserted
  // text.
  std::string_view rest = kPageFrame;
  std::string page;
  for (const Part& part : parts) {
    const size_t position = rest.find(part.mark);
    page.append(rest.substr(0, position)).append(part.text);
    rest.remove_prefix(position + part.mark.size());
  }
  return page.append(rest);
}

}  // namespace weft::report
