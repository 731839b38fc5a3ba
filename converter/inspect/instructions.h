// SPDX-License-Identifier: Apache-2.0
// Upper bounds of the instructions of a run on a core, from tables that tests/size/instructions.py
// fits to measured steps (converter/inspect/bounds). They hold for the default build with the
// compiler of the table. They are sums of fitted terms, not a proof from the machine code.
#ifndef WEFT_CONVERTER_INSPECT_INSTRUCTIONS_H_
#define WEFT_CONVERTER_INSPECT_INSTRUCTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

// The cores with a table, such as "cortex-m4f".
std::vector<std::string> CoresWithBounds();

struct StepBound {
  double executions = 0;  // maximum in one run; of an If, those of both branches
  // Instructions of one execution, an integer; absent if the step's variant or one of its terms is
  // not in the table.
  std::optional<double> max;
  // How far the bound exceeds a measured step of the variant at most, as a part of the step's
  // instructions; steps of few instructions may be exceeded by 500. If the variant depends on data,
  // this holds for the sum of its measured steps.
  double excess = 0;
  // True if all measured steps of the variant need the same instructions for all data.
  bool is_constant = false;
};

struct RunBound {
  std::string compiler;
  std::vector<StepBound> steps;  // by step; without executions for steps that enter sections
  std::optional<double> engine;  // between the steps
  std::optional<double> max;     // of a run; absent if one of the others is
};

// `core` must be one of CoresWithBounds. The model must have passed verify.cc.
RunBound InstructionsOf(const format::Model& model, std::string_view core);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_INSTRUCTIONS_H_
