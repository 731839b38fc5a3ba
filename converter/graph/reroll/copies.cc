// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/copies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// Relative tolerance for constants that another program computed from the same numbers.
constexpr double kClose = 1e-6;

bool HoldsOnly(const Value& value, float number) {
  if (!value.constant || value.type.type != ElementType::f32) return false;
  const std::vector<float> floats = ops::Floats(*value.constant);
  return !floats.empty() && std::ranges::all_of(floats, [&](float f) { return f == number; });
}

}  // namespace

Copies::Copies(const ir::Graph& graph, ValueTable& values, const Period& period, int64_t count,
               Folding& folding)
    : graph_(graph),
      values_(values),
      period_(period),
      count_(count),
      folding_(folding),
      rows_(static_cast<size_t>(count), Row(period.values.size(), kNoValue)) {}

bool Copies::Find(int64_t min) {
  FindFirst();
  FindLast();
  AddSimplified();
  return trips() >= min;
}

int Copies::At(int64_t copy, int body) const {
  return rows_[static_cast<size_t>(copy)][static_cast<size_t>(body)];
}

int Copies::Initial(size_t state) const { return At(first_, period_.states[state].parameter); }

// Returns true if all slices of the copy exist in their tensors. The loop reads them even if no
// node does.
bool Copies::IsInside(int64_t copy) const {
  return std::ranges::all_of(period_.values, [&](const BodyValue& value) {
    if (value.kind != BodyValue::Kind::kSliced) return true;
    const int64_t begin = value.begin + value.step * copy;
    const int64_t dim = values_[value.value].type.dims[static_cast<size_t>(value.axis)];
    return begin >= 0 && begin + value.part <= dim;
  });
}

void Copies::SetLeaves(int64_t copy, Row& row) const {
  for (size_t at = 0; at < row.size(); ++at) {
    const BodyValue& value = period_.values[at];
    if (value.kind == BodyValue::Kind::kInvariant) row[at] = value.value;
    if (value.kind != BodyValue::Kind::kSliced) continue;
    row[at] =
        values_.FindSlice(value.value, value.axis, value.begin + value.step * copy, value.part);
  }
}

// Assigns `value` and its inputs to the body value and its inputs, where they correspond. Returns
// false if any of them does not.
bool Copies::Unify(int body, int value, Row& row) const {
  int& known = row[static_cast<size_t>(body)];
  if (known != kNoValue || value == kNoValue) return known == value;
  const BodyValue& wanted = Body(body);
  switch (wanted.kind) {
    case BodyValue::Kind::kSliced:
    case BodyValue::Kind::kInvariant:
      return false;
    case BodyValue::Kind::kState:
      if (values_[value].type.type != wanted.type.type) return false;
      break;
    case BodyValue::Kind::kSeries:
      if (!values_[value].constant || !(values_[value].type == wanted.type)) return false;
      break;
    default:
      if (!UnifyInputs(body, value, row)) return false;
  }
  row[static_cast<size_t>(body)] = value;
  return true;
}

bool Copies::UnifyInputs(int body, int value, Row& row) const {
  const Value &wanted = values_[Body(body).value], &is = values_[value];
  if (is.kind != wanted.kind || !(is.type == wanted.type) || is.form != wanted.form) return false;
  if (is.port != wanted.port || is.inputs.size() != wanted.inputs.size()) return false;
  if (is.axis != wanted.axis || is.begin != wanted.begin || is.part != wanted.part) return false;
  bool alike = true;
  const std::vector<int>& inputs = Body(body).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) alike = Unify(inputs[i], is.inputs[i], row) && alike;
  return alike;
}

int Copies::OutputAt(const BodyOutput& output, int64_t copy) const {
  if (output.reader == kNoValue) return kNoValue;
  const std::vector<int>& inputs = values_[output.reader].inputs;
  const int64_t at = output.at + output.step * (copy - period_.copy);
  return at < 0 || at >= std::ssize(inputs) ? kNoValue : inputs[static_cast<size_t>(at)];
}

