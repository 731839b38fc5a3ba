// SPDX-License-Identifier: Apache-2.0
// weft convert --sensitivity and --max-error: measures the output error of narrower weights for
// each layer, and chooses the smallest weight types within an error bound.
#ifndef WEFT_CONVERTER_CLI_SENSITIVITY_H_
#define WEFT_CONVERTER_CLI_SENSITIVITY_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/cli/trials.h"

namespace weft::cli {

// Called with the layer that is being measured.
using Announce = std::function<void(std::string_view)>;

struct LayerSensitivity {
  std::string layer, type;
  int64_t saved_bytes = 0;  // reduction of the file size
  program::Measured loss;
};

struct Sensitivity {
  std::vector<LayerSensitivity> layers;  // sorted by output error, largest first
  LayerSensitivity all;                  // all layers together
  std::vector<std::string> kept;         // layers that cannot have the type or do not get smaller
  std::string inputs;                    // description of the inputs
  int64_t runs = 0;
};

// Measures each layer with its type of `precisions` while all other layers have f32 weights.
Sensitivity MeasureSensitivity(const Trials& trials, const program::Precisions& precisions,
                               const Announce& announce);

struct Choice {
  program::LayerTypes types;
  program::Measured loss;  // of all types together
  double max = 0;          // the allowed error
  std::string inputs;
  int64_t runs = 0;
};

// Chooses types of the layers that `precisions` does not name; the others keep their types.
Choice ChooseForError(const Trials& trials, const program::Precisions& precisions, double max,
                      const Announce& announce);
// Adds the chosen types to `precisions`.
void TakeChoice(const Choice& choice, program::Precisions* precisions);

// Results of --sensitivity and --max-error; only those that the call requests.
struct Findings {
  std::optional<Sensitivity> sensitivity;
  std::optional<Choice> choice;
};
// `given` are the values of --precision.
std::string FindingsText(const Findings& findings, const std::vector<std::string>& given);
// Returns an object with "sensitivity" and "chosen_for_error", if they were requested.
nlohmann::ordered_json FindingsJson(const Findings& findings,
                                    const std::vector<std::string>& given);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SENSITIVITY_H_
