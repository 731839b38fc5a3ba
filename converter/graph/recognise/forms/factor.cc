// SPDX-License-Identifier: Apache-2.0
// Merges consecutive constants:
//   (x * a) * b -> x * (a * b), if neither has to be broadcast; also divisions by constants
//   (x + a) + b -> x + (a + b), for equal signs or after a product; otherwise the separate
//                  addition may be meant to round
//   (W x) * a   -> (a W) x and (W x + b) * a -> (a W) x + (a b): a batch normalisation after a
//                  product, with one factor per output, if nothing else reads W. The product may
//                  be reshaped in between. Quantised weights keep their codes and get new scales
//   x * 1       -> x
//   T(W x) + a  -> T(W x + b), where T is a transposition and b is a with permuted axes. Over one
//                  step T may move nothing, and the product may start from a; with this rule the
//                  same holds over several steps. The product may already have constants
//   M(x) * n    -> M(x * n), M(x) + n -> M(x + n) for one number and any movements M, if x ends
//                  with such a constant or a product. Over one step M may move nothing
// New constants are computed in double and rounded once, so a result has at most as many roundings
// as before.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "converter/graph/lower.h"
#include "converter/graph/numbering.h"
#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// x times a constant, or x plus a constant.
struct WithConstant {
  ir::Source x;
  Repeated constant;
};

// Returns the index of the constant input if the other input is not constant and the operation
// allows it there. Step counters are excluded: a streaming model computes them from a variable, and
// the results must be bit-identical.
std::optional<size_t> ConstantInput(const ir::Node& node, Joining by) {
  const bool commutes = IsCalled(node, by == Joining::kSum ? "Add" : "Multiply");
  if (!commutes && !IsCalled(node, by == Joining::kSum ? "Subtract" : "Divide")) {
    return std::nullopt;
  }
  const size_t i = node.inputs[1].node->constant ? 1 : 0;
  const bool fits =
      node.inputs[i].node->constant && !node.inputs[1 - i].node->constant && (i == 1 || commutes);
  return fits && !IsNumbering(*node.inputs[i].node->constant) ? std::optional(i) : std::nullopt;
}

// Reads a factor or an addend. Division by zero is kept.
std::optional<WithConstant> ConstantIn(const ir::Node& node, Joining by) {
  const std::optional<size_t> i = ConstantInput(node, by);
  std::optional<Repeated> constant = i ? RepeatedOf(node, *i) : std::nullopt;
  if (!constant) return std::nullopt;
  const bool inverts = IsCalled(node, "Divide");
  if (inverts && std::ranges::count(constant->numbers, 0) > 0) return std::nullopt;
  if (inverts || IsCalled(node, "Subtract")) {
    for (double& number : constant->numbers) number = inverts ? 1 / number : -number;
  }
  return WithConstant{node.inputs[1 - *i], std::move(*constant)};
}

bool HasOneSign(const std::vector<double>& a, const std::vector<double>& b) {
  const auto all = [&](auto fits) {
    return std::ranges::all_of(a, fits) && std::ranges::all_of(b, fits);
  };
  return all([](double number) { return number >= 0; }) ||
         all([](double number) { return number <= 0; });
}

// A product with constant weights, stored as [outer, outputs, inner].
struct WeightedProduct {
  ir::Node* node = nullptr;
  // The axis of the result that holds the outputs; none if a reshape divides or merges it.
  std::optional<size_t> axis;
  int64_t outer = 1, outputs = 1, inner = 1;
  bool is_dense = false;
  Covered covered = {};  // the product and the reshapes after it
};

// Reads the product itself, without reshapes.
std::optional<WeightedProduct> PlainProductOf(const FormSite& site, ir::Source source) {
  ir::Node& node = *source.node;
  const Dims& result = node.outputs[0].type.dims;
  if (IsConvolved(node)) {
    const ir::Constant* weights = ConstantOf(node.inputs[1]);
    const int64_t count = CountIn(node.inputs[1]);
    const bool is_sole = site.SoleReader(*node.inputs[1].node) == &node;
    if (weights == nullptr || weights->type.type != ElementType::f32) return std::nullopt;
    if (count == 0 || !is_sole) return std::nullopt;
    return WeightedProduct{&node, 1, 1, result[1], count / result[1], false};
  }
  const std::optional<ConstantMatrix> matrix = MatrixIn(node);
  if (!matrix || matrix->inputs * matrix->outputs == 0) return std::nullopt;
  if (site.SoleReader(*node.inputs[1].node) != &node) return std::nullopt;
  if (result.empty() || result.back() != matrix->outputs) return std::nullopt;
  const auto& [constant, outputs, inputs, outputs_first] = *matrix;
  return WeightedProduct{&node,   result.size() - 1,          outputs_first ? 1 : inputs,
                         outputs, outputs_first ? inputs : 1, true};
}

