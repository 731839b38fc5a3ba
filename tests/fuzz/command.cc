// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "converter/cli/commands.h"
#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {
namespace {

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
