// SPDX-License-Identifier: Apache-2.0
// converts MODEL.xml MODEL.bin OUTPUT: reads an IR into memory, converts it in memory, runs the
// self test of the result and writes the model.weft. The first header must compile without others.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "converter/convert.h"
#include "runtime/weft.h"

namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};
using Lines = std::vector<Line>;

Lines LinesFor(size_t bytes) { return Lines(bytes / sizeof(Line) + 1); }
weft::Block BlockOf(Lines& lines) { return {lines.data(), lines.size() * sizeof(Line)}; }

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

weft::Fault SelfTest(const std::vector<std::byte>& file) {
  Lines model = LinesFor(file.size());
  std::memcpy(model.data(), file.data(), file.size());
  const weft::Bytes bytes = {model.data(), file.size()};
  weft::Needs needs;
  if (const weft::Fault fault = weft::ReadNeeds(bytes, &needs); !fault.ok()) return fault;
  Lines state = LinesFor(needs.state_bytes), scratch = LinesFor(needs.scratch_bytes);
  weft::Engine engine;
  const weft::Fault fault =
      weft::Engine::Open(bytes, weft::AllSteps(), {BlockOf(state), BlockOf(scratch)}, &engine);
  weft::Mismatch first;
  return fault.ok() ? engine.SelfTest(&first) : fault;
}

}  // namespace

int main(int, char** arguments) {
  const std::string xml = Read(arguments[1]), weights = Read(arguments[2]);
  const auto convert = [&](const weft::converter::Options& options) {
    return weft::converter::Convert(std::as_bytes(std::span(xml)),
                                    std::as_bytes(std::span(weights)), options);
  };
  weft::converter::Options refused;
  refused.precision = "f31";
  if (convert(refused).faults.size() != 1) return 1;
  weft::converter::Options tested;
  tested.self_test_runs = 2;
  if (!SelfTest(convert(tested).model.file).ok()) return 2;

  const weft::converter::Result result = convert({});
  for (const std::string& line : result.faults) std::cerr << line << '\n';
  if (!result.ok()) return 3;
  const std::vector<std::byte>& model = result.model.file;
  std::ofstream file(arguments[3], std::ios::binary);
  file.write(reinterpret_cast<const char*>(model.data()),
             static_cast<std::streamsize>(model.size()));
  return file.flush() ? 0 : 4;
}
