// SPDX-License-Identifier: Apache-2.0
#include "converter/base/unfinished_windows.h"

#include <windows.h>

#include <algorithm>
#include <string>

namespace weft {
namespace {

bool MarkForDeletion(HANDLE file, bool mark) {
  FILE_DISPOSITION_INFO info = {};
  info.DeleteFile = mark ? TRUE : FALSE;
  return SetFileInformationByHandle(file, FileDispositionInfo, &info, sizeof(info)) != 0;
}

SRWLOCK events = SRWLOCK_INIT;

// Windows calls it on a separate thread. It keeps the lock, so that no file is renamed afterwards;
// the next handler ends the process.
BOOL WINAPI WaitForRenames(DWORD) {
  AcquireSRWLockExclusive(&events);
  return FALSE;
}

}  // namespace

bool Handle::valid() const { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }

void Handle::Close() {
  if (valid()) CloseHandle(handle_);
  handle_ = nullptr;
}

std::filesystem::path TemporaryName(const std::filesystem::path& folder) {
  static unsigned count = 0;
  return folder /
         (".weft-" + std::to_string(GetCurrentProcessId()) + "-" + std::to_string(count++));
}

bool UnfinishedFile::Create(const std::filesystem::path& folder) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_DELETE;
  do {
    name_ = TemporaryName(folder);
    file_.Set(CreateFileW(name_.c_str(), GENERIC_WRITE | DELETE, kShared, nullptr, CREATE_NEW,
                          FILE_ATTRIBUTE_NORMAL, nullptr));
  } while (!file_.valid() && GetLastError() == ERROR_FILE_EXISTS);
  return file_.valid() && MarkForDeletion(file_.get(), true);
}

bool UnfinishedFile::Write(std::span<const std::byte> bytes) {
  constexpr size_t kMaxBytes = size_t{1} << 30;  // of a call; a count has 32 bits
  while (!bytes.empty()) {
    DWORD written = 0;
    const auto piece = static_cast<DWORD>(std::min(bytes.size(), kMaxBytes));
    if (WriteFile(file_.get(), bytes.data(), piece, &written, nullptr) == 0) return false;
    bytes = bytes.subspan(written);
  }
  return FlushFileBuffers(file_.get()) != 0;
}

bool UnfinishedFile::Keep() {
  if (!MarkForDeletion(file_.get(), false)) return false;
  file_.Close();
  return true;
}

ConsoleEventsHeld::ConsoleEventsHeld() {
  AcquireSRWLockExclusive(&events);
  SetConsoleCtrlHandler(WaitForRenames, TRUE);
}

ConsoleEventsHeld::~ConsoleEventsHeld() {
  ReleaseSRWLockExclusive(&events);
  SetConsoleCtrlHandler(WaitForRenames, FALSE);
}

}  // namespace weft
