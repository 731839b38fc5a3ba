// SPDX-License-Identifier: Apache-2.0
// Einsum: a product of tensors whose axes have labels, summed over the labels that the output
// lacks. Labels that only one operand has are reduced first. Then the first two operands are
// combined by a dense step, a matmul or a multiplication, until one is left. The order of every sum
// depends on labels only, never on extents, so that streaming keeps the rounding.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "converter/ops/core/matmul.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/equation.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

constexpr size_t kMaxLabels = 7;  // the six batch axes of matmul and one summed axis

void CheckLabelCounts(InferScope& scope, const Equation& equation) {
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const std::string& subscript = equation.inputs[i];
    const size_t letters = LettersOf(subscript).size(), rank = scope.input_dims(i).size();
    if (HasEllipsis(subscript) ? letters <= rank : letters == rank) continue;
    scope.Fault("subscript \"{}\" has {} letters and input {} is {}; must have one letter per axis",
                subscript, letters, i, ToString(scope.input_type(i)));
  }
}

void CheckLabelExtents(InferScope& scope, const Equation& equation, const LabelExtents& extents) {
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const Labels labels = LabelsOf(scope, equation, i);
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      const int64_t dim = scope.input_dims(i)[axis], extent = extents.at(labels[axis]);
      const bool is_letter = labels[axis] >= kFirstLetter;
      if (dim == extent || (dim == 1 && !is_letter)) continue;
      scope.Fault("axis {} of input {} is {}, elsewhere {}; {}", axis, i, dim, extent,
                  is_letter ? "all axes of one letter must be equal"
                            : "axes under \"...\" must be equal or 1");
    }
  }
  if (extents.size() > kMaxLabels) {
    scope.Fault("equation has {} different axes; must have at most {}", extents.size(), kMaxLabels);
  }
}

void InferEinsum(InferScope& scope) {
  std::vector<size_t> operands(scope.input_count());
  for (size_t i = 0; i < operands.size(); ++i) operands[i] = i;
  CheckElements(scope, operands, {ElementType::f32, ElementType::i32, ElementType::i64});
  const std::optional<Equation> equation = ReadEquation(scope);
  if (!equation) return;
  CheckLabelCounts(scope, *equation);
  if (scope.failed()) return;
  const LabelExtents extents = ExtentsOf(scope, *equation);
  CheckLabelExtents(scope, *equation, extents);
  if (scope.failed()) return;
  Dims dims;
  for (const Label label : OutputLabels(*equation, extents)) dims.push_back(extents.at(label));
  scope.SetOutput(0, scope.input_element(0), std::move(dims));
}

// An operand: one of the node's inputs, or a product of several.
struct Term {
  Labels order;                      // each label once
  std::map<Label, int64_t> strides;  // in elements
  // kNone: input `input`, which becomes a value where it is read
  program::ValueId value = program::kNone;
  size_t input = 0;

  bool Has(Label label) const { return strides.contains(label); }
  // Strides along `labels`; 0 for labels that the term lacks.
  Dims StridesAlong(const Labels& labels) const {
    Dims along;
    for (const Label label : labels) along.push_back(Has(label) ? strides.at(label) : 0);
    return along;
  }
};

// The term of an input. A repeated label steps along all its axes at once. Extents that the
// ellipsis broadcasts are no axes.
Term TermOf(const NodeScope& scope, const Equation& equation, size_t input) {
  const Dims& dims = scope.input_dims(input);
  const Dims strides = program::DenseStrides(dims);
  const Labels labels = LabelsOf(scope, equation, input);
  Term term;
  term.input = input;
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    if (dims[axis] == 1 && labels[axis] < kFirstLetter) continue;
    if (!term.Has(labels[axis])) term.order.push_back(labels[axis]);
    term.strides[labels[axis]] += strides[axis];
  }
  return term;
}