bool Copies::UnifyOutputs(int64_t copy, Row& row) const {
  bool alike = true;
  for (const BodyOutput& output : period_.outputs) {
    const int value = OutputAt(output, copy);
    if (value != kNoValue) alike = Unify(output.body, value, row) && alike;
  }
  return alike;
}

// Unifies the next states of the copy with the states of the copy after it, and its outputs.
bool Copies::UnifyBefore(int64_t copy, Row& row) const {
  bool alike = true;
  for (const BodyState& state : period_.states) {
    const int value = At(copy + 1, state.parameter);
    if (value != kNoValue) alike = Unify(state.next, value, row) && alike;
  }
  return UnifyOutputs(copy, row) && alike;
}

int Copies::Compute(int body, const std::vector<int>& inputs) const {
  if (std::ranges::count(inputs, kNoValue) > 0) return kNoValue;
  const BodyValue& value = Body(body);
  const Value& made = values_[value.value];
  if (value.kind == BodyValue::Kind::kPart) {
    return values_.FindSlice(inputs[0], made.axis, made.begin, made.part);
  }
  if (value.kind == BodyValue::Kind::kReshape) {
    return values_.FindReshape(inputs[0], made.type.dims);
  }
  return values_.FindOperation(made.form, made.port, inputs);
}

std::vector<int> Copies::InputsOf(int body, const Row& row) const {
  std::vector<int> inputs;
  for (const int input : Body(body).inputs) inputs.push_back(row[static_cast<size_t>(input)]);
  return inputs;
}

// Looks up unknown values. Returns false if a known value differs from its computation.
bool Copies::Fill(int64_t copy, Row& row) const {
  SetLeaves(copy, row);
  for (size_t at = 0; at < row.size(); ++at) {
    const int body = static_cast<int>(at);
    if (!Body(body).computed()) continue;
    const int value = Compute(body, InputsOf(body, row));
    if (row[at] == kNoValue) row[at] = value;
    if (value != row[at]) return false;
  }
  return true;
}

void Copies::FindFirst() {
  first_ = last_ = period_.copy;
  Row& found = RowOf(first_);
  SetLeaves(first_, found);
  for (size_t at = 0; at < found.size(); ++at) {
    const BodyValue& value = period_.values[at];
    if (value.kind != BodyValue::Kind::kSliced) found[at] = value.value;
  }
  for (int64_t copy = first_ - 1; copy >= 0 && IsInside(copy); --copy) {
    Row row(period_.values.size(), kNoValue);
    SetLeaves(copy, row);
    if (!UnifyBefore(copy, row)) break;
    RowOf(copy) = std::move(row);
    first_ = copy;
  }
  const auto is_known = [&](const BodyState& state) {
    return At(first_, state.parameter) != kNoValue;
  };
  for (int64_t copy = first_; copy <= last_; ++copy) {
    Row& row = RowOf(copy);
    for (const BodyState& state : period_.states) {
      int& value = row[static_cast<size_t>(state.parameter)];
      if (value == kNoValue && copy > first_) value = At(copy - 1, state.next);
    }
    if (!Fill(copy, row)) first_ = copy + 1;
  }
  while (first_ < last_ && !std::ranges::all_of(period_.states, is_known)) ++first_;
}

void Copies::FindLast() {
  for (int64_t copy = last_ + 1; copy < count_ && IsInside(copy); ++copy) {
    Row row(period_.values.size(), kNoValue);
    SetLeaves(copy, row);
    const auto set_states = [&] {
      return std::ranges::all_of(period_.states, [&](const BodyState& state) {
        int& value = row[static_cast<size_t>(state.parameter)];
        const int next = At(copy - 1, state.next);
        const bool fits = value == kNoValue || value == next;
        value = next;
        return fits;
      });
    };
    if (!set_states() || !UnifyOutputs(copy, row) || !set_states() || !Fill(copy, row)) return;
    bool is_there = false;
    for (size_t at = 0; at < row.size(); ++at) {
      const int body = static_cast<int>(at);
      is_there = is_there ||
                 (Body(body).computed() && row[at] != kNoValue && row[at] != At(copy - 1, body));
    }
    if (!is_there) return;
    RowOf(copy) = std::move(row);
    last_ = copy;
  }
}

