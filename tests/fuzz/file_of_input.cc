// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/file_of_input.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

// A folder of this process, deleted when the process ends.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "weft-fuzz-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path& FolderOfProcess() {
  static const Folder folder;
  return folder.path();
}

}  // namespace

FileOfInput::FileOfInput(const std::string& name, Input bytes)
    : path_((FolderOfProcess() / name).string()) {
  std::FILE* file = std::fopen(path_.c_str(), "wb");
  if (file == nullptr) Finding("the fuzzer cannot write " + path_);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
}

FileOfInput::~FileOfInput() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace weft::fuzz
