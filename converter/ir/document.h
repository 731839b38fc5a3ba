// SPDX-License-Identifier: Apache-2.0
// An XML file in memory, with the line of every element. Owns the text that pugixml points into.
#ifndef WEFT_CONVERTER_IR_DOCUMENT_H_
#define WEFT_CONVERTER_IR_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"

namespace weft::ir {

struct Document {
  std::string file;  // path as given by the user, for messages
  std::vector<std::byte> text;
  std::vector<size_t> line_ends;  // offsets of the line breaks
  pugi::xml_document xml;

  int LineAt(ptrdiff_t offset) const;
  int LineOf(pugi::xml_node element) const { return LineAt(element.offset_debug()); }
};

// Returns null and adds a fault if the text is not well-formed. `path` is its name in messages.
std::unique_ptr<Document> ParseDocument(const std::filesystem::path& path,
                                        std::vector<std::byte> text, Faults& faults);

// Parses the complete text as an integer; surrounding spaces are allowed.
std::optional<int64_t> ParseInt(std::string_view text);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_DOCUMENT_H_
