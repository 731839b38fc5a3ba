// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/region_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "converter/cli/command_line.h"
#include "converter/cli/numbers.h"
#include "runtime/weft.h"

namespace weft::cli {
namespace {

// Parses "dtcm=64K". The name becomes part of a C identifier.
std::optional<pipeline::ScratchRegion> ParseRegion(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  pipeline::ScratchRegion region{text.substr(0, equals), 0};
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::all_of(region.name.begin(), region.name.end(), fits)) return std::nullopt;
  const std::optional<int64_t> bytes = ParseByteCount(text.substr(equals + 1));
  if (!bytes) return std::nullopt;
  region.bytes = *bytes;
  return region;
}

}  // namespace

std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts) {
  std::vector<pipeline::ScratchRegion> regions;
  for (const std::string& text : texts) {
    const std::optional<pipeline::ScratchRegion> region = ParseRegion(text);
    if (!region) {
      RefuseOption(
          "--region",
          fmt::format("is \"{}\"; must be NAME=BYTES, such as dtcm=65536 or dtcm=64K", text));
    }
    for (const pipeline::ScratchRegion& other : regions) {
      if (other.name == region->name) {
        RefuseOption("--region", fmt::format("names \"{}\" twice", region->name));
      }
    }
    regions.push_back(*region);
  }
  if (regions.size() > kMaxScratchRegions) {
    RefuseOption("--region", fmt::format("is given {} times; must be given at most {}",
                                         regions.size(), kMaxScratchRegions));
  }
  return regions;
}

int64_t MoreScratch(const pipeline::Converted& converted) {
  const std::vector<int64_t>& more = converted.more_scratch_bytes;
  return std::accumulate(more.begin(), more.end(), int64_t{0});
}

std::string RegionOf(const std::vector<pipeline::ScratchRegion>& regions, size_t i) {
  return i < regions.size() ? regions[i].name : "default memory";
}

nlohmann::ordered_json RegionsJson(const std::vector<pipeline::ScratchRegion>& regions,
                                   const pipeline::Converted& converted) {
  auto list = nlohmann::ordered_json::array();
  list.push_back({{"region", RegionOf(regions, 0)}, {"bytes", converted.scratch_bytes}});
  for (size_t i = 0; i < converted.more_scratch_bytes.size(); ++i) {
    const bool has_name = i + 1 < regions.size();
    list.push_back({{"region", has_name ? regions[i + 1].name : "elsewhere"},
                    {"bytes", converted.more_scratch_bytes[i]}});
  }
  return list;
}

}  // namespace weft::cli
