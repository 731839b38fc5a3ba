// SPDX-License-Identifier: Apache-2.0
// What is wrong with a call that CLI11 has refused. CLI11 throws at the first fault it meets, which
// is often a consequence: "--output is required" where "--ouput" was typed. So the words that
// no command knows come first, each with the nearest one that exists, then the values that do not
// fit, and what is missing only when nothing else is wrong.
#ifndef WEFT_CONVERTER_CLI_CALL_FAULTS_H_
#define WEFT_CONVERTER_CLI_CALL_FAULTS_H_

#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace weft::cli {

// Of `app` as it stood when it threw `error`.
Faults CallFaults(const CLI::App& app, const CLI::ParseError& error);
// A word stands where a command must, and none of that name exists.
bool NamesUnknownCommand(const CLI::App& app);

// `unknown command "convrt"; did you mean "convert"? ("weft help" lists the commands)`
std::string UnknownCommand(const CLI::App& app, const std::string& word);

// Writes "--streaming 8" as "--streaming=8", the one form in which a flag takes a number: what
// follows it otherwise may be the model.
void JoinNumbers(std::vector<std::string>& words);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FAULTS_H_
