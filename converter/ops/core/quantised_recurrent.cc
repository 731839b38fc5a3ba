// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/quantised_recurrent.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "kernels/matrix/pack.h"
#include "kernels/recurrent/lstm_q8.h"

namespace weft::ops {
namespace {

using program::ValueId;

constexpr size_t kIntegerGates = kernels::kLstmQ8Gates;
constexpr int64_t kMaxExponent = 30;
constexpr std::array<std::string_view, 2> kRoundings = {"micro", "litert"};  // as in weft.fbs

// The geometry, from the inputs' shapes.
struct QuantisedLstm {
  int64_t batch = 0, inputs = 0, outputs = 0, cells = 0;
  bool is_coupled = false, has_peepholes = false, has_norm = false;

  int64_t gates() const { return kernels::LstmQ8GatesOf(is_coupled); }
};

QuantisedLstm ReadLstm(const NodeScope& scope) {
  QuantisedLstm lstm;
  lstm.is_coupled = scope.attributes.Bool(kLstmCoupled, false);
  lstm.has_peepholes = scope.attributes.Has(kLstmOfC);
  lstm.has_norm = scope.attributes.Has(kLstmOfNorm);
  lstm.batch = scope.input_dims(kLstmX)[0];
  lstm.inputs = scope.input_dims(kLstmX)[1];
  lstm.outputs = scope.input_dims(kLstmH)[1];
  lstm.cells = scope.input_dims(kLstmC)[1];
  return lstm;
}

// Reports that an attribute has a number outside [min, max], or another count of numbers.
void CheckNumbers(InferScope& scope, std::string_view key, size_t count, int64_t min, int64_t max) {
  const Dims numbers = scope.attributes.Ints(key);
  const auto is_outside = [&](int64_t number) { return number < min || number > max; };
  if (numbers.size() == count && std::ranges::none_of(numbers, is_outside)) return;
  scope.Fault("{} is {}; must be {} numbers from {} to {}", key, ToString(numbers), count, min,
              max);
}

void CheckInputDims(InferScope& scope, std::initializer_list<std::pair<size_t, Dims>> dims) {
  for (const auto& [input, must] : dims) {
    if (scope.input_dims(input) == must) continue;
    scope.Fault("input {} is {}; must be {}", input, ToString(scope.input_type(input)),
                ToString(must));
  }
}

void RequireConstants(InferScope& scope, std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs) {
    if (scope.constant(input) == nullptr) scope.FaultComputed(input, "weights");
  }
}

bool HaveRank(InferScope& scope, int64_t rank, std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) {
    if (scope.rank(i) != rank) {
      scope.Fault("input {} is {}; must have rank {}", i, ToString(scope.input_type(i)), rank);
    }
  }
  return !scope.failed();
}

void CheckMultipliers(InferScope& scope, std::string_view key, size_t count, int64_t max_exponent) {
  const Dims numbers = scope.attributes.Ints(key);
  bool holds = numbers.size() == 2 * count;
  for (size_t i = 0; holds && i < count; ++i) {
    const int64_t mantissa = numbers[i], exponent = numbers[count + i];
    holds = mantissa >= 0 && mantissa <= std::numeric_limits<int32_t>::max() && exponent >= -31 &&
            exponent <= max_exponent;
  }
  if (holds) return;
  scope.Fault("{} is {}; must be {} mantissas and exponents of 32-bit factors", key,
              ToString(numbers), count);
}

