// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzzer.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace weft::fuzz {

// Standard error at the start of the process: fuzzers redirect descriptor 2.
static const int error_stream = dup(2);

void Finding(const std::string& text) {
  dprintf(error_stream, "FINDING: %s\n", text.c_str());
  std::abort();
}

void CheckLines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.empty()) Finding("an error is empty");
    if (line.find('\n') != std::string::npos) Finding("an error has several lines: " + line);
    if (line.starts_with("weft: internal error")) Finding(line);
  }
}

}  // namespace weft::fuzz
