// SPDX-License-Identifier: Apache-2.0
// Checks the bytes that loops copy in each iteration, for every conformance case, with the reason
// that the file states. copies.txt pins the cases that copy. WEFT_PIN_COPIES=1 rewrites it; the
// author of the change must review every new line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/inspect/cost.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traffic.h"
#include "tests/models/every_case.h"

namespace weft {
namespace {

const std::filesystem::path kPinned = WEFT_SOURCE_DIR "/tests/models/copies.txt";

// Returns "layer copies 12 bytes an iteration (back_edge)", one line per section that copies.
std::vector<std::string> CopiesOf(const format::Model& model) {
  std::vector<std::string> lines;
  const inspect::Traffic traffic = inspect::TrafficOf(model);
  for (uint32_t section = 0; section < traffic.bytes.sections.size(); ++section) {
    const double bytes = traffic.bytes.sections[section].per_iteration;
    if (bytes == 0) continue;
    std::set<std::string> reasons;
    for (uint32_t copy = 0; copy < inspect::SectionAt(model, section).unroll(); ++copy) {
      const inspect::StepRun run = inspect::CopyOf(model, section, copy);
      for (uint32_t i = run.begin; i < run.end; ++i) {
        const format::Step& step = format::RowsOf(model.steps())[i];
        const auto reason = static_cast<format::Reason>(step.reason());
        if (inspect::MovedBytes(model, step) > 0) reasons.insert(format::EnumNameReason(reason));
      }
    }
    std::string why;
    for (const std::string& reason : reasons) why += (why.empty() ? "" : ", ") + reason;
    lines.push_back(fmt::format("section {}: {} bytes an iteration ({})", section, bytes, why));
  }
  return lines;
}

std::vector<std::string> CopiesOfAllCases() {
  std::vector<std::string> lines;
  for (const auto& [name, file] : ConvertedCases()) {
    for (const std::string& line : CopiesOf(*format::GetModel(file.data())))
      lines.push_back(name + ": " + line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// The name of the case in a line.
std::string CaseOf(const std::string& line) { return line.substr(0, line.find(": section")); }

TEST(Copies, OfEveryIterationAreThoseThatArePinned) {
  const std::vector<std::string> lines = CopiesOfAllCases();
  std::set<std::string> cases;
  for (const auto& [name, converted] : ConvertedCases()) cases.insert(name);
  EXPECT_GT(cases.size(), static_cast<size_t>(Rounds(2000)));
  if (std::getenv("WEFT_PIN_COPIES") != nullptr) {
    std::ofstream pinned(kPinned);
    for (const std::string& line : lines) pinned << line << '\n';
  }
  std::vector<std::string> pinned;
  std::ifstream file(kPinned);
  for (std::string line; std::getline(file, line);) {
    if (kThinning == 1 || cases.contains(CaseOf(line))) pinned.push_back(line);
  }
  EXPECT_EQ(lines, pinned);
}

}  // namespace
}  // namespace weft
