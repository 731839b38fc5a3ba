// SPDX-License-Identifier: Apache-2.0
// The text of a page: it contains the facts unchanged, and nothing in them can be interpreted as
// HTML.
#include "converter/report/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/converter/report/facts_of.h"

namespace weft::report {
namespace {

using Json = nlohmann::ordered_json;

const Json kHostileNames = {
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "&lt;&amp;",
    "\" onload=\"alert(1)",
    "'\\\"\\",
    "@style@ @facts@ @script@",
    "\u202e gnirts \u2066",
    "line\nline\u2028line\x01",
    std::string(10'000, 'a'),
};

TEST(Page, HoldsTheFactsUnchanged) {
  const Json facts = {{"file", "model.weft"}, {"names", kHostileNames}, {"share", 0.1}};
  EXPECT_EQ(FactsOf(Page(facts)), facts);
}

TEST(Page, IsTheSameAroundAnyFacts) {
  const PageText plain = Taken(Page({{"file", "model.weft"}}));
  for (const Json& name : kHostileNames) {
    const PageText hostile = Taken(Page({{"file", name}, {name.get<std::string>(), 1}}));
    EXPECT_EQ(hostile.before, plain.before) << name;
    EXPECT_EQ(hostile.after, plain.after) << name;
    EXPECT_EQ(hostile.facts.find_first_of("<>&"), std::string::npos) << name;
    EXPECT_TRUE(std::all_of(hostile.facts.begin(), hostile.facts.end(), [](char c) {
      return c >= ' ' && c <= '~';
    })) << name;
  }
}

TEST(Page, MendsNamesThatAreNoUtf8) {
  const Json facts = FactsOf(Page({{"file", "a\xff\xc3"}}));
  EXPECT_EQ(facts["file"], "a\uFFFD\uFFFD");
}

// The only URL is the namespace of SVG, which browsers do not open.
TEST(Page, NeedsNoNetworkAndIsSmall) {
  std::string page = Page(Json::object());
  EXPECT_LT(page.size(), 400'000u);
  const std::string svg = "\"http://www.w3.org/2000/svg\"";
  ASSERT_NE(page.find(svg), std::string::npos);
  page.erase(page.find(svg), svg.size());
  // Hatching uses patterns of the same SVG.
  const std::string hatch = "url(#hatch${scale.region})";
  ASSERT_NE(page.find(hatch), std::string::npos);
  page.erase(page.find(hatch), hatch.size());
  for (const char* words : {"http:", "https:", "src=", "@import", "url(", "innerHTML", "eval("}) {
    EXPECT_EQ(page.find(words), std::string::npos) << words;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace weft::report
