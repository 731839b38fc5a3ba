// SPDX-License-Identifier: Apache-2.0
// A temporary folder whose name has letters outside of ASCII, and processes that run in it.
#ifndef WEFT_TESTS_WINDOWS_FOLDER_H_
#define WEFT_TESTS_WINDOWS_FOLDER_H_

#include <gtest/gtest.h>
#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "converter/base/unfinished_windows.h"

namespace weft {

struct Outcome {
  int code = -1;
  std::string out, err;
};

class FolderTest : public testing::Test {
 protected:
  FolderTest()
      : folder_(std::filesystem::temp_directory_path() /
                (L"weft-\u00e4\u0416\u6f22-" + std::to_wstring(GetCurrentProcessId()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Path(const std::filesystem::path& name) const { return folder_ / name; }
  void WriteText(const std::filesystem::path& name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  std::string Text(const std::filesystem::path& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Names in the folder, sorted.
  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Opens a file as another program would, which shares it only for `shared`.
  void* Open(const std::filesystem::path& name, DWORD access, DWORD shared) const {
    return CreateFileW(Path(name).c_str(), access, shared, nullptr, OPEN_EXISTING,
                       FILE_ATTRIBUTE_NORMAL, nullptr);
  }

  std::filesystem::path folder_;
};

// Starts a process. Its output goes to `out` and `err`; a process without handles has no output.
// Returns an invalid handle after a failure.
inline void* StartProcess(std::wstring line, const std::filesystem::path& folder, void* out,
                          void* err) {
  STARTUPINFOW start = {};
  start.cb = sizeof(start);
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdOutput = out;
  start.hStdError = err;
  PROCESS_INFORMATION process = {};
  if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, folder.c_str(),
                     &start, &process) == 0) {
    return nullptr;
  }
  CloseHandle(process.hThread);
  return process.hProcess;
}

inline int ExitCodeOf(void* process) {
  DWORD code = 0;
  WaitForSingleObject(process, INFINITE);
  return GetExitCodeProcess(process, &code) != 0 ? static_cast<int>(code) : -1;
}

}  // namespace weft

#endif  // WEFT_TESTS_WINDOWS_FOLDER_H_
