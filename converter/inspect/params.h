// SPDX-License-Identifier: Apache-2.0
// A step's parameters as text, by the reflection that flatc writes: weft.fbs is the only list of
// fields.
#ifndef WEFT_CONVERTER_INSPECT_PARAMS_H_
#define WEFT_CONVERTER_INSPECT_PARAMS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

// Fields by name, enums by theirs, arrays cut to the rank, reserved fields left out. Null of a
// section.
nlohmann::ordered_json ParamsJson(const format::Model& model, const format::Step& step);
// "rows=1 inputs=64 activation(op=relu)"
std::string ParamsText(const nlohmann::ordered_json& params);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PARAMS_H_
