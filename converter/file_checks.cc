// SPDX-License-Identifier: Apache-2.0
#include "converter/file_checks.h"

#include <span>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/file_engine.h"
#include "converter/inspect/file_rules.h"
#include "converter/inspect/listing.h"
#include "converter/plan/validator.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft::pipeline {
void CheckFile(const std::vector<std::byte>& file, Faults& faults) {
  const AlignedBytes aligned(file);
  const auto report = [](void* lines, const Fault& fault) {
    emit::AddBrokenRule(fault, *static_cast<Faults*>(lines));
  };
  (void)VerifyAll({aligned.data(), aligned.size()}, AllSteps(), {report, &faults});
  if (!faults.ok()) return;
  for (const std::string& line : inspect::FileFaults({aligned.data(), aligned.size()})) {
    faults.Add("weft: internal error: invalid model file: " + line);
  }
  if (!faults.ok()) return;
  for (const std::string& line : plan::CheckPlan(*format::GetModel(aligned.data()))) {
    faults.Add("weft: internal error: invalid plan: " + line);
  }
}

std::string ListingOf(const std::vector<std::byte>& file) {
  const AlignedBytes aligned(file);
  bool is_sound = true;
  const auto report = [](void* sound, const Fault&) { *static_cast<bool*>(sound) = false; };
  (void)VerifyAll({aligned.data(), aligned.size()}, AllSteps(), {report, &is_sound});
  if (!is_sound) return "the file breaks a rule of the format; the pass verify reports it\n";
  return inspect::ListingText(*format::GetModel(aligned.data()));
}

}  // namespace weft::pipeline
