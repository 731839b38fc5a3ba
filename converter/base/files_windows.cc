// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <algorithm>
#include <deque>
#include <system_error>

#include "converter/base/file_pieces.h"
#include "converter/base/files.h"
#include "converter/base/unfinished_windows.h"

namespace weft {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// The words of POSIX for an error of Windows, as on other systems.
std::string ReasonOf(DWORD error) {
  if (error == ERROR_SHARING_VIOLATION || error == ERROR_LOCK_VIOLATION) {
    return "it is open in another program; must be closed";
  }
  return std::error_code(static_cast<int>(error), std::system_category())
      .default_error_condition()
      .message();
}

void* OpenExisting(const std::filesystem::path& path, DWORD access) {
  // The flag opens folders as well.
  return CreateFileW(path.c_str(), access, kShareAll, nullptr, OPEN_EXISTING,
                     FILE_FLAG_BACKUP_SEMANTICS, nullptr);
}

// The path of an open file without symbolic links; empty after a failure.
std::filesystem::path FinalPath(HANDLE file) {
  std::wstring path(GetFinalPathNameByHandleW(file, nullptr, 0, 0), L'\0');
  path.resize(GetFinalPathNameByHandleW(file, path.data(), static_cast<DWORD>(path.size()), 0));
  return path;
}

// A file that is being written: first under a temporary name and marked for deletion, then, when it
// is complete, under its own name.
class Incoming {
 public:
  explicit Incoming(const FileToWrite& file) : file_(file), target_(file.path) {}
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  ~Incoming() {
    if (!old_.empty()) DeleteFileW(old_.c_str());
  }

  bool Write(std::string* reason) {
    if (!CheckTarget(reason)) return false;
    return (made_.Create(Folder()) && made_.Write(file_.bytes)) || Fail(reason);
  }

  // Gives the file its name. Console events must be held. Withdraw requires `keep_old`.
  bool Position(bool keep_old, std::string* reason) {
    if (keep_old && !KeepOld()) return Fail(reason);
    if (!made_.Keep()) return Fail(reason);
    placed_ = Rename(made_.name(), target_);
    if (placed_) return true;
    Fail(reason);
    DeleteFileW(made_.name().c_str());
    return false;
  }

  // Restores the state before Position, which may have failed.
  void Withdraw() {
    if (!old_.empty()) {
      Rename(old_, target_);
    } else if (placed_) {
      DeleteFileW(target_.c_str());
    }
  }

 private:
  static bool Rename(const std::filesystem::path& from, const std::filesystem::path& to) {
    constexpr DWORD kFlags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    return MoveFileExW(from.c_str(), to.c_str(), kFlags) != 0;
  }

  // Reports a target that cannot be replaced, before any file has its name.
  bool CheckTarget(std::string* reason) {
    const Handle target(OpenExisting(file_.path, 0));
    if (!target.valid()) return HasFolder(target_) || Refuse(kNoFolderReason, reason);
    BY_HANDLE_FILE_INFORMATION about = {};
    if (GetFileType(target.get()) != FILE_TYPE_DISK ||
        GetFileInformationByHandle(target.get(), &about) == 0) {
      return Refuse("it is a device; must be a regular file", reason);
    }
    if ((about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
      return Refuse("it is a folder; must be a regular file", reason);
    }
    if ((about.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0) {
      return Refuse("it is read-only; must be writable", reason);
    }
    // Replaces the target of a link, not the link.
    if ((GetFileAttributesW(target_.c_str()) & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
      const std::filesystem::path end = FinalPath(target.get());
      if (!end.empty()) target_ = end;
    }
    // A rename over a file that is open without FILE_SHARE_DELETE would only report "denied".
    const Handle replaced(OpenExisting(target_, DELETE));
    return replaced.valid() || GetLastError() != ERROR_SHARING_VIOLATION || Fail(reason);
  }

  // Gives the old file, if there is one, a temporary name: a second one, or its only one on file
  // systems without hard links.
  bool KeepOld() {
    old_ = TemporaryName(Folder());
    if (CreateHardLinkW(old_.c_str(), target_.c_str(), nullptr) != 0) return true;
    if (GetFileAttributesW(target_.c_str()) != INVALID_FILE_ATTRIBUTES) {
      return Rename(target_, old_);
    }
    old_.clear();
    return true;
  }

  std::filesystem::path Folder() const {
    return target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
  }

  bool Fail(std::string* reason) const { return Refuse(ReasonOf(GetLastError()), reason); }
  bool Refuse(const std::string& why, std::string* reason) const {
    *reason = file_.path.string() + ": cannot be written: " + why;
    return false;
  }

  const FileToWrite& file_;
  std::filesystem::path target_;
  UnfinishedFile made_;
  std::filesystem::path old_;  // temporary name of the replaced file
  bool placed_ = false;
};

}  // namespace

std::optional<std::vector<std::byte>> ReadFile(const std::filesystem::path& path,
                                               std::string* reason) {
  const Handle file(CreateFileW(path.c_str(), GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING,
                                FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file.valid()) {
    *reason = ReasonOf(GetLastError());
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      *reason = std::make_error_condition(std::errc::is_a_directory).message();
    }
    return std::nullopt;
  }
  LARGE_INTEGER size = {};
  if (GetFileSizeEx(file.get(), &size) == 0) size.QuadPart = 0;
  const auto read_piece = [&](std::span<std::byte> piece) -> std::optional<size_t> {
    constexpr size_t kMaxBytes = size_t{1} << 30;  // of a call; a count has 32 bits
    const auto bytes = static_cast<DWORD>(std::min(piece.size(), kMaxBytes));
    DWORD got = 0;
    if (::ReadFile(file.get(), piece.data(), bytes, &got, nullptr) != 0) return got;
    if (GetLastError() == ERROR_BROKEN_PIPE) return 0;  // the writer has closed it
    *reason = ReasonOf(GetLastError());
    return std::nullopt;
  };
  return ReadPieces(static_cast<size_t>(size.QuadPart), read_piece, reason);
}

bool WriteFiles(std::span<const FileToWrite> files, std::string* reason) {
  std::deque<Incoming> incoming;
  for (const FileToWrite& file : files) {
    if (!incoming.emplace_back(file).Write(reason)) return false;
  }
  // All bytes are on the disk. From here on only directory entries change.
  const ConsoleEventsHeld held;
  return PositionAll(incoming, reason);
}

}  // namespace weft
