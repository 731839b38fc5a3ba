// SPDX-License-Identifier: Apache-2.0
// Draws a model's memory over its schedule as an SVG, for documents without interaction.
#ifndef WEFT_CONVERTER_REPORT_PICTURE_H_
#define WEFT_CONVERTER_REPORT_PICTURE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::report {

// `facts` as in page.h, for one model. The vertical axis is the address, the horizontal axis the
// step. A rectangle is a buffer from its first to its last step, hatched if values share it. Live
// bytes of each step and a lane for each variable are drawn below. Supports light and dark mode.
std::string Picture(const nlohmann::ordered_json& facts);

}  // namespace weft::report

#endif  // WEFT_CONVERTER_REPORT_PICTURE_H_
