// SPDX-License-Identifier: Apache-2.0
#include "converter/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <system_error>

#include "converter/base/file_pieces.h"
#include "converter/base/links.h"
#include "converter/base/unfinished.h"

namespace weft {
namespace {

std::string Reason() { return std::generic_category().message(errno); }

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }
  int get() const { return fd_; }
  // Must not hold a descriptor already.
  void Set(int fd) { fd_ = fd; }
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || close(fd) == 0;
  }

 private:
  int fd_;
};

// Reason of a failed write to a name that is no regular file: only regular files can be replaced.
// Empty if a file can have the name. Follows links, also those of /dev/stdout to a pipe.
std::string NotRegularReason(const std::filesystem::path& file) {
  using std::filesystem::file_type;
  std::error_code error;
  const file_type type = std::filesystem::status(file, error).type();
  if (type == file_type::none || type == file_type::not_found || type == file_type::regular) {
    return "";
  }
  const std::string is = type == file_type::directory ? "folder"
                         : type == file_type::fifo    ? "pipe"
                         : type == file_type::socket  ? "socket"
                                                      : "device";
  return "it is a " + is + "; must be a regular file";
}

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// Limit of anonymous files. They have no name until they are complete, so that not even SIGKILL
// leaves an incomplete file; but each needs an open descriptor.
constexpr size_t kMaxAnonymous = 64;

int OpenAnonymous(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  // The file is named later, through /proc.
  if (access("/proc/self/fd", X_OK) == 0) {
    return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  }
#endif
  (void)folder;
  return -1;
}

// A file that is being written: first anonymous or under a temporary name, then, when it is
// complete, under its own name.
class Incoming {
 public:
  Incoming(const FileToWrite& file, Unfinished& unfinished)
      : file_(file), unfinished_(unfinished), target_(file.path) {}

  bool Write(bool anonymous, std::string* reason) {
    if (const std::string why = NotRegularReason(file_.path); !why.empty()) {
      *reason = file_.path.string() + ": cannot be written: " + why;
      return false;
    }
    // Replaces the target of a link, not the link.
    target_ = FollowLinks(file_.path);
    std::error_code error;
    if (std::filesystem::is_symlink(target_, error)) {
      errno = ELOOP;
      return Fail(reason);
    }
    if (!HasFolder(target_)) {
      *reason = file_.path.string() + ": cannot be written: " + kNoFolderReason;
      return false;
    }
    struct stat old;
    const bool replaces = stat(target_.c_str(), &old) == 0;
    // rename() would replace a read-only file, so it is checked here.
    if (replaces && (old.st_mode & 0222) == 0) {
      *reason = file_.path.string() + ": cannot be written: it is read-only; must be writable";
      return false;
    }
    if (Create(anonymous) && WriteAll(made_.get(), file_.bytes) &&
        (!replaces || fchmod(made_.get(), old.st_mode & 0777) == 0) && fsync(made_.get()) == 0 &&
        (name_.empty() || made_.Close())) {
      return true;
    }
    return Fail(reason);
  }

  // Gives the file its name. Signals must be held. Withdraw requires `keep_old`.
  bool Position(bool keep_old, std::string* reason) {
    if (name_.empty()) {
      // link() never replaces a file, so a new file needs no temporary name.
      const int error = Link(target_.c_str());
      placed_ = error == 0;
      if (placed_) return true;
      errno = error;
      if (error != EEXIST) return Fail(reason);
      name_ = unfinished_.Add(Folder(), [&](const char* name) { return Link(name); });
      if (name_.empty()) return Fail(reason);
    }
    if (keep_old && !KeepOld()) return Fail(reason);
    if (rename(name_.c_str(), target_.c_str()) != 0) return Fail(reason);
    unfinished_.Forget(name_);
    placed_ = true;
    return true;
  }

  // Restores the state before Place, which may have failed.
  void Withdraw() {
    if (!old_.empty()) {
      rename(old_.c_str(),
             target_.c_str());  // no effect if both are the same file; the list then removes old_
    } else if (placed_) {
      unlink(target_.c_str());
    }
  }

 private:
  bool Create(bool anonymous) {
    if (anonymous) made_.Set(OpenAnonymous(Folder()));
    if (made_.get() >= 0) return true;
    name_ = unfinished_.Add(Folder(), [this](const char* name) {
      made_.Set(open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
      return made_.get() >= 0 ? 0 : errno;
    });
    return !name_.empty();
  }

  int Link(const char* name) const {
    const std::string made = "/proc/self/fd/" + std::to_string(made_.get());
    return linkat(AT_FDCWD, made.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  }

  // Gives the old file, if there is one, a temporary name: a second one, or its only one on file
  // systems without hard links.
  bool KeepOld() {
    old_ = unfinished_.Add(Folder(), [this](const char* name) {
      if (link(target_.c_str(), name) == 0) return 0;
      const bool one_name =
          errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK;
      return one_name && rename(target_.c_str(), name) == 0 ? 0 : errno;
    });
    return !old_.empty() || errno == ENOENT;
  }

  std::filesystem::path Folder() const {
    return target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
  }

  bool Fail(std::string* reason) const {
    *reason = file_.path.string() + ": cannot be written: " + Reason();
    return false;
  }

  const FileToWrite& file_;
  Unfinished& unfinished_;
  std::filesystem::path target_;
  Descriptor made_;
  std::string name_;  // temporary name; empty for an anonymous file
  std::string old_;   // temporary name of the replaced file
  bool placed_ = false;
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
  const auto read_piece = [&](std::span<std::byte> piece) -> std::optional<size_t> {
    while (true) {
      const ssize_t got = read(file.get(), piece.data(), piece.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno == EINTR) continue;
      *reason = Reason();
      return std::nullopt;
    }
  };
  return ReadPieces(static_cast<size_t>(status.st_size), read_piece, reason);
}

bool WriteFiles(std::span<const FileToWrite> files, std::string* reason) {
  Unfinished unfinished;
  std::deque<Incoming> incoming;
  for (const FileToWrite& file : files) {
    const bool anonymous = incoming.size() < kMaxAnonymous;
    if (!incoming.emplace_back(file, unfinished).Write(anonymous, reason)) return false;
  }
  // All bytes are on the disk. From here on only directory entries change.
  const SignalsHeld held;
  return PositionAll(incoming, reason);
}

}  // namespace weft
