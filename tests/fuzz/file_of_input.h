// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_TESTS_FUZZ_FILE_OF_INPUT_H_
#define WEFT_TESTS_FUZZ_FILE_OF_INPUT_H_

#include <string>

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

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_FILE_OF_INPUT_H_
