// SPDX-License-Identifier: Apache-2.0
// Collects everything that is wrong with one input, so that a person sees all of it in one run.
// Lines read `where: who: what is; what must be`. Passes stop at their end, not at the first fault.
#ifndef WEFT_CONVERTER_BASE_FAULTS_H_
#define WEFT_CONVERTER_BASE_FAULTS_H_

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft {

class Faults {
 public:
  // A line that is there already is not repeated: several passes may read one bad attribute.
  void Add(std::string line) { AddOnce(lines_, known_lines_, std::move(line)); }
  // Printed for the user on stderr, but no reason to refuse.
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
  std::unordered_set<std::string> known_lines_, known_warnings_;  // the same lines, to be found
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FAULTS_H_
