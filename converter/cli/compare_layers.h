// SPDX-License-Identifier: Apache-2.0
// weft compare --layers: finds the first layer of an IR that differs from expected values.
#ifndef WEFT_CONVERTER_CLI_COMPARE_LAYERS_H_
#define WEFT_CONVERTER_CLI_COMPARE_LAYERS_H_

#include <string>
#include <vector>

#include "converter/cli/commands.h"
#include "converter/cli/comparison.h"
#include "converter/cli/session.h"

namespace weft::cli {

struct CompareCall : SessionCall {
  std::string other;  // a model whose outputs are expected
  std::vector<std::string> expects;
  std::string layers;  // folder; then the model is an IR, with weights and shapes as for convert
  std::string weights;
  std::vector<std::string> shapes;
  Tolerance tolerance;
  bool json = false;
};

// Converts the IR with every layer that has a file in the folder as an additional output, runs the
// model and compares these outputs in the order of execution.
Exit CompareLayers(const CompareCall& call);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMPARE_LAYERS_H_
