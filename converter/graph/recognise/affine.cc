// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/affine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

int64_t WidthOf(ir::Source source) {
  const Dims& dims = TypeOf(source).dims;
  return dims.empty() ? 1 : dims.back();
}

// Returns true if the dims of both are equal except for the last axis.
bool DifferInLastAxis(const TensorType& a, const TensorType& b) {
  return !a.dims.empty() && a.dims.size() == b.dims.size() &&
         std::equal(a.dims.begin(), a.dims.end() - 1, b.dims.begin());
}

// Goes back through one operation that only moves columns; returns nullopt for other operations.
std::optional<Columns> BeforeMovement(const ir::Graph& graph, const Columns& columns) {
  const ir::Node& node = *columns.source.node;
  if (node.constant || node.operation == nullptr) return std::nullopt;
  const ir::Source inner = BeforeReshapes(columns.source);
  if (!(inner == columns.source)) return Columns{inner, columns.begin, columns.count};
  const std::optional<Cut> cut = CutOf(graph, columns.source);
  if (!cut || cut->step != 1) return std::nullopt;
  return Columns{cut->whole, columns.begin + cut->begin, columns.count};
}

// Maximum number of nodes of a gate. Without a limit, a long chain of additions would be read again
// from each addition.
constexpr size_t kMaxNodes = 128;

