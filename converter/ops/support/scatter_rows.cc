// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/scatter_rows.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "converter/ops/support/loop.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

constexpr int64_t kKeptRow = -1;  // no update replaces this row

// The last update of each row.
Dims LastUpdates(const ScatteredRows& rows) {
  Dims last(static_cast<size_t>(rows.rows), kKeptRow);
  for (size_t i = 0; i < rows.targets.size(); ++i) {
    last[static_cast<size_t>(rows.targets[i])] = static_cast<int64_t>(i);
  }
  return last;
}

// Replaced rows, split where the distance between rows or between updates changes.
std::vector<Nest> ReplacedRuns(const Dims& updates, int64_t inner) {
  struct Pair {
    int64_t row, update;
  };
  std::vector<Pair> pairs;
  for (size_t row = 0; row < updates.size(); ++row) {
    if (updates[row] != kKeptRow) pairs.push_back({static_cast<int64_t>(row), updates[row]});
  }
  std::vector<Nest> runs;
  for (size_t first = 0; first < pairs.size();) {
    size_t last = first + 1;
    const Pair start = pairs[first], next = last < pairs.size() ? pairs[last] : start;
    const Pair step = {next.row - start.row, next.update - start.update};
    while (last < pairs.size() && pairs[last].row - pairs[last - 1].row == step.row &&
           pairs[last].update - pairs[last - 1].update == step.update) {
      ++last;
    }
    runs.push_back({{static_cast<int64_t>(last - first)},
                    {step.update * inner},
                    {step.row * inner},
                    start.update * inner,
                    start.row * inner});
    first = last;
  }
  return runs;
}

// Gathers the updates to their rows, then selects them for replaced rows.
void ReplaceByTable(LowerScope& scope, const ScatteredRows& rows, Dims positions,
                    program::ValueId updates) {
  program::Builder& builder = scope.builder;
  const auto count = static_cast<int64_t>(rows.targets.size());
  std::vector<uint8_t> replaced;
  for (int64_t& position : positions) {
    replaced.push_back(position != kKeptRow);
    if (position == kKeptRow) position = count;  // out of range: zeros
  }
  const GatherGeometry geometry = {1, rows.outer, count, rows.inner, rows.rows};
  const Dims dims = {rows.outer, rows.rows, rows.inner};
  if (std::ranges::find(replaced, 0) == replaced.end()) {
    const program::ValueId moved = PositionsOf(builder, updates, geometry, positions);
    return scope.SetOutput(0, builder.View(moved, 0, scope.output_type(0)));
  }
  const program::ValueId moved = builder.Scratch({builder.type(updates), dims});
  EmitKnownGather(builder, geometry, updates, positions, moved);
  const Operand mask = {builder.WeightsOf({ElementType::boolean, {rows.rows}}, replaced),
                        {1, rows.rows, 1}};
  const program::ValueId data = scope.input(0);
  EmitSelect(builder, mask, {moved, dims}, {data, dims}, {scope.NewOutput(0), dims});
}

// The rows that have updates, by descending number of updates. Rows with another update in a round
// are thus always the first ones.
struct RowUpdates {
  Dims rows;
  std::vector<Dims> updates;  // of each row, in order
};

RowUpdates MeetingsOf(const Dims& targets) {
  std::unordered_map<int64_t, size_t> known;
  std::vector<std::pair<int64_t, Dims>> met;
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto [found, added] = known.try_emplace(targets[i], met.size());
    if (added) met.push_back({targets[i], {}});
    met[found->second].second.push_back(static_cast<int64_t>(i));
  }
  std::ranges::stable_sort(
      met, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  RowUpdates meetings;
  for (auto& [row, updates] : met) {
    meetings.rows.push_back(row);
    meetings.updates.push_back(std::move(updates));
  }
  return meetings;
}

format::BinaryOp ScatterStep(Combination combination, ElementType type) {
  const bool logical = type == ElementType::boolean;
  switch (combination) {
    case Combination::kSubtract:
      return format::BinaryOp::subtract;
    case Combination::kProduct:
      return logical ? format::BinaryOp::logical_and : format::BinaryOp::multiply;
    case Combination::kMinimum:
      return logical ? format::BinaryOp::logical_and : format::BinaryOp::minimum;
    case Combination::kMaximum:
      return logical ? format::BinaryOp::logical_or : format::BinaryOp::maximum;
    default:
      return logical ? format::BinaryOp::logical_or : format::BinaryOp::add;
  }
}

