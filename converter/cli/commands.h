// SPDX-License-Identifier: Apache-2.0
// The `weft` command: one file per subcommand adds its options here and runs once the call is
// parsed. Results go to stdout, talk and faults to stderr.
#ifndef WEFT_CONVERTER_CLI_COMMANDS_H_
#define WEFT_CONVERTER_CLI_COMMANDS_H_

#include <nlohmann/json_fwd.hpp>

#include "converter/base/faults.h"
#include "converter/cli/command_line.h"
#include "converter/cli/session.h"

namespace weft::cli {

enum class Exit : int { kDone = 0, kInput = 1, kCall = 2 };

// Everything but the process: returns the exit code, throws nothing.
int Main(int argc, const char* const* argv);

// Each adds one subcommand that sets *exit when it runs.
void AddConvert(CommandLine& line, Exit* exit);
void AddRun(CommandLine& line, Exit* exit);
void AddCompare(CommandLine& line, Exit* exit);
void AddBench(CommandLine& line, Exit* exit);
void AddInspect(CommandLine& line, Exit* exit);
void AddVerify(CommandLine& line, Exit* exit);
void AddDiff(CommandLine& line, Exit* exit);
void AddPlan(CommandLine& line, Exit* exit);
void AddOps(CommandLine& line, Exit* exit);
void AddExplain(CommandLine& line, Exit* exit);
// `weft completion` and `weft man`
void AddCompletion(CommandLine& line, Exit* exit);

// Prints all lines on stderr, and with --json as {"error": [...]} on stdout when the command ends
// without a JSON value of its own; says what they mean for the exit code.
Exit Report(const Faults& input_faults);
Exit Report(const Complaints& complaints);

// One JSON value on stdout, indented. Names that are no UTF-8 are mended.
void Print(const nlohmann::ordered_json& value);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMMANDS_H_
