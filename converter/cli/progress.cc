// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "converter/cli/streams.h"
#include "converter/cli/system_streams.h"

namespace weft::cli {
namespace {

double MillisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

Progress::Progress(bool verbose)
    : verbose_(verbose), on_terminal_(InterpretsEscapes(kStandardError)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  if (!verbose_) return;
  SayTime();
  Say("{:14}{:10.1f} ms", "all", MillisecondsSince(begin_));
}

void Progress::Show(std::string_view pass) {
  if (verbose_) {
    SayTime();
  } else if (on_terminal_) {
    std::fputs(fmt::format("\r\x1b[Kconverting: {}", pass).c_str(), stderr);
    shown_ = true;
  }
  pass_ = pass;
  pass_begin_ = Clock::now();
}

void Progress::SayTime() const { Say("{:14}{:10.1f} ms", pass_, MillisecondsSince(pass_begin_)); }

}  // namespace weft::cli
