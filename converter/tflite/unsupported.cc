// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "converter/base/visible.h"

namespace weft::tflite {

#define WEFT_TFLITE_OPERATOR(number, name, max_version, Function) void Function(Builder& builder);
#include "converter/tflite/operators.inc"
#undef WEFT_TFLITE_OPERATOR

namespace {

constexpr OperatorRow kOperators[] = {
#define WEFT_TFLITE_OPERATOR(number, name, max_version, Function) \
  {number, #name, max_version, Function},
#include "converter/tflite/operators.inc"
#undef WEFT_TFLITE_OPERATOR
};

constexpr UnsupportedRow kUnsupported[] = {
#define WEFT_TFLITE_UNSUPPORTED(number, name, advice) {number, #name, advice},
#include "converter/tflite/unsupported.inc"
#undef WEFT_TFLITE_UNSUPPORTED
};

constexpr int kFirstStableHlo = 162;

const UnsupportedRow* FindUnsupported(int number) {
  for (const UnsupportedRow& row : kUnsupported) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

std::string AdviceOf(const Operator& op) {
  if (op.number == kCustom && op.custom_code.starts_with("Flex")) {
    return "must be converted with builtin operators only, without SELECT_TF_OPS";
  }
  if (op.number == kCustom && op.custom_code == "ethos-u") {
    return "must be the model before the compiler of the accelerator";
  }
  if (op.number == kCustom) return "must be outside of the model: weft has no code for it";
  if (const UnsupportedRow* row = FindUnsupported(op.number)) return std::string(row->advice);
  if (op.number >= kFirstStableHlo) return "must be converted without StableHLO operators";
  return "must be one that \"weft ops\" lists";
}

}  // namespace

std::span<const OperatorRow> Operators() { return kOperators; }
std::span<const UnsupportedRow> UnsupportedOperators() { return kUnsupported; }

const OperatorRow* FindOperator(const Operator& op) {
  for (const OperatorRow& row : kOperators) {
    if (row.number == op.number && (op.number != kCustom || row.name == op.custom_code)) {
      return &row;
    }
  }
  return nullptr;
}

std::string OperatorName(const Operator& op) {
  if (op.number == kCustom) return fmt::format("CUSTOM {}", OneLine(op.custom_code));
  if (const OperatorRow* row = FindOperator(op)) return std::string(row->name);
  if (const UnsupportedRow* row = FindUnsupported(op.number)) return std::string(row->name);
  return fmt::format("BUILTIN {}", op.number);
}

bool AcceptsUnsigned(const Operator& op) {
  // CONCATENATION, GATHER, RESHAPE, BATCH_TO_SPACE_ND, TRANSPOSE, SQUEEZE, STRIDED_SLICE, SPLIT,
  // CAST, SLICE, TILE, EXPAND_DIMS, SHAPE, PACK, UNPACK, SPLIT_V, REVERSE_V2, GATHER_ND, RANK,
  // BROADCAST_TO
  constexpr int kMoves[] = {2,  36, 22, 37, 39, 43,  45,  49,  53,  65,
                            69, 70, 77, 83, 88, 102, 105, 107, 110, 130};
  return op.number == kCustom || std::ranges::find(kMoves, op.number) != std::end(kMoves);
}

bool AcceptsComplex(const Operator& op) {
  // RFFT2D, IMAG, REAL, COMPLEX_ABS, RESHAPE, SQUEEZE, CAST, EXPAND_DIMS
  constexpr int kAccepted[] = {131, 133, 134, 135, 22, 43, 53, 70};
  return std::ranges::find(kAccepted, op.number) != std::end(kAccepted);
}

void Unsupported::Add(const Operator& op, const std::string& place) {
  const auto [found, fresh] = index_.emplace(OperatorName(op), kinds_.size());
  if (fresh) kinds_.push_back({place, AdviceOf(op)});
  ++kinds_[found->second].count;
}

void Unsupported::Report(const std::string& file, Faults& faults) const {
  for (const Kind& kind : kinds_) {
    const std::string more =
        kind.count > 1 ? fmt::format(" and {} more", kind.count - 1) : std::string();
    faults.Add(fmt::format("{}: {}{}: is not supported; {}", file, kind.place, more, kind.advice));
  }
}

}  // namespace weft::tflite
