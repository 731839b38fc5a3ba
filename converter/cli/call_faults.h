// SPDX-License-Identifier: Apache-2.0
// Error messages for the words of a call. One error is often a consequence of another: "MODEL is
// missing" after a typing error "--ouput". The messages therefore first list unknown words, each
// with the most similar known word. They report missing arguments only if there is no other error.
#ifndef WEFT_CONVERTER_CLI_CALL_FAULTS_H_
#define WEFT_CONVERTER_CLI_CALL_FAULTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/cli/command_line.h"

namespace weft::cli {

// Returns true for "-o", "--output" and "--". "-1" is a number and "-" a file name.
bool IsOption(std::string_view word);

// Words that a command does not accept.
struct UnknownWords {
  std::vector<std::string> options, words;
};
// Words other than options are reported only if there is no unknown option, because they may be
// its value.
void AddUnknown(const CommandLine& line, const Command& command, const UnknownWords& unknown,
                Faults& faults);
// Options before the command; `command` is empty if there is none.
void AddUnknownBefore(const CommandLine& line, const std::vector<std::string>& options,
                      const std::string& command, Faults& faults);
void AddNoCommand(const CommandLine& line, Faults& faults);
void AddMissing(const Command& command, Faults& faults);

// `unknown command "convrt"; did you mean "convert"? ("weft help" lists the commands)`
std::string UnknownCommand(const CommandLine& line, const std::string& word);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FAULTS_H_