// Combines the rows of one scatter in rounds: round r applies update r of every row that has one.
// Each update is read once.
class ScatterRounds {
 public:
  ScatterRounds(program::Builder& builder, const ScatteredRows& rows, const RowUpdates& meetings,
                program::ValueId updates)
      : builder_(builder), rows_(rows), type_(builder.type(updates)) {
    Dims order;
    for (size_t round = 0; round < meetings.updates.front().size(); ++round) {
      starts_.push_back(static_cast<int64_t>(order.size()));
      for (const Dims& of_row : meetings.updates) {
        if (of_row.size() <= round) break;
        order.push_back(of_row[round]);
      }
    }
    starts_.push_back(static_cast<int64_t>(order.size()));
    const auto count = static_cast<int64_t>(order.size());
    ordered_ =
        PositionsOf(builder, updates,
                    {1, 1, static_cast<int64_t>(rows.targets.size()), rows.inner, count}, order);
  }

  // Result of all rows, starting from `state`, or from their first update if it is kNone.
  program::ValueId Combine(program::ValueId state, format::BinaryOp op) {
    size_t round = 0;
    if (state == program::kNone) state = Update(round++);
    for (; round + 1 < starts_.size(); ++round) {
      Finish(state, Count(round));
      const program::ValueId combined = builder_.Scratch(TypeOf(Count(round)));
      EmitBinary(builder_, op, Part(state, 0, Count(round)), Update(round), combined);
      state = combined;
    }
    if (finished_.empty()) return state;
    Finish(state, 0);
    const program::ValueId all = builder_.Scratch(TypeOf(Count(0)));
    int64_t end = Count(0);
    for (const program::ValueId part : finished_) {
      const int64_t count = builder_.dims(part)[0];
      end -= count;
      builder_.Copy(part, Part(all, end, count));
    }
    return all;
  }

 private:
  // Number of rows with an update in this round.
  int64_t Count(size_t round) const { return starts_[round + 1] - starts_[round]; }

  TensorType TypeOf(int64_t count) const { return {type_, {count, rows_.inner}}; }

  program::ValueId Part(program::ValueId value, int64_t first, int64_t count) {
    return builder_.View(value, first * rows_.inner * ElementBytes(type_), TypeOf(count));
  }

  program::ValueId Update(size_t round) { return Part(ordered_, starts_[round], Count(round)); }

  // The rows of `state` from `count` on have no more updates.
  void Finish(program::ValueId state, int64_t count) {
    const int64_t held = ElementCount(builder_.dims(state)).value_or(0) / rows_.inner;
    if (count < held) finished_.push_back(Part(state, count, held - count));
  }

  program::Builder& builder_;
  const ScatteredRows& rows_;
  const ElementType type_;
  Dims starts_;  // of each round in ordered_, then the end of the last one
  program::ValueId ordered_ = program::kNone;
  std::vector<program::ValueId> finished_;  // in reverse row order
};

// Divides each row by the number of elements in its sum.
program::ValueId DividedByHits(program::Builder& builder, program::ValueId sums, int64_t inner,
                               const RowUpdates& meetings, bool with_data) {
  std::vector<float> counts;
  for (const Dims& updates : meetings.updates) {
    counts.push_back(static_cast<float>(updates.size() + (with_data ? 1 : 0)));
  }
  const auto count = static_cast<int64_t>(counts.size());
  const program::ValueId means = builder.Scratch({ElementType::f32, {count, inner}});
  EmitBinary(builder, format::BinaryOp::divide, {sums, {count, inner}},
             {builder.WeightsOf({ElementType::f32, {count}}, counts), {count, 1}}, means);
  return means;
}

