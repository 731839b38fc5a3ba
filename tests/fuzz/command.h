// SPDX-License-Identifier: Apache-2.0
// Calls the `weft` command in this process on files that exist only during the call.
#ifndef WEFT_TESTS_FUZZ_COMMAND_H_
#define WEFT_TESTS_FUZZ_COMMAND_H_

#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {

// A file in a folder of this process, deleted by the destructor.
class FileOfInput {
 public:
  FileOfInput(const std::string& name, Input bytes);
  FileOfInput(const FileOfInput&) = delete;
  FileOfInput& operator=(const FileOfInput&) = delete;
  ~FileOfInput();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Answer {
  int code = 0;
  std::string out;
};

// Calls "weft WORDS...". It is a finding if the exit code is not 0, 1 or 2, if the command fails
// without an error, or if an error reports a defect of weft or an exception.
Answer CallCommand(const std::vector<std::string>& words);

// It is a finding if a line is empty, has a line end or reports a defect of weft.
void CheckLines(const std::vector<std::string>& lines);

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_COMMAND_H_
