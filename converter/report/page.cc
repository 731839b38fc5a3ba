// SPDX-License-Identifier: Apache-2.0
#include "converter/report/page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "converter/report/page_parts.h"

namespace weft::report {
namespace {

// JSON that HTML reads as one text whatever it holds: "</script>" and "<!--" would end or change
// the element around it. Only strings hold these characters, and there an escape means the same.
std::string EmbeddedJson(const nlohmann::ordered_json& facts) {
  constexpr bool kAscii = true;
  const std::string json =
      facts.dump(-1, ' ', kAscii, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

}  // namespace

std::string Page(const nlohmann::ordered_json& facts) {
  struct Part {
    std::string_view mark;
    std::string text;
  };
  const Part parts[] = {
      {"@style@", kPageStyle}, {"@facts@", EmbeddedJson(facts)}, {"@script@", kPageScript}};
  // In the order of the page, each looked for in the page itself, never in what was put into it.
  std::string_view rest = kPageFrame;
  std::string page;
  for (const Part& part : parts) {
    const size_t place = rest.find(part.mark);
    page.append(rest.substr(0, place)).append(part.text);
    rest.remove_prefix(place + part.mark.size());
  }
  return page.append(rest);
}

}  // namespace weft::report
