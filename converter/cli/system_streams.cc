// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/system_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace weft::cli {

void HoldStandardStreams() {
  for (int fd = kStandardInput; fd <= kStandardError; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is `fd`. The mode makes reads or writes
    // fail.
    const int mode = fd == kStandardInput ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) < 0) open("/", O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool IsTerminal(int descriptor) { return isatty(descriptor) != 0; }

bool InterpretsEscapes(int descriptor) { return IsTerminal(descriptor); }

}  // namespace weft::cli
