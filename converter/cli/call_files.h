// SPDX-License-Identifier: Apache-2.0
// The files that one call reads and writes. No output may be another file of the call, whatever the
// two paths look like: links, other spellings, and files that do not exist yet are seen through.
#ifndef WEFT_CONVERTER_CLI_CALL_FILES_H_
#define WEFT_CONVERTER_CLI_CALL_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::cli {

// The name of a port or layer as a file's: what file systems or shells read otherwise becomes "_".
std::string FileNameOf(const std::string& name);

class CallFiles {
 public:
  // `role` says in messages what the call needs the file for: "the model", "--c-source".
  void Reads(std::string role, const std::filesystem::path& path) { Add(role, path, false); }
  void Writes(std::string role, const std::filesystem::path& path) { Add(role, path, true); }

  // A fault for each name that is empty, and for each output that is an input or an earlier output
  // too.
  void Check(Faults& call) const;

 private:
  struct File {
    std::string role;
    std::filesystem::path path;
    bool written;
    std::string identity;  // equal for two paths of one file
  };
  void Add(std::string& role, const std::filesystem::path& path, bool written);

  std::vector<File> files_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_CALL_FILES_H_
