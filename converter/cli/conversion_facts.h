// SPDX-License-Identifier: Apache-2.0
// The facts of a conversion as one value, for `weft convert` and the page of --report.
#ifndef WEFT_CONVERTER_CLI_CONVERSION_FACTS_H_
#define WEFT_CONVERTER_CLI_CONVERSION_FACTS_H_

#include <string>

#include "converter/base/json.h"
#include "converter/pipeline.h"

namespace weft::cli {

// Sizes, weight types, `findings` (sensitivity.h), the proof of scratch, and all plans, the fastest
// first. Signal to noise of a layer is null where nothing was rounded.
Json FactsOf(const pipeline::Converted& converted, const pipeline::ConvertOptions& options,
             const Json& findings);

// The facts as text. `file` is the name of the model file.
std::string ConversionText(const std::string& file, const Json& facts,
                           const pipeline::ConvertOptions& options);

// Explains the table of plans in the help.
std::string CurveHelp();

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CONVERSION_FACTS_H_
