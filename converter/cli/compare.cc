// SPDX-License-Identifier: Apache-2.0
// weft compare: runs a model as `weft run` does and compares its outputs with expected outputs.
#include <fmt/format.h>

#include <memory>

#include "converter/base/paths.h"
#include "converter/cli/commands.h"
#include "converter/cli/compare_layers.h"
#include "converter/cli/comparison.h"
#include "converter/cli/layer_values.h"
#include "converter/cli/named_options.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"

namespace weft::cli {
namespace {

constexpr const char* kCompareFooter =
    R"(Two floats agree if |actual - expected| <= max(ATOL, RTOL * |expected|); numpy.allclose adds
the two tolerances instead. NaN agrees with NaN, and an infinity only with itself. Integers and booleans must be equal. Types and shapes must be equal.
Outputs without --expect are not compared. Inputs may feed several calls, as in "weft run";
expected outputs then have the same extra axis or the same length in time.

With --layers FOLDER, MODEL is an IR or a .tflite file. Each layer with a file NAME.npy in the folder becomes an
additional output, and weft prints the first layer that differs. NAME is the name of a layer or
tensor, with "_" for / and :. A suffix .1 selects the second output of a layer. Layers are not
fused in this conversion. Layers inside loops are not compared. If a file has integers, the numbers
of a quantised layer of a .tflite file are compared as codes.

With OTHER, both models run on the same inputs, and each output of MODEL is compared with the
output of OTHER at the same index, for example to measure the error of 8-bit weights. Signal to
noise is the ratio of the sums of squares of OTHER's values and of all differences, in decibels;
43 dB is an average difference of 0.7 %.

With OTHER and --layers (without a folder, as the last argument), each layer is compared as well,
at its last step: type and bytes of its weights, signal to noise of its weights and values, and
the largest difference.

Examples:
  weft compare model.weft --input x=x.npy --expect y=y.npy --atol 1e-4
  weft compare model.xml --input x=x.npy --layers expected
  weft compare i8.weft f32.weft --input x=x.npy --rtol 0 --atol 0.01
  weft compare i8.weft f32.weft --input x=x.npy --atol 0.01 --layers)";

// The value of --layers without a folder.
constexpr const char* kNoFolder = "-";

struct Expected {
  size_t port;
  std::string file;
  Array array;
};

// The inputs determine the number of calls, so shapes are compared later.
std::vector<Expected> ReadExpected(const CompareCall& call, const LoadedModel& model,
                                   Diagnostics& complaints) {
  std::vector<Expected> list;
  for (const PortFile& file :
       ParsePortFiles(model.outputs(), "output", call.expects, "--expect", complaints.call)) {
    std::string reason;
    std::optional<Array> array =
        ReadAs(model.outputs()[file.port].type, call.cast, file.file, &reason);
    if (!array) {
      complaints.input.Add(fmt::format("{}: {}", file.file, reason));
    } else if (array->type.type != model.outputs()[file.port].type.type) {
      complaints.input.Add(fmt::format(
          "{}: is {}; output \"{}\" is {}{}", file.file, ToString(array->type),
          model.outputs()[file.port].display_name, ToString(model.outputs()[file.port].type),
          CastAdvice(array->type.type, model.outputs()[file.port].type)));
    } else {
      list.push_back({file.port, file.file, std::move(*array)});
    }
  }
  return list;
}

// Reads the inputs of a model. With OTHER each error names the model.
void ReadInputsOf(const CompareCall& call, const LoadedModel& model, Session& session,
                  Diagnostics& complaints) {
  if (call.other.empty()) return session.ReadInputs(call, complaints);
  Diagnostics own;
  session.ReadInputs(call, own);
  for (const std::string& line : own.call.lines()) {
    complaints.call.Add(fmt::format("{}: {}", model.file(), line));
  }
  for (const std::string& line : own.input.lines()) {
    complaints.input.Add(fmt::format("{}: {}", model.file(), line));
  }
}

// Returns the outputs of the other model, which has run on the same inputs.
std::vector<Expected> TakeOutputs(const CompareCall& call, const LoadedModel& model,
                                  Session& session, Diagnostics& complaints) {
  std::vector<Expected> list;
  if (session.outputs().size() != model.outputs().size()) {
    complaints.input.Add(fmt::format("{}: has {} outputs; {} has {}; the numbers must be equal",
                                     call.other, session.outputs().size(), call.model,
                                     model.outputs().size()));
    return list;
  }
  for (size_t i = 0; i < session.outputs().size(); ++i) {
    list.push_back({i, call.other, std::move(session.outputs()[i])});
  }
  return list;
}

std::vector<Expected> RunOther(const CompareCall& call, const LoadedModel& model,
                               Diagnostics& complaints) {
  const std::unique_ptr<LoadedModel> other =
      LoadedModel::Load(PathOf(call.other), complaints.input);
  if (other == nullptr || !other->Open(complaints.input)) return {};
  Session session(*other);
  ReadInputsOf(call, *other, session, complaints);
  if (!complaints.ok()) return {};
  session.Run(call.repeat, complaints.input);
  if (!complaints.ok()) return {};
  return TakeOutputs(call, model, session, complaints);
}

std::string NoiseText(const CompareCall& call, const Comparison& comparison) {
  const std::optional<double> decibels = SignalToNoise(comparison);
  if (call.other.empty() || !decibels) return "";
  return fmt::format("; signal to noise {:.1f} dB", *decibels);
}

// Compares and prints all outputs. Returns true if all agree. --json also prints `layers`, which
// may be null.
bool CompareOutputs(const CompareCall& call, const LoadedModel& model, Session& session,
                    const std::vector<Expected>& expected, Json layers = nullptr) {
  bool equal = true;
  Json list = Json::array();
  for (const Expected& expect : expected) {
    const Array& is = session.outputs()[expect.port];
    const std::string& name = model.outputs()[expect.port].display_name;
    if (is.type != expect.array.type) {
      equal = false;
      const std::string is_text = ToString(is.type), must_text = ToString(expect.array.type);
      list.push_back({{"output", name}, {"equal", false}, {"is", is_text}, {"must", must_text}});
      if (!call.json) Answer("{}: is {}; {} expects {}", name, is_text, expect.file, must_text);
      continue;
    }
    const Comparison comparison = Compare(is, expect.array, call.tolerance);
    equal = equal && comparison.mismatch_count == 0;
    list.push_back({{"output", name}});
    list.back().update(ComparisonJson(comparison));
    if (!call.json) {
      AnswerOne(
          fmt::format("{}: {}{}", name, ComparisonText(comparison), NoiseText(call, comparison)),
          comparison.first ? Tint::kFault : Tint::kGood);
    }
  }
  const bool has_f16 = HasF16Weights(model.root());
  if (!equal && has_f16) Say("note: {}: weights were f16 in the IR{}", model.file(), kF16Advice);
  if (call.json) {
    Json json = {{"equal", equal}, {"checksum", ChecksumText(model)}, {"f16_weights", has_f16}};
    if (!layers.is_null()) json["layers"] = std::move(layers);
    json["outputs"] = std::move(list);
    Print(json);
  }
  return equal;
}

// Checks the combination of options.
void CheckCompareCall(const CompareCall& call) {
  const bool has_folder = !call.layers.empty() && call.layers != kNoFolder;
  RefuseOptionIf(!call.other.empty() && !call.expects.empty(), "--expect",
                 "is given with OTHER; must be given without it");
  RefuseOptionIf(!call.other.empty() && has_folder, "--layers",
                 "has a folder, but OTHER is given; must be the last argument, without a folder");
  RefuseOptionIf(call.other.empty() && call.layers == kNoFolder, "--layers",
                 "has no folder; must have one, or follow OTHER");
  RefuseOptionIf(!call.layers.empty() && !has_folder && call.repeat != 1, "--repeat",
                 "is given with OTHER and --layers; must be given without them");
  RefuseOptionIf(call.other.empty() && call.layers.empty() == call.expects.empty(), "--expect",
                 call.layers.empty()
                     ? "is missing; must be given, unless there is a second model (OTHER) "
                       "or --layers FOLDER with an IR or a .tflite file"
                     : "is given with --layers; must be given without it");
  RefuseOptionIf(!has_folder && !(call.weights.empty() && call.shapes.empty()),
                 call.weights.empty() ? "--shape" : "--weights",
                 "is given without --layers; must be given with it");
}

// Runs both models interleaved, call by call, so that only the values of one call are kept.
Exit CompareLayersOf(const CompareCall& call) {
  Diagnostics complaints;
  const std::unique_ptr<LoadedModel> model =
      LoadedModel::Load(PathOf(call.model), complaints.input);
  const std::unique_ptr<LoadedModel> other =
      LoadedModel::Load(PathOf(call.other), complaints.input);
  for (LoadedModel* one : {model.get(), other.get()}) {
    if (one != nullptr) one->Open(complaints.input, WatchedSteps());
  }
  if (!complaints.ok()) return Report(complaints);
  Session session(*model), expected(*other);
  ReadInputsOf(call, *model, session, complaints);
  if (!complaints.ok()) return Report(complaints);
  ReadInputsOf(call, *other, expected, complaints);
  if (complaints.ok() && expected.call_count() != session.call_count()) {
    complaints.input.Add(
        fmt::format("{}: reads the inputs in {} calls; {} in {}; the numbers must be equal",
                    call.other, expected.call_count(), call.model, session.call_count()));
  }
  if (!complaints.ok()) return Report(complaints);
  LayerComparison layers(*model, *other);
  session.RunBeside(
      expected, [&] { layers.BeginRun(); }, [&] { layers.EndRun(call.tolerance); },
      complaints.input);
  if (!complaints.ok()) return Report(complaints);
  const std::vector<Expected> outputs = TakeOutputs(call, *model, expected, complaints);
  if (const Exit exit = Report(complaints); exit != Exit::kDone) return exit;
  if (!call.json) AnswerText(LayersText(layers.Rows()));
  return CompareOutputs(call, *model, session, outputs, layers.Rows()) ? Exit::kDone : Exit::kInput;
}

Exit CompareModel(const CompareCall& call) {
  CheckCompareCall(call);
  if (!call.layers.empty()) return call.other.empty() ? CompareLayers(call) : CompareLayersOf(call);
  Diagnostics complaints;
  const std::unique_ptr<LoadedModel> model =
      LoadedModel::Load(PathOf(call.model), complaints.input);
  if (model == nullptr || !model->Open(complaints.input)) return Report(complaints);
  Session session(*model);
  ReadInputsOf(call, *model, session, complaints);
  const std::vector<Expected> expected = call.other.empty() ? ReadExpected(call, *model, complaints)
                                                            : RunOther(call, *model, complaints);
  if (!complaints.ok()) return Report(complaints);
  session.Run(call.repeat, complaints.input);
  if (const Exit exit = Report(complaints); exit != Exit::kDone) return exit;
  return CompareOutputs(call, *model, session, expected) ? Exit::kDone : Exit::kInput;
}

}  // namespace