Labels AllLabels(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Two operands and their labels: in both, in one only, and those in both that nothing else needs.
struct TermPair {
  Term a, b;
  Labels both, left, right, summed;

  void Exchange() {
    std::swap(a, b);
    std::swap(left, right);
  }
  // Returns true if the label order of the product, [both, left, right], fits the output.
  bool ComesInOrder(const Labels& output) const {
    std::vector<int> parts;
    for (const Label label : output) {
      if (HasLabel(both, label)) parts.push_back(0);
      if (HasLabel(left, label)) parts.push_back(1);
      if (HasLabel(right, label)) parts.push_back(2);
    }
    return std::ranges::is_sorted(parts);
  }
};

class Contraction {
 public:
  Contraction(LowerScope& scope, const Equation& equation)
      : scope_(scope),
        builder_(scope.builder),
        extents_(ExtentsOf(scope, equation)),
        output_(OutputLabels(equation, extents_)) {
    for (size_t i = 0; i < equation.inputs.size(); ++i) {
      terms_.push_back(TermOf(scope, equation, i));
    }
  }

  void Run() {
    for (size_t i = 0; i < terms_.size(); ++i) ReduceTerm(i);
    while (terms_.size() > 1) {
      const TermPair pair = FirstPair();
      const Term y = pair.summed.empty() ? Multiply(pair) : Contract(pair);
      terms_.erase(terms_.begin());
      terms_[0] = y;
    }
    const Term y = Ordered(terms_[0], output_);
    scope_.SetOutput(0, builder_.View(ValueOf(y), 0, scope_.output_type(0)));
  }

 private:
  program::ValueId ValueOf(const Term& term) {
    return term.value != program::kNone ? term.value : scope_.input(term.input);
  }
  bool IsConstant(const Term& term) const {
    return term.value == program::kNone && scope_.constant(term.input) != nullptr;
  }
  Dims DimsAlong(const Labels& labels) const {
    Dims dims;
    for (const Label label : labels) dims.push_back(extents_.at(label));
    return dims;
  }
  int64_t CountAlong(const Labels& labels) const {
    return ElementCount(DimsAlong(labels)).value_or(0);
  }
  StridedNest NestAlong(const Labels& labels, const Term& term) const {
    return JoinedNest(DimsAlong(labels), std::array{term.StridesAlong(labels)});
  }
  StridedNest NestAlong(const Labels& labels, const Term& a, const Term& b) const {
    return JoinedNest(DimsAlong(labels),
                      std::array{a.StridesAlong(labels), b.StridesAlong(labels)});
  }
  bool IsLine(const Labels& labels, const Term& term) const {
    return NestAlong(labels, term).dims.size() == 1;
  }
  bool IsLast() const { return terms_.size() == 2; }
  void SortByOutput(Labels& labels) const {
    std::ranges::sort(labels, {}, [&](Label label) { return std::ranges::find(output_, label); });
  }

  bool IsNeeded(Label label, size_t a, size_t b) const;
  void ReduceTerm(size_t i);
  TermPair FirstPair() const;
  Term DenseTerm(const Labels& order) const;
  Term Fresh(const Labels& order);
  Term Known(const Labels& order, const Term& term);
  Term Multiply(const TermPair& pair);
  bool ShouldExchange(const TermPair& pair, bool has_matrix) const;
  Term Contract(TermPair pair);
  Term ByDense(const TermPair& pair);
  void SplitRows(TermPair& pair) const;
  Term ByMatmul(TermPair pair);
  CodedFloats ElementsAlong(const Labels& order, const Term& term) const;
  Term Ordered(const Term& term, const Labels& order);

  LowerScope& scope_;
  program::Builder& builder_;
  const LabelExtents extents_;
  const Labels output_;
  std::vector<Term> terms_;
};

// Returns true if the output or another operand has the label.
bool Contraction::IsNeeded(Label label, size_t a, size_t b) const {
  if (HasLabel(output_, label)) return true;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (i != a && i != b && terms_[i].Has(label)) return true;
  }
  return false;
}

void Contraction::ReduceTerm(size_t i) {
  const Term term = terms_[i];
  std::vector<ReduceAxis> axes;
  Labels kept;
  for (const Label label : term.order) {
    const bool is_kept = IsNeeded(label, i, i);
    axes.push_back({extents_.at(label), term.strides.at(label), !is_kept});
    if (is_kept) kept.push_back(label);
  }
  const Reduction over = ReductionOver(axes);
  if (!over.reduces()) {  // sums of at most one element
    terms_[i].order = kept;
    std::erase_if(terms_[i].strides, [&](const auto& row) { return !HasLabel(kept, row.first); });
    return;
  }
  terms_[i] = Fresh(kept);
  EmitReduce(builder_, format::ReduceOp::sum, over.axes, ValueOf(term), terms_[i].value,
             over.order);
}

TermPair Contraction::FirstPair() const {
  TermPair pair;
  pair.a = terms_[0];
  pair.b = terms_[1];
  for (const Label label : pair.a.order) {
    if (!pair.b.Has(label)) {
      pair.left.push_back(label);
    } else {
      (IsNeeded(label, 0, 1) ? pair.both : pair.summed).push_back(label);
    }
  }
  for (const Label label : pair.b.order) {
    if (!pair.a.Has(label)) pair.right.push_back(label);
  }
  return pair;
}

