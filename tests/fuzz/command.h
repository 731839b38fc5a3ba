// SPDX-License-Identifier: Apache-2.0
// Calls the `weft` command in this process.
#ifndef WEFT_TESTS_FUZZ_COMMAND_H_
#define WEFT_TESTS_FUZZ_COMMAND_H_

#include <string>
#include <vector>

namespace weft::fuzz {

struct Answer {
  int code = 0;
  std::string out;
};

// Calls "weft WORDS...". It is a finding if the exit code is not 0, 1 or 2, if the command fails
// without an error, or if an error reports a defect of weft or an exception.
Answer CallCommand(const std::vector<std::string>& words);

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_COMMAND_H_
