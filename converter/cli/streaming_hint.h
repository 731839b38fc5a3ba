// SPDX-License-Identifier: Apache-2.0
// Suggests --streaming if the scratch of a full sequence does not fit.
#ifndef WEFT_CONVERTER_CLI_STREAMING_HINT_H_
#define WEFT_CONVERTER_CLI_STREAMING_HINT_H_

#include "converter/base/faults.h"
#include "converter/pipeline.h"

namespace weft::cli {

// Call after a conversion that failed because of --arena-budget. Converts again with --streaming
// and adds a line with the memory of the streaming model. Adds nothing if the model cannot be
// streamed.
void SuggestStreaming(const pipeline::ConvertOptions& options, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_STREAMING_HINT_H_
