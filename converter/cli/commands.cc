// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>

#include "converter/cli/help.h"
#include "converter/cli/streams.h"

namespace weft::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft convert model.xml -o model.weft
  weft run model.weft --input x=x.npy --output-dir out
  weft compare model.weft --input x=x.npy --expect y=y.npy
  weft inspect model.weft

Exit codes: 0 success; 1 invalid input, an output that could not be written, or values that
differ in "weft compare"; 2 invalid command line, such as an unknown option, or a name
of an option that the model does not have.
Errors are printed on stderr, one per line. With --json they are also printed on stdout, as
{"error": ["line", ...]}, unless the result contains them. "weft help COMMAND"
explains a command.)";

// Output of the process so far. A global, like standard output.
struct Talk {
  bool as_json = false;  // the call has --json, even if the call is invalid
  bool printed = false;  // a JSON value was printed on stdout
  std::vector<std::string> faults;
};
Talk talk;

void ReportLine(const std::string& line) {
  SayLine(line, Tint::kFault);
  talk.faults.push_back(line);
}

// Returns true for an error whose location is an option, as in "--shape: input ...": the call is
// invalid, also if only the model shows it, because the model does not have a name of the call.
bool IsOfCall(std::string_view line) {
  if (!line.starts_with("--")) return false;
  const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
  return end != line.npos && (line[end] == ':' || line[end] == ' ');
}

void AddCommands(CommandLine& line, Exit* exit) {
  AddConvert(line, exit);
  AddLink(line, exit);
  AddRun(line, exit);
  AddCompare(line, exit);
  AddBench(line, exit);
  AddInspect(line, exit);
  AddVerify(line, exit);
  AddDiff(line, exit);
  AddPlan(line, exit);
  AddOps(line, exit);
  AddExplain(line, exit);
  line.AddHelp();
  AddVersion(line, exit);
  AddCompletion(line, exit);
}

}  // namespace

int Main(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto options_end = std::find(words.begin(), words.end(), "--");
  talk.as_json = std::find(words.begin(), options_end, "--json") != options_end;
  Exit exit = Exit::kInput;
  try {
    CommandLine line(
        "Converts recurrent and streaming neural networks, and runs them in fixed memory.",
        VersionText(), kExamples);
    AddCommands(line, &exit);
    exit = Exit::kDone;  // for help, which does not set it
    if (words.empty()) SayText(HelpText(line) + "\n");
    if (const std::optional<Faults> faults = line.Parse(words)) {
      Report(*faults);
      exit = Exit::kCall;
    }
  } catch (const std::bad_alloc&) {
    ReportLine("weft: out of memory");
    exit = Exit::kInput;
  } catch (const std::exception& error) {
    ReportLine(fmt::format("weft: {}", error.what()));
    exit = Exit::kInput;
  }
  if (talk.as_json && !talk.printed && !talk.faults.empty()) Print({{"error", talk.faults}});
  int code = static_cast<int>(exit);
  if (const std::optional<std::string> reason = FlushAnswers()) {
    Say("weft: standard output cannot be written: {}", *reason);
    if (code == static_cast<int>(Exit::kDone)) code = static_cast<int>(Exit::kInput);
  }
  return code;
}

Exit Report(const Faults& input_faults) {
  for (const std::string& line : input_faults.warnings())
    SayLine("warning: " + line, Tint::kWarning);
  for (const std::string& line : input_faults.lines()) ReportLine(line);
  if (input_faults.ok()) return Exit::kDone;
  return std::ranges::any_of(input_faults.lines(), IsOfCall) ? Exit::kCall : Exit::kInput;
}

Exit Report(const Diagnostics& complaints) {
  const Exit call = Report(complaints.call), input = Report(complaints.input);
  return call == Exit::kDone ? input : Exit::kCall;
}

void Print(const Json& value) {
  talk.printed = true;
  AnswerJson(value.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace weft::cli
