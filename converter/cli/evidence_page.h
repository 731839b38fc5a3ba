// SPDX-License-Identifier: Apache-2.0
// index.html of --evidence: the summary and the tables for readers, without scripts.
#ifndef WEFT_CONVERTER_CLI_EVIDENCE_PAGE_H_
#define WEFT_CONVERTER_CLI_EVIDENCE_PAGE_H_

#include <string>

#include "converter/base/json.h"

namespace weft::cli {

// `mapping` and `plan` are rows of evidence_facts.h.
std::string EvidencePage(const Json& summary, const Json& mapping, const Json& plan);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_EVIDENCE_PAGE_H_
