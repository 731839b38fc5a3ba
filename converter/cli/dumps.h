// SPDX-License-Identifier: Apache-2.0
// The options --dump-after and --dump-to of `weft convert`: the model after each pass, on stdout or
// as files of a folder.
#ifndef WEFT_CONVERTER_CLI_DUMPS_H_
#define WEFT_CONVERTER_CLI_DUMPS_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "converter/base/faults.h"
#include "converter/cli/call_files.h"
#include "converter/cli/command_line.h"

namespace weft::cli {

class Dumps {
 public:
  // Adds --dump-after and --dump-to. Parsing stores the name of the pass in `dump_after`, which
  // must outlive it.
  void AddOptions(Command& command, std::string& dump_after);
  // Rejects "all" without a folder.
  void CheckCall(const std::string& dump_after) const;

  void AddFiles(CallFiles& files) const;
  // Creates the folder of --dump-to, if one is given. Returns false and adds a fault on failure.
  bool MakeFolder(Faults& faults) const;

  // Stores the text of a pass. With a folder its file is written immediately, so that earlier
  // passes can be read if a later one fails. Without a folder the text goes to text(), and to
  // stdout if `print` is true.
  void Take(std::string_view pass, std::string_view text, bool print);
  const std::string& text() const { return text_; }      // of all passes, without a folder
  const std::string& reason() const { return reason_; }  // why writing a file failed, or empty

 private:
  std::filesystem::path FileOf(std::string_view pass) const;

  std::string folder_, text_, reason_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_DUMPS_H_
