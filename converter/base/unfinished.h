// SPDX-License-Identifier: Apache-2.0
// Names of files that are not whole yet. A signal that ends the process (Ctrl-C, a closed terminal,
// kill) removes them first and then ends it as it does without. For programs of one thread.
#ifndef WEFT_CONVERTER_BASE_UNFINISHED_H_
#define WEFT_CONVERTER_BASE_UNFINISHED_H_

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

namespace weft {

// Holds those signals back while it lives; what came meanwhile acts when it ends.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  sigset_t before_;
};

// The list of those names; at most one at a time. Its end removes the files that are still on it.
class Unfinished {
 public:
  Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

  // A name in `folder`, on the list once `make` has made a file of it. `make` returns 0 or an errno
  // and is asked again for another name while that is EEXIST. Empty, with errno, when it fails.
  template <typename Make>
  std::string Add(const std::filesystem::path& folder, const Make& make) {
    const SignalsHeld held;
    while (true) {
      std::string name = NextName(folder);
      const int error = make(name.c_str());
      if (error == 0) return Listed(std::move(name));
      if (error == EEXIST) continue;
      errno = error;
      return {};
    }
  }
  // The file has another name now, or none.
  void Forget(const std::string& name);

 private:
  static std::string NextName(const std::filesystem::path& folder);
  static std::string Listed(std::string name);

  static constexpr std::array kSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                          SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kSignals.size()> before_;
  friend class SignalsHeld;
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_UNFINISHED_H_
