// SPDX-License-Identifier: Apache-2.0
// The facts of --evidence about one model, as JSON values and rows of tables. They contain no time,
// no host and no absolute path, so that equal conversions have equal facts.
#ifndef WEFT_CONVERTER_CLI_EVIDENCE_FACTS_H_
#define WEFT_CONVERTER_CLI_EVIDENCE_FACTS_H_

#include <span>
#include <string>

#include "converter/base/json.h"
#include "converter/cli/command_line.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/model_check.h"

namespace weft::cli {

// Columns of the tables, in the form of table.h.
inline constexpr const char* kMappingColumns =
    "layer | step | kernel | function | source | tests | >executions | >multiply_adds | "
    "file_bytes | reads | writes";
inline constexpr const char* kPlanColumns =
    ">value | name | region | >offset | >bytes | >first_step | >last_step | live | slots | kept | "
    "shares_bytes_with";
inline constexpr const char* kKernelColumns =
    "kernel | function | >steps | source | tests | coverage";
inline constexpr const char* kInstructionColumns =
    "target | >step | layer | kernel=kind | >executions | >max | >excess=excess .2f | "
    ">max_per_run | depends_on_data";

// The values of the options in the call that may change the result, in the order of the help. A
// path is reduced to its last part.
Json GivenOptions(const Command& command);
// Name, size and SHA-256 of a file.
Json FileFacts(const std::string& name, std::span<const std::byte> bytes);

// A row for each step: its layer, its kernel with the tests that compare it with a reference, the
// bytes of the file that it reads as weights, and its memory. `facts` has a listing.
Json MappingOf(const LoadedModel& model, const Json& facts);
// A row for each variable and for each buffer of scratch. `facts` has a plan.
Json PlanRowsOf(const Json& facts);
// A row for each function of steps.h that firmware links for this model, with the coverage that the
// tests of the repository reach in its source on x86-64.
Json KernelRowsOf(const format::Model& model, const Json& facts);
// InstructionFactsOf for each core of CoresWithBounds.
Json InstructionsOf(const format::Model& model);
// A row for each core and step of InstructionsOf.
Json InstructionRowsOf(const Json& cores);
// A row for each core of InstructionsOf, with the bound of a run.
Json InstructionSumsOf(const Json& cores);
// The result of `weft verify`: "valid", "violated" or "not validated", with counts. `plan` are
// rows of PlanRowsOf.
Json ChecksOf(const format::Model& model, const ModelCheck& check, const Json& plan);
// The numeric class (docs/numbers.md) on each target.
Json NumericOf(const format::Model& model);
// Section "Not promised" of docs/safety.md, a text for each bullet.
Json Limits();

// index.html of --evidence: the summary and the tables for readers, without scripts.
//
// `mapping` and `plan` are rows of MappingOf and PlanRowsOf.
std::string EvidencePage(const Json& summary, const Json& mapping, const Json& plan);

// The software bill of materials of a converted model, as SPDX 2.3.
//
// `model` and each of `sources` have "file" and "sha256". The components are weft and the libraries
// that it is built with, as CMake found them. The document has a constant time, so that equal
// conversions have equal documents.
Json SbomOf(const Json& model, const Json& sources);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_EVIDENCE_FACTS_H_
