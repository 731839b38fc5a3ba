// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "converter/base/file_kind.h"
#include "converter/base/parse_number.h"
#include "converter/base/text.h"
#include "converter/base/visible.h"

namespace weft::ir {

int Document::LineAt(ptrdiff_t offset) const {
  const size_t at = offset < 0 ? 0 : static_cast<size_t>(offset);
  return 1 + static_cast<int>(std::lower_bound(line_ends.begin(), line_ends.end(), at) -
                              line_ends.begin());
}

namespace {

// Rejects duplicate attributes: pugixml uses the first one, other readers the last one.
class DuplicateAttributes : public pugi::xml_tree_walker {
 public:
  DuplicateAttributes(const Document& document, Faults& faults)
      : document_(document), faults_(faults) {}

  bool for_each(pugi::xml_node& element) override {
    names_.clear();
    for (const pugi::xml_attribute attribute : element.attributes()) {
      names_.emplace_back(attribute.name());
    }
    std::ranges::sort(names_);
    const auto second = std::ranges::adjacent_find(names_);
    if (second == names_.end()) return true;
    faults_.Add(fmt::format("{}:{}: <{}> has attribute \"{}\" twice; must have it once",
                            document_.file, document_.LineOf(element), OneLine(element.name()),
                            OneLine(*second)));
    return true;
  }

 private:
  const Document& document_;
  Faults& faults_;
  std::vector<std::string_view> names_;
};

}  // namespace

std::unique_ptr<Document> ParseDocument(const std::filesystem::path& path,
                                        std::vector<std::byte> text, Faults& faults) {
  if (const std::string other = NotAnIr(path, text); !other.empty()) {
    faults.Add(fmt::format("{}: {}", path.string(), other));
    return nullptr;
  }
  auto document = std::make_unique<Document>();
  document->file = path.string();
  document->text = std::move(text);
  for (size_t at = 0; at < document->text.size(); ++at) {
    if (document->text[at] == std::byte{'\n'}) document->line_ends.push_back(at);
  }
  const pugi::xml_parse_result parsed =
      document->xml.load_buffer_inplace(document->text.data(), document->text.size());
  if (parsed.status == pugi::status_no_document_element) {
    faults.Add(fmt::format("{}: {}; must be the XML of an OpenVINO IR", document->file,
                           document->text.empty() ? "is empty" : "has no XML element"));
    return nullptr;
  }
  if (!parsed) {
    faults.Add(fmt::format("{}:{}: broken XML: {}; must be a well-formed OpenVINO IR",
                           document->file, document->LineAt(parsed.offset), parsed.description()));
    return nullptr;
  }
  DuplicateAttributes twins(*document, faults);
  document->xml.traverse(twins);
  return document;
}

std::optional<int64_t> ParseInt(std::string_view text) { return ParseNumber<int64_t>(Trim(text)); }

}  // namespace weft::ir
