// SPDX-License-Identifier: Apache-2.0
// weft convert --sensitivity and --max-error: what each layer's weights of fewer bits do to the
// outputs, and which of them an error leaves room for.
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

// Says which layer is being measured.
using Announce = std::function<void(std::string_view)>;

struct LayerSensitivity {
  std::string layer, type;
  int64_t saved_bytes = 0;  // of the file
  plan::Measured loss;
};

struct Sensitivity {
  std::vector<LayerSensitivity>
      layers;                     // the one whose rounding the outputs show most is the first
  LayerSensitivity all;           // all of them at once
  std::vector<std::string> kept;  // that cannot have their type, or gain nothing from it
  std::string inputs;             // what the runs were of
  int64_t runs = 0;
};

// One layer at a time has the type that `precisions` gives it, all others have weights of f32.
Sensitivity MeasureSensitivity(const Trials& trials, const plan::Precisions& precisions,
                               const Announce& announce);

struct Choice {
  plan::LayerTypes types;
  plan::Measured loss;  // of all of them at once
  double most = 0;      // that was allowed
  std::string inputs;
  int64_t runs = 0;
};

// Of the layers that `precisions` does not name; those keep what it says.
Choice ChooseForError(const Trials& trials, const plan::Precisions& precisions, double most,
                      const Announce& announce);
// The choice joins what the call asked for.
void TakeChoice(const Choice& choice, plan::Precisions* precisions);

// What a call has asked for.
struct Findings {
  std::optional<Sensitivity> sensitivity;
  std::optional<Choice> choice;
};
// `given`: the values of --precision.
std::string FindingsText(const Findings& findings, const std::vector<std::string>& given);
// {"sensitivity": ..., "chosen_for_error": ...}, of what there is.
nlohmann::ordered_json FindingsJson(const Findings& findings,
                                    const std::vector<std::string>& given);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SENSITIVITY_H_
