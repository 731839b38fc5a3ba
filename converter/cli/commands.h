// SPDX-License-Identifier: Apache-2.0
// The `weft` command. Each subcommand is one source, which adds its options and runs after the call
// is parsed. Results are printed on stdout, errors and notes on stderr.
#ifndef WEFT_CONVERTER_CLI_COMMANDS_H_
#define WEFT_CONVERTER_CLI_COMMANDS_H_

#include <string>

#include "converter/base/faults.h"
#include "converter/base/json.h"
#include "converter/cli/command_line.h"
#include "converter/cli/session.h"

namespace weft::cli {

enum class Exit : int { kDone = 0, kInput = 1, kCall = 2 };

// Runs a call of `weft` and returns the exit code. Throws nothing.
int Main(int argc, const char* const* argv);

// Each adds one subcommand that sets *exit when it runs.
void AddConvert(CommandLine& line, Exit* exit);
void AddLink(CommandLine& line, Exit* exit);
void AddRun(CommandLine& line, Exit* exit);
void AddCompare(CommandLine& line, Exit* exit);
void AddBench(CommandLine& line, Exit* exit);
void AddInspect(CommandLine& line, Exit* exit);
void AddVerify(CommandLine& line, Exit* exit);
void AddDiff(CommandLine& line, Exit* exit);
void AddPlan(CommandLine& line, Exit* exit);
void AddOps(CommandLine& line, Exit* exit);
void AddExplain(CommandLine& line, Exit* exit);
void AddVersion(CommandLine& line, Exit* exit);
// `weft completion` and `weft man`
void AddCompletion(CommandLine& line, Exit* exit);

// Prints all lines on stderr. With --json the errors are also printed on stdout as
// {"error": [...]} when the command ends, unless it prints a JSON value. Returns the exit code:
// kCall also for input faults whose location is an option ("--shape: ...").
Exit Report(const Faults& input_faults);
Exit Report(const Diagnostics& complaints);

// Prints one JSON value on stdout, indented. Invalid UTF-8 in names is replaced.
void Print(const Json& value);

// "weft 0.2.0, file format 4"
std::string VersionText();

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMMANDS_H_
