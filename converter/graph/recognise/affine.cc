// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/affine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

int64_t WidthOf(ir::Source source) {
  const Dims& dims = TypeOf(source).dims;
  return dims.empty() ? 1 : dims.back();
}

bool Is(const ir::Node& node, std::string_view name) {
  return node.operation != nullptr && node.operation->name == name;
}

int64_t Attribute(const ir::Node& node, const std::string& key, size_t index) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return 0;
  std::string_view text = found->second;
  for (; index > 0; --index) {
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos) return 0;
    text.remove_prefix(comma + 1);
  }
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.starts_with("true")) return 1;
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Returns true if the dims of both are equal except for the last axis.
bool DifferInLastAxis(const TensorType& a, const TensorType& b) {
  return !a.dims.empty() && a.dims.size() == b.dims.size() &&
         std::equal(a.dims.begin(), a.dims.end() - 1, b.dims.begin());
}

// Returns the columns' position in the input of a Split or VariadicSplit. The types determine the
// axis.
std::optional<Cut> CutBySplit(ir::Source source) {
  const ir::Node& node = *source.node;
  const ir::Source whole = node.inputs[0];
  int64_t before = 0, all = 0;
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const TensorType& type = node.outputs[port].type;
    if (!DifferInLastAxis(type, TypeOf(whole))) return std::nullopt;
    if (port < source.port) before += type.dims.back();
    all += type.dims.back();
  }
  if (all != WidthOf(whole)) return std::nullopt;
  return Cut{whole, before, 1, WidthOf(source)};
}

// Returns the entry of begin, end and strides for the last axis; the number of entries if none is
// for it. Returns nullopt if the node does more than slice.
std::optional<size_t> LastAxisEntry(const ir::Node& node, size_t entries) {
  bool ellipsis = false;
  for (size_t i = 0; i < entries; ++i) {
    if (Attribute(node, "new_axis_mask", i) != 0 || Attribute(node, "shrink_axis_mask", i) != 0) {
      return std::nullopt;
    }
    ellipsis = ellipsis || Attribute(node, "ellipsis_mask", i) != 0;
  }
  if (entries > 0 && Attribute(node, "ellipsis_mask", entries - 1) != 0) return entries;
  if (ellipsis || entries == TypeOf(node.inputs[0]).dims.size()) return entries - 1;
  return entries;
}

// Slice or StridedSlice along the last axis.
std::optional<Cut> CutBySlice(ir::Source source) {
  const ir::Node& node = *source.node;
  const ir::Source whole = node.inputs[0];
  if (!DifferInLastAxis(TypeOf(source), TypeOf(whole))) return std::nullopt;
  const std::vector<int64_t> begins = IntsOf(node.inputs[1]);
  std::vector<int64_t> steps(begins.size(), 1);
  if (node.inputs.size() > 3) steps = IntsOf(node.inputs[3]);
  if (begins.empty() || steps.size() != begins.size()) return std::nullopt;
  std::optional<size_t> entry;
  if (Is(node, "Slice")) {
    const auto rank = static_cast<int64_t>(TypeOf(whole).dims.size());
    std::vector<int64_t> axes;
    if (node.inputs.size() > 4) axes = IntsOf(node.inputs[4]);
    entry = begins.size();
    for (size_t i = 0; i < begins.size(); ++i) {
      const int64_t axis = axes.size() > i ? axes[i] : static_cast<int64_t>(i);
      if (axis == -1 || axis == rank - 1) entry = i;
    }
  } else {
    entry = LastAxisEntry(node, begins.size());
  }
  if (!entry) return std::nullopt;
  if (*entry == begins.size()) return Cut{whole, 0, 1, WidthOf(source)};
  if (steps[*entry] < 1) return std::nullopt;
  int64_t begin = begins[*entry];
  if (Is(node, "StridedSlice") && Attribute(node, "begin_mask", *entry) != 0) begin = 0;
  if (begin < 0) begin = std::max<int64_t>(0, begin + WidthOf(whole));
  return Cut{whole, begin, steps[*entry], WidthOf(source)};
}

