// SPDX-License-Identifier: Apache-2.0
// The software bill of materials of a converted model, as SPDX 2.3.
#ifndef WEFT_CONVERTER_CLI_SBOM_H_
#define WEFT_CONVERTER_CLI_SBOM_H_

#include "converter/base/json.h"

namespace weft::cli {

// `model` and each of `sources` have "file" and "sha256". The components are weft and the libraries
// that it is built with, as CMake found them. The document has a constant time, so that equal
// conversions have equal documents.
Json SbomOf(const Json& model, const Json& sources);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SBOM_H_
