// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include "converter/cli/commands.h"
#include "converter/cli/system_streams.h"

// The words of the command line in UTF-8, independent of the code page of the system.
int wmain(int argc, wchar_t** argv) {
  weft::cli::HoldStandardStreams();
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    const std::u8string word = std::filesystem::path(argv[i]).u8string();
    words.emplace_back(word.begin(), word.end());
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return weft::cli::Main(argc, pointers.data());
}
