// SPDX-License-Identifier: Apache-2.0
#include "converter/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace weft {
namespace {

std::string Reason() { return std::generic_category().message(errno); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  int get() const { return fd_; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || close(fd) == 0;
  }

 private:
  int fd_;
};

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// The access rights a plain creation would give: those of the file replaced, else the umask's.
mode_t ModeFor(const std::filesystem::path& path) {
  struct stat old;
  if (stat(path.c_str(), &old) == 0) return old.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::optional<std::vector<std::byte>> ReadFile(const std::filesystem::path& path,
                                               std::string* reason) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0) {
    *reason = Reason();
    return std::nullopt;
  }
  // Pipes have no size: they are read in growing pieces. One more byte lets the end show itself.
  std::vector<std::byte> bytes(static_cast<size_t>(status.st_size) + 1);
  size_t filled = 0;
  while (true) {
    const ssize_t got = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      *reason = Reason();
      return std::nullopt;
    }
    if (got == 0) break;
    filled += static_cast<size_t>(got);
    if (filled == bytes.size()) bytes.resize(2 * bytes.size() + 4096);
  }
  bytes.resize(filled);
  return bytes;
}

bool WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes,
               std::string* reason) {
  // What a link names is replaced, not the link; a device or pipe cannot be replaced at all.
  std::error_code error;
  std::filesystem::path target = path;
  if (std::filesystem::is_symlink(path, error))
    target = std::filesystem::weakly_canonical(path, error);
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    *reason = std::filesystem::is_directory(status) ? "it is a directory" : "it is no regular file";
    return false;
  }
  std::string aside = target.string() + ".XXXXXX";
  Descriptor file(mkostemp(aside.data(), O_CLOEXEC));
  if (file.get() < 0) {
    *reason = Reason();
    return false;
  }
  if (WriteAll(file.get(), bytes) && fchmod(file.get(), ModeFor(target)) == 0 &&
      fsync(file.get()) == 0 && file.Close() && rename(aside.c_str(), target.c_str()) == 0) {
    return true;
  }
  *reason = Reason();
  unlink(aside.c_str());
  return false;
}

}  // namespace weft
