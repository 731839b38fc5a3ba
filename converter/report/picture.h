// SPDX-License-Identifier: Apache-2.0
// A model's memory over its schedule as one SVG: for documents, where nothing can be pointed at.
#ifndef WEFT_CONVERTER_REPORT_PICTURE_H_
#define WEFT_CONVERTER_REPORT_PICTURE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::report {

// `facts` as in page.h, of one model. Addresses run up, steps to the right; a rectangle is a buffer
// from its first to its last step, hatched where values share it. Below it the live bytes of each
// step, and a lane for each variable. Light or dark as its reader prefers.
std::string Picture(const nlohmann::ordered_json& facts);

}  // namespace weft::report

#endif  // WEFT_CONVERTER_REPORT_PICTURE_H_
