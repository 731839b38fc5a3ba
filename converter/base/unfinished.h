// SPDX-License-Identifier: Apache-2.0
// The list of files that are being written. A signal that ends the process (Ctrl-C, a closed
// terminal, kill) removes these files first. For programs with one thread.
#ifndef WEFT_CONVERTER_BASE_UNFINISHED_H_
#define WEFT_CONVERTER_BASE_UNFINISHED_H_

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

namespace weft {

// Blocks those signals during its lifetime; pending signals are delivered when it ends.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  sigset_t before_;
};

// The list of file names; at most one object at a time. Its destructor removes the files that are
// still listed.
class Unfinished {
 public:
  Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();

  // Creates a file with a new name in `folder`, lists it and returns its name. `make` creates the
  // file and returns 0 or an errno; on EEXIST it is called again with another name. On failure
  // returns an empty text and sets errno.
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
  // Removes a name from the list: the file was renamed or removed.
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
