// SPDX-License-Identifier: Apache-2.0
// GatherTree: the sequences that a beam search has found. A section iterates from the last step of
// each sequence to the first and reads the token of the current beam at each step. End tokens fill
// the steps after the end of a sequence and after its first end token.
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::CompareOp;
using program::ValueId;

void InferGatherTree(InferScope& scope) {
  constexpr size_t kAll[] = {0, 1, 2, 3};
  CheckElements(scope, kAll, {ElementType::f32, ElementType::i32, ElementType::i64});
  const Dims& steps = scope.input_dims(0);
  if (steps.size() != 3 || scope.input_dims(1) != steps) {
    return scope.Fault("steps are {} and parents {}; must both be [time, batch, beams]",
                       ToString(scope.input_type(0)), ToString(scope.input_type(1)));
  }
  if (scope.input_dims(2) != Dims{steps[1]}) {
    scope.Fault("sequence lengths are {} for steps {}; must be [{}]", ToString(scope.input_type(2)),
                ToString(scope.input_type(0)), steps[1]);
  }
  if (ElementCount(scope.input_dims(3)) != 1) {
    scope.Fault("the end token is {}; must be one number", ToString(scope.input_type(3)));
  }
  scope.SetOutput(0, scope.input_type(0));
}

class BeamTrace {
 public:
  explicit BeamTrace(LowerScope& scope)
      : scope_(scope),
        builder_(scope.builder),
        type_(scope.input_element(0)),
        dims_(scope.input_dims(0)),
        step_{1, dims_[1], dims_[2]},
        index_type_(type_ == ElementType::i64 ? ElementType::i64 : ElementType::i32),
        end_{scope.input(3), {1, 1, 1}} {}

  void Run() {
    const Operand tokens = {StridedNest(), dims_};
    const Operand last = {LastPositions(tokens), step_};
    const ValueId is_after = builder_.Scratch({ElementType::boolean, dims_});
    const Operand times = {IndexSequence(builder_, ElementType::i32, dims_[0]), {dims_[0], 1, 1}};
    EmitCompare(builder_, CompareOp::greater, times, last, is_after);
    EmitSelect(builder_, {is_after, dims_}, end_, tokens, {scope_.NewOutput(0), dims_});
  }

 private:
  // [time, batch, beams]: the tokens of each sequence, followed by end tokens.
  ValueId StridedNest() {
    const Operand lengths = {Converted(builder_, scope_.input(2), ElementType::i32),
                             {1, dims_[1], 1}};
    const ValueId times = IndexSequence(builder_, ElementType::i32, dims_[0]);
    LoopSpec loop;
    loop.trips = dims_[0];
    loop.sliced.push_back({scope_.input(0), 0, 1, true});
    loop.sliced.push_back({Converted(builder_, scope_.input(1), index_type_), 0, 1, true});
    loop.sliced.push_back({times, 0, 1, true});
    loop.carried.push_back({OwnBeams(), 0});
    loop.scans.push_back({1, 0, true, {type_, dims_}});
    const LoopResults results = LowerLoop(builder_, loop, [&](const Iteration& iteration) {
      const Dims used = {1, dims_[1], 1};
      const Operand is_used = {builder_.Scratch({ElementType::boolean, used}), used};
      EmitCompare(builder_, CompareOp::less, {iteration.slices[2], {1, 1, 1}}, lengths,
                  is_used.value);
      const ValueId beams = iteration.states[0];
      const ValueId token = OfBeams(iteration.slices[0], beams);
      const ValueId parent = OfBeams(iteration.slices[1], beams);
      const Operand next = {builder_.Scratch({index_type_, step_}), step_};
      const Operand shown = {builder_.Scratch({type_, step_}), step_};
      EmitSelect(builder_, is_used, {parent, step_}, {beams, step_}, next);
      EmitSelect(builder_, is_used, {token, step_}, end_, shown);
      return std::vector<ValueId>{next.value, shown.value};
    });
    return results.scans[0];
  }

  // The initial beam of each sequence: its own index.
  ValueId OwnBeams() {
    Dims beams;
    for (int64_t i = 0; i < dims_[1] * dims_[2]; ++i) beams.push_back(i % dims_[2]);
    return builder_.View(IntegerWeights(builder_, index_type_, beams), 0, {index_type_, step_});
  }

  // The elements of one step at the given beams.
  ValueId OfBeams(ValueId x, ValueId beams) {
    const ValueId y = builder_.Scratch({builder_.type(x), step_});
    EmitGather(builder_, {dims_[1], 1, dims_[2], 1, dims_[2]}, x, beams, y);
    return y;
  }

  // The index of the first end token of each sequence, or the number of steps if there is none.
  ValueId LastPositions(const Operand& tokens) {
    const ValueId is_end = builder_.Scratch({ElementType::boolean, dims_});
    EmitCompare(builder_, CompareOp::equal, tokens, end_, is_end);
    return EmitFirstTrue(builder_, 1, dims_[0], dims_[1] * dims_[2], is_end);
  }

  LowerScope& scope_;
  program::Builder& builder_;
  const ElementType type_;
  const Dims dims_, step_;
  const ElementType index_type_;
  const Operand end_;
};

void LowerGatherTree(LowerScope& scope) {
  if (ElementCount(scope.output_type(0).dims) != 0) return BeamTrace(scope).Run();
  scope.NewOutput(0);
}

void GatherTreeAxes(AxisScope& scope) {
  scope.relation.groups.push_back({{false, 0, 1}, {false, 1, 1}, {false, 2, 0}, {true, 0, 1}});
  scope.relation.reason = "follows sequences back in time";
}

constexpr Traits kTraces = {.axes = GatherTreeAxes, .heavy = true};

constexpr Operation kGatherTreeRows[] = {
    {"GatherTree", 1, 4, 4, InferGatherTree, LowerGatherTree, kTraces},
};

}  // namespace

std::span<const Operation> GatherTreeOperations() { return kGatherTreeRows; }

}  // namespace weft::ops
