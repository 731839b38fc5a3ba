// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer on stored inputs, in builds without libFuzzer: weft_fuzz_NAME FILE or FOLDER...
// A finding ends the process; the file named last caused it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzzer.h"

namespace {

void Replay(const std::filesystem::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  weft::fuzz::Run(std::as_bytes(std::span(bytes)));
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::is_regular_file(argv[i])) {
      Replay(argv[i]);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      Replay(entry.path());
      ++files;
    }
  }
  std::printf("%d inputs\n", files);
  if (files == 0) std::fprintf(stderr, "usage: %s FILE or FOLDER...\n", argv[0]);
  return files == 0 ? 2 : 0;
}
