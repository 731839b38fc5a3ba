// SPDX-License-Identifier: Apache-2.0
// weft verify: checks all rules of the runtime, the plan rules that only a desktop can check, and
// the self test if the file has one. Violations are the result and are printed on stdout.
#include "runtime/verify.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "converter/base/elements.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/inspect/file_rules.h"
#include "converter/plan/validator.h"
#include "converter/plan/value_numbers.h"
#include "runtime/plan_number.h"

namespace weft::cli {
namespace {

struct VerifyCall {
  std::string model;
  bool json = false;
};

// Checks the plan hash: steps must read the values that they read when the file was written.
std::vector<std::string> ValueFaults(const format::Model& model) {
  const uint32_t must = StoredPlanNumber(model);
  if (must == 0) return {};
  const std::optional<uint32_t> is = plan::NumberOfValues(model);
  if (is == must) return {};
  if (!is) {
    return {
        fmt::format("plan: the steps touch too many bytes to compute the plan hash; the plan hash "
                    "must be {:08x}",
                    must)};
  }
  return {
      fmt::format("plan: plan hash is {:08x}; must be {:08x}: steps or operands were changed after "
                  "conversion",
                  *is, must)};
}

std::vector<std::string> Violations(const LoadedModel& model, bool* plan_validated) {
  std::vector<std::string> lines;
  const auto report = [](void* user, const Fault& fault) {
    char text[256];
    Describe(fault, text, sizeof text);
    static_cast<std::vector<std::string>*>(user)->emplace_back(text);
  };
  (void)VerifyAll(model.bytes(), AllSteps(), {report, &lines});
  // The validator requires that all earlier rules hold.
  if (lines.empty()) lines = inspect::FileFaults(model.bytes());
  *plan_validated = lines.empty() && model.root().slot_buffers() != nullptr;
  if (*plan_validated) lines = plan::CheckPlan(model.root());
  if (*plan_validated && lines.empty()) lines = ValueFaults(model.root());
  return lines;
}

// "0.5 (0x3f000000)"
std::string ElementText(Type type, uint64_t bits) {
  const auto element = static_cast<ElementType>(type);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&bits, 1));
  if (!IsFloat(element)) return fmt::format("{}", IntegerAt(element, bytes, 0));
  return fmt::format("{} (0x{:0{}x})", RealAt(element, bytes, 0), bits, BitsOf(type) / 4);
}

// Runs the self test. Returns a message for its first error, or nullopt.
std::optional<std::string> SelfTestViolation(LoadedModel& model) {
  weft::Mismatch first;
  const Fault fault = model.engine().SelfTest(&first);
  if (fault.ok()) return std::nullopt;
  char text[256];
  Describe(fault, text, sizeof text);
  if (fault.code != FaultCode::kSelfTestDiffers) return text;
  const std::string location = first.element == weft::Mismatch::kLengthDiffers
                                   ? "the length"
                                   : fmt::format("element {}", first.element);
  return fmt::format("self test: run {}: output {} \"{}\": {} is {}; must be {}", first.run,
                     first.output, model.outputs()[first.output].display_name, location,
                     ElementText(first.type, first.actual),
                     ElementText(first.type, first.expected));
}

Exit Verify(const VerifyCall& call) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(call.model, faults);
  if (model == nullptr) return Report(faults);
  bool plan_validated = false;
  std::vector<std::string> violations = Violations(*model, &plan_validated);
  uint32_t runs = 0;
  if (violations.empty() && model->root().self_test() != nullptr) {
    if (!model->Open(faults)) return Report(faults);
    if (const auto violation = SelfTestViolation(*model)) {
      violations.push_back(*violation);
    } else {
      runs = format::SelfTestOf(model->root())->run_count();
    }
  }
  if (call.json) {
    Print({{"file", model->file()},
           {"plan_validated", plan_validated},
           {"self_test_runs", runs},
           {"violations", violations}});
  } else {
    for (const std::string& line : violations) Answer("{}: {}", model->file(), line);
    if (violations.empty()) {
      Answer(
          "{}: valid{}{}", model->file(),
          plan_validated ? "" : "; the plan is not validated, because the file has no buffer table",
          runs == 0 ? "" : fmt::format("; all {} runs of its self test pass", runs));
    }
  }
  return violations.empty() ? Exit::kDone : Exit::kInput;
}

}  // namespace

void AddVerify(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("verify", "Check a model file and its memory plan");
  auto call = std::make_shared<VerifyCall>();
  command.Add("MODEL", call->model, "Model file").Value("FILE", PathName()).Required();
  command.AddFlag("--json", call->json, "Print the violations as JSON");
  command.Footer(
      "Checks all rules of the file format, the plan hash and the memory plan, then runs the self "
      "test if the file has one. Prints all violations; exit code 1 if there are "
      "any.\n\nExample:\n  weft verify model.weft");
  command.OnCall([call, exit] { *exit = Verify(*call); });
}

}  // namespace weft::cli
