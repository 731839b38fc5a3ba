// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "converter/ops/families.h"

namespace weft::ops {
namespace {

using Family = std::span<const Operation> (*)();

constexpr Family kFamilies[] = {
    // Computing.
    ElementwiseOperations,
    UnaryOperations,
    CompareOperations,
    SelectOperations,
    ReduceOperations,
    SoftmaxOperations,
    MatmulOperations,
    ConvolutionOperations,
    PoolingOperations,
    ConvertOperations,
    StateOperations,
    // Movement.
    ReshapeOperations,
    TransposeOperations,
    ConcatOperations,
    SlicingOperations,
    ReverseOperations,
    TileOperations,
    GatherOperations,
    OneHotOperations,
    PadOperations,
    BatchToSpaceOperations,
    ShapeOperations,
    PortOperations,
    // Recurrence.
    RecurrentOperations,
    ControlFlowOperations,
    BranchOperations,
};

// Names that mean the same operation. Spellings that differ in case alone need no row (SoftMax).
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

}  // namespace

std::span<const Operation> Table() {
  static const std::vector<Operation> rows = Join();
  return rows;
}

const Operation* Find(std::string_view name, int opset) {
  std::string wanted = LowerCase(name);
  for (const Alias& row : kAliases) {
    if (wanted == row.alias) wanted = row.name;
  }
  const Operation* newest = nullptr;
  for (const Operation& row : Table()) {
    if (row.opset > opset || LowerCase(row.name) != wanted) continue;
    if (newest == nullptr || row.opset > newest->opset) newest = &row;
  }
  return newest;
}

std::span<const std::string_view> PointwiseNames() {
  static constexpr std::string_view kNames[] = {"Abs",         "Add",
                                                "Ceiling",     "Clamp",
                                                "Convert",     "Cos",
                                                "Divide",      "Elu",
                                                "Equal",       "Erf",
                                                "Exp",         "Floor",
                                                "FloorMod",    "Gelu",
                                                "Greater",     "GreaterEqual",
                                                "HSigmoid",    "HSwish",
                                                "HardSigmoid", "Identity",
                                                "Less",        "LessEqual",
                                                "Log",         "LogicalAnd",
                                                "LogicalNot",  "LogicalOr",
                                                "LogicalXor",  "Maximum",
                                                "Minimum",     "Mish",
                                                "Mod",         "Multiply",
                                                "Negative",    "NotEqual",
                                                "Power",       "Relu",
                                                "Round",       "Select",
                                                "Selu",        "Sigmoid",
                                                "Sign",        "Sin",
                                                "SoftPlus",    "SoftSign",
                                                "Sqrt",        "SquaredDifference",
                                                "Subtract",    "Swish",
                                                "Tanh"};
  return kNames;
}

bool IsPointwise(std::string_view name) {
  return std::ranges::find(PointwiseNames(), name) != PointwiseNames().end();
}

}  // namespace weft::ops