// Goes back through one operation that only moves columns; returns nullopt for other operations.
std::optional<Columns> BeforeMovement(const Columns& columns) {
  const ir::Node& node = *columns.source.node;
  if (node.constant || node.operation == nullptr) return std::nullopt;
  const ir::Source inner = BeforeReshapes(columns.source);
  if (!(inner == columns.source)) return Columns{inner, columns.begin, columns.count};
  const std::optional<Cut> cut = CutOf(columns.source);
  if (!cut || cut->step != 1) return std::nullopt;
  return Columns{cut->whole, columns.begin + cut->begin, columns.count};
}

// A constant factor of shape [outputs, inputs].
struct Matrix {
  std::vector<float> elements;
  int64_t outputs = 0, inputs = 0;
  bool inputs_first = false;  // elements are stored as [inputs, outputs]
  bool from_integers = false;
  float at(int64_t output, int64_t input) const {
    const int64_t index = inputs_first ? input * outputs + output : output * inputs + input;
    return elements[static_cast<size_t>(index)];
  }
};

std::optional<Matrix> ConstantFactor(const ir::Node& product) {
  const ir::Constant* constant = ConstantOf(product.inputs[1]);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  const Dims& dims = constant->type.dims;
  if (dims.size() < 2) return std::nullopt;
  if (ElementCount(dims) != dims[dims.size() - 1] * dims[dims.size() - 2]) return std::nullopt;
  Matrix matrix{ops::Floats(*constant), dims[dims.size() - 2], dims.back(), false,
                constant->from_integers};
  if (Attribute(product, "transpose_b", 0) == 0) {
    std::swap(matrix.outputs, matrix.inputs);
    matrix.inputs_first = true;
  }
  return matrix;
}

// Maximum number of nodes of a gate. Without a limit, a long chain of additions would be read again
// from each addition.
constexpr size_t kMaxNodes = 128;

class Reader {
 public:
  Reader(int64_t rows, int64_t count) : rows_(rows), count_(count) {
    affine_.bias.assign(static_cast<size_t>(count), 0.0f);
  }

  // Adds the columns, each multiplied by its scale.
  bool Read(Columns columns, const std::vector<float>& scale);
  Affine Take() { return std::move(affine_); }

 private:
  bool ReadProduct(const Columns& columns, const std::vector<float>& scale);
  bool ReadScaled(const Columns& columns, const std::vector<float>& scale);
  ir::Source Enter(ir::Source source);
  std::vector<ir::Source> PartsOf(ir::Source source, int64_t width);
  void AddFactor(ir::Source input, const Matrix& matrix, int64_t first_input,
                 const Columns& columns, const std::vector<float>& scale);
  // Returns true if the value has separate rows, instead of one row broadcast to all.
  bool IsWhole(ir::Source source, int64_t width) const {
    return ElementCount(TypeOf(source).dims) == rows_ * width && WidthOf(source) == width;
  }

  const int64_t rows_, count_;
  Affine affine_;
};

// Returns one number for all columns, or one per column of the width that they are cut from.
std::optional<std::vector<float>> ConstantColumns(const Columns& columns) {
  const ir::Constant* constant = ConstantOf(columns.source);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  std::vector<float> floats = ops::Floats(*constant);
  const auto count = static_cast<size_t>(columns.count);
  if (floats.size() == 1) return std::vector<float>(count, floats[0]);
  const auto begin = static_cast<size_t>(columns.begin);
  if (static_cast<int64_t>(floats.size()) != WidthOf(columns.source)) return std::nullopt;
  if (begin + count > floats.size()) return std::nullopt;
  const auto first = floats.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(count));
}

