// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "runtime/weft.h"

namespace weft::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft convert model.xml -o model.weft
  weft run model.weft --input x=x.npy --output-dir out
  weft compare model.weft --input x=x.npy --expect y=y.npy
  weft inspect model.weft

Exit codes: 0 done, 1 the input is at fault, 2 the call is.
"weft COMMAND --help" tells more of each command.)";

int Parse(CLI::App& app, int argc, const char* const* argv) {
  Exit exit = Exit::kDone;
  AddConvert(app, &exit);
  AddRun(app, &exit);
  AddCompare(app, &exit);
  AddBench(app, &exit);
  AddInspect(app, &exit);
  AddVerify(app, &exit);
  AddOps(app, &exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool done = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!done) {
      fmt::print(stderr, "weft: {}\n", error.what());
      fmt::print(stderr, "\"weft --help\" lists commands and options\n");
      return static_cast<int>(Exit::kCall);
    }
    app.exit(error);  // prints help or version
  }
  return static_cast<int>(exit);
}

}  // namespace

int Main(int argc, const char* const* argv) {
  int code = static_cast<int>(Exit::kInput);
  try {
    CLI::App app("Runs recurrent and streaming neural networks in fixed memory.", "weft");
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("weft, file format {}", kFormatVersion));
    app.footer(kExamples);
    code = Parse(app, argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "weft: this machine has not enough memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "weft: standard output cannot be written\n");
    if (code == static_cast<int>(Exit::kDone)) code = static_cast<int>(Exit::kInput);
  }
  return code;
}

Exit Tell(const Faults& input_faults) {
  for (const std::string& line : input_faults.warnings()) fmt::print(stderr, "warning: {}\n", line);
  for (const std::string& line : input_faults.lines()) fmt::print(stderr, "{}\n", line);
  return input_faults.ok() ? Exit::kDone : Exit::kInput;
}

Exit Tell(const Complaints& complaints) {
  const Exit call = Tell(complaints.call), input = Tell(complaints.input);
  return call == Exit::kDone ? input : Exit::kCall;
}

void Print(const nlohmann::ordered_json& value) {
  fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace weft::cli
