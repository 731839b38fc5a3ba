// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <vector>

#include "converter/ops/families.h"

namespace weft::ops {
namespace {

using Family = std::span<const Operation> (*)();

constexpr Family kFamilies[] = {
#define WEFT_FAMILY(Name) Name##Operations,
#include "converter/ops/families.inc"
#undef WEFT_FAMILY
};

// Synonyms of operation names. Names are compared without case, so that SoftMax needs no row.
struct Alias {
  std::string_view alias, name;
};
constexpr Alias kAliases[] = {{"constant", "const"}, {"xor", "logicalxor"}};

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool Before(const Operation& a, const Operation& b) {
  return a.name != b.name ? a.name < b.name : a.opset < b.opset;
}

std::vector<Operation> Join() {
  std::vector<Operation> rows;
  for (Family family : kFamilies) {
    const std::span<const Operation> part = family();
    rows.insert(rows.end(), part.begin(), part.end());
  }
  std::ranges::sort(rows, Before);
  return rows;
}

// The rows of each name, in lower case.
using Index = std::unordered_map<std::string, std::vector<const Operation*>>;

Index IndexOf(std::span<const Operation> rows) {
  Index index;
  for (const Operation& row : rows) index[LowerCase(row.name)].push_back(&row);
  return index;
}

Index& ExtraIndex() {
  static Index index;
  return index;
}

const Operation* Newest(const Index& index, const std::string& name, int opset) {
  const auto found = index.find(name);
  if (found == index.end()) return nullptr;
  const Operation* newest = nullptr;
  for (const Operation* row : found->second) {
    if (row->opset <= opset && (newest == nullptr || row->opset > newest->opset)) newest = row;
  }
  return newest;
}

}  // namespace

std::span<const Operation> Table() {
  static const std::vector<Operation> rows = Join();
  return rows;
}

const Traits& TraitsOf(const ir::Node& node) {
  static constexpr Traits kUnknown = {.foldable = false};
  return node.operation == nullptr ? kUnknown : node.operation->traits;
}

ExtraRows::ExtraRows(std::span<const Operation> rows) { ExtraIndex() = IndexOf(rows); }
ExtraRows::~ExtraRows() { ExtraIndex().clear(); }

const Operation* Find(std::string_view name, int opset) {
  static const Index index = IndexOf(Table());
  std::string wanted = LowerCase(name);
  for (const Alias& row : kAliases) {
    if (wanted == row.alias) wanted = row.name;
  }
  const Operation* extra = Newest(ExtraIndex(), wanted, opset);
  return extra != nullptr ? extra : Newest(index, wanted, opset);
}

}  // namespace weft::ops