// y = state, except for rows selected by one target: they become the update, or are combined with
// it.
void EmitScatterTarget(program::Builder& builder, const ComputedRows& rows, program::ValueId index,
                       program::ValueId update, program::ValueId state, program::ValueId y) {
  const Dims dims = {rows.outer, rows.rows, rows.inner}, row = {rows.outer, 1, rows.inner};
  const Dims one = rows.by_element ? row : Dims{1, 1, 1};
  const Operand numbers = {IndexSequence(builder, builder.type(index), rows.rows),
                           {1, rows.rows, 1}};
  const Dims mask = {one[0], rows.rows, one[2]};
  const program::ValueId is_row = builder.Scratch({ElementType::boolean, mask});
  EmitCompare(builder, format::CompareOp::equal, numbers, {index, one}, is_row);
  Operand written = {update, row};
  if (rows.combination != Combination::kReplace) {
    const ElementType type = builder.type(state);
    written = {builder.Scratch({type, dims}), dims};
    EmitBinary(builder, ScatterStep(rows.combination, type), {state, dims}, {update, row},
               written.value);
  }
  EmitSelect(builder, {is_row, mask}, written, {state, dims}, {y, dims});
}

format::ReduceOp ReductionOf(Combination combination) {
  if (combination == Combination::kProduct) return format::ReduceOp::product;
  if (combination == Combination::kMinimum) return format::ReduceOp::min;
  return combination == Combination::kMaximum ? format::ReduceOp::max : format::ReduceOp::sum;
}

// A constant tensor.
program::ValueId AllOf(program::Builder& builder, const Dims& dims, float number) {
  const program::ValueId all = builder.Scratch({ElementType::f32, dims});
  builder.Fill(all, std::bit_cast<uint32_t>(number));
  return all;
}

// Combinations that need the number of updates per element: means, and those that do not start from
// the data.
program::ValueId EmitCountedRows(program::Builder& builder, ComputedRows rows,
                                 program::ValueId numbers, program::ValueId updates,
                                 program::ValueId data, bool with_data) {
  const bool is_mean = rows.combination == Combination::kMean;
  if (is_mean) rows.combination = Combination::kSum;
  const ElementType type = builder.type(data);
  const Dims dims = {rows.outer, rows.rows, rows.inner}, one = {1, 1, 1};
  ComputedRows counting = rows;
  counting.combination = Combination::kSum;
  // Named variables, because compilers evaluate arguments in different orders, and the order of
  // the calls is the order of the steps in the file.
  const program::ValueId none_met = AllOf(builder, dims, with_data ? 1 : 0);
  const program::ValueId ones = AllOf(builder, {rows.outer, rows.targets, rows.inner}, 1);
  program::ValueId counts = EmitComputedRows(builder, counting, numbers, ones, none_met);
  if (!with_data) {
    const auto number = [&](float known) {
      return Operand{builder.WeightsOf<float>({ElementType::f32, {1}}, {known}), one};
    };
    const Operand is_met = {builder.Scratch({ElementType::boolean, dims}), dims};
    EmitCompare(builder, format::CompareOp::greater, {counts, dims}, number(0), is_met.value);
    const Operand start = {builder.Scratch({type, dims}), dims};
    const program::ValueId neutral = NeutralElement(builder, ReductionOf(rows.combination), type);
    EmitSelect(builder, is_met, {neutral, one}, {data, dims}, start);
    data = start.value;
    const program::ValueId met = std::exchange(counts, builder.Scratch({ElementType::f32, dims}));
    EmitBinary(builder, format::BinaryOp::maximum, {met, dims}, number(1), counts);
  }
  const program::ValueId combined = EmitComputedRows(builder, rows, numbers, updates, data);
  if (!is_mean) return combined;
  const program::ValueId means = builder.Scratch({type, dims});
  EmitBinary(builder, format::BinaryOp::divide, {combined, dims}, {counts, dims}, means);
  return means;
}

}  // namespace

void WriteInto(LowerScope& scope, const Movement& movement, int64_t count,
               program::ValueId updates) {
  if (count == 0) return scope.Forward(0, 0);
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.output_type(0);
  const bool is_all = ElementCount(type.dims) == count;
  const std::optional<Piece> piece = PieceOf(movement);
  if (is_all && piece && piece->count == count) {
    const int64_t offset_bytes = piece->source_offset * ElementBytes(type.type);
    return scope.SetOutput(0, builder.View(updates, offset_bytes, type));
  }
  const program::ValueId data = scope.input(0), y = scope.NewOutput(0);
  if (!is_all) builder.Copy(data, y);
  EmitMovement(builder, updates, y, movement);
}

