// SPDX-License-Identifier: Apache-2.0
// What a model needs step by step, if its whole sequence does not fit.
#ifndef WEFT_CONVERTER_CLI_STREAMING_HINT_H_
#define WEFT_CONVERTER_CLI_STREAMING_HINT_H_

#include "converter/base/faults.h"
#include "converter/pipeline.h"

namespace weft::cli {

// After a conversion that failed because of --arena-budget: converts once more with --streaming and
// adds a line with the memory that this needs. Adds nothing if the model does not stream.
void SuggestStreaming(const pipeline::ConvertOptions& options, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMING_HINT_H_