// A dense tensor without a value.
Term Contraction::DenseTerm(const Labels& order) const {
  const Dims strides = program::DenseStrides(DimsAlong(order));
  Term term;
  term.order = order;
  for (size_t axis = 0; axis < order.size(); ++axis) term.strides[order[axis]] = strides[axis];
  return term;
}

// A dense tensor with a new value.
Term Contraction::Fresh(const Labels& order) {
  Term term = DenseTerm(order);
  term.value = builder_.Scratch({scope_.input_element(0), DimsAlong(order)});
  return term;
}

Term Contraction::Multiply(const TermPair& pair) {
  Labels order = AllLabels({pair.both, pair.left, pair.right});
  if (IsLast()) SortByOutput(order);
  const program::ValueId a = ValueOf(pair.a), b = ValueOf(pair.b);
  const Term y = Fresh(order);
  EmitBinary(builder_, format::BinaryOp::multiply, NestAlong(order, pair.a, pair.b), a, b, y.value);
  return y;
}

// Returns true if the operands must be exchanged. A constant f32 matrix must be the second operand.
// Otherwise the order must produce the output's labels; if neither order does, a constant is the
// second operand.
bool Contraction::ShouldExchange(const TermPair& pair, bool has_matrix) const {
  if (has_matrix) return !IsConstant(pair.b);
  if (!IsLast() || pair.ComesInOrder(output_)) return false;
  TermPair other = pair;
  other.Exchange();
  return other.ComesInOrder(output_) || !IsConstant(pair.b);
}

Term Contraction::Contract(TermPair pair) {
  const bool has_matrix = scope_.input_element(0) == ElementType::f32 && pair.both.empty() &&
                          (IsConstant(pair.a) || IsConstant(pair.b));
  if (ShouldExchange(pair, has_matrix)) pair.Exchange();
  if (IsLast() && pair.ComesInOrder(output_)) {
    for (Labels* labels : {&pair.both, &pair.left, &pair.right}) SortByOutput(*labels);
  }
  return has_matrix ? ByDense(pair) : ByMatmul(pair);
}

Term Contraction::ByDense(const TermPair& pair) {
  const Term a = Ordered(pair.a, AllLabels({pair.left, pair.summed}));
  const int64_t inputs = CountAlong(pair.summed), outputs = CountAlong(pair.right);
  const program::ValueId weights =
      PackDense(builder_, ElementsAlong(AllLabels({pair.summed, pair.right}), pair.b), 1, outputs,
                outputs, inputs);
  const program::ValueId x = ValueOf(a);
  const Term y = Fresh(AllLabels({pair.left, pair.right}));
  EmitDense(builder_, CountAlong(pair.left), inputs, outputs, x, weights, y.value);
  ExcludeLastStepFromFusion(builder_);
  return y;
}

// The elements of a constant term in the order of `order`.
CodedFloats Contraction::ElementsAlong(const Labels& order, const Term& term) const {
  std::vector<int64_t> positions = {0};
  for (const Label label : order) {
    std::vector<int64_t> finer;
    for (const int64_t position : positions) {
      for (int64_t i = 0; i < extents_.at(label); ++i) {
        finer.push_back(position + i * term.strides.at(label));
      }
    }
    positions = std::move(finer);
  }
  return CodedFloatsOf(*scope_.constant(term.input)).Arranged([&](const std::vector<float>& all) {
    std::vector<float> along;
    for (const int64_t position : positions) along.push_back(all[static_cast<size_t>(position)]);
    return along;
  });
}

// Rows that have no common stride: the outer labels become separate products, unless few rows would
// be left in each.
void Contraction::SplitRows(TermPair& pair) const {
  constexpr int64_t kMinRows = 4;
  if (!IsLine(pair.summed, pair.a)) return;
  auto rest = pair.left.begin();
  while (!IsLine(Labels(rest, pair.left.end()), pair.a)) ++rest;
  if (CountAlong(Labels(rest, pair.left.end())) < kMinRows) return;
  pair.both.insert(pair.both.end(), pair.left.begin(), rest);
  pair.left.erase(pair.left.begin(), rest);
}

