// SPDX-License-Identifier: Apache-2.0
// The files that one call reads and writes. An output must not be another file of the call.
// Different paths of one file are detected, also through links and for files that do not exist yet.
#ifndef WEFT_CONVERTER_CLI_CALL_FILES_H_
#define WEFT_CONVERTER_CLI_CALL_FILES_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::cli {

// The bytes of a text that becomes a file (FileToWrite). `text` must outlive them.
inline std::span<const std::byte> BytesOfText(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Returns a file name for a port or layer: characters that are special in file systems or shells
// become "_".
std::string FileNameOf(const std::string& name);

// Returns a file name for each of several ports; a name that occurs twice gets the port's index.
std::vector<std::string> DistinctFileNames(const std::vector<std::string>& names);

// Creates a folder and those above it; the target of a link to a missing folder also. Returns
// false and adds a fault if it cannot be created. Sets *made, if given, to whether it is new.
bool MakeFolders(const std::string& folder, Faults& faults, bool* made = nullptr);

// Checks the name of a C source (FILE.c), for an option. Its header is the file HeaderOf.
std::string CheckCSourceName(const std::string& value);
std::filesystem::path HeaderOf(const std::filesystem::path& c_source);

// Returns the bytes of a model that is not a file, such as a pipe, for calls that convert it more
// than once. Nullopt: the converter can read it, or adds the fault.
std::optional<std::vector<std::byte>> BytesOfStream(const std::filesystem::path& model);

class CallFiles {
 public:
  // `role` is the purpose of the file, for messages: "the model", "--c-source".
  void Reads(std::string role, const std::filesystem::path& path) { Add(role, path, false, false); }
  void Writes(std::string role, const std::filesystem::path& path) { Add(role, path, true, false); }

  // Folders that the call creates: this one and those above it. They must not be outputs.
  void MakesFolder(const std::string& role, const std::filesystem::path& path);

  // Adds a fault for each empty name, and for each output that is also an input or an earlier
  // output.
  void Check(Faults& call) const;

 private:
  struct File {
    std::string role;
    std::filesystem::path path;
    bool written;
    bool is_folder;
    std::string identity;  // equal for two paths of one file
  };
  void Add(std::string& role, const std::filesystem::path& path, bool written, bool is_folder);

  std::vector<File> files_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FILES_H_