// Returns the axis of `dims` that corresponds to axis `at` of `before`, for the same elements.
std::optional<size_t> SameAxis(const Dims& before, size_t at, const Dims& dims) {
  const int64_t outer = ops::ProductOf(before, 0, at);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == before[at] && ops::ProductOf(dims, 0, axis) == outer) return axis;
  }
  return std::nullopt;
}

std::optional<WeightedProduct> WeightedProductOf(const FormSite& site, ir::Source source) {
  Covered views;
  const ir::Source before = BeforeViews(source, views);
  std::optional<WeightedProduct> product = PlainProductOf(site, before);
  if (!product) return std::nullopt;
  product->axis = SameAxis(TypeOf(before).dims, *product->axis, TypeOf(source).dims);
  product->covered = std::move(views);
  product->covered.insert(product->node);
  return product;
}

// Returns one number for each output of a product with the outputs on this axis. One number for all
// needs no axis: whether a reshape keeps the axis can depend on the number of time steps.
std::optional<std::vector<double>> PerOutput(const Repeated& constant, std::optional<size_t> axis,
                                             const WeightedProduct& product) {
  if (!axis && constant.numbers.size() != 1) return std::nullopt;
  return AlongAxis(constant, axis.value_or(0), product.outputs);
}
std::optional<std::vector<double>> PerOutput(const Repeated& constant,
                                             const WeightedProduct& product) {
  return PerOutput(constant, product.axis, product);
}

std::optional<ir::Source> ScaledWeights(FormSite& site, const WeightedProduct& product,
                                        const std::vector<double>& factors) {
  const ir::Constant& constant = *ConstantOf(product.node->inputs[1]);
  CodedFloats weights = ops::CodedFloatsOf(constant);
  const auto multiplied = [&](const std::vector<float>& all) {
    std::vector<double> scaled(all.begin(), all.end());
    for (size_t i = 0; i < scaled.size(); ++i) {
      const size_t output =
          i / static_cast<size_t>(product.inner) % static_cast<size_t>(product.outputs);
      scaled[i] *= factors[output];
    }
    return RoundedFloats(scaled);
  };
  const auto floats = multiplied(weights.floats);
  if (!floats) return std::nullopt;
  if (weights.quantisation == nullptr) {
    weights.floats = *floats;
  } else {
    const std::vector<float> before = weights.quantisation->scales();
    const auto scales = multiplied(before);
    if (!scales) return std::nullopt;
    for (size_t i = 0; i < before.size(); ++i) {
      weights.floats[i] = CodeOf(weights.floats[i], before[i]) * (*scales)[i];
    }
    weights.quantisation = std::make_shared<const Quantisation>(*scales);
  }
  return NewFloats(site.graph(), *product.node, constant.type.dims, std::move(weights));
}

// Whether an addend is merged into the product's step may depend on the number of time steps. A
// constant with one number per output does not depend on it, after it is reduced to these numbers.
// Other addends stay separate.
void KeepAdditionApart(FormSite& site, const ir::Node& scaled, const WeightedProduct& product) {
  const ir::Node* from = &scaled;
  ir::Node* reader = site.SoleReader(scaled);
  while (reader != nullptr && ops::TraitsOf(*reader).reshapes) {
    from = reader;
    reader = site.SoleReader(*reader);
  }
  if (reader == nullptr || !IsCalled(*reader, "Add")) return;
  const Dims& dims = reader->outputs[0].type.dims;
  const size_t at = reader->inputs[0].node == from ? 1 : 0;
  const ir::Source sum = reader->inputs[1 - at], other = reader->inputs[at];
  const bool is_row = product.is_dense && TypeOf(other).dims == dims;
  if (!other.node->constant) {
    if (!is_row) reader->attributes[kRoundsApart] = "true";
    return;
  }
  const std::optional<Repeated> constant = RepeatedOf(*reader, at);
  const auto axis =
      product.axis ? SameAxis(scaled.outputs[0].type.dims, *product.axis, dims) : std::nullopt;
  if (constant && !PerOutput(*constant, axis, product)) {
    // A constant with one row per step is no longer a constant in the streaming model.
    if (!is_row) reader->attributes[kRoundsApart] = "true";
    return;
  }
  const bool is_broadcast =
      constant && std::ssize(constant->numbers) != CountIn(other) && TypeOf(sum).dims == dims;
  if (!is_broadcast) return;
  const std::vector<float> floats(constant->numbers.begin(), constant->numbers.end());
  site.Replace(*reader, {},
               {"Add", 1, {sum, NewFloats(site.graph(), *reader, constant->dims, floats)}});
}

