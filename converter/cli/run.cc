// SPDX-License-Identifier: Apache-2.0
// weft run: runs a model on .npy files and writes .npy files or prints values.
#include <fmt/format.h>

#include <memory>

#include "converter/base/files.h"
#include "converter/base/links.h"
#include "converter/base/paths.h"
#include "converter/cli/array_text.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"

namespace weft::cli {
namespace {

constexpr const char* kRunFooter =
    R"(NAME is a tensor name of the port, the name of its layer, or its index.

A file with the shape of its input is the input of every call. A file with an extra leading axis
of length N feeds N calls; all outputs then have this axis. A file that is longer along the time
axis of a streaming model is split into calls; outputs are joined along their time axes. State is
kept between calls. --repeat runs all calls again and writes the outputs of the last pass.

A .wav file has one channel and is split into calls, too; samples after the last complete call are
left out. Its input must have one axis with several elements, or a time axis and then an axis of
samples. Models with --streams need a .npy file.

In files, bf16 is stored as uint16, and i4 and u4 as packed bytes in a uint8 array of one axis.

Examples:
  weft run model.weft --input x=x.npy
  weft run model.weft --input x=x.npy --output-dir out
  weft run step.weft --input audio=speech.npy
  weft run step.weft --input audio=speech.npy --check-finite
  weft run model.weft --input x=frames.npy h=h.npy --output-dir out --repeat 10)";

struct RunCall : SessionCall {
  std::string output_dir;  // empty: values are printed
  bool check_finite = false, json = false;
};

// One path per output.
std::vector<std::filesystem::path> OutputPaths(const std::vector<ModelPort>& ports,
                                               const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& name : DistinctFileNames(DisplayNames(ports))) {
    paths.push_back(PathOf(folder) / PathOf(name + ".npy"));
  }
  return paths;
}

void CheckFiles(const RunCall& call, const Session& session,
                const std::vector<std::filesystem::path>& outputs, Faults& faults) {
  CallFiles files;
  files.Reads("MODEL", PathOf(call.model));
  for (const std::string& file : session.input_files()) files.Reads("an --input", PathOf(file));
  for (const std::filesystem::path& file : outputs) files.Writes("an output", file);
  files.Check(faults);
}

bool WriteOutputs(const RunCall& call, const LoadedModel& model,
                  const std::vector<std::filesystem::path>& paths, const std::vector<Array>& arrays,
                  Faults& faults) {
  bool made = false;
  if (!MakeFolders(call.output_dir, faults, &made)) return false;
  std::vector<std::vector<std::byte>> bytes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    bytes.push_back(NpyBytes(ToPackedBytes(arrays[i], model.outputs()[i].type.dims.size())));
  }
  std::vector<FileToWrite> files;
  for (size_t i = 0; i < paths.size(); ++i) files.push_back({paths[i], bytes[i]});
  std::string reason;
  if (WriteFiles(files, &reason)) return true;
  faults.Add(reason);
  std::error_code error;
  // Only if it is empty, and not the link to it.
  if (made) std::filesystem::remove(FollowLinks(PathOf(call.output_dir)), error);
  return false;
}

// Prints the outputs: their files, or their values if there are no files.
void PrintOutputs(const RunCall& call, const LoadedModel& model, Session& session,
                  const std::vector<std::filesystem::path>& paths) {
  const std::vector<Array>& arrays = session.outputs();
  Json outputs = ListOfCount(arrays.size(), [&](uint32_t i) {
    Json row = {{"name", model.outputs()[i].display_name},
                {"type", Name(arrays[i].type.type)},
                {"shape", arrays[i].type.dims}};
    if (!paths.empty()) {
      row["file"] = paths[i].string();
    } else if (call.json) {
      row["values"] = ElementsJson(arrays[i]);
    }
    return row;
  });
  if (call.json) {
    Print({{"calls", session.call_count()}, {"repeat", call.repeat}, {"outputs", outputs}});
  } else if (paths.empty()) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      Answer("{} {}", Plain(outputs[i]["name"]), ToString(arrays[i].type));
      AnswerText(ArrayText(arrays[i]));
    }
  } else {
    for (size_t i = 0; i < arrays.size(); ++i) outputs[i]["type"] = ToString(arrays[i].type);
    AnswerText(TableText(outputs, "output=name | type | file"));
  }
}

Exit Run(const RunCall& call) {
  Diagnostics complaints;
  const std::unique_ptr<LoadedModel> model =
      LoadedModel::Load(PathOf(call.model), complaints.input);
  if (model == nullptr || !model->Open(complaints.input)) return Report(complaints);
  Session session(*model);
  session.ReadInputs(call, complaints);
  std::vector<std::filesystem::path> paths;
  if (!call.output_dir.empty()) {
    paths = OutputPaths(model->outputs(), call.output_dir);
    CheckFiles(call, session, paths, complaints.call);
  }
  if (!complaints.ok()) return Report(complaints);
  if (call.check_finite) session.CheckFinite();
  session.Run(call.repeat, complaints.input);
  if (!complaints.ok()) return Report(complaints);
  const bool has_files = !call.output_dir.empty();
  if (has_files && !WriteOutputs(call, *model, paths, session.outputs(), complaints.input)) {
    return Report(complaints);
  }
  PrintOutputs(call, *model, session, paths);
  return Report(complaints);
}

}  // namespace

void AddRun(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("run", "Run a model on .npy or .wav files");
  auto call = std::make_shared<RunCall>();
  AddSessionOptions(command, *call);
  command
      .Add("--output-dir", call->output_dir,
           "Write one NAME.npy per output to this folder. Default: values are printed")
      .Value("FOLDER", PathName);
  command.AddFlag("--check-finite", call->check_finite,
                  "Stop with an error at the first NaN or infinity in an output or variable");
  command.AddFlag("--json", call->json, "Print the list of outputs as JSON");
  command.Footer(kRunFooter);
  command.OnCall([call, exit] { *exit = Run(*call); });
}

}  // namespace weft::cli