class Reader {
 public:
  Reader(const ir::Graph& graph, int64_t rows, int64_t count)
      : graph_(graph), rows_(rows), count_(count) {
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
  void AddFactor(ir::Source input, const ConstantMatrix& matrix, int64_t first_input,
                 const Columns& columns, const std::vector<float>& scale);
  // Returns true if the value has separate rows, instead of one row broadcast to all.
  bool IsWhole(ir::Source source, int64_t width) const {
    return ElementCount(TypeOf(source).dims) == rows_ * width && WidthOf(source) == width;
  }

  const ir::Graph& graph_;
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
  while (const std::optional<Columns> inner = BeforeMovement(graph_, columns)) {
    affine_.nodes.insert(columns.source.node);
    columns = *inner;
  }
  const ir::Node& node = *columns.source.node;
  const int64_t width = WidthOf(columns.source);
  if (!IsWhole(columns.source, width)) return false;
  if (IsCalled(node, "MatMul") && ReadProduct(columns, scale)) return true;
  if (IsCalled(node, "Multiply") && ReadScaled(columns, scale)) return true;
  const bool subtracts = IsCalled(node, "Subtract");
  if (!IsCalled(node, "Add") && !subtracts) {
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
  const std::optional<ConstantMatrix> matrix = MatrixIn(node);
  if (!matrix) return false;
  ir::Source left = node.inputs[0];
  // The transposition of one column is a row, with the same elements in memory.
  const bool column = AttributeOf(node, "transpose_a") != 0 && rows_ == 1;
  if (AttributeOf(node, "transpose_a") != 0 && !column) return false;
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
  if (!IsCalled(*source.node, "Concat") || source.node->constant || WidthOf(source) != width) {
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

void Reader::AddFactor(ir::Source input, const ConstantMatrix& matrix, int64_t first_input,
                       const Columns& columns, const std::vector<float>& scale) {
  const int64_t width = ElementCount(TypeOf(input).dims).value_or(0) / rows_;
  auto found = std::ranges::find_if(affine_.products,
                                    [&](const Product& product) { return product.input == input; });
  if (found == affine_.products.end()) {
    affine_.products.push_back({input, width, {}});
    found = affine_.products.end() - 1;
  }
  found->factors.push_back({matrix, columns.begin, first_input, scale});
}

// HSigmoid, or a Clamp to [0, n] times 1 / n if n is not 1: frameworks without a HardSigmoid write
// it this way.
bool ReadClamp(const ir::Node& node, Gate& gate) {
  if (IsCalled(node, "HSigmoid")) {
    gate.activation = "hardsigmoid";
    gate.alpha = 1.0f / 6;
    gate.beta = 0.5f;
    gate.nodes.insert(&node);
    gate.before.source = node.inputs[0];
    return true;
  }
  const ir::Node* clamp = &node;
  gate.alpha = 1;
  if (IsCalled(node, "Multiply")) {
    const size_t constant = ConstantOf(node.inputs[0]) != nullptr ? 0 : 1;
    gate.alpha = static_cast<float>(NumberIn(node.inputs[constant]).value_or(0));
    clamp = BeforeReshapes(node.inputs[1 - constant]).node;
  }
  if (!IsCalled(*clamp, "Clamp")) return false;
  const auto high = static_cast<float>(AttributeOf(*clamp, "max"));
  if (AttributeOf(*clamp, "min", 1) != 0 || std::abs(high * gate.alpha - 1.0f) > 1e-6f)
    return false;
  gate.activation = "hardsigmoid";
  gate.beta = 0;
  gate.nodes.insert(&node);
  gate.nodes.insert(clamp);
  gate.before.source = clamp->inputs[0];
  return true;
}

}  // namespace

std::optional<Cut> CutOf(const ir::Graph& graph, ir::Source source) {
  ir::Node& node = *source.node;
  const bool takes = ops::TraitsOf(node).steering != ops::Steering::kNothing;
  if (node.constant || !takes || !DifferInLastAxis(TypeOf(source), TypeOf(node.inputs[0]))) {
    return std::nullopt;
  }
  const Dims& dims = TypeOf(node.inputs[0]).dims;
  const size_t last = dims.size() - 1;
  const ops::AxisRelation relation = ops::RelationOf(graph, node);
  if (source.port < relation.parts.size()) {
    const ops::Selection& part = relation.parts[source.port];
    if (part.axis != static_cast<int64_t>(last)) return std::nullopt;
    return Cut{node.inputs[0], part.begin, 1, part.end - part.begin};
  }
  if (relation.runs.size() != dims.size() || relation.runs[last].size() != 1) return std::nullopt;
  for (size_t axis = 0; axis < last; ++axis) {
    if (!ops::IsInOrder(relation.runs[axis], dims[axis])) return std::nullopt;
  }
  const ops::Run& run = relation.runs[last][0];
  if (run.step < 1 || run.count != WidthOf(source)) return std::nullopt;
  return Cut{node.inputs[0], run.source, run.step, run.count};
}

CodedFloats Product::Weights() const {
  const size_t count = factors.front().scale.size() * static_cast<size_t>(width);
  CodedFloats weights = std::vector<float>(count);
  std::vector<float> scales;
  for (const Factor& factor : factors) {
    const CodedFloats elements = ops::CodedFloatsOf(*factor.matrix.constant);
    // A sum of several factors is not a multiple of a scale.
    const bool is_quantised = factors.size() == 1 && elements.quantisation != nullptr;
    const std::vector<float> from =
        is_quantised ? elements.quantisation->scales() : std::vector<float>();
    for (size_t to = 0; to < count; ++to) {
      const auto output = static_cast<int64_t>(to) / width, i = static_cast<int64_t>(to) % width;
      const size_t index =
          factor.matrix.IndexOf(factor.first_output + output, factor.first_input + i);
      const float scale = factor.scale[static_cast<size_t>(output)];
      weights.floats[to] += scale * elements.floats[index];
      if (is_quantised) scales.push_back(from[index] * scale);
    }
    if (is_quantised) weights.quantisation = QuantisationOf(weights.floats, std::move(scales));
  }
  return weights;
}

std::optional<Affine> AffineOf(const ir::Graph& graph, const Columns& columns, int64_t rows) {
  // A limit above any gate, because memory grows with the number of columns.
  constexpr int64_t kMaxColumns = 1 << 20;
  if (columns.count > kMaxColumns) return std::nullopt;
  Reader reader(graph, rows, columns.count);
  const std::vector<float> ones(static_cast<size_t>(columns.count), 1.0f);
  if (!reader.Read(columns, ones)) return std::nullopt;
  return reader.Take();
}

Columns AllColumns(ir::Source source) { return {source, 0, WidthOf(source)}; }

std::optional<Gate> GateOf(const ir::Graph& graph, ir::Source source) {
  Gate gate;
  Columns columns = AllColumns(source);
  while (const std::optional<Columns> inner = BeforeMovement(graph, columns)) {
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
  if (IsCalled(node, "HardSigmoid")) {
    const std::optional<double> alpha = NumberIn(node.inputs[1]), beta = NumberIn(node.inputs[2]);
    if (!alpha || !beta) return std::nullopt;
    gate.alpha = static_cast<float>(*alpha);
    gate.beta = static_cast<float>(*beta);
  }
  gate.before.source = node.inputs[0];
  return gate;
}

}  // namespace weft::graph