bool Reader::Read(Columns columns, const std::vector<float>& scale) {
  if (affine_.nodes.size() > kMaxNodes) return false;
  if (ConstantOf(columns.source) != nullptr) {
    const std::optional<std::vector<float>> floats = ConstantColumns(columns);
    if (!floats) return false;
    for (size_t i = 0; i < scale.size(); ++i) affine_.bias[i] += scale[i] * (*floats)[i];
    return true;
  }
  while (const std::optional<Columns> inner = BeforeMovement(columns)) {
    affine_.nodes.insert(columns.source.node);
    columns = *inner;
  }
  const ir::Node& node = *columns.source.node;
  const int64_t width = WidthOf(columns.source);
  if (!IsWhole(columns.source, width)) return false;
  if (Is(node, "MatMul") && ReadProduct(columns, scale)) return true;
  if (Is(node, "Multiply") && ReadScaled(columns, scale)) return true;
  const bool subtracts = Is(node, "Subtract");
  if (!Is(node, "Add") && !subtracts) {
    affine_.others.push_back(columns);
    return std::ranges::all_of(scale, [](float number) { return number == 1.0f; });
  }
  affine_.nodes.insert(&node);
  std::vector<float> negative(scale);
  for (float& number : negative) number = -number;
  for (size_t i = 0; i < 2; ++i) {
    const ir::Source input = node.inputs[i];
    if (ConstantOf(input) == nullptr && !IsWhole(input, width)) return false;
    const bool taken_away = subtracts && i == 1;
    if (!Read({input, columns.begin, columns.count}, taken_away ? negative : scale)) return false;
  }
  return true;
}

// A product with a constant.
bool Reader::ReadScaled(const Columns& columns, const std::vector<float>& scale) {
  const ir::Node& node = *columns.source.node;
  const size_t constant = ConstantOf(node.inputs[0]) != nullptr ? 0 : 1;
  const ir::Source other = node.inputs[1 - constant];
  const std::optional<std::vector<float>> factors =
      ConstantColumns({node.inputs[constant], columns.begin, columns.count});
  if (!factors || !IsWhole(other, WidthOf(columns.source))) return false;
  affine_.nodes.insert(&node);
  std::vector<float> scaled(scale);
  for (size_t i = 0; i < scaled.size(); ++i) scaled[i] *= (*factors)[i];
  return Read({other, columns.begin, columns.count}, scaled);
}

bool Reader::ReadProduct(const Columns& columns, const std::vector<float>& scale) {
  const ir::Node& node = *columns.source.node;
  const std::optional<Matrix> matrix = ConstantFactor(node);
  if (!matrix) return false;
  ir::Source left = node.inputs[0];
  // The transposition of one column is a row, with the same elements in memory.
  const bool column = Attribute(node, "transpose_a", 0) != 0 && rows_ == 1;
  if (Attribute(node, "transpose_a", 0) != 0 && !column) return false;
  if (ElementCount(TypeOf(left).dims) != rows_ * matrix->inputs) return false;
  affine_.nodes.insert(&node);
  if (!column) left = Enter(left);
  int64_t first = 0;
  for (const ir::Source& part : PartsOf(left, matrix->inputs)) {
    const int64_t width = ElementCount(TypeOf(part).dims).value_or(0) / rows_;
    AddFactor(column ? part : Enter(part), *matrix, first, columns, scale);
    first += width;
  }
  return true;
}

// Skips reshapes and records them.
ir::Source Reader::Enter(ir::Source source) {
  const ir::Source inner = BeforeReshapes(source);
  for (; !(source == inner); source = source.node->inputs[0]) {
    affine_.passages.insert(source.node);
  }
  return inner;
}

// Returns the values concatenated to rows of `width`, or the value itself if it is no such Concat.
std::vector<ir::Source> Reader::PartsOf(ir::Source source, int64_t width) {
  if (!Is(*source.node, "Concat") || source.node->constant || WidthOf(source) != width) {
    return {source};
  }
  int64_t sum = 0;
  for (const ir::Source& part : source.node->inputs) {
    if (!DifferInLastAxis(TypeOf(part), TypeOf(source))) return {source};
    sum += WidthOf(part);
  }
  if (sum != width) return {source};  // joined along another axis
  affine_.passages.insert(source.node);
  return source.node->inputs;
}

void Reader::AddFactor(ir::Source input, const Matrix& matrix, int64_t first_input,
                       const Columns& columns, const std::vector<float>& scale) {
  const int64_t width = ElementCount(TypeOf(input).dims).value_or(0) / rows_;
  auto found = std::ranges::find_if(affine_.products,
                                    [&](const Product& product) { return product.input == input; });
  if (found == affine_.products.end()) {
    affine_.products.push_back(
        {input, width, std::vector<float>(static_cast<size_t>(count_ * width), 0.0f)});
    found = affine_.products.end() - 1;
  }
  found->from_integers = found->from_integers || matrix.from_integers;
  for (int64_t output = 0; output < count_; ++output) {
    for (int64_t i = 0; i < width; ++i) {
      found->weights[static_cast<size_t>(output * width + i)] +=
          scale[static_cast<size_t>(output)] * matrix.at(columns.begin + output, first_input + i);
    }
  }
}

