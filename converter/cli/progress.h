// SPDX-License-Identifier: Apache-2.0
// Progress of a conversion, on stderr.
#ifndef WEFT_CONVERTER_CLI_PROGRESS_H_
#define WEFT_CONVERTER_CLI_PROGRESS_H_

#include <chrono>
#include <string>
#include <string_view>

namespace weft::cli {

// On a terminal, one line that each pass overwrites; with --verbose a line for each pass, with its
// time.
class Progress {
 public:
  explicit Progress(bool verbose);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Show(std::string_view pass);

 private:
  using Clock = std::chrono::steady_clock;

  void SayTime() const;

  const bool verbose_, on_terminal_;
  bool shown_ = false;
  std::string pass_ = "begin";  // before the first pass: detection of a dynamic time axis
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point pass_begin_ = begin_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_PROGRESS_H_
