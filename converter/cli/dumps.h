// SPDX-License-Identifier: Apache-2.0
// What `weft convert --dump-after` prints of the passes: on stdout, or into a folder.
#ifndef WEFT_CONVERTER_CLI_DUMPS_H_
#define WEFT_CONVERTER_CLI_DUMPS_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "converter/base/faults.h"
#include "converter/cli/call_files.h"
#include "converter/cli/command_line.h"

namespace weft::cli {

// The table of passes for the help, a line each.
std::string PassesText();

class Dumps {
 public:
  // --dump-after and --dump-to. The name of the pass goes to `dump_after`.
  void AddOptions(Command& command, std::string& dump_after);
  // What CLI11 cannot know of the call.
  void CheckCall(const std::string& dump_after) const;

  void AddFiles(CallFiles& files) const;
  // False, with a fault, where the folder is neither there nor can be made.
  bool MakeFolder(Faults& faults) const;

  // A file of the folder is written at once: what came before a fault helps to find it. Without a
  // folder `print` says whether the text goes to stdout.
  void Take(std::string_view pass, std::string_view text, bool print);
  const std::string& text() const { return text_; }      // of all, without a folder
  const std::string& reason() const { return reason_; }  // why a file could not be written

 private:
  std::filesystem::path FileOf(std::string_view pass) const;

  std::string folder_, text_, reason_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_DUMPS_H_
