// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/model_check.h"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "converter/base/elements.h"
#include "converter/emit/file_engine.h"
#include "converter/inspect/file_rules.h"
#include "converter/plan/validator.h"
#include "converter/plan/value_numbers.h"
#include "runtime/plan_number.h"
#include "runtime/verify.h"

namespace weft::cli {
namespace {

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

// Checks everything except the self test.
ModelCheck CheckRules(const LoadedModel& model) {
  ModelCheck check;
  std::vector<std::string>& lines = check.violations;
  const auto report = [](void* user, const Fault& fault) {
    static_cast<std::vector<std::string>*>(user)->push_back(emit::Words(fault));
  };
  (void)VerifyAll(model.bytes(), AllSteps(), {report, &lines});
  // The validator requires that all earlier rules hold.
  if (lines.empty()) lines = inspect::FileFaults(model.bytes());
  check.plan_validated = lines.empty() && model.root().slot_buffers() != nullptr;
  if (check.plan_validated) lines = plan::CheckPlan(model.root(), &check.compared_ranges);
  if (check.plan_validated && lines.empty()) lines = ValueFaults(model.root());
  check.has_plan_hash = lines.empty() && StoredPlanNumber(model.root()) != 0;
  return check;
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
  if (fault.code != FaultCode::kSelfTestDiffers) return emit::Words(fault);
  const std::string location = first.element == weft::Mismatch::kLengthDiffers
                                   ? "the length"
                                   : fmt::format("element {}", first.element);
  return fmt::format("self test: run {}: output {} \"{}\": {} is {}; must be {}", first.run,
                     first.output, model.outputs()[first.output].display_name, location,
                     ElementText(first.type, first.actual),
                     ElementText(first.type, first.expected));
}

}  // namespace

ModelCheck CheckModel(LoadedModel& model, Faults& faults) {
  ModelCheck check = CheckRules(model);
  if (!check.violations.empty() || model.root().self_test() == nullptr) return check;
  if (!model.Open(faults)) return check;
  if (const auto violation = SelfTestViolation(model)) {
    check.violations.push_back(*violation);
  } else {
    check.self_test_runs = format::SelfTestOf(model.root())->run_count();
  }
  return check;
}

}  // namespace weft::cli
