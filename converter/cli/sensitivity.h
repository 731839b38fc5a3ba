// SPDX-License-Identifier: Apache-2.0
// weft convert --sensitivity, --max-error and --min-snr: measures the output error of narrower
// weights for each layer, and chooses the smallest weight types within an error bound.
#ifndef WEFT_CONVERTER_CLI_SENSITIVITY_H_
#define WEFT_CONVERTER_CLI_SENSITIVITY_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/json.h"
#include "converter/cli/trials.h"

namespace weft::cli {

// Called with the layer that is being measured.
using Announce = std::function<void(std::string_view)>;

// Returns the fact "sensitivity": the output error if a layer has its type of `precisions` while
// all other layers have f32 weights, for each layer, the largest error first, and for all layers
// together. "kept" are layers that cannot have the type or do not get smaller.
Json MeasureSensitivity(const Trials& trials, const program::Precisions& precisions,
                        const Announce& announce);

// Chooses types of the layers that `precisions` does not name, with an error of at most `max`, and
// adds them to `precisions`. Returns the fact "chosen_for_error". `given` are the values of
// --precision.
Json ChooseForError(const Trials& trials, double max, const std::vector<std::string>& given,
                    const Announce& announce, program::Precisions* precisions);

// Replaces the type of `precisions` by `wide` for as few bytes of layers as give the float outputs
// a signal-to-noise ratio of at least `min_snr_db`; layers that `precisions` names keep their type.
// Returns the fact "output_snr", or null if the conversion fails. Replaces nothing if that does not
// suffice.
Json KeepSnr(const Trials& trials, double min_snr_db, const std::vector<std::string>& given,
             const std::string& wide, const Announce& announce, program::Precisions* precisions);

// `findings` has one or none of the facts.
std::string FindingsText(const Json& findings);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SENSITIVITY_H_