void CheckAttributes(InferScope& scope, const QuantisedLstm& lstm) {
  constexpr int64_t kMaxOfNorm = 18, kMaxCell = 32767;
  constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();
  const bool has_shorts = scope.input_element(kLstmX) == ElementType::i16;
  const int64_t max = has_shorts ? kernels::kMaxShortExponent : kMaxExponent;
  CheckMultipliers(scope, kLstmOfX, kIntegerGates, max);
  CheckMultipliers(scope, kLstmOfH, kIntegerGates, max);
  if (lstm.has_peepholes) CheckMultipliers(scope, kLstmOfC, kIntegerGates, kMaxExponent);
  if (lstm.has_norm) {
    CheckMultipliers(scope, kLstmOfNorm, kIntegerGates, kMaxOfNorm);
    CheckNumbers(scope, kLstmMinVariance, kIntegerGates, 0, kMaxNumber);
  }
  CheckMultipliers(scope, kLstmResult, 1, kMaxExponent);
  CheckNumbers(scope, kLstmZero, 1, -kMaxCell, kMaxCell);
  CheckNumbers(scope, kLstmCellClip, 1, 0, kMaxCell);
  const bool is_micro = scope.attributes.Choice(kLstmRounding, "", kRoundings) == kRoundings[0];
  if (scope.input_element(kLstmH) != scope.input_element(kLstmX) || (has_shorts && !is_micro)) {
    scope.Fault("x is {} and h is {}; must have one type, i8 if {} is litert",
                ToString(scope.input_type(kLstmX)), ToString(scope.input_type(kLstmH)),
                kLstmRounding);
  }
  CheckNumbers(scope, kLstmCellPower, 1, -15, is_micro ? 0 : -9);
}

void InferIntegerCell(InferScope& scope) {
  CheckElements(scope, std::array{kLstmX, kLstmH}, {ElementType::i8, ElementType::i16});
  CheckElements(scope, std::array{kLstmW, kLstmR}, {ElementType::i8});
  CheckElements(scope, std::array{kLstmC}, {ElementType::i16});
  CheckElements(scope, std::array{kLstmNumbers}, {ElementType::i32});
  if (!HaveRank(scope, 2, {kLstmX, kLstmH, kLstmC})) return;
  const QuantisedLstm lstm = ReadLstm(scope);
  const auto numbers = static_cast<int64_t>(kernels::LstmQ8Numbers(
      Narrow32(lstm.cells, "cells"), lstm.is_coupled, lstm.has_peepholes, lstm.has_norm));
  const int64_t rows = lstm.gates() * lstm.cells;
  CheckInputDims(scope, {{kLstmH, {lstm.batch, lstm.outputs}},
                         {kLstmC, {lstm.batch, lstm.cells}},
                         {kLstmW, {rows, lstm.inputs}},
                         {kLstmR, {rows, lstm.outputs}},
                         {kLstmNumbers, {numbers}}});
  RequireConstants(scope, {kLstmW, kLstmR});
  CheckAttributes(scope, lstm);
  scope.SetOutput(0, scope.input_element(kLstmH), {lstm.batch, lstm.cells});
  scope.SetOutput(1, ElementType::i16, {lstm.batch, lstm.cells});
}

// Packs matrices of `rows` rows, one after the other.
ValueId PackByteRows(LowerScope& scope, uint32_t rows, std::initializer_list<size_t> inputs) {
  std::vector<int8_t> packed;
  for (const size_t input : inputs) {
    const ir::Constant& constant = *scope.constant(input);
    const uint32_t columns = Narrow32(scope.input_dims(input)[1], "inputs");
    std::vector<int8_t> part(kernels::PackedDenseI8Bytes(rows, columns));
    kernels::PackDenseI8(reinterpret_cast<const int8_t*>(constant.bytes.data()), rows, columns,
                         part.data());
    packed.insert(packed.end(), part.begin(), part.end());
  }
  return scope.builder.WeightsOf({ElementType::i8, {std::ssize(packed)}}, packed);
}

int32_t NumberOf(int64_t number) { return Narrow<int32_t>(number, "a number of an integer LSTM"); }

format::Multiplier MultiplierOf(const LowerScope& scope, const char* key) {
  const Dims numbers = scope.attributes.Ints(key);
  return format::Multiplier(NumberOf(numbers[0]), NumberOf(numbers[1]));
}

