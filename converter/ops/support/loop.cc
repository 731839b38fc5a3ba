// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/loop.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "converter/program/block_access.h"

namespace weft::ops {

namespace {

using program::Builder;
using program::kNone;
using program::ValueId;

// Creates the values that the loop sets before each iteration. The builder is at the body.
Iteration MakeIteration(Builder& builder, const LoopSpec& spec, program::Loop& loop) {
  Iteration iteration;
  for (const SlicedInput& input : spec.sliced) {
    TensorType type = builder.value(input.value).type;
    type.dims[static_cast<size_t>(input.axis)] = input.part;
    const ValueId chunk = builder.Scratch(std::move(type));
    iteration.slices.push_back(chunk);
    loop.sliced.push_back(
        {input.value, chunk, input.axis, input.part, input.begin, input.backward});
  }
  for (const CarriedState& carried : spec.carried) {
    const ValueId state = builder.Scratch(TensorType(builder.value(carried.initial).type));
    iteration.states.push_back(state);
    loop.carried.push_back({carried.initial, state, carried.result});
  }
  if (spec.iteration) iteration.index = builder.Scratch(*spec.iteration);
  return iteration;
}

bool RunsOnce(const LoopSpec& spec) { return spec.trips == 1 && !spec.end.possible(); }

// Copies the initial values that the loop may overwrite: all of them if states change. In a single
// iteration the states are the initial values, so that only those in variables that the body
// assigns are copied.
void KeepInitialValues(Builder& builder, const LoopSpec& spec, program::Loop& loop) {
  const program::Because because(builder, format::Reason::initial_value);
  const program::AccessMap accesses = program::CollectAccesses(builder.program(), loop.body);
  const auto is_overwritten = [&](ValueId initial) {
    const auto found = accesses.find(program::Resolve(builder.program(), initial).root);
    return found != accesses.end() && std::ranges::any_of(found->second, &program::Access::write);
  };
  for (program::Loop::Carried& carried : loop.carried) {
    if (RunsOnce(spec) && !is_overwritten(carried.initial)) continue;
    const ValueId kept = builder.Scratch(TensorType(builder.value(carried.initial).type));
    builder.Copy(carried.initial, kept);
    carried.initial = kept;
  }
}

// The outer value that a result of a single iteration forwards unchanged; nullopt otherwise. The
// lowering needs it because a variable must not be overwritten while its old value is still read.
std::optional<ValueId> Forwarded(Builder& builder, const program::Loop& loop, ValueId result,
                                 const TensorType& type) {
  const program::Location location = program::Resolve(builder.program(), result);
  const auto state = std::ranges::find(loop.carried, location.root, &program::Loop::Carried::state);
  if (state != loop.carried.end()) return builder.View(state->initial, location.offset_bytes, type);
  if (builder.value(location.root).block == loop.body) return std::nullopt;
  return builder.View(location.root, location.offset_bytes, type, location.moves);
}

// Creates the outputs of the loop. The builder is at the enclosing block.
class LoopOutputs {
 public:
  LoopOutputs(Builder& builder, const LoopSpec& spec, program::Loop& loop,
              const std::vector<ValueId>& results)
      : builder_(builder), spec_(spec), loop_(loop), results_(results) {}

  LoopResults Make() {
    LoopResults out;
    for (const ScanOutput& scan : spec_.scans) out.scans.push_back(MakeScan(scan));
    for (const LastValue& last : spec_.lasts) out.lasts.push_back(MakeLast(last));
    if (spec_.end.possible()) out.length = builder_.Scratch({ElementType::i32, {}});
    return out;
  }

 private:
  std::optional<ValueId> ForwardedAs(size_t result, const TensorType& type) {
    if (!RunsOnce(spec_)) return std::nullopt;
    return Forwarded(builder_, loop_, results_[result], type);
  }

  ValueId MakeScan(const ScanOutput& scan) {
    const bool given = scan.whole != kNone;
    if (const auto value = ForwardedAs(scan.result, scan.type); value && !given) return *value;
    const ValueId whole =
        given ? builder_.View(scan.whole, scan.base_bytes, scan.type) : builder_.Scratch(scan.type);
    loop_.scans.push_back({scan.result, whole, scan.axis, scan.backward});
    return whole;
  }

  ValueId MakeLast(const LastValue& last) {
    if (const auto value = ForwardedAs(last.result, last.type)) return *value;
    loop_.lasts.push_back({last.result, builder_.Scratch(last.type)});
    return loop_.lasts.back().value;
  }

  Builder& builder_;
  const LoopSpec& spec_;
  program::Loop& loop_;
  const std::vector<ValueId>& results_;
};

LoopResults LowerNever(Builder& builder, const LoopSpec& spec) {
  LoopResults out;
  for (const ScanOutput& scan : spec.scans) out.scans.push_back(builder.Scratch(scan.type));
  for (const LastValue& last : spec.lasts) {
    const auto state = std::ranges::find(spec.carried, last.result, &CarriedState::result);
    const auto bytes = static_cast<size_t>(DenseBytes(last.type).value_or(0));
    out.lasts.push_back(state != spec.carried.end()
                            ? state->initial
                            : builder.Weights(last.type, std::vector<std::byte>(bytes)));
  }
  return out;
}

}  // namespace

LoopResults LowerLoop(Builder& builder, const LoopSpec& spec, const LowerBody& body) {
  if (spec.trips == 0) return LowerNever(builder, spec);
  program::Loop loop;
  const program::SectionId id = builder.NewSection();
  const program::BlockId outside = builder.block();
  const std::string layer = builder.layer();
  loop.body = builder.NewBlock();
  loop.condition = spec.end.body_condition;
  builder.SetBlock(loop.body);
  const Iteration iteration = MakeIteration(builder, spec, loop);
  std::vector<ValueId> results = body(iteration);
  builder.SetBlock(outside);
  builder.SetLayer(layer);
  KeepInitialValues(builder, spec, loop);
  const LoopResults out = LoopOutputs(builder, spec, loop, results).Make();

  ValueId condition = kNone;
  if (loop.condition) {
    condition = builder.Scratch(TensorType(builder.value(results[*loop.condition]).type));
  }
  program::Section& section = builder.program().sections[id];
  section.trip = spec.end.trip;
  section.first_condition = spec.end.first_condition;
  section.body_condition = condition;
  section.iteration = iteration.index;
  section.length = out.length;
  section.trip_count = spec.limited || spec.end.trip != kNone ? -1 : spec.trips;
  section.max_trips = spec.trips;
  builder.program().blocks[loop.body].results = std::move(results);
  section.loop = std::move(loop);
  builder.Enter(id);
  return out;
}

void EmitIf(Builder& builder, ValueId condition, bool runs_when,
            const std::function<void()>& body) {
  const program::SectionId id = builder.NewSection();
  const program::BlockId outside = builder.block(), inside = builder.NewBlock();
  builder.SetBlock(inside);
  body();
  builder.SetBlock(outside);
  program::Section& section = builder.program().sections[id];
  section.copies = {inside};
  section.trip_count = section.max_trips = 1;
  section.first_condition = condition;
  section.runs_when = runs_when;
  builder.Enter(id);
}

}  // namespace weft::ops
