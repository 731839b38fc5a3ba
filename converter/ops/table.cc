// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "converter/base/text.h"
#include "converter/ops/families.h"
#include "converter/ops/moved_inputs.h"

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

std::string_view TextOf(const ir::Node& node, const char* attribute, std::string_view fallback) {
  const auto found = node.attributes.find(attribute);
  return found == node.attributes.end() ? fallback : found->second;
}

MovedInputs OfFirst(const ir::Node&) { return {.inputs = 1}; }
MovedInputs OfBoth(const ir::Node&) { return {.inputs = 0b11}; }
MovedInputs OfBranches(const ir::Node&) { return {.inputs = 0b110}; }
MovedInputs OfOnAndOff(const ir::Node&) { return {.inputs = 0b1100}; }
MovedInputs Extreme(const ir::Node&) { return {.inputs = 1, .by_value = true}; }
MovedInputs ExtremeOfBoth(const ir::Node&) { return {.inputs = 0b11, .by_value = true}; }

// The step reads 0 at an index out of range.
MovedInputs AtIndices(const ir::Node& node) {
  return {.inputs = 1, .adds_zeros = !node.inputs[1].node->constant};
}

// The border is input 3, or 0, or elements of input 0.
MovedInputs WithBorder(const ir::Node& node) {
  constexpr size_t kBorder = 3;
  if (TextOf(node, "pad_mode", "constant") != "constant") return {.inputs = 1};
  if (node.inputs.size() > kBorder) return {.inputs = 1U | 1U << kBorder};
  return {.inputs = 1, .adds_zeros = true, .input_of_zeros = kBorder};
}

// Pads are zeros.
MovedInputs InBlocks(const ir::Node& node) {
  const ir::Source& x = node.inputs[0];
  const bool has_pads = ElementCount(node.outputs[0].type.dims) != ElementCount(ir::TypeOf(x).dims);
  return {.inputs = 1, .adds_zeros = has_pads};
}

// Only the mode nearest copies elements. Pads of the data are zeros.
MovedInputs Nearest(const ir::Node& node) {
  if (TextOf(node, "mode", "") != "nearest") return {};
  const auto has_pads = [&](const char* attribute) {
    return TextOf(node, attribute, "").find_first_of("123456789") != std::string_view::npos;
  };
  return {.inputs = 1, .adds_zeros = has_pads("pads_begin") || has_pads("pads_end")};
}

// Updates that are combined with the data are computed.
MovedInputs WithUpdates(const ir::Node& node) {
  const bool replaces = TextOf(node, "reduction", "none") == "none";
  return replaces ? MovedInputs{.inputs = 0b101} : MovedInputs();
}

// Operations that are not described by the traits picks and joins alone.
struct Move {
  std::string_view name;
  MovedInputs (*of)(const ir::Node&);
};
constexpr Move kMoves[] = {
    {"BatchToSpace", OfFirst},        {"Gather", AtIndices},
    {"GatherElements", AtIndices},    {"GatherND", AtIndices},
    {"Interpolate", Nearest},         {"MaxPool", Extreme},
    {"Maximum", ExtremeOfBoth},       {"Minimum", ExtremeOfBoth},
    {"OneHot", OfOnAndOff},           {"Pad", WithBorder},
    {"ReduceMax", Extreme},           {"ReduceMin", Extreme},
    {"ReverseSequence", OfFirst},     {"ScatterElementsUpdate", WithUpdates},
    {"ScatterNDUpdate", WithUpdates}, {"ScatterUpdate", WithUpdates},
    {"Select", OfBranches},           {"SliceScatter", OfBoth},
    {"SpaceToBatch", InBlocks},       {"TopK", Extreme},
};

}  // namespace

std::span<const Operation> Table() {
  static const std::vector<Operation> rows = Join();
  return rows;
}

const Traits& TraitsOf(const ir::Node& node) {
  static constexpr Traits kUnknown = {.foldable = false};
  return node.operation == nullptr ? kUnknown : node.operation->traits;
}

MovedInputs MovedInputsOf(const ir::Node& node) {
  if (node.constant || node.operation == nullptr) return {};
  const auto* row = std::ranges::find(kMoves, node.operation->name, &Move::name);
  if (row != std::end(kMoves)) return row->of(node);
  if (node.operation->traits.joins) return {.inputs = ~uint32_t{0}};
  return {.inputs = node.operation->traits.picks ? 1U : 0U};
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
