// SPDX-License-Identifier: Apache-2.0
// What weights of other types do to a model's outputs: it is converted with them and runs here, on
// the inputs that the same model with weights of f32 has run on. A board has the bits of this
// machine.
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
  plan::WeightsReport weights;
  plan::Measured loss;
};

class Trials {
 public:
  // `inputs` are those of the call: NAME=FILE, or a folder with a file for each input; none: made
  // ones.
  Trials(const pipeline::ConvertOptions& options, const std::vector<std::string>& inputs);

  // Converts with weights of f32 and runs that. False, with faults, where it cannot be.
  bool Begin(Complaints& complaints);

  // Nullopt where a weight or a layer cannot have its type.
  std::optional<Trial> With(const plan::Precisions& precisions) const;

  // Layers that multiply by constants, in the order of their names.
  std::vector<std::string> layers() const;
  const Trial& reference() const { return reference_; }
  // "8 runs of made inputs", for people.
  std::string InputsText() const;
  int64_t runs() const { return session_->call_count(); }
  bool has_files() const { return !inputs_.empty(); }

 private:
  std::optional<pipeline::Converted> Convert(const plan::Precisions& precisions,
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
