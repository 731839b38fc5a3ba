// SPDX-License-Identifier: Apache-2.0
// Error messages for a call that CLI11 has rejected. CLI11 throws at the first error, which is
// often a consequence of another one: "--output is required" after a typing error "--ouput". The
// messages therefore first list unknown words, each with the most similar known word, then invalid
// values. They report missing arguments only if there is no other error.
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

// Returns the errors. `app` must be in the state in which it threw `error`.
Faults CallFaults(const CLI::App& app, const CLI::ParseError& error);
// Returns true if the first word that is not an option is not the name of a command.
bool NamesUnknownCommand(const CLI::App& app);

// `unknown command "convrt"; did you mean "convert"? ("weft help" lists the commands)`
std::string UnknownCommand(const CLI::App& app, const std::string& word);

// Rewrites values to the forms that CLI11 parses correctly. "--streaming 8" becomes
// "--streaming=8", because CLI11 reads a word after a flag as the model. "--shape a=1 b=2" becomes
// "--shape a=1 --shape b=2" for options with several values.
void RespellValues(const CLI::App& app, std::vector<std::string>& words);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FAULTS_H_
