// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer on stored inputs, in builds without libFuzzer: weft_fuzz NAME FILE or FOLDER...
// A finding ends the process; the file named last caused it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/fuzzer.h"

namespace {

void Replay(const weft::fuzz::Fuzzer& fuzzer, const std::filesystem::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  fuzzer.run(std::as_bytes(std::span(bytes)));
}

}  // namespace

int main(int argc, char** argv) {
  const weft::fuzz::Fuzzer* fuzzer = argc < 3 ? nullptr : weft::fuzz::Find(argv[1]);
  if (fuzzer == nullptr) {
    std::fprintf(stderr, "usage: weft_fuzz NAME FILE or FOLDER...; names:");
    for (const auto& each : weft::fuzz::All()) std::fprintf(stderr, " %s", each.name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  int files = 0;
  for (int i = 2; i < argc; ++i) {
    if (std::filesystem::is_regular_file(argv[i])) {
      Replay(*fuzzer, argv[i]);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      Replay(*fuzzer, entry.path());
      ++files;
    }
  }
  std::printf("%d inputs\n", files);
  return files == 0 ? 1 : 0;
}
