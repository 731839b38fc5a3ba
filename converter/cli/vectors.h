// SPDX-License-Identifier: Apache-2.0
// Recorded runs of a model as .npy files, and the calls of `weft` that repeat them.
#ifndef WEFT_CONVERTER_CLI_VECTORS_H_
#define WEFT_CONVERTER_CLI_VECTORS_H_

#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/json.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/npy.h"

namespace weft::cli {

struct VectorFile {
  std::string name;  // "inputs/x.npy"
  Array array;       // with a leading axis of runs
  std::string held;  // "input x, 2 runs"
};

struct Vectors {
  std::vector<VectorFile> files;
  Json facts;
  // The options of `weft compare` that repeat the runs, with files relative to the folder of
  // `files`; empty if a run does not complete, or if lengths of an output differ between runs.
  std::string compare_options;
};

// Returns the runs of the file's self test. If it has none, records two runs after Reset, with
// the inputs that --self-test generates. `model` must be open. Adds a fault if the runs are too
// large.
Vectors VectorsOf(LoadedModel& model, const std::string& folder, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_VECTORS_H_