// Multiplies the weights of the product, and its addend if there is one, by the factors.
bool FoldIntoProduct(FormSite& site, ir::Node& node, const WithConstant& factor) {
  const ir::Node& before = *factor.x.node;
  std::optional<WithConstant> addend;
  std::optional<WeightedProduct> product = WeightedProductOf(site, factor.x);
  if (!product) {
    addend = ConstantIn(before, Joining::kSum);
    if (addend) product = WeightedProductOf(site, addend->x);
    if (product && TypeOf(addend->x).dims != node.outputs[0].type.dims) return false;
  }
  if (!product || TypeOf(factor.x).dims != node.outputs[0].type.dims) return false;
  const auto factors = PerOutput(factor.constant, *product);
  Covered covered = product->covered;
  if (addend) covered.insert(&before);
  if (!factors || !site.IsClosed(node, covered)) return false;
  std::optional<std::vector<float>> shift;
  std::optional<Repeated> scaled;
  if (addend) {
    if (!PerOutput(addend->constant, *product)) return false;
    scaled = Joined(addend->constant, factor.constant, Joining::kProduct);
    if (scaled) shift = RoundedFloats(scaled->numbers);
    if (!shift) return false;
  }
  const std::optional<ir::Source> weights = ScaledWeights(site, *product, *factors);
  if (!weights) return false;
  std::map<std::string, std::string> attributes = product->node->attributes;
  const int opset = product->node->operation->opset;
  const std::string type(product->node->operation->name);
  std::vector<ir::Source> inputs = product->node->inputs;
  inputs[1] = *weights;
  Form form = {type, opset, std::move(inputs), std::move(attributes)};
  if (addend || product->covered.size() > 1) {
    ir::Graph& graph = site.graph();
    const ir::Source plain =
        NewOperation(graph, *product->node, type, opset, form.inputs, form.attributes);
    const Dims dims = node.outputs[0].type.dims;
    form = {"Identity", 16, {Reshaped(graph, node, plain, dims)}};
  }
  if (addend) {
    const ir::Source shifts = NewFloats(site.graph(), node, scaled->dims, std::move(*shift));
    form = {"Add", 1, {form.inputs[0], shifts}};
  }
  site.Replace(node, covered, std::move(form));
  KeepAdditionApart(site, node, *product);
  return true;
}

bool IsProductOrAddend(const FormSite& site, ir::Source x) {
  if (WeightedProductOf(site, x)) return true;
  const std::optional<size_t> i = ConstantInput(*x.node, Joining::kSum);
  return i && WeightedProductOf(site, x.node->inputs[1 - *i]);
}

// Returns true for a product with constant weights and any constant factors and addends after it.
bool IsProductWithConstants(const FormSite& site, ir::Source x) {
  while (!WeightedProductOf(site, x)) {
    std::optional<size_t> i = ConstantInput(*x.node, Joining::kSum);
    if (!i) i = ConstantInput(*x.node, Joining::kProduct);
    if (!i) return false;
    x = x.node->inputs[1 - *i];
  }
  return true;
}

// Merges two operations of one kind; the first has no other reader.
bool JoinTwo(FormSite& site, ir::Node& node, const WithConstant& second, Joining by) {
  const ir::Node& before = *second.x.node;
  const std::optional<WithConstant> first = ConstantIn(before, by);
  if (!first || TypeOf(second.x).dims != node.outputs[0].type.dims) return false;
  if (TypeOf(first->x).dims.size() != node.outputs[0].type.dims.size()) return false;
  const bool may_round =
      by == Joining::kSum && !HasOneSign(first->constant.numbers, second.constant.numbers);
  if (may_round && !WeightedProductOf(site, first->x)) return false;
  const std::optional<Repeated> joined = Joined(first->constant, second.constant, by);
  if (!joined || !site.IsClosed(node, {&before})) return false;
  std::optional<std::vector<float>> rounded = RoundedFloats(joined->numbers);
  if (!rounded) return false;
  Dims dims = joined->dims;
  // The merged constant must broadcast x to the same dims.
  const Dims &x = TypeOf(first->x).dims, &result = node.outputs[0].type.dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (std::max(x[i], dims[i]) != result[i] && result[i] != 0) return false;
  }
  const bool is_nothing = by == Joining::kProduct && TypeOf(first->x).dims == result &&
                          std::ranges::all_of(*rounded, [](float number) { return number == 1; });
  if (is_nothing) {
    site.Replace(node, {&before}, {"Identity", 16, {first->x}});
    return true;
  }
  const ir::Source constant = NewFloats(site.graph(), node, std::move(dims), std::move(*rounded));
  site.Replace(node, {&before},
               {by == Joining::kSum ? "Add" : "Multiply", 1, {first->x, constant}});
  return true;
}

