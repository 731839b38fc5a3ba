// SPDX-License-Identifier: Apache-2.0
// Prints the terms of each step of model files (converter/inspect/terms.h), for instructions.py:
// weft_step_terms LIST CORE. LIST is a file with one model a line.
//
//   model FILE
//   INDEX EXECUTIONS|VARIANT|NAME AMOUNT|...    index -1: the engine
#include "converter/inspect/terms.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "converter/inspect/traverse.h"
#include "runtime/weft.h"
#include "tests/device/zeroed_memory.h"

namespace {

void Print(int step, double executions, const weft::inspect::Terms& terms) {
  std::printf("%d %.0f|%s", step, executions, terms.variant.c_str());
  for (const auto& [name, amount] : terms.amounts) std::printf("|%s %.17g", name.c_str(), amount);
  std::printf("\n");
}

bool PrintModel(const std::string& path, weft::inspect::KernelSet kernels) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const weft::ZeroedMemory file(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(static_cast<char*>(file.block.data), static_cast<std::streamsize>(file.block.bytes));
  weft::Needs needs;
  if (!weft::ReadNeeds({file.block.data, file.block.bytes}, &needs).ok()) return false;
  const weft::format::Model& model = *weft::format::GetModel(file.block.data);
  const weft::inspect::Sum sum = weft::inspect::SumOf(model, [](uint32_t) { return 1; });
  const auto steps = weft::format::RowsOf(model.steps());
  std::printf("model %s\n", path.c_str());
  Print(-1, 1, weft::inspect::EngineTermsOf(model));
  for (uint32_t i = 0; i < steps.count; ++i) {
    if (steps[i].kind() == 0) continue;
    Print(static_cast<int>(i), sum.times[i], weft::inspect::TermsOf(model, steps[i], kernels));
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream list(arguments[1]);
  const weft::inspect::KernelSet kernels = weft::inspect::KernelsOf(arguments[2]);
  bool ok = true;
  for (std::string path; std::getline(list, path);) ok = PrintModel(path, kernels) && ok;
  return ok ? 0 : 1;
}
