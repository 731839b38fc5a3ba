// SPDX-License-Identifier: Apache-2.0
// weft compare --layers: which layer of an IR is the first that differs from expected values.
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

// Converts the IR so that every layer with a file in the folder is an output too, runs it and
// compares them in the order of execution.
Exit CompareLayers(const CompareCall& call);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMPARE_LAYERS_H_
