// SPDX-License-Identifier: Apache-2.0
// weft verify: checks all rules of the runtime, the plan rules that only a desktop can check, and
// the self test if the file has one. Violations are the result and are printed on stdout.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "converter/base/paths.h"
#include "converter/cli/commands.h"
#include "converter/cli/model_check.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"

namespace weft::cli {
namespace {

struct VerifyCall {
  std::string model;
  bool json = false;
};

Exit Verify(const VerifyCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(PathOf(call.model), faults);
  if (model == nullptr) return Report(faults);
  const ModelCheck check = CheckModel(*model, faults);
  if (!faults.ok()) return Report(faults);
  if (call.json) {
    Print({{"file", model->file()},
           {"plan_validated", check.plan_validated},
           {"self_test_runs", check.self_test_runs},
           {"violations", check.violations}});
  } else {
    for (const std::string& line : check.violations) Answer("{}: {}", model->file(), line);
    if (check.violations.empty()) {
      Answer("{}: valid{}{}", model->file(),
             check.plan_validated
                 ? ""
                 : "; the plan is not validated, because the file has no buffer table",
             check.self_test_runs == 0
                 ? ""
                 : fmt::format("; all {} runs of its self test pass", check.self_test_runs));
    }
  }
  return check.violations.empty() ? Exit::kDone : Exit::kInput;
}

}  // namespace

void AddVerify(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("verify", "Check a model file and its memory plan");
  auto call = std::make_shared<VerifyCall>();
  command.Add("MODEL", call->model, "Model file").Value("FILE", PathName).Required();
  command.AddFlag("--json", call->json, "Print the violations as JSON");
  command.Footer(
      "Checks all rules of the file format, the plan hash and the memory plan, then runs the self "
      "test if the file has one. Prints all violations; exit code 1 if there are "
      "any.\n\nExample:\n  weft verify model.weft");
  command.OnCall([call, exit] { *exit = Verify(*call); });
}

}  // namespace weft::cli
