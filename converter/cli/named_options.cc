// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/named_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "converter/base/paths.h"
#include "converter/cli/npy.h"
#include "converter/cli/numbers.h"
#include "converter/graph/number_value.h"
#include "runtime/weft.h"

namespace weft::cli {
namespace {

[[noreturn]] void RefuseText(const char* option, const std::string& text, const std::string& must) {
  RefuseOption(option, fmt::format("is \"{}\"; must be {}", text, must));
}

[[noreturn]] void RefuseTwice(const char* option, const std::string& name) {
  RefuseOption(option, fmt::format("names \"{}\" twice", name));
}

struct Named {
  std::string name, value;
};

// Splits at `equals`. Returns nullopt if there is no "=" or no name.
std::optional<Named> SplitAt(const std::string& text, size_t equals) {
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return Named{text.substr(0, equals), text.substr(equals + 1)};
}

// Parses "1,25,512" or "[1,25,512]". An empty text is a scalar; "?" is a dynamic dimension (-1).
std::optional<Dims> ParseShape(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Dims dims;
  while (!text.empty()) {
    int64_t dim = -1;
    if (text[0] == '?') {
      text.remove_prefix(1);
    } else {
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
      if (error != std::errc() || dim < 0 || dim > INT32_MAX) return std::nullopt;
      text.remove_prefix(static_cast<size_t>(stop - text.data()));
    }
    dims.push_back(dim);
    if (text.empty()) break;
    if (text[0] != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return dims;
}

// The name of a region becomes part of a C identifier.
bool IsRegionName(const std::string& name) {
  return std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// The first "=" separates, because files may contain "="; an input whose name contains "=" must be
// given by its index.
Named ParseValue(const std::string& text) {
  std::optional<Named> named = SplitAt(text, text.find('='));
  if (!named || named->value.empty()) {
    RefuseText("--value", text, "NAME=FILE.npy or NAME=NUMBER[,NUMBER...]");
  }
  return *std::move(named);
}

}  // namespace

void AddShapeOption(Command& command, std::vector<std::string>& shapes) {
  command
      .Add("--shape", shapes,
           "Set the shape of input NAME (name or index), as in x=1,25,512. The rank must not "
           "change. Accepts several inputs. A dynamic batch axis defaults to 1. With --streaming "
           "the time axis may be ?")
      .Value("NAME=DIM,DIM,...");
}

std::map<std::string, Dims> ParseShapes(const std::vector<std::string>& texts) {
  std::map<std::string, Dims> shapes;
  for (const std::string& text : texts) {
    const std::optional<Named> named = SplitAt(text, text.rfind('='));
    const std::optional<Dims> dims = named ? ParseShape(named->value) : std::nullopt;
    if (!dims) {
      RefuseText("--shape", text,
                 fmt::format("NAME=DIM,DIM,..., such as x=1,25,512, with integers up to {} or ?",
                             INT32_MAX));
    }
    if (!shapes.emplace(named->name, *dims).second) RefuseTwice("--shape", named->name);
  }
  return shapes;
}

graph::InputStates ParseStates(const std::vector<std::string>& texts) {
  graph::InputStates states;
  for (const std::string& text : texts) {
    const std::optional<Named> named = SplitAt(text, text.rfind('='));
    if (!named || named->value.empty()) {
      RefuseText("--state", text, "INPUT=OUTPUT, such as h0=hn");
    }
    states.emplace_back(named->name, named->value);
  }
  return states;
}

graph::TimeNames ParseTimeAxes(const std::vector<std::string>& texts) {
  graph::TimeNames axes;
  for (const std::string& text : texts) {
    const std::optional<Named> named = SplitAt(text, text.rfind('='));
    const auto axis = named ? ParseNumber<int64_t>(named->value) : std::nullopt;
    if (!axis) RefuseText("--time-axis", text, "NAME=AXIS, such as x=1 or x=-1");
    axes.emplace_back(named->name, *axis);
  }
  return axes;
}

void ParsePrecisions(const std::vector<std::string>& texts, program::Precisions* precisions) {
  bool has_all = false;
  for (const std::string& text : texts) {
    const std::optional<Named> layer = SplitAt(text, text.rfind('='));
    const auto precision = program::PrecisionOf(layer ? layer->value : text);
    if (!precision) {
      RefuseText("--precision", text,
                 fmt::format("one of {}, or such a type of one layer, as decoder=f32",
                             program::PrecisionNames()));
    }
    if (layer) {
      const bool is_new = precisions->layers.emplace(layer->name, *precision).second;
      if (!is_new) RefuseTwice("--precision", layer->name);
    } else if (std::exchange(has_all, true)) {
      RefuseOption("--precision", "is given twice for all layers; must be given once");
    } else {
      precisions->all = *precision;
    }
  }
}

std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts) {
  std::vector<pipeline::ScratchRegion> regions;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    constexpr std::string_view kHoldsWeights = ":weights";
    std::optional<Named> named = SplitAt(text, text.find('='));
    const bool holds_weights = named && named->value.ends_with(kHoldsWeights);
    if (holds_weights) named->value.resize(named->value.size() - kHoldsWeights.size());
    const auto bytes =
        named && IsRegionName(named->name) ? ParseByteCount(named->value) : std::nullopt;
    if (!bytes) {
      RefuseText("--region", text,
                 "NAME=BYTES, such as dtcm=65536 or dtcm=64K, or NAME=BYTES:weights");
    }
    if (!names.insert(named->name).second) RefuseTwice("--region", named->name);
    regions.push_back({named->name, *bytes, holds_weights});
  }
  if (regions.size() > kMaxScratchRegions) {
    RefuseOption("--region", fmt::format("is given {} times; must be given at most {}",
                                         regions.size(), kMaxScratchRegions));
  }
  return regions;
}

std::vector<std::string> FilesOfValues(const std::vector<std::string>& texts) {
  std::vector<std::string> files;
  for (const std::string& text : texts) {
    std::string value = ParseValue(text).value;
    if (!graph::AreNumbers(value)) files.push_back(std::move(value));
  }
  return files;
}

void ReadValues(const std::vector<std::string>& texts,
                std::map<std::string, graph::InputValue>* values, Faults& faults) {
  for (const std::string& text : texts) {
    const Named named = ParseValue(text);
    graph::InputValue value;
    if (graph::AreNumbers(named.value)) {
      value.numbers = named.value;
    } else {
      std::string reason;
      std::optional<Array> array = ReadNpy(PathOf(named.value), &reason);
      if (!array) {
        faults.Add(fmt::format("{}: {}", named.value, reason));
        continue;
      }
      value.type = array->type;
      value.bytes = std::move(array->bytes);
    }
    if (!values->emplace(named.name, std::move(value)).second) RefuseTwice("--value", named.name);
  }
}

}  // namespace weft::cli
