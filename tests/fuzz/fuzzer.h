// SPDX-License-Identifier: Apache-2.0
// The fuzzers: functions that accept any bytes. A fuzzer stops the process with abort() if an input
// breaks a promise of weft. libfuzzer.cc creates inputs; replay.cc reads them from files.
#ifndef WEFT_TESTS_FUZZ_FUZZER_H_
#define WEFT_TESTS_FUZZ_FUZZER_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace weft::fuzz {

using Input = std::span<const std::byte>;
using Random = std::minstd_rand;

struct Fuzzer {
  std::string_view name;
  void (*run)(Input input);
  // Changes an input so that most results reach the code after the first checks.
  void (*mutate)(std::string& input, Random& random);
};

// The fuzzers of this build: all of them, or `model` without the converter.
std::span<const Fuzzer> All();
// Returns null if there is no fuzzer with this name.
const Fuzzer* Find(std::string_view name);

// Prints the broken promise and aborts.
[[noreturn]] void Finding(const std::string& text);

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

// Functions of the fuzzers, for the table in fuzzer.cc.
void RunModelFuzzer(Input input);
void MutateModel(std::string& input, Random& random);
void RunReaders(Input input);
void RunConvertIr(Input input);
void MutateIr(std::string& input, Random& random);
void RunConvertTflite(Input input);
void MutateTflite(std::string& input, Random& random);
void RunTexts(Input input);
void MutateTexts(std::string& input, Random& random);

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_FUZZER_H_
