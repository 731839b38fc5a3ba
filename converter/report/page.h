// SPDX-License-Identifier: Apache-2.0
// A model's facts as one HTML page that needs nothing else: no network, no other file. page.html,
// page.css and page.js become part of the program when it is built; the page draws what the JSON
// says, and computes no fact of its own.
#ifndef WEFT_CONVERTER_REPORT_PAGE_H_
#define WEFT_CONVERTER_REPORT_PAGE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::report {

// `facts` are those of `weft inspect --json --budget --plan --listing`, with the "curve" of
// `weft convert --json`, "times" and "comparison" where they are known; or {"models": [...]} of
// several, which are shown side by side. Any text in them is shown as text.
std::string Page(const nlohmann::ordered_json& facts);

}  // namespace weft::report

#endif  // WEFT_CONVERTER_REPORT_PAGE_H_
