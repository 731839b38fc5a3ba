// SPDX-License-Identifier: Apache-2.0
// --region NAME=BYTES: memory regions of the target for scratch.
#ifndef WEFT_CONVERTER_CLI_REGION_OPTION_H_
#define WEFT_CONVERTER_CLI_REGION_OPTION_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "converter/pipeline.h"

namespace weft::cli {

// Parses the regions. Ends the call if one is not NAME=BYTES, a name occurs twice, or there are too
// many.
std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts);

// Bytes of scratch in all regions except the first.
int64_t MoreScratch(const pipeline::Converted& converted);
// Name of scratch region i. A single region is followed by the "default memory".
std::string RegionOf(const std::vector<pipeline::ScratchRegion>& regions, size_t i);
// Name and bytes of each region.
nlohmann::ordered_json RegionsJson(const std::vector<pipeline::ScratchRegion>& regions,
                                   const pipeline::Converted& converted);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_REGION_OPTION_H_