// Returns true if all numbers are 1 or -1. Merging such factors is exact in any order.
bool AreSigns(const Repeated& factor) {
  return std::ranges::all_of(factor.numbers, [](double x) { return x == 1 || x == -1; });
}

// Returns true if neither of the two constants can differ from step to step of a streaming model. A
// product's outputs are not steps. Other consecutive constants are merged by RecogniseTables,
// before time is split into chunks. Afterwards, one of them may no longer be a constant.
bool AreOfEveryStep(const FormSite& site, const WithConstant& second, Joining by) {
  const ir::Node& before = *second.x.node;
  const std::optional<WithConstant> first = ConstantIn(before, by);
  if (!first) return false;
  if (by == Joining::kProduct && (AreSigns(first->constant) || AreSigns(second.constant))) {
    return true;
  }
  const std::optional<WeightedProduct> product = WeightedProductOf(site, first->x);
  return std::ranges::all_of(std::array{&first->constant, &second.constant}, [&](const auto* one) {
    return one->numbers.size() == 1 || (product && PerOutput(*one, *product));
  });
}

// Returns true if the factor can be merged into the weights of a product.
bool GoesIntoProduct(const FormSite& site, const ir::Node& scaled) {
  const std::optional<WithConstant> factor = ConstantIn(scaled, Joining::kProduct);
  if (!factor) return false;
  std::optional<WeightedProduct> product = WeightedProductOf(site, factor->x);
  if (const std::optional<size_t> i = ConstantInput(*factor->x.node, Joining::kSum);
      i && !product) {
    product = WeightedProductOf(site, factor->x.node->inputs[1 - *i]);
  }
  return product && PerOutput(factor->constant, *product);
}

// The constant input of an operation, and that of the preceding operation of the same kind.
struct Neighbours {
  const ir::Node* before = nullptr;
  ir::Source first, second;
  Joining by = Joining::kSum;
};
std::optional<Neighbours> NeighboursAt(const ir::Node& node) {
  for (const Joining by : {Joining::kSum, Joining::kProduct}) {
    const std::optional<size_t> second = ConstantInput(node, by);
    if (!second) continue;
    const ir::Node& before = *node.inputs[1 - *second].node;
    const std::optional<size_t> first = ConstantInput(before, by);
    if (!first) return std::nullopt;
    return Neighbours{&before, before.inputs[*first], node.inputs[*second], by};
  }
  return std::nullopt;
}

bool IsNumber(const ir::Node& node, Joining by) {
  const std::optional<size_t> i = ConstantInput(node, by);
  return i && NumberIn(node.inputs[*i]).has_value();
}

// Returns the source of a chain of transpositions and reshapes; `last` is the one that reads it.
// An Identity may be what a moved number left.
ir::Source BeforeMovements(ir::Source source, Covered& covered, ir::Node*& last) {
  const auto is_movement = [](const ir::Node& node) {
    return PermutationOf(node) || ops::TraitsOf(node).reshapes || IsCalled(node, "Identity");
  };
  while (is_movement(*source.node) && !source.node->attributes.contains(kMoved)) {
    last = source.node;
    covered.insert(last);
    source = last->inputs[0];
  }
  return source;
}

}  // namespace

