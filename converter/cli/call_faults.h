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

// Brings values into the one form that CLI11 reads rightly. "--streaming 8" becomes
// "--streaming=8": what follows a flag otherwise may be the model. Of an option that collects
// values,
// "--shape a=1 b=2" becomes "--shape a=1 --shape b=2".
void RespellValues(const CLI::App& app, std::vector<std::string>& words);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FAULTS_H_
