// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/vectors.h"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "converter/base/shell_word.h"
#include "converter/cli/call_files.h"
#include "converter/emit/self_test.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr uint32_t kRecordedRuns = 2;

using Runs = std::vector<Array>;  // one array per run

// Reads the pairs after the head of a self test, in the order of RecordSelfTest.
struct PairReader {
  std::span<const std::byte> rest;

  Array Next(const ModelPort& port, bool has_length) {
    Array array{port.type, {}};
    if (has_length) {
      uint32_t length = 0;
      std::memcpy(&length, rest.data(), sizeof(length));
      rest = rest.subspan(sizeof(length));
      array.type.dims[port.length_axis] = length;
    }
    const auto bytes = static_cast<size_t>(DenseBytes(array.type).value_or(0));
    array.bytes.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes));
    rest = rest.subspan(bytes);
    return array;
  }
};

struct Recorded {
  std::vector<Runs> inputs, outputs;  // by port
};

Recorded ReadPairs(const LoadedModel& model, std::span<const std::byte> self_test, uint32_t runs) {
  Recorded recorded{std::vector<Runs>(model.inputs().size()),
                    std::vector<Runs>(model.outputs().size())};
  PairReader reader{self_test.subspan(sizeof(format::SelfTest))};
  for (uint32_t run = 0; run < runs; ++run) {
    for (size_t i = 0; i < model.inputs().size(); ++i) {
      recorded.inputs[i].push_back(reader.Next(model.inputs()[i], false));
    }
    for (size_t i = 0; i < model.outputs().size(); ++i) {
      const ModelPort& port = model.outputs()[i];
      recorded.outputs[i].push_back(reader.Next(port, port.has_length));
    }
  }
  return recorded;
}

// Runs the model again. Returns false if a run does not complete, because a loop reaches its limit.
bool Completes(LoadedModel& model, const Recorded& recorded, uint32_t runs) {
  bool all = true;
  model.engine().Reset();
  for (uint32_t run = 0; run < runs; ++run) {
    for (uint32_t i = 0; i < recorded.inputs.size(); ++i) {
      const Tensor tensor = model.engine().input(i);
      if (tensor.bytes == 0) continue;
      std::memcpy(tensor.data, recorded.inputs[i][run].bytes.data(), tensor.bytes);
    }
    all = model.engine().Run().ok() && all;
  }
  model.engine().Reset();
  return all;
}

// Adds one file with all runs, or a file for each run if their shapes differ. Returns false then.
bool AddFiles(const std::string& name, const std::string& port, const Runs& runs,
              std::vector<VectorFile>& files) {
  const size_t rank = runs[0].type.dims.size();
  bool equal = true;
  for (const Array& run : runs) equal = equal && run.type == runs[0].type;
  if (!equal) {
    for (size_t i = 0; i < runs.size(); ++i) {
      files.push_back({fmt::format("{}.run{}.npy", name, i), ToPackedBytes(runs[i], rank),
                       fmt::format("{}, run {}", port, i)});
    }
    return false;
  }
  Array all = runs[0];
  all.type.dims.insert(all.type.dims.begin(), static_cast<int64_t>(runs.size()));
  for (size_t i = 1; i < runs.size(); ++i) {
    all.bytes.insert(all.bytes.end(), runs[i].bytes.begin(), runs[i].bytes.end());
  }
  files.push_back({name + ".npy", ToPackedBytes(std::move(all), rank),
                   fmt::format("{}, {} runs", port, runs.size())});
  return true;
}

// Adds the files of one side. Returns the options that name them; empty if a port has a file for
// each run.
std::string AddSide(const std::vector<ModelPort>& ports, const std::vector<Runs>& runs,
                    const std::string& side, const std::string& option, const std::string& folder,
                    std::vector<VectorFile>& files) {
  const std::vector<std::string> names = DistinctFileNames(DisplayNames(ports));
  std::string options;
  bool all = true;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string name = fmt::format("{}s/{}", side, names[i]);
    const std::string port = fmt::format("{} {} \"{}\"", side, i, ports[i].display_name);
    all = AddFiles(name, port, runs[i], files) && all;
    const std::string word = fmt::format("{}={}/{}.npy", i, folder, name);
    options += fmt::format(" {} {}", option, ShellWord(word));
  }
  return all ? options : "";
}

}  // namespace

Vectors VectorsOf(LoadedModel& model, const std::string& folder, Faults& faults) {
  const format::SelfTest* stored = format::SelfTestOf(model.root());
  const uint32_t runs = stored != nullptr ? stored->run_count() : kRecordedRuns;
  std::vector<std::byte> bytes;
  if (stored != nullptr) {
    const auto* first = reinterpret_cast<const std::byte*>(stored);
    bytes.assign(first, first + model.root().self_test()->size());
  } else {
    const auto* file = static_cast<const std::byte*>(model.bytes().data);
    bytes = emit::RecordSelfTest({file, model.bytes().size}, runs, faults);
  }
  Vectors vectors;
  if (bytes.empty()) return vectors;
  const Recorded recorded = ReadPairs(model, bytes, runs);
  const std::string inputs =
      AddSide(model.inputs(), recorded.inputs, "input", "--input", folder, vectors.files);
  const std::string outputs =
      AddSide(model.outputs(), recorded.outputs, "output", "--expect", folder, vectors.files);
  const bool completes = Completes(model, recorded, runs);
  if (completes && !outputs.empty()) {
    vectors.compare_options = inputs + outputs + " --rtol 0 --atol 0";
  }
  vectors.facts = {
      {"runs", runs}, {"stored_in_model", stored != nullptr}, {"completed", completes}};
  return vectors;
}

}  // namespace weft::cli
