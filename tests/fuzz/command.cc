// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "converter/cli/commands.h"

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

// Redirects a stream to a file during its lifetime.
class Redirected {
 public:
  Redirected(int descriptor, std::FILE* stream)
      : descriptor_(descriptor), stream_(stream), saved_(dup(descriptor)) {
    std::fflush(stream_);
    dup2(fileno(file_), descriptor_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() { Restore(); }

  // Restores the stream and returns what was written to it.
  std::string Restore() {
    if (saved_ < 0) return "";
    std::fflush(stream_);
    dup2(saved_, descriptor_);
    close(saved_);
    saved_ = -1;
    std::rewind(file_);
    std::string text;
    char buffer[4096];
    while (const size_t bytes = std::fread(buffer, 1, sizeof buffer, file_))
      text.append(buffer, bytes);
    std::fclose(file_);
    return text;
  }

 private:
  const int descriptor_;
  std::FILE* const stream_;
  int saved_;
  std::FILE* const file_ = std::tmpfile();
};

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

void CheckLines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.empty()) Finding("an error is empty");
    if (line.find('\n') != std::string::npos) Finding("an error has several lines: " + line);
    if (line.starts_with("weft: internal error")) Finding(line);
  }
}

Answer CallCommand(const std::vector<std::string>& words) {
  std::vector<const char*> arguments = {"weft"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  Redirected out(STDOUT_FILENO, stdout), errors(STDERR_FILENO, stderr);
  Answer answer;
  answer.code = cli::Main(static_cast<int>(arguments.size()), arguments.data());
  std::istringstream printed(errors.Restore());
  answer.out = out.Restore();
  std::vector<std::string> lines;
  for (std::string line; std::getline(printed, line);) lines.push_back(line);
  CheckLines(lines);
  for (const std::string& line : lines) {
    if (line.starts_with("weft: ")) Finding(line);  // an exception
  }
  if (answer.code < 0 || answer.code > 2)
    Finding("weft " + words[0] + " returned " + std::to_string(answer.code));
  if (answer.code != 0 && lines.empty() && answer.out.empty())
    Finding("weft " + words[0] + " failed without an error");
  return answer;
}

}  // namespace weft::fuzz
