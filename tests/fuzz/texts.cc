// SPDX-License-Identifier: Apache-2.0
// The fuzzer `texts`: the other files that commands read. The first byte of an input selects the
// format: .npy, .wav, a .csv of `weft plan`, or measurements for a report page. The mutator inserts
// words of all formats and repeats, removes and changes bytes.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "converter/cli/npy.h"
#include "converter/cli/report_facts.h"
#include "converter/cli/wav.h"
#include "converter/plan/problem_csv.h"
#include "converter/plan/solve.h"
#include "converter/plan/validate_placement.h"
#include "converter/report/page.h"
#include "tests/fuzz/file_of_input.h"
#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {
namespace {

// A result and a reason exclude each other.
void CheckReason(bool has_result, const std::string& reason) {
  if (has_result != reason.empty()) Finding("a result with the reason \"" + reason + "\"");
}

void ReadNpy(Input file) {
  std::string reason;
  size_t used = 0;
  const auto first = cli::ParseFirstNpy(file, &used, &reason);
  CheckReason(first.has_value(), reason);
  if (first && used > file.size()) Finding("an array is longer than its file");
  reason.clear();
  const auto array = cli::ParseNpy({file.begin(), file.end()}, &reason);
  CheckReason(array.has_value(), reason);
  if (!array || cli::NpyName(array->type.type).empty()) return;
  const auto again = cli::ParseNpy(cli::NpyBytes(*array), &reason);
  if (!again || again->type.dims != array->type.dims || again->bytes != array->bytes)
    Finding("a written array differs from the array that was read");
}

void ReadWav(Input file) {
  if (!cli::IsWav(file)) return;
  std::string reason;
  const auto recording = cli::ParseWav(file, &reason);
  CheckReason(recording.has_value(), reason);
  if (recording && recording->samples.size() > file.size()) Finding("more samples than bytes");
}

void ReadCsv(Input file) {
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  Faults faults;
  const auto problem = plan::FromCsv(text, "problem.csv", faults);
  CheckLines(faults.lines());
  if (problem.has_value() != faults.ok()) Finding("a problem with errors, or neither");
  if (!problem || problem->buffers.size() > 100) return;
  plan::Effort effort;
  effort.max_nodes = 1000;
  const plan::Placement placement = plan::Solve(*problem, effort);
  // Fixed offsets may break rules; `weft plan` then reports an error.
  const bool is_free = std::ranges::none_of(problem->buffers, [](const plan::Buffer& buffer) {
    return buffer.fixed_offset_bytes.has_value();
  });
  const auto broken = plan::ValidatePlacement(*problem, placement);
  if (is_free && !broken.empty()) Finding(broken[0].text);
  const auto again = plan::FromCsv(plan::ToCsv(*problem), "problem.csv", faults);
  if (!again || again->buffers.size() != problem->buffers.size())
    Finding("a written problem differs from the problem that was read");
}

void ReadMeasurements(Input file) {
  const FileOfInput stored("times.json", file);
  static const nlohmann::ordered_json model = {
      {"file", "m.weft"},
      {"checksum", "0123456789abcdef"},
      {"listing", {{{"kind", "dense"}, {"layer", "a"}}, {{"kind", "copy"}, {"layer", "b \"c\""}}}}};
  for (const bool is_times : {true, false}) {
    std::vector<nlohmann::ordered_json> models = {model};
    Faults faults;
    if (is_times) {
      cli::AddTimes({stored.path()}, models, faults);
    } else {
      cli::AddComparisons({stored.path()}, models, faults);
    }
    CheckLines(faults.lines());
    if (faults.ok() && models[0].contains(is_times ? "times" : "comparison"))
      (void)report::Page(models[0]);
  }
}

// Words of all formats; those of a .wav file are binary.
const std::vector<std::string>& TextWords() {
  static const std::vector<std::string> words = [] {
    std::istringstream text(R"('descr': 'fortran_order': False 'shape': ( ) , { } '<f4' '>f4' '|b1'
        '<i8' 9223372036854775807 4294967296 -1 0 \\ - : lower upper size gaps offset near 0:0:0
        1:4:8 1e300 nan "steps": "models": "layers":
        "checksum":"0123456789abcdef", [] null true % RIFF WAVE fmt data)");
    std::vector<std::string> list = {"\n", "\r\n", "\xFF\xFF\xFF\xFF", "\xFE\xFF", "fmt "};
    for (const char number : {1, 3, 24, 32}) list.push_back({number, '\0'});
    list.insert(list.end(), std::istream_iterator<std::string>(text), {});
    return list;
  }();
  return words;
}

}  // namespace

void Run(Input input) {
  constexpr void (*kReaders[])(Input) = {ReadNpy, ReadWav, ReadCsv, ReadMeasurements};
  Choices choices(input);
  const unsigned number = choices.Choose(static_cast<unsigned>(std::size(kReaders)));
  kReaders[number](choices.rest());
}

void Mutate(std::string& input, Random& random) {
  for (size_t changes = 1 + Below(random, 4); changes > 0; --changes) {
    const size_t at = Below(random, input.size() + 1);
    const std::string& word = PickFrom(random, TextWords());
    const size_t digit = input.find_first_of("0123456789", at);
    switch (Below(random, 6)) {
      case 0:
        input.insert(at, word);
        break;
      case 1:
        input.erase(at, 1 + Below(random, 6));
        break;
      case 2:
        input.replace(at, word.size(), word);
        break;
      case 3:
        input.insert(at, input.substr(Below(random, input.size() + 1), Below(random, 40)));
        break;
      case 4:
        if (digit != std::string::npos) input[digit] = static_cast<char>('0' + Below(random, 10));
        break;
      default:
        if (at < input.size()) input[at] = static_cast<char>(random() >> 8);
    }
  }
}

}  // namespace weft::fuzz
