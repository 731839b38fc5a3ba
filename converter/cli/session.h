// SPDX-License-Identifier: Apache-2.0
// Feeds .npy files to an open model and collects what comes out. An array with the shape of its
// port is held for every call; one with an extra leading axis of length N feeds N successive calls,
// and then every output gains that axis. So does one that is longer along the time axis of a
// streamed model; then outputs are joined along theirs, where they have one. State is kept from
// call to call.
#ifndef WEFT_CONVERTER_CLI_SESSION_H_
#define WEFT_CONVERTER_CLI_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/faults.h"
#include "converter/cli/command_line.h"
#include "converter/cli/feed.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/npy.h"

namespace weft::cli {

// What is wrong with the call (exit code 2) and with the files it names (exit code 1).
struct Complaints {
  Faults call, input;
  bool ok() const { return call.ok() && input.ok(); }
};

// Index of the port that `name` means: any of its names, else its index. A fault when there is
// none, or when several ports carry the name.
std::optional<size_t> FindPort(const std::vector<ModelPort>& ports, std::string_view name,
                               std::string_view side, Faults& faults);

struct PortFile {
  size_t port = 0;
  std::string file;
};
// "NAME=FILE" of each option, each port at most once. `option` is its name, for messages.
std::vector<PortFile> ParsePortFiles(const std::vector<ModelPort>& ports, std::string_view side,
                                     const std::vector<std::string>& texts, std::string_view option,
                                     Faults& faults);

// What a command is told that runs a model.
struct SessionCall {
  std::string model;
  std::vector<std::string> inputs;
  int64_t repeat = 1;
  bool cast = false;
};
// MODEL, --input, --repeat and --cast. The call must outlive the parsing.
void AddSessionOptions(Command& command, SessionCall& call,
                       const std::string& model = "The model.weft");

class Session {
 public:
  explicit Session(LoadedModel& model) : model_(model) {}

  // Every input must be named. Reads all files and adds all faults.
  void ReadInputs(const SessionCall& call, Complaints& complaints);
  // Instead of files: `calls` calls of made_feed.h, or what a session of the same ports has read.
  void MakeInputs(int64_t calls);
  void TakeInputs(const Session& other);
  // All calls, `repeat` times over; the outputs are those of the last time.
  void Run(int64_t repeat, Faults& faults);
  // The same once, by turns with `other`, which has read the same inputs; `begin` and `end` are
  // called around each call of both.
  void RunBeside(Session& other, const std::function<void()>& begin,
                 const std::function<void()>& end, Faults& faults);

  // One array per output port, after Run.
  std::vector<Array>& outputs() { return outputs_; }
  // Of the inputs that have one, after ReadInputs.
  std::vector<std::string> input_files() const;
  int64_t call_count() const { return call_count_; }

 private:
  bool RunCall(int64_t call, bool is_last_time, Faults& faults);
  void Join();
  void Fill(int64_t call);
  void Collect(int64_t call, Faults& faults);

  LoadedModel& model_;
  std::vector<Feed> feeds_;  // by input port
  bool has_call_axis_ = false, joins_time_ = false;
  int64_t call_count_ = 1;
  std::vector<Array> outputs_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SESSION_H_
