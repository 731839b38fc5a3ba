// SPDX-License-Identifier: Apache-2.0
// Operators without a function: collected over the model and reported with the reason.
#ifndef WEFT_CONVERTER_TFLITE_UNSUPPORTED_H_
#define WEFT_CONVERTER_TFLITE_UNSUPPORTED_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/tflite/builder.h"

namespace weft::tflite {

// A row of operators.inc.
struct OperatorRow {
  int number;
  std::string_view name;
  int max_version;
  OperatorFunction function;
};

// The rows of operators.inc.
std::span<const OperatorRow> Operators();
// A row of unsupported.inc.
struct UnsupportedRow {
  int number;
  std::string_view name, advice;
};

// The rows of unsupported.inc.
std::span<const UnsupportedRow> UnsupportedOperators();
// Null for operators that weft does not convert.
const OperatorRow* FindOperator(const Operator& op);
// "CONV_2D", "CUSTOM Mfcc", "BUILTIN 217".
std::string OperatorName(const Operator& op);
// Returns true if the operator moves or casts elements, or is an audio operator: it may have
// tensors of u32 and u64, whose bits are those of i32 and i64 in the graph.
bool AcceptsUnsigned(const Operator& op);
// Returns true if the operator computes spectra or their parts, or changes shapes: it may have
// complex tensors.
bool AcceptsComplex(const Operator& op);

class Unsupported {
 public:
  // `place` is "operator 12 NAME "tensor"".
  void Add(const Operator& op, const std::string& place);
  // Adds one fault for each kind of operator.
  void Report(const std::string& file, Faults& faults) const;

 private:
  struct Kind {
    std::string place, advice;
    size_t count = 0;
  };
  std::vector<Kind> kinds_;
  std::map<std::string, size_t> index_;
};

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_UNSUPPORTED_H_
