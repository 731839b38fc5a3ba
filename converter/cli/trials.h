// SPDX-License-Identifier: Apache-2.0
// Measures the output error of weight types: converts a model with these types and runs it on the
// inputs of a reference run with f32 weights. Results are bit-identical on boards.
#ifndef WEFT_CONVERTER_CLI_TRIALS_H_
#define WEFT_CONVERTER_CLI_TRIALS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/cli/comparison.h"
#include "converter/cli/session.h"
#include "converter/pipeline.h"
#include "converter/program/choose_types.h"

namespace weft::cli {

struct Trial {
  int64_t bytes = 0;  // of the file
  program::WeightsReport weights;
  program::Measured loss;
};

class Trials {
 public:
  // `inputs` are NAME=FILE, or a folder with a file for each input; if empty, inputs are generated.
  Trials(const pipeline::ConvertOptions& options, const std::vector<std::string>& inputs);

  // Converts and runs the model with f32 weights. Returns false and adds faults on failure.
  bool Begin(Diagnostics& complaints);

  // Converts, runs and compares with other weight types. Returns nullopt if the conversion fails.
  std::optional<Trial> With(const program::Precisions& precisions) const;

  // Names of the layers with weights, sorted.
  std::vector<std::string> layers() const;
  const Trial& reference() const { return reference_; }
  // Description of the inputs, such as "16 runs of random inputs in [-1, 1)".
  std::string InputsText() const;
  int64_t runs() const { return session_->call_count(); }
  bool has_files() const { return !inputs_.empty(); }

 private:
  std::optional<pipeline::Converted> Convert(const program::Precisions& precisions,
                                             Faults& faults) const;
  std::vector<std::string> FilesOf(const std::string& folder) const;

  pipeline::ConvertOptions options_;
  std::vector<std::string> inputs_;
  std::unique_ptr<LoadedModel> model_;
  std::unique_ptr<Session> session_;
  Trial reference_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TRIALS_H_
