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

// The new file beside its target; removed again unless it is renamed.
class Aside {
 public:
  Aside() = default;
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (!name_.empty()) unlink(name_.c_str());
  }

  bool Write(const FileToWrite& file, std::string* reason) {
    // What a link names is replaced, not the link; a device or pipe cannot be replaced at all.
    std::error_code error;
    target_ = file.path;
    if (std::filesystem::is_symlink(target_, error)) {
      target_ = std::filesystem::weakly_canonical(target_, error);
    }
    const std::filesystem::file_status status = std::filesystem::status(target_, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      *reason = file.path.string() + ": cannot be written: it is no regular file";
      return false;
    }
    std::string name = target_.string() + ".XXXXXX";
    Descriptor made(mkostemp(name.data(), O_CLOEXEC));
    if (made.get() >= 0) {
      name_ = name;
      if (WriteAll(made.get(), file.bytes) && fchmod(made.get(), ModeFor(target_)) == 0 &&
          fsync(made.get()) == 0 && made.Close()) {
        return true;
      }
    }
    *reason = file.path.string() + ": cannot be written: " + Reason();
    return false;
  }

  bool Rename(std::string* reason) {
    if (rename(name_.c_str(), target_.c_str()) != 0) {
      *reason = target_.string() + ": cannot be written: " + Reason();
      return false;
    }
    name_.clear();
    return true;
  }

 private:
  std::filesystem::path target_;
  std::string name_;
};

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

bool WriteFiles(std::span<const FileToWrite> files, std::string* reason) {
  std::vector<Aside> asides(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    if (!asides[i].Write(files[i], reason)) return false;
  }
  // Every byte is on the disk: from here on only the directory entries change.
  for (size_t i = 0; i < files.size(); ++i) {
    if (!asides[i].Rename(reason)) return false;
  }
  return true;
}

}  // namespace weft