void WriteMultipliers(const LowerScope& scope, const char* key,
                      flatbuffers::Array<format::Multiplier, kIntegerGates>* to) {
  if (!scope.attributes.Has(key)) return;
  const Dims numbers = scope.attributes.Ints(key);
  for (uint32_t i = 0; i < kIntegerGates; ++i) {
    to->Mutate(i, format::Multiplier(NumberOf(numbers[i]), NumberOf(numbers[kIntegerGates + i])));
  }
}

format::LstmQ8Params ParamsOf(const LowerScope& scope, const QuantisedLstm& lstm) {
  const Attributes& attributes = scope.attributes;
  const auto number = [&](const char* key) { return NumberOf(attributes.Int(key, 0)); };
  format::LstmQ8Params params;
  params.mutate_rows(Narrow32(lstm.batch, "rows"));
  params.mutate_inputs(Narrow32(lstm.inputs, "inputs"));
  params.mutate_cells(Narrow32(lstm.cells, "cells"));
  params.mutate_outputs(Narrow32(lstm.outputs, "outputs"));
  params.mutate_x_row_stride(params.inputs());
  WriteMultipliers(scope, kLstmOfX, params.mutable_of_x());
  WriteMultipliers(scope, kLstmOfH, params.mutable_of_h());
  WriteMultipliers(scope, kLstmOfC, params.mutable_of_c());
  WriteMultipliers(scope, kLstmOfNorm, params.mutable_of_norm());
  if (lstm.has_norm) {
    const Dims variances = attributes.Ints(kLstmMinVariance);
    for (uint32_t i = 0; i < kIntegerGates; ++i) {
      params.mutable_min_variance()->Mutate(i, NumberOf(variances[i]));
    }
  }
  params.mutable_result() = MultiplierOf(scope, kLstmResult);
  params.mutate_zero(number(kLstmZero));
  params.mutate_cell_clip(number(kLstmCellClip));
  params.mutate_cell_power(
      Narrow<int8_t>(attributes.Int(kLstmCellPower, 0), "the power of a cell"));
  params.mutate_rounding(attributes.Text(kLstmRounding, "") == kRoundings[0]
                             ? format::Rounding::micro
                             : format::Rounding::litert);
  params.mutate_type(scope.input_element(kLstmX));
  params.mutate_coupled(lstm.is_coupled ? 1 : 0);
  params.mutate_peepholes(lstm.has_peepholes ? 1 : 0);
  params.mutate_norm(lstm.has_norm ? 1 : 0);
  return params;
}

void LowerIntegerCell(LowerScope& scope) {
  const QuantisedLstm lstm = ReadLstm(scope);
  const ValueId h = scope.NewOutput(0), c = scope.NewOutput(1);
  if (lstm.batch * lstm.cells == 0) return;
  const auto shorts = static_cast<int64_t>(
      kernels::LstmQ8ScratchShorts(Narrow32(lstm.cells, "cells"), lstm.is_coupled));
  const ValueId scratch = scope.builder.Scratch({ElementType::i16, {shorts}});
  const uint32_t rows = Narrow32(lstm.gates() * lstm.cells, "outputs of gates");
  const ValueId weights = PackByteRows(scope, rows, {kLstmW, kLstmR});
  scope.builder.Emit(ParamsOf(scope, lstm),
                     {scope.input(kLstmX), weights, scope.input(kLstmNumbers), scope.input(kLstmH),
                      scope.input(kLstmC)},
                     {h, c, scratch});
}

// The rows of a batch are independent.
void IntegerCellAxes(AxisScope& scope) {
  scope.relation.groups.push_back(
      {{false, kLstmX, 0}, {false, kLstmH, 0}, {false, kLstmC, 0}, {true, 0, 0}, {true, 1, 0}});
  scope.relation.reason = "has time in its inputs or weights";
}

