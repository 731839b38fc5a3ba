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

// Returns the files that an --input may read: the file of NAME=FILE, or the .npy and .wav files of
// a folder, sorted. The name of a folder may contain "=".
std::vector<std::string> FilesOfInput(const std::string& text);

struct Trial {
  int64_t bytes = 0;  // of the file
  program::WeightsReport weights;
  program::Measured loss;
};

class Trials {
 public:
  // `inputs` are NAME=FILE, or a folder with a file for each input; if empty, inputs are generated.
  Trials(const pipeline::ConvertOptions& options, const std::vector<std::string>& inputs);

  // Converts and runs the model with f32 weights. Returns false and adds faults on failure, which
  // includes an output element of given inputs that is NaN or infinite. For random inputs, fails
  // only if no element is finite; elements that are not finite add no loss.
  bool Begin(Diagnostics& complaints);

  // Converts, runs and compares with other weight types. Returns nullopt if the conversion fails.
  std::optional<Trial> With(const program::Precisions& precisions) const;

  // Names of the layers with weights, sorted.
  std::vector<std::string> layers() const;
  const Trial& reference() const { return reference_; }
  // Description of the inputs, such as "16 runs of random inputs in [-1, 1)", and of the elements
  // left out.
  std::string InputsText() const;
  int64_t runs() const { return session_->call_count(); }
  // Number of output elements without a finite value in the f32 run.
  int64_t left_out() const { return left_out_; }
  // Returns true if Begin failed because no output element is finite.
  bool lacks_finite_outputs() const { return left_out_ > 0 && left_out_ == float_elements_; }
  bool has_files() const { return !inputs_.empty(); }

 private:
  std::optional<pipeline::Converted> Convert(const program::Precisions& precisions,
                                             Faults& faults) const;
  std::vector<std::string> FilesOf(const std::string& folder) const;
  bool CountFinite(Faults& faults);

  pipeline::ConvertOptions options_;
  std::vector<std::string> inputs_;
  std::unique_ptr<LoadedModel> model_;
  std::unique_ptr<Session> session_;
  Trial reference_;
  int64_t float_elements_ = 0, left_out_ = 0;  // of all outputs in all runs
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_TRIALS_H_
