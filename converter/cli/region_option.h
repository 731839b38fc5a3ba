// SPDX-License-Identifier: Apache-2.0
// --region NAME=BYTES: memories of the target that scratch may use.
#ifndef WEFT_CONVERTER_CLI_REGION_OPTION_H_
#define WEFT_CONVERTER_CLI_REGION_OPTION_H_

#include <string>
#include <vector>

#include "converter/pipeline.h"

namespace weft::cli {

// Refuses a call whose regions are no NAME=BYTES, name one twice or are too many.
std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_REGION_OPTION_H_
