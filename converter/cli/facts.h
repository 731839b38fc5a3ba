// SPDX-License-Identifier: Apache-2.0
// All facts of a model file as one value. `weft inspect`, `weft diff`, the report page and Python
// read it; texts are made from it (facts_text.h).
#ifndef WEFT_CONVERTER_CLI_FACTS_H_
#define WEFT_CONVERTER_CLI_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "converter/base/json.h"
#include "converter/cli/loaded_model.h"

namespace weft::cli {

// Ports, memory, sections, copies, and the number of steps of each kind are always included.
struct FactParts {
  size_t budget_rows = 0;  // "budget", with lists of at most this length; 0: none
  bool plan = false, listing = false;
  std::string target = {};  // "instructions", of a core with bounds (inspect/instructions.h)
};
inline const FactParts kAllFacts = {SIZE_MAX, true, true, {}};

// Upper bounds of the instructions of a run and of each step on a core of CoresWithBounds
// (inspect/instructions.h), rounded up; null where there is none.
Json InstructionFactsOf(const format::Model& model, const std::string& target);

// `model` must be open.
Json FactsOf(const LoadedModel& model, const FactParts& parts = {});

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_FACTS_H_
