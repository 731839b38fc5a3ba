// SPDX-License-Identifier: Apache-2.0
// The subject of unfinished.h on Windows. An unfinished file is marked for deletion: Windows
// removes it when its handle closes, also if the process is terminated. So no list of names is
// needed.
#ifndef WEFT_CONVERTER_BASE_UNFINISHED_WINDOWS_H_
#define WEFT_CONVERTER_BASE_UNFINISHED_WINDOWS_H_

#include <cstddef>
#include <filesystem>
#include <span>

namespace weft {

// Owns a HANDLE of Windows, whose header this one does not include.
class Handle {
 public:
  explicit Handle(void* handle = nullptr) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { Close(); }
  void* get() const { return handle_; }
  bool valid() const;
  // Must not own a valid handle already.
  void Set(void* handle) { handle_ = handle; }
  void Close();

 private:
  void* handle_;
};

// Returns a new temporary name in `folder`; other processes use other names.
std::filesystem::path TemporaryName(const std::filesystem::path& folder);

// After a failure, GetLastError has the reason.
class UnfinishedFile {
 public:
  bool Create(const std::filesystem::path& folder);
  // Writes all bytes to the disk.
  bool Write(std::span<const std::byte> bytes);
  // Removes the mark and closes the file.
  bool Keep();
  const std::filesystem::path& name() const { return name_; }

 private:
  Handle file_;
  std::filesystem::path name_;
};

// During its lifetime Ctrl-C, Ctrl-Break and a closed console wait; after that they end the
// process. At most one object at a time.
class ConsoleEventsHeld {
 public:
  ConsoleEventsHeld();
  ConsoleEventsHeld(const ConsoleEventsHeld&) = delete;
  ConsoleEventsHeld& operator=(const ConsoleEventsHeld&) = delete;
  ~ConsoleEventsHeld();
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_UNFINISHED_WINDOWS_H_
