// SPDX-License-Identifier: Apache-2.0
// Runs an open model on .npy files and collects its outputs. An array with the shape of its port is
// the input of every call. An array with an extra leading axis of length N feeds N calls; all
// outputs then have this axis. An array that is longer along the time axis of a streaming model is
// split into calls; outputs with a time axis are joined along it. State is kept between calls.
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

// Errors of the call (exit code 2) and of the files that it names (exit code 1).
struct Diagnostics {
  Faults call, input;
  bool ok() const { return call.ok() && input.ok(); }
};

// Returns the index of the port with this name or, if no port has it, with this index. Adds a fault
// and returns nullopt if no port or several ports match. `side` is "input" or "output" and
// `option` is the option's name, for messages.
std::optional<size_t> FindPort(const std::vector<ModelPort>& ports, std::string_view name,
                               std::string_view side, std::string_view option, Faults& faults);

struct PortFile {
  size_t port = 0;
  std::string file;
};
// Parses texts "NAME=FILE"; each port may be named once.
std::vector<PortFile> ParsePortFiles(const std::vector<ModelPort>& ports, std::string_view side,
                                     const std::vector<std::string>& texts, std::string_view option,
                                     Faults& faults);

// Options of a command that runs a model.
struct SessionCall {
  std::string model;
  std::vector<std::string> inputs;
  int64_t repeat = 1;
  bool cast = false;
};
// Adds MODEL, --input, --repeat and --cast. `call` must outlive the parsing; `model` is MODEL's
// help.
void AddSessionOptions(Command& command, SessionCall& call,
                       const std::string& model = "Model file");

class Session {
 public:
  explicit Session(LoadedModel& model) : model_(model) {}

  // Reads the files of all inputs and adds all faults. Every input must have a file.
  void ReadInputs(const SessionCall& call, Diagnostics& complaints);
  // Alternatives to ReadInputs: `calls` generated calls (made_feed.h), or the inputs of a session
  // with the same ports.
  void MakeInputs(int64_t calls);
  void TakeInputs(const Session& other);
  // Lets Run stop at the first NaN or infinity in an output or variable, with a fault.
  void CheckFinite() { checked_ = Checked::kAll; }
  // The same for outputs only.
  void CheckFiniteOutputs() { checked_ = Checked::kOutputs; }
  // Runs all calls `repeat` times; outputs() has the results of the last time.
  void Run(int64_t repeat, Faults& faults);
  // Runs all calls once, interleaved with those of `other`, which must have the same inputs.
  // `begin` and `end` are called before and after each pair of calls.
  void RunBeside(Session& other, const std::function<void()>& begin,
                 const std::function<void()>& end, Faults& faults);

  // One array per output port, after Run.
  std::vector<Array>& outputs() { return outputs_; }
  // Files of the inputs, after ReadInputs.
  std::vector<std::string> input_files() const;
  int64_t call_count() const { return call_count_; }

 private:
  enum class Checked { kNothing, kOutputs, kAll };  // for NaN and infinity

  bool RunCall(int64_t call, bool is_last_time, Faults& faults);
  void Join();
  void Fill(int64_t call);
  void Collect(int64_t call, Faults& faults);

  LoadedModel& model_;
  std::vector<Feed> feeds_;  // by input port
  bool has_call_axis_ = false, joins_time_ = false;
  Checked checked_ = Checked::kNothing;
  int64_t call_count_ = 1;
  int64_t run_count_ = 0;  // completed runs
  std::vector<Array> outputs_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SESSION_H_