// The matmul step has one stride per operand for rows, columns and the summed axis.
Term Contraction::ByMatmul(TermPair pair) {
  SplitRows(pair);
  const auto in_lines = [&](const Term& term, const Labels& first, const Labels& second) {
    const bool fits = IsLine(first, term) && IsLine(second, term);
    return fits ? term : Ordered(term, AllLabels({pair.both, first, second}));
  };
  const Term a = in_lines(pair.a, pair.left, pair.summed);
  const Term b = in_lines(pair.b, pair.summed, pair.right);
  const auto stride = [&](const Labels& labels, const Term& term) {
    return NestAlong(labels, term).strides[0][0];
  };
  MatrixProduct product;
  product.batch = NestAlong(pair.both, a, b);
  product.rows = CountAlong(pair.left);
  product.columns = CountAlong(pair.right);
  product.inner = CountAlong(pair.summed);
  product.a_row_stride = stride(pair.left, a);
  product.a_inner_stride = stride(pair.summed, a);
  product.b_inner_stride = stride(pair.summed, b);
  product.b_column_stride = stride(pair.right, b);
  const program::ValueId left = ValueOf(a), right = ValueOf(b);
  const Term y = Fresh(AllLabels({pair.both, pair.left, pair.right}));
  EmitProduct(builder_, product, left, right, y.value);
  return y;
}

// A constant as weights that are dense along `order`.
Term Contraction::Known(const Labels& order, const Term& term) {
  Term known = DenseTerm(order);
  known.value =
      builder_.WeightsOf({ElementType::f32, DimsAlong(order)}, ElementsAlong(order, term));
  return known;
}

// The term dense along `order`, copied if it is not. Labels that it lacks are skipped.
Term Contraction::Ordered(const Term& term, const Labels& order) {
  Labels own;
  std::ranges::copy_if(order, std::back_inserter(own),
                       [&](Label label) { return term.Has(label); });
  const StridedNest nest = NestAlong(own, term);
  if (nest.dims.size() == 1 && nest.strides[0][0] == 1) return term;
  if (IsConstant(term) && scope_.input_element(0) == ElementType::f32) return Known(own, term);
  const program::ValueId source = ValueOf(term);
  const Term target = Fresh(own);
  builder_.CopyStrided(source, target.value, DimsAlong(own), term.StridesAlong(own), 0,
                       target.StridesAlong(own), 0);
  return target;
}

void LowerEinsum(LowerScope& scope) {
  for (size_t i = 0; i < scope.input_count(); ++i) {  // an empty sum
    if (ElementCount(scope.input_dims(i)) == 0) return scope.builder.Fill(scope.NewOutput(0));
  }
  Contraction(scope, ReadEquation(scope).value()).Run();
}

// Returns true if only one operand has the label and it is summed.
bool IsReducedInOneTerm(const std::vector<Labels>& inputs, const Labels& output, Label label) {
  const auto holds = [&](const Labels& labels) { return HasLabel(labels, label); };
  return !HasLabel(output, label) && std::ranges::count_if(inputs, holds) == 1;
}

// Returns true if an axis of `labels` is independent: its label occurs once, and no outer label of
// this operand is reduced alone. The order of such a reduction changes if the axis has extent 1.
bool IsIndependentAxis(const std::vector<Labels>& inputs, const Labels& output,
                       const Labels& labels, size_t axis) {
  if (std::ranges::count(labels, labels[axis]) > 1) return false;
  return std::none_of(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(axis),
                      [&](Label label) { return IsReducedInOneTerm(inputs, output, label); });
}

void EinsumAxes(AxisScope& scope) {
  const Equation equation = ReadEquation(scope).value();
  const Labels output = OutputLabels(equation, ExtentsOf(scope, equation));
  std::vector<Labels> inputs;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    inputs.push_back(LabelsOf(scope, equation, i));
  }
  for (size_t to = 0; to < output.size(); ++to) {
    AxisGroup group = {{true, 0, static_cast<int64_t>(to)}};
    bool apart = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (size_t axis = 0; axis < inputs[i].size(); ++axis) {
        if (inputs[i][axis] != output[to] || scope.in(i)[axis] != scope.out(0)[to]) continue;
        apart = apart && IsIndependentAxis(inputs, output, inputs[i], axis);
        group.push_back({false, i, static_cast<int64_t>(axis)});
      }
    }
    if (apart) scope.relation.groups.push_back(std::move(group));
  }
  scope.relation.reason = "sums over time, or over an axis outside it";
}

constexpr Traits kEinsum = {.axes = EinsumAxes, .heavy = true};

constexpr Operation kEinsumRows[] = {
    {"Einsum", 7, 1, kAnyNumber, InferEinsum, LowerEinsum, kEinsum}};

}  // namespace

std::span<const Operation> EinsumOperations() { return kEinsumRows; }

}  // namespace weft::ops