bool RecogniseMovedNumber(FormSite& site, ir::Node& node) {
  const Joining by = ConstantInput(node, Joining::kSum) ? Joining::kSum : Joining::kProduct;
  const std::optional<size_t> i = ConstantInput(node, by);
  if (!i || node.attributes.contains(kRoundsApart)) return false;
  const ir::Source moved = node.inputs[1 - *i];
  Covered covered;
  ir::Node* last = nullptr;
  const ir::Source x = BeforeMovements(moved, covered, last);
  if (last == nullptr || !IsNumber(node, by)) return false;
  const bool meets =
      IsNumber(*x.node, by) || (by == Joining::kSum && IsProductWithConstants(site, x));
  const bool grows = TypeOf(moved).dims != node.outputs[0].type.dims;
  if (!meets || grows || !site.IsClosed(node, covered)) return false;
  const auto number = static_cast<float>(*NumberIn(node.inputs[*i]));
  std::vector<ir::Source> inputs = {x, x};
  inputs[*i] = NewFloats(site.graph(), node, {}, {number});
  const std::string type(node.operation->name);
  site.Redirect(*last, 0,
                NewOperation(site.graph(), node, type, node.operation->opset, std::move(inputs)));
  site.Replace(node, {}, {"Identity", 16, {moved}});
  return true;
}

bool RecogniseTransposedAddend(FormSite& site, ir::Node& node) {
  if (!IsCalled(node, "Add") || node.attributes.contains(kRoundsApart)) return false;
  const std::optional<size_t> i = ConstantInput(node, Joining::kSum);
  const ir::Node* transposition = i ? node.inputs[1 - *i].node : nullptr;
  const auto order = transposition != nullptr ? PermutationOf(*transposition) : std::nullopt;
  if (!order) return false;
  const ir::Source x = transposition->inputs[0];
  const std::optional<Repeated> constant = RepeatedOf(node, *i);
  if (!constant || order->size() != constant->dims.size() || !IsProductWithConstants(site, x)) {
    return false;
  }
  // If the numbers vary along at most one axis, they keep their order.
  const auto axes = std::ranges::count_if(constant->dims, [](int64_t dim) { return dim != 1; });
  const bool grows = TypeOf({node.inputs[1 - *i]}).dims != node.outputs[0].type.dims;
  if (axes > 1 || grows || !site.IsClosed(node, {transposition})) return false;
  Dims dims(order->size(), 1);
  for (size_t axis = 0; axis < dims.size(); ++axis) dims[(*order)[axis]] = constant->dims[axis];
  std::vector<float> floats(constant->numbers.begin(), constant->numbers.end());
  ir::Graph& graph = site.graph();
  const ir::Source addend = NewFloats(graph, node, std::move(dims), std::move(floats));
  const ir::Source sum = NewOperation(graph, node, "Add", 1, {x, addend});
  site.Replace(node, {transposition}, {"Transpose", 1, {sum, transposition->inputs[1]}});
  return true;
}

bool RecogniseTables(FormSite& site, ir::Node& node) {
  const std::optional<Neighbours> at = NeighboursAt(node);
  if (!at || (CountIn(at->first) == 1 && CountIn(at->second) == 1)) return false;
  if (at->by == Joining::kProduct && GoesIntoProduct(site, *at->before)) return false;
  const std::optional<WithConstant> second = ConstantIn(node, at->by);
  return second && JoinTwo(site, node, *second, at->by);
}

// Checks the structure first, because reading the numbers of a constant is slow.
bool RecogniseConstants(FormSite& site, ir::Node& node) {
  if (const std::optional<size_t> i = ConstantInput(node, Joining::kProduct)) {
    if (node.attributes.contains(kRoundsApart)) return false;
    const ir::Source x = node.inputs[1 - *i];
    if (NumberIn(node.inputs[*i]) == 1.0 && TypeOf(x).dims == node.outputs[0].type.dims) {
      if (!site.IsClosed(node, {})) return false;
      site.Replace(node, {}, {"Identity", 16, {x}});
      return true;
    }
    const bool follows = ConstantInput(*x.node, Joining::kProduct).has_value();
    const bool scales = IsProductOrAddend(site, x);
    if (!follows && !scales) return false;
    const std::optional<WithConstant> factor = ConstantIn(node, Joining::kProduct);
    if (!factor) return false;
    return (scales && FoldIntoProduct(site, node, *factor)) ||
           (follows && AreOfEveryStep(site, *factor, Joining::kProduct) &&
            JoinTwo(site, node, *factor, Joining::kProduct));
  }
  const std::optional<size_t> i = ConstantInput(node, Joining::kSum);
  if (!i || !ConstantInput(*node.inputs[1 - *i].node, Joining::kSum)) return false;
  const std::optional<WithConstant> addend = ConstantIn(node, Joining::kSum);
  return addend && AreOfEveryStep(site, *addend, Joining::kSum) &&
         JoinTwo(site, node, *addend, Joining::kSum);
}

}  // namespace weft::graph