void InferSvdf(InferScope& scope) {
  CheckElements(scope, std::array{kSvdfX, kSvdfFeature}, {ElementType::i8});
  CheckElements(scope, std::array{kSvdfTime, kSvdfState}, {ElementType::i8, ElementType::i16});
  CheckElements(scope, std::array{kSvdfNumbers}, {ElementType::i32});
  if (!HaveRank(scope, 2, {kSvdfX, kSvdfFeature, kSvdfTime})) return;
  const int64_t batch = scope.input_dims(kSvdfX)[0], filters = scope.input_dims(kSvdfTime)[0];
  const int64_t memory = scope.input_dims(kSvdfTime)[1];
  const int64_t rank = scope.attributes.Int(kSvdfRank, 0);
  if (rank < 1 || filters % rank != 0) {
    return scope.Fault("rank is {}; must divide the {} filters", rank, filters);
  }
  if (scope.input_element(kSvdfTime) != scope.input_element(kSvdfState)) {
    scope.Fault("time weights are {} and the state is {}; must have one element type",
                ToString(scope.input_type(kSvdfTime)), ToString(scope.input_type(kSvdfState)));
  }
  CheckInputDims(scope, {{kSvdfFeature, {filters, scope.input_dims(kSvdfX)[1]}},
                         {kSvdfNumbers, {filters + filters / rank}},
                         {kSvdfState, {batch, filters, memory}}});
  RequireConstants(scope, {kSvdfFeature});
  CheckMultipliers(scope, kSvdfOfX, 1, kMaxExponent);
  CheckMultipliers(scope, kSvdfOfState, 1, kMaxExponent);
  scope.SetOutput(0, ElementType::i8, {batch, filters / rank});
  scope.SetOutput(1, scope.input_type(kSvdfState));
}

void LowerSvdf(LowerScope& scope) {
  const ValueId y = scope.NewOutput(0), state = scope.NewOutput(1);
  const Dims &x = scope.input_dims(kSvdfX), &time = scope.input_dims(kSvdfTime);
  const uint32_t filters = Narrow32(time[0], "filters");
  const uint32_t rank = Narrow32(scope.attributes.Int(kSvdfRank, 1), "rank");
  const uint32_t inputs = Narrow32(x[1], "inputs");
  const format::SvdfQ8Params params(
      Narrow32(x[0], "rows"), inputs, filters / rank, rank, Narrow32(time[1], "memory"), inputs,
      MultiplierOf(scope, kSvdfOfX), MultiplierOf(scope, kSvdfOfState), CodesOf(scope),
      scope.input_element(kSvdfState), 0, 0);
  const ValueId weights = PackByteRows(scope, filters, {kSvdfFeature});
  scope.builder.Emit(params,
                     {scope.input(kSvdfX), weights, scope.input(kSvdfTime),
                      scope.input(kSvdfNumbers), scope.input(kSvdfState)},
                     {y, state});
}

void SvdfAxes(AxisScope& scope) {
  scope.relation.groups.push_back(
      {{false, kSvdfX, 0}, {false, kSvdfState, 0}, {true, 0, 0}, {true, 1, 0}});
  scope.relation.reason = "has time in its inputs or weights";
}

constexpr Traits IntegerRecurrence(void (*axes)(AxisScope&)) {
  return {.foldable = false, .axes = axes, .heavy = true, .is_extension = true};
}

constexpr Operation kQuantisedRecurrentRows[] = {
    {kQuantizedLstmCell, kPassOnly, 6, 6, InferIntegerCell, LowerIntegerCell,
     IntegerRecurrence(IntegerCellAxes)},
    {kQuantizedSvdf, kPassOnly, 5, 5, InferSvdf, LowerSvdf, IntegerRecurrence(SvdfAxes)},
};

}  // namespace

std::span<const Operation> QuantisedRecurrentOperations() { return kQuantisedRecurrentRows; }

}  // namespace weft::ops
