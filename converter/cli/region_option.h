// SPDX-License-Identifier: Apache-2.0
// --region NAME=BYTES: memories of the target that scratch may use.
#ifndef WEFT_CONVERTER_CLI_REGION_OPTION_H_
#define WEFT_CONVERTER_CLI_REGION_OPTION_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "converter/pipeline.h"

namespace weft::cli {

// Refuses a call whose regions are no NAME=BYTES, name one twice or are too many.
std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts);

// Bytes of scratch behind the first region.
int64_t MoreScratch(const pipeline::Converted& converted);
// What scratch region i is called: a single one is followed by one without name and limit.
std::string RegionOf(const std::vector<pipeline::ScratchRegion>& regions, size_t i);
// Name and bytes of each.
nlohmann::ordered_json RegionsJson(const std::vector<pipeline::ScratchRegion>& regions,
                                   const pipeline::Converted& converted);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_REGION_OPTION_H_
