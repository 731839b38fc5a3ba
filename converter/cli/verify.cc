// SPDX-License-Identifier: Apache-2.0
// weft verify: every law that the runtime holds a file to, and those of the plan that only a
// desktop can judge. Violations are the result, so they go to stdout.
#include "runtime/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/plan/laws.h"

namespace weft::cli {
namespace {

struct VerifyCall {
  std::string model;
  bool json = false;
};

std::vector<std::string> Violations(const LoadedModel& model, bool* plan_judged) {
  std::vector<std::string> lines;
  const auto report = [](void* user, const Fault& fault) {
    char text[256];
    Describe(fault, text, sizeof text);
    static_cast<std::vector<std::string>*>(user)->emplace_back(text);
  };
  VerifyAll(model.bytes(), AllSteps(), {report, &lines});
  // The walk over the plan trusts what verify.cc has judged.
  *plan_judged = lines.empty() && model.root().slot_buffers() != nullptr;
  if (*plan_judged) lines = plan::CheckPlan(model.root());
  return lines;
}

Exit Verify(const VerifyCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(call.model, faults);
  if (model == nullptr) return Tell(faults);
  bool plan_judged = false;
  const std::vector<std::string> violations = Violations(*model, &plan_judged);
  if (call.json) {
    Print({{"file", model->file()}, {"plan_judged", plan_judged}, {"violations", violations}});
  } else {
    for (const std::string& line : violations) fmt::print("{}: {}\n", model->file(), line);
    if (violations.empty()) {
      fmt::print("{}: obeys every law{}\n", model->file(),
                 plan_judged
                     ? ""
                     : "; its plan cannot be judged, since the file was stripped of its buffers");
    }
  }
  return violations.empty() ? Exit::kDone : Exit::kInput;
}

}  // namespace

void AddVerify(CLI::App& app, Exit* exit) {
  CLI::App* command = app.add_subcommand(
      "verify", "Check a model file against every law of the format and its plan");
  auto call = std::make_shared<VerifyCall>();
  command->add_option("MODEL", call->model, "The model.weft")->required();
  command->add_flag("--json", call->json, "Print the violations as JSON");
  command->footer(
      "Prints every violation and exits with 1 when there is one.\n\nExample:\n  weft verify "
      "model.weft");
  command->callback([call, exit] { *exit = Verify(*call); });
}

}  // namespace weft::cli