std::optional<float> FloatAttribute(const ir::Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return std::nullopt;
  float value = 0;
  const char* end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

float NumberOf(ir::Source source, float fallback) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || constant->type.type != ElementType::f32) return fallback;
  const std::vector<float> floats = ops::Floats(*constant);
  return floats.size() == 1 ? floats[0] : fallback;
}

// HSigmoid, or a Clamp to [0, n] times 1 / n if n is not 1: frameworks without a HardSigmoid write
// it this way.
bool ReadClamp(const ir::Node& node, Gate& gate) {
  if (Is(node, "HSigmoid")) {
    gate.activation = "hardsigmoid";
    gate.alpha = 1.0f / 6;
    gate.beta = 0.5f;
    gate.nodes.insert(&node);
    gate.before.source = node.inputs[0];
    return true;
  }
  const ir::Node* clamp = &node;
  gate.alpha = 1;
  if (Is(node, "Multiply")) {
    const size_t constant = ConstantOf(node.inputs[0]) != nullptr ? 0 : 1;
    gate.alpha = NumberOf(node.inputs[constant], 0);
    clamp = BeforeReshapes(node.inputs[1 - constant]).node;
  }
  if (!Is(*clamp, "Clamp")) return false;
  const std::optional<float> low = FloatAttribute(*clamp, "min");
  const std::optional<float> high = FloatAttribute(*clamp, "max");
  if (low != 0.0f || !high || std::abs(*high * gate.alpha - 1.0f) > 1e-6f) return false;
  gate.activation = "hardsigmoid";
  gate.beta = 0;
  gate.nodes.insert(&node);
  gate.nodes.insert(clamp);
  gate.before.source = clamp->inputs[0];
  return true;
}

}  // namespace

std::optional<Cut> CutOf(ir::Source source) {
  const ir::Node& node = *source.node;
  if (node.constant) return std::nullopt;
  if (Is(node, "Split") || Is(node, "VariadicSplit")) return CutBySplit(source);
  if (Is(node, "Slice") || Is(node, "StridedSlice")) return CutBySlice(source);
  return std::nullopt;
}

std::optional<Affine> AffineOf(const Columns& columns, int64_t rows) {
  // A limit above any gate, because memory grows with the number of columns.
  constexpr int64_t kMaxColumns = 1 << 20;
  if (columns.count > kMaxColumns) return std::nullopt;
  Reader reader(rows, columns.count);
  const std::vector<float> ones(static_cast<size_t>(columns.count), 1.0f);
  if (!reader.Read(columns, ones)) return std::nullopt;
  return reader.Take();
}

Columns AllColumns(ir::Source source) { return {source, 0, WidthOf(source)}; }

std::optional<Gate> GateOf(ir::Source source) {
  Gate gate;
  Columns columns = AllColumns(source);
  while (const std::optional<Columns> inner = BeforeMovement(columns)) {
    gate.nodes.insert(columns.source.node);
    columns = *inner;
  }
  const ir::Node& node = *columns.source.node;
  gate.before = columns;
  if (ReadClamp(node, gate)) return gate;
  gate.activation = ActivationName(node);
  if (gate.activation.empty() || node.constant) return std::nullopt;
  gate.alpha = gate.beta = 0;
  gate.nodes.insert(&node);
  if (Is(node, "HardSigmoid")) {
    if (ConstantOf(node.inputs[1]) == nullptr || ConstantOf(node.inputs[2]) == nullptr) {
      return std::nullopt;
    }
    gate.alpha = NumberOf(node.inputs[1], 0.2f);
    gate.beta = NumberOf(node.inputs[2], 0.5f);
  }
  gate.before.source = node.inputs[0];
  return gate;
}

}  // namespace weft::graph
