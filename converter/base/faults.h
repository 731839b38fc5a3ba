// SPDX-License-Identifier: Apache-2.0
// Collects all errors of one input, so that the user sees all of them in one run. A line has the
// form `where: who: what is; what must be`. A pass stops at its end, not at the first fault.
#ifndef WEFT_CONVERTER_BASE_FAULTS_H_
#define WEFT_CONVERTER_BASE_FAULTS_H_

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft {

class Faults {
 public:
  // Ignores a line that was added before: several passes may read the same invalid attribute.
  void Add(std::string line) { AddOnce(lines_, known_lines_, std::move(line)); }
  // Adds a warning, which is printed on stderr and does not make the conversion fail.
  void Warn(std::string line) { AddOnce(warnings_, known_warnings_, std::move(line)); }
  bool ok() const { return lines_.empty(); }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static void AddOnce(std::vector<std::string>& lines, std::unordered_set<std::string>& known,
                      std::string line) {
    if (known.insert(line).second) lines.push_back(std::move(line));
  }

  std::vector<std::string> lines_;
  std::vector<std::string> warnings_;
  std::unordered_set<std::string> known_lines_, known_warnings_;  // the same lines, for look-up
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FAULTS_H_
