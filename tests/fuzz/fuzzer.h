// SPDX-License-Identifier: Apache-2.0
// A fuzzer is a program with one Run and one Mutate. libfuzzer.cc creates inputs; replay.cc reads
// them from files.
#ifndef WEFT_TESTS_FUZZ_FUZZER_H_
#define WEFT_TESTS_FUZZ_FUZZER_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace weft::fuzz {

using Input = std::span<const std::byte>;
using Random = std::minstd_rand;

// Accepts any bytes. Stops the process with abort() if the input breaks a promise of weft.
void Run(Input input);
// Changes an input so that most results reach the code after the first checks.
void Mutate(std::string& input, Random& random);
// The mutator of the fuzzers whose input is a number and a model file.
void MutateModel(std::string& input, Random& random);

// Prints the broken promise and aborts.
[[noreturn]] void Finding(const std::string& text);

// It is a finding if a line is empty, has a line end or reports a defect of weft.
void CheckLines(const std::vector<std::string>& lines);

// Reads the numbers at the start of an input that select options; 0 after its end.
class Choices {
 public:
  explicit Choices(Input input) : rest_(input) {}
  // Returns a number below `count`, which is at most 256.
  unsigned Choose(unsigned count) {
    if (rest_.empty()) return 0;
    const auto number = static_cast<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return number % count;
  }
  Input rest() const { return rest_; }

 private:
  Input rest_;
};

inline size_t Below(Random& random, size_t count) { return random() % count; }
template <typename T>
auto& PickFrom(Random& random, T& list) {
  return list[Below(random, std::size(list))];
}

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_FUZZER_H_