bool Copies::AreClose(int a, int b) const {
  if (a == b) return true;
  if (a == kNoValue || b == kNoValue) return false;
  const Value &x = values_[a], &y = values_[b];
  if (!x.constant || !y.constant || !(x.type == y.type)) return false;
  if (x.type.type != ElementType::f32) return false;
  const std::vector<float> p = ops::Floats(*x.constant), q = ops::Floats(*y.constant);
  return std::ranges::equal(p, q, [](float left, float right) {
    return std::abs(double{left} - double{right}) <= kClose * std::abs(double{right});
  });
}

// A tracer computes values that depend only on a constant initial state, and omits sums with its
// zeros. The first copy then has fewer operations than the body.
void Copies::AddSimplified() {
  const int64_t copy = first_ - 1;
  if (copy < 0 || !IsInside(copy)) return;
  FindZeros();
  Row row = Hypothesis(copy);
  if (!Simplify(copy, row)) return;
  RowOf(copy) = std::move(row);
  first_ = copy;
}

// Known states and constants are used as they are; other states are assumed to be zeros.
Copies::Row Copies::Hypothesis(int64_t copy) {
  Row seen(period_.values.size(), kNoValue), row = seen;
  SetLeaves(copy, seen);
  (void)UnifyBefore(copy, seen);
  for (size_t at = 0; at < row.size(); ++at) {
    const BodyValue& value = period_.values[at];
    const bool is_state = value.kind == BodyValue::Kind::kState;
    if (is_state || value.kind == BodyValue::Kind::kSeries) row[at] = seen[at];
    if (is_state && seen[at] == kNoValue) row[at] = values_.AddConstant(ir::ZerosOf(value.type));
  }
  return row;
}

bool Copies::Simplify(int64_t copy, Row& row) {
  SetLeaves(copy, row);
  for (size_t at = 0; at < row.size(); ++at) {
    const int body = static_cast<int>(at);
    if (Body(body).computed()) row[at] = SimplifiedOf(body, row);
  }
  const auto becomes_known = [&](const BodyState& state) {
    const int known = At(copy + 1, state.parameter);
    return known != kNoValue && AreClose(row[static_cast<size_t>(state.next)], known);
  };
  const auto is_there = [&](const BodyOutput& output) {
    const int known = OutputAt(output, copy);
    return known == kNoValue || AreClose(row[static_cast<size_t>(output.body)], known);
  };
  return std::ranges::all_of(period_.states, becomes_known) &&
         std::ranges::all_of(period_.outputs, is_there);
}

int Copies::SimplifiedOf(int body, const Row& row) {
  const std::vector<int> inputs = InputsOf(body, row);
  if (std::ranges::count(inputs, kNoValue) > 0) {
    return IsNothing(body, inputs) ? values_.AddConstant(ir::ZerosOf(Body(body).type)) : kNoValue;
  }
  const bool is_constant =
      std::ranges::all_of(inputs, [&](int input) { return values_[input].constant.has_value(); });
  const int found = Compute(body, inputs);
  if (found != kNoValue) return found;
  if (is_constant) return Folded(body, inputs);
  if (Body(body).kind != BodyValue::Kind::kOperation || inputs.size() != 2) return kNoValue;
  const int with_zeros = WithOtherZeros(body, inputs);
  return with_zeros != kNoValue ? with_zeros : WithoutNeutral(body, inputs);
}

// The graph may contain computed zeros instead of a constant.
int Copies::WithOtherZeros(int body, const std::vector<int>& inputs) const {
  for (size_t at = 0; at < inputs.size(); ++at) {
    if (!HoldsOnly(values_[inputs[at]], 0)) continue;
    std::vector<int> others = inputs;
    for (const int zeros : zeros_) {
      others[at] = zeros;
      const int found = Compute(body, others);
      if (found != kNoValue) return found;
    }
  }
  return kNoValue;
}