void ReplaceRows(LowerScope& scope, const ScatteredRows& rows, program::ValueId updates) {
  const Dims last = LastUpdates(rows);
  const int64_t replaced = rows.rows - std::ranges::count(last, kKeptRow);
  const int64_t elements = rows.outer * replaced * rows.inner;
  const std::vector<Nest> runs = ReplacedRuns(last, rows.inner);
  if (elements != 0 && runs.size() > kMaxRuns) return ReplaceByTable(scope, rows, last, updates);
  const auto count = static_cast<int64_t>(rows.targets.size());
  WriteInto(scope,
            {{Nest{{rows.outer}, {count * rows.inner}, {rows.rows * rows.inner}}},
             runs,
             {Nest{{rows.inner}, {1}, {1}}}},
            elements, updates);
}

size_t MaxCombined(const Dims& targets) {
  const RowUpdates meetings = MeetingsOf(targets);
  return meetings.updates.empty() ? 0 : meetings.updates.front().size();
}

void CombineRows(LowerScope& scope, const ScatteredRows& rows, Combination combination,
                 bool with_data, program::ValueId updates) {
  if (rows.targets.empty()) return scope.Forward(0, 0);
  program::Builder& builder = scope.builder;
  const RowUpdates meetings = MeetingsOf(rows.targets);
  const auto count = static_cast<int64_t>(meetings.rows.size());
  ScatterRounds rounds(builder, rows, meetings, updates);
  const program::ValueId data = scope.input(0);
  const program::ValueId start =
      with_data ? PositionsOf(builder, data, {1, 1, rows.rows, rows.inner, count}, meetings.rows)
                : program::kNone;
  program::ValueId combined = rounds.Combine(start, ScatterStep(combination, builder.type(data)));
  if (combination == Combination::kMean) {
    combined = DividedByHits(builder, combined, rows.inner, meetings, with_data);
  }
  ReplaceRows(scope, {1, rows.rows, rows.inner, meetings.rows}, combined);
}

program::ValueId EmitComputedRows(program::Builder& builder, const ComputedRows& rows,
                                  program::ValueId numbers, program::ValueId updates,
                                  program::ValueId data) {
  const ElementType type = builder.type(data);
  const TensorType all{type, {rows.outer, rows.rows, rows.inner}};
  if (rows.targets == 1) {
    const program::ValueId y = builder.Scratch(all);
    EmitScatterTarget(builder, rows, numbers, updates, data, y);
    return y;
  }
  const Dims one =
      rows.by_element ? Dims{rows.outer, rows.targets, rows.inner} : Dims{1, rows.targets, 1};
  LoopSpec spec;
  spec.trips = rows.targets;
  const TensorType taken{type, {rows.outer, rows.targets, rows.inner}};
  spec.sliced.push_back({builder.View(numbers, 0, {builder.type(numbers), one}), 1});
  spec.sliced.push_back({builder.View(updates, 0, taken), 1});
  spec.carried.push_back({builder.View(data, 0, all), 0});
  spec.lasts.push_back({0, all});
  const LoopResults results = LowerLoop(builder, spec, [&](const Iteration& iteration) {
    const program::ValueId y = builder.Scratch(all);
    EmitScatterTarget(builder, rows, iteration.slices[0], iteration.slices[1], iteration.states[0],
                      y);
    return std::vector<program::ValueId>{y};
  });
  return results.lasts[0];
}

program::ValueId EmitCombinedRows(program::Builder& builder, const ComputedRows& rows,
                                  program::ValueId numbers, program::ValueId updates,
                                  program::ValueId data, bool with_data) {
  const bool starts_from_data = with_data || rows.combination == Combination::kReplace;
  return starts_from_data && rows.combination != Combination::kMean
             ? EmitComputedRows(builder, rows, numbers, updates, data)
             : EmitCountedRows(builder, rows, numbers, updates, data, starts_from_data);
}

void WriteComputedRows(LowerScope& scope, const ComputedRows& rows, program::ValueId numbers,
                       program::ValueId updates, bool with_data) {
  if (rows.targets == 0) return scope.Forward(0, 0);
  const program::ValueId y =
      EmitCombinedRows(scope.builder, rows, numbers, updates, scope.input(0), with_data);
  scope.SetOutput(0, scope.builder.View(y, 0, scope.output_type(0)));
}

}  // namespace weft::ops