void AddCompare(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("compare", "Run a model and compare its outputs with expected ones");
  auto call = std::make_shared<CompareCall>();
  AddSessionOptions(command, *call, "Model file; with --layers FOLDER an IR or a .tflite file");
  command.Add("OTHER", call->other, "Model file whose outputs are the expected outputs")
      .Value("FILE", PathName);
  command
      .Add("--expect", call->expects,
           "Expected values of output NAME (name or index), as in y=y.npy; one for each output to "
           "compare")
      .Value("NAME=FILE.npy");
  command
      .Add("--layers", call->layers,
           "Compare layers: with the files NAME.npy in FOLDER, or with the layers of OTHER if no "
           "folder is given")
      .ValueOr(Takes::kWord, kNoFolder)
      .Value("[FOLDER]", PathName);
  AddShapeOption(command, call->shapes);
  command
      .Add("--weights", call->weights,
           "Weights of the IR. Default: the .bin file next to MODEL with the same name")
      .Value("FILE", PathName);
  command.Add("--rtol", call->tolerance.relative, "Relative tolerance of floats")
      .Value("NUMBER", Tolerable)
      .ShowDefault(fmt::format("{}", call->tolerance.relative));
  command.Add("--atol", call->tolerance.absolute, "Absolute tolerance of floats")
      .Value("NUMBER", Tolerable)
      .ShowDefault(fmt::format("{}", call->tolerance.absolute));
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kCompareFooter);
  command.OnCall([call, exit] { *exit = CompareModel(*call); });
}

}  // namespace weft::cli
