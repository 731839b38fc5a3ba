// SPDX-License-Identifier: Apache-2.0
// The facts of a model (facts.h) as text.
#ifndef WEFT_CONVERTER_CLI_FACTS_TEXT_H_
#define WEFT_CONVERTER_CLI_FACTS_TEXT_H_

#include <cstddef>
#include <string>

#include "converter/base/json.h"

namespace weft::cli {

// Type and shape of a port: "f32[1,64]".
std::string TypeText(const Json& port);
// Bytes copied or filled in one run.
double CopiedBytes(const Json& facts);

// Everything except the parts that FactParts adds.
std::string FactsText(const Json& facts);
std::string BudgetText(const Json& budget);
// The maximum of a run and the `max_rows` steps with the most instructions.
std::string InstructionsText(const Json& instructions, size_t max_rows);
// In 80 columns.
std::string PlanText(const Json& plan);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_FACTS_TEXT_H_
