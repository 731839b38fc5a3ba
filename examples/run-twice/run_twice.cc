// SPDX-License-Identifier: Apache-2.0
//
// run_twice MODEL.weft RUNS: runs a model on generated inputs, each run twice, and compares the
// bits. Exit code 0: all runs were repeated with equal bits. 1: a run differs, or the file is no
// model. 2: invalid command line. On a board only run_twice.h is needed.

#include "examples/run-twice/run_twice.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace {

// Memory with the alignment of every region.
struct alignas(64) Line {
  unsigned char bytes[64];
};
using Memory = std::vector<Line>;

Memory MemoryOf(size_t bytes) { return Memory((bytes + sizeof(Line) - 1) / sizeof(Line)); }

int Complain(const char* where, weft::Fault fault) {
  char text[160];
  weft::Describe(fault, text, sizeof(text));
  std::fprintf(stderr, "run_twice: %s: %s\n", where, text);
  return 1;
}

// Numbers in [-1, 1) for f32; zeros for other types, because they are valid for every model.
void Fill(const weft::Tensor& input) {
  std::memset(input.data, 0, input.bytes);
  if (input.type != weft::Type::kF32) return;
  for (size_t i = 0; i < input.bytes / sizeof(float); ++i) {
    input.as<float>()[i] = static_cast<float>(std::rand() % 4096 - 2048) / 2048.0f;
  }
}

int RunAll(weft::Engine& engine, weft::Block state, long runs) {
  Memory kept = MemoryOf(run_twice::KeptBytes(engine, state.bytes));
  for (long run = 0; run < runs; ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) Fill(engine.input(i));
    const run_twice::RunTwiceResult result =
        run_twice::RunTwice(engine, state, {kept.data(), kept.size() * sizeof(Line)});
    if (!result.fault.ok()) return Complain("Run", result.fault);
    if (result.differs) {
      std::fprintf(stderr, "run_twice: run %ld: its repetition has other bits\n", run);
      return 1;
    }
  }
  std::printf("%ld runs, each repeated with equal bits; %zu bytes kept\n", runs,
              run_twice::KeptBytes(engine, state.bytes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long runs = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (runs <= 0) {
    std::fprintf(stderr, "usage: run_twice MODEL.weft RUNS\n");
    return 2;
  }
  std::ifstream stream(argv[1], std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  Memory model = MemoryOf(file.size());
  if (!file.empty()) std::memcpy(model.data(), file.data(), file.size());
  const weft::Bytes bytes = {model.data(), file.size()};
  weft::Needs needs;
  if (const weft::Fault fault = weft::ReadNeeds(bytes, &needs); !fault.ok()) {
    return Complain(argv[1], fault);
  }
  Memory state = MemoryOf(needs.state_bytes), scratch = MemoryOf(needs.scratch_bytes);
  weft::Memory memory;
  memory.state = {state.data(), needs.state_bytes};
  memory.scratch = {scratch.data(), needs.scratch_bytes};
  weft::Engine engine;
  if (const weft::Fault fault = weft::Engine::Open(bytes, weft::AllSteps(), memory, &engine);
      !fault.ok()) {
    return Complain(argv[1], fault);
  }
  return RunAll(engine, memory.state, runs);
}
