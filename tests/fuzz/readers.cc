// SPDX-License-Identifier: Apache-2.0
// The fuzzer `readers`: desktop commands on hostile model files. The first byte of an input selects
// the command, the rest is the file.
#include <nlohmann/json.hpp>

#include "converter/convert.h"
#include "runtime/verify.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/file_of_input.h"
#include "tests/fuzz/guarded_block.h"
#include "tests/fuzz/model_run.h"

namespace weft::fuzz {
namespace {

// Commands on FILE; OTHER is a file that they write.
const std::vector<std::vector<std::string>> kReading = {
    {"inspect", "FILE", "--json"},
    {"inspect", "FILE", "--listing"},
    {"inspect", "FILE", "--budget"},
    {"inspect", "FILE", "--plan"},
    {"inspect", "FILE", "--html", "OTHER"},
    {"inspect", "FILE", "FILE", "--html", "OTHER"},
    {"inspect", "FILE", "--svg", "OTHER"},
    {"inspect", "FILE", "--json", "--plan", "--budget", "--listing"},
    {"diff", "FILE", "FILE", "--json"},
};
// Commands that also run the model, for models that end in time.
const std::vector<std::vector<std::string>> kRunning = {
    {"verify", "FILE", "--json"},
    {"run", "FILE", "--json"},  // is rejected if the model has inputs
    {"compare", "FILE", "FILE", "--json"},
    {"bench", "FILE", "--iterations", "2", "--warm-up", "1", "--profile", "--json"},
};

bool IsValid(Input file) {
  GuardedBlock block(file.size(), kModelAlignment, false);
  std::copy(file.begin(), file.end(), block.data());
  return VerifyAll(block.bytes(), AllSteps(), {}).ok();
}

void EmitC(Input file) {
  if (!IsValid(file)) return;
  if (!converter::WriteCSource(file, "model")) Finding("WriteCSource returned no source");
}

}  // namespace

void Run(Input input) {
  Choices choices(input);
  const unsigned reading = static_cast<unsigned>(kReading.size());
  const unsigned number = choices.Choose(reading + static_cast<unsigned>(kRunning.size()) + 1);
  const Input bytes = choices.rest();
  if (number == reading + kRunning.size()) return EmitC(bytes);
  if (number >= reading && !UseModel(bytes, {})) return;
  const FileOfInput file("model.weft", bytes), other("page.html", {});
  std::vector<std::string> words = number < reading ? kReading[number] : kRunning[number - reading];
  for (std::string& word : words) {
    if (word == "FILE") word = file.path();
    if (word == "OTHER") word = other.path();
  }
  const Answer answer = CallCommand(words);
  if (answer.code == 0 && words.back() == "--json" && !nlohmann::json::accept(answer.out))
    Finding("weft " + words[0] + " printed invalid JSON");
}

void Mutate(std::string& input, Random& random) { MutateModel(input, random); }

}  // namespace weft::fuzz