// Returns true for a product with zeros, whose other factor may be missing.
bool Copies::IsNothing(int body, const std::vector<int>& inputs) const {
  if (Body(body).kind != BodyValue::Kind::kOperation) return false;
  const std::string_view name = values_[Body(body).value].source.node->operation->name;
  return (name == "Multiply" || name == "MatMul") && std::ranges::any_of(inputs, [&](int input) {
           return input != kNoValue && HoldsOnly(values_[input], 0);
         });
}

// The result of a sum with zeros, or a product with ones or zeros.
int Copies::WithoutNeutral(int body, const std::vector<int>& inputs) {
  const std::string_view name = values_[Body(body).value].source.node->operation->name;
  const bool adds = name == "Add", scales = name == "Multiply", is_product = name == "MatMul";
  for (const size_t at : {size_t{1}, size_t{0}}) {
    if (at == 0 && !adds && !scales && !is_product) break;
    const Value& constant = values_[inputs[at]];
    const int other = inputs[1 - at];
    const bool is_neutral = ((adds || name == "Subtract") && HoldsOnly(constant, 0)) ||
                            ((scales || name == "Divide") && HoldsOnly(constant, 1));
    if (is_neutral && values_[other].type == Body(body).type) return other;
    if ((scales || is_product) && HoldsOnly(constant, 0)) {
      return values_.AddConstant(ir::ZerosOf(Body(body).type));
    }
  }
  return kNoValue;
}

// Collects values that are zero because a factor is zero.
void Copies::FindZeros() {
  std::vector<bool> are_zeros(static_cast<size_t>(values_.size()), false);
  for (int value = 0; value < values_.size(); ++value) {
    const Value& found = values_[value];
    bool keeps_zeros = found.kind == Value::Kind::kReshape || found.kind == Value::Kind::kSlice;
    if (found.kind == Value::Kind::kOperation) {
      const std::string_view name = found.source.node->operation->name;
      keeps_zeros = name == "Multiply" || name == "MatMul";
    }
    const auto at = static_cast<size_t>(value);
    are_zeros[at] =
        HoldsOnly(found, 0) || (keeps_zeros && std::ranges::any_of(found.inputs, [&](int input) {
                                  return are_zeros[static_cast<size_t>(input)];
                                }));
    if (are_zeros[at]) zeros_.push_back(value);
  }
}

// Folds the operation. Returns an existing constant of the model if it is close, because another
// program computed it.
int Copies::Folded(int body, const std::vector<int>& inputs) {
  const Value& value = values_[Body(body).value];
  const ir::Constant first = *values_[inputs[0]].constant;
  if (value.kind == Value::Kind::kReshape) {
    return values_.AddConstant({value.type, first.owner, first.bytes});
  }
  if (value.kind == Value::Kind::kSlice) {
    const bool has_bytes = ElementBytes(first.type.type) > 0;
    if (!has_bytes) return kNoValue;
    const auto axis = static_cast<size_t>(value.axis);
    ir::Constant part = PartOf(first, axis, value.begin, value.part);
    part.type = value.type;
    return values_.AddConstant(std::move(part));
  }
  const ir::Source made = value.source;
  if (made.node == nullptr || made.node->inputs.size() != inputs.size()) return kNoValue;
  const std::unique_ptr<ir::Node> node = ir::CopyOf(*made.node);
  std::vector<std::unique_ptr<ir::Node>> constants;
  for (size_t i = 0; i < inputs.size(); ++i) {
    constants.push_back(MakeConstant(*made.node, *values_[inputs[i]].constant));
    node->inputs[i] = {constants.back().get(), 0};
  }
  Faults discarded;  // a value that cannot be computed equals no other
  const std::vector<ir::Constant> results = Fold(graph_, *node, folding_, discarded);
  if (results.size() <= made.port) return kNoValue;
  const int known = values_.size(), folded = values_.AddConstant(results[made.port]);
  for (int other = 0; folded == known && other < known; ++other) {
    if (AreClose(folded, other)) return other;
  }
  return folded;
}

}  // namespace weft::graph
