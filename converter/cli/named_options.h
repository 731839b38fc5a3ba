// SPDX-License-Identifier: Apache-2.0
// Options that name a part of the model or of the target: --shape x=1,25, --region dtcm=16K. All
// functions end the call if a text is invalid.
#ifndef WEFT_CONVERTER_CLI_NAMED_OPTIONS_H_
#define WEFT_CONVERTER_CLI_NAMED_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/cli/command_line.h"
#include "converter/pipeline.h"

namespace weft::cli {

void AddShapeOption(Command& command, std::vector<std::string>& shapes);
// Parses texts such as "x=1,25,512". Each input may occur once.
std::map<std::string, Dims> ParseShapes(const std::vector<std::string>& texts);

// Parses "h0=hn". An output whose name contains "=" must be given by its index.
graph::InputStates ParseStates(const std::vector<std::string>& texts);

// Parses "x=1".
graph::TimeNames ParseTimeAxes(const std::vector<std::string>& texts);

// Parses "f16" for all layers and "decoder=f32" for one. The last "=" separates name and type.
void ParsePrecisions(const std::vector<std::string>& texts, program::Precisions* precisions);

// Parses NAME=BYTES and NAME=BYTES:weights: memory regions of the target for scratch, and for
// copies of weights. Each name may occur once.
std::vector<pipeline::ScratchRegion> ParseRegions(const std::vector<std::string>& texts);

// --value: NAME=FILE.npy, NAME=NUMBER or NAME=NUMBER,NUMBER... Returns the files.
std::vector<std::string> FilesOfValues(const std::vector<std::string>& texts);
// Reads the files and numbers into `values`, by the names of the inputs.
void ReadValues(const std::vector<std::string>& texts,
                std::map<std::string, graph::InputValue>* values, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_NAMED_OPTIONS_H_
