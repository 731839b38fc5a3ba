// SPDX-License-Identifier: Apache-2.0
#include "converter/file_checks.h"

#include <fmt/format.h>

#include <cstring>

#include "converter/base/aligned_bytes.h"
#include "converter/inspect/file_rules.h"
#include "converter/inspect/listing.h"
#include "converter/plan/validator.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft::pipeline {
namespace {

// FlatBuffers must be read at their alignment.
AlignedBytes AlignedCopy(const std::vector<std::byte>& bytes) {
  AlignedBytes aligned(bytes.size());
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  return aligned;
}

}  // namespace

void CheckFile(const std::vector<std::byte>& file, Faults& faults) {
  const AlignedBytes aligned = AlignedCopy(file);
  const auto report = [](void* lines, const Fault& fault) {
    char text[192];
    Describe(fault, text, sizeof(text));
    static_cast<Faults*>(lines)->Add(
        fmt::format("weft: internal error: invalid model file: {}", text));
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
  const AlignedBytes aligned = AlignedCopy(file);
  bool is_sound = true;
  const auto report = [](void* sound, const Fault&) { *static_cast<bool*>(sound) = false; };
  (void)VerifyAll({aligned.data(), aligned.size()}, AllSteps(), {report, &is_sound});
  if (!is_sound) return "the file breaks a rule of the format; the pass verify reports it\n";
  return inspect::ListingText(*format::GetModel(aligned.data()));
}

}  // namespace weft::pipeline
