// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/shape_option.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::cli {
namespace {

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
    const size_t equals = text.rfind('=');
    const std::optional<Dims> dims = equals == std::string::npos
                                         ? std::nullopt
                                         : ParseShape(std::string_view(text).substr(equals + 1));
    if (!dims || equals == 0) {
      RefuseOption("--shape",
                   fmt::format("is \"{}\"; must be NAME=DIM,DIM,..., such as x=1,25,512, with "
                               "integers up to {} or ?",
                               text, INT32_MAX));
    }
    if (!shapes.emplace(text.substr(0, equals), *dims).second) {
      RefuseOption("--shape", fmt::format("names \"{}\" twice", text.substr(0, equals)));
    }
  }
  return shapes;
}

}  // namespace weft::cli
