// SPDX-License-Identifier: Apache-2.0
// All checks of a model file on the desktop: the rules of the runtime, the memory plan, the plan
// hash and the self test. `weft verify` prints the result, and --evidence stores it.
#ifndef WEFT_CONVERTER_CLI_MODEL_CHECK_H_
#define WEFT_CONVERTER_CLI_MODEL_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/cli/loaded_model.h"

namespace weft::cli {

struct ModelCheck {
  std::vector<std::string> violations;  // a line each, without the file
  bool plan_validated = false;          // false if an earlier rule is violated, or without a table
  bool has_plan_hash = false;           // the file stores one, and the steps have it
  uint64_t compared_ranges = 0;         // byte ranges that the plan validator compared
  uint32_t self_test_runs = 0;          // that passed
};

// Runs the self test only if all other rules hold; it opens the model. Adds a fault if the model
// does not open.
ModelCheck CheckModel(LoadedModel& model, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MODEL_CHECK_H_
