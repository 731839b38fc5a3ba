// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/value_option.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "converter/cli/command_line.h"
#include "converter/cli/npy.h"
#include "converter/graph/number_value.h"

namespace weft::cli {
namespace {

// Returns the text after "NAME=". The first "=" separates, because files may contain "="; an input
// whose name contains "=" must be given by its index.
std::string TextOfValue(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    RefuseOption("--value",
                 fmt::format("is \"{}\"; must be NAME=FILE.npy or NAME=NUMBER[,NUMBER...]", text));
  }
  return text.substr(equals + 1);
}

}  // namespace

std::vector<std::string> FilesOfValues(const std::vector<std::string>& texts) {
  std::vector<std::string> files;
  for (const std::string& text : texts) {
    std::string given = TextOfValue(text);
    if (!graph::AreNumbers(given)) files.push_back(std::move(given));
  }
  return files;
}

void ReadValues(const std::vector<std::string>& texts,
                std::map<std::string, graph::InputValue>* values, Faults& faults) {
  for (const std::string& text : texts) {
    const std::string given = TextOfValue(text), name = text.substr(0, text.find('='));
    graph::InputValue value;
    if (graph::AreNumbers(given)) {
      value.numbers = given;
    } else {
      std::string reason;
      std::optional<Array> array = ReadNpy(given, &reason);
      if (!array) {
        faults.Add(fmt::format("{}: {}", given, reason));
        continue;
      }
      value.type = array->type;
      value.bytes = std::move(array->bytes);
    }
    if (!values->emplace(name, std::move(value)).second) {
      RefuseOption("--value", fmt::format("names \"{}\" twice", name));
    }
  }
}

}  // namespace weft::cli
