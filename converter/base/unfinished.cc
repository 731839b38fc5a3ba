// SPDX-License-Identifier: Apache-2.0
#include "converter/base/unfinished.h"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

namespace weft {
namespace {

// Modified only while signals are held, so that the handler never sees an inconsistent list.
std::vector<std::string> names;

extern "C" void RemoveAndEnd(int signal) {
  for (const std::string& name : names) unlink(name.c_str());
  std::signal(signal, SIG_DFL);
  raise(signal);  // delivered after this function; ends the process with the same signal
}

}  // namespace

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : Unfinished::kSignals) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

Unfinished::Unfinished() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // Keeps signals that are ignored (nohup) or handled by the program.
    if (before_[i].sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = RemoveAndEnd;
    sigfillset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

Unfinished::~Unfinished() {
  const SignalsHeld held;
  for (const std::string& name : names) unlink(name.c_str());
  names.clear();
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

void Unfinished::Forget(const std::string& name) {
  const SignalsHeld held;
  std::erase(names, name);
}

std::string Unfinished::NextName(const std::filesystem::path& folder) {
  static unsigned count = 0;
  return (folder / fmt::format(".weft-{}-{}", getpid(), count++)).string();
}

std::string Unfinished::Listed(std::string name) {
  names.push_back(name);
  return name;
}

}  // namespace weft
