// SPDX-License-Identifier: Apache-2.0
// Writes a model's facts as one self-contained HTML page, without network access or other files.
// page.html, page.css and the scripts are embedded at build time. The page only displays the JSON;
// it computes no facts.
#ifndef WEFT_CONVERTER_REPORT_PAGE_H_
#define WEFT_CONVERTER_REPORT_PAGE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::report {

// `facts` are those of `weft inspect --json --budget --plan --listing`, optionally with the "curve"
// of `weft convert --json`, "times" and "comparison". {"models": [...]} shows several models side
// by side. Texts in `facts` are never interpreted as HTML.
std::string Page(const nlohmann::ordered_json& facts);

}  // namespace weft::report

#endif  // WEFT_CONVERTER_REPORT_PAGE_H_
