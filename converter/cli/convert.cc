// SPDX-License-Identifier: Apache-2.0
// weft convert: model.xml or model.tflite -> model.weft.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "converter/base/files.h"
#include "converter/base/nearest.h"
#include "converter/base/paths.h"
#include "converter/base/visible.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/comparison.h"
#include "converter/cli/conversion_facts.h"
#include "converter/cli/dumps.h"
#include "converter/cli/evidence.h"
#include "converter/cli/evidence_facts.h"
#include "converter/cli/facts.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/named_options.h"
#include "converter/cli/numbers.h"
#include "converter/cli/progress.h"
#include "converter/cli/sensitivity.h"
#include "converter/cli/streamed.h"
#include "converter/cli/streams.h"
#include "converter/cli/targets.h"
#include "converter/cli/trials.h"
#include "converter/emit/c_source.h"
#include "converter/pipeline.h"
#include "converter/report/page.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr const char* kConvertExamples = R"(Examples:
  weft convert model.tflite
  weft convert model.xml
  weft convert model.xml -o model.weft --c-source model.c --report model.html
  weft convert model.xml -o model.weft --shape x=1,25,512 h=1,64
  weft convert model.xml -o step.weft --streaming
  weft convert model.xml -o block.weft --streaming=8
  weft convert model.xml -o step.weft --streaming --time-axis x=2
  weft convert step.xml -o step.weft --state h0=hn c0=cn
  weft convert model.xml -o model.weft --value axis=axis.npy
  weft convert model.xml -o model.weft --precision f16 --precision decoder=f32
  weft convert model.xml -o model.weft --precision i8 --sensitivity --input samples
  weft convert model.xml -o model.weft --precision auto --max-error 0.01 --input x=x.npy
  weft convert model.xml --weights other.bin -o model.weft --arena-budget 64K
  weft convert model.xml -o model.weft --arena-budget min
  weft convert model.xml -o model.weft --region dtcm=16K --region sram=256K
  weft convert model.xml -o model.weft --region dtcm=64K:weights
  weft convert model.xml -o model.weft --self-test 2
  weft convert model.xml -o model.weft --evidence evidence
  weft convert --dump-after list
  weft convert model.xml -o model.weft --dump-after all --dump-to passes)";

// Values of --arena-budget that are not a number of bytes.
constexpr const char* kSmallest = "min";
constexpr const char* kFastest = "fastest";

// Decibels: an error of 2 % of the outputs. Layers of random numbers have about 40 with i8 and
// i8x8.
constexpr double kMinSnr = 35;

struct ConvertCall {
  pipeline::ConvertOptions options;
  std::string model, weights, output, c_source, report, evidence, target;
  std::optional<std::vector<std::byte>> model_bytes;  // of a pipe
  Json given_options;                                 // for --evidence
  Dumps dumps;
  bool incbin = false;
  std::vector<std::string> shapes, values, states, regions, time_axes, precisions;
  std::string arithmetic = "auto";
  std::optional<std::string> arena_budget;
  std::vector<std::string> inputs;  // for --sensitivity, --max-error and --min-snr
  std::optional<double> max_error, min_snr;
  bool sensitivity = false;
  bool json = false, verbose = false;
  bool quiet = false;
};

// Returns the limit of --min-snr; 0: the outputs are not measured. Default: kMinSnr for weights of
// 8 bits in all layers.
double MinSnr(const ConvertCall& call) {
  const bool has_other = call.sensitivity || call.max_error;
  if (call.min_snr || has_other) return has_other ? 0 : *call.min_snr;
  const program::Precision& all = call.options.precisions.all;
  return all && all->type == ElementType::i8 ? kMinSnr : 0;
}

// --sensitivity, --max-error and --min-snr need weights that may be rounded; --input needs one of
// the three.
void CheckMeasures(const ConvertCall& call) {
  const bool is_auto = !call.options.precisions.all;
  const bool has_error = call.max_error.has_value();
  RefuseOptionIf(has_error && !is_auto, "--max-error",
                 "is given with a type for all layers; must be given with --precision auto");
  RefuseOptionIf(has_error && call.sensitivity, "--max-error",
                 "is given with --sensitivity; must be given without it");
  RefuseOptionIf(call.sensitivity && is_auto && call.options.precisions.layers.empty(),
                 "--sensitivity",
                 "is given without --precision TYPE; must be given with a type that rounds");
  RefuseOptionIf(call.sensitivity && call.options.precisions.all == ElementType::f32 &&
                     call.options.precisions.layers.empty(),
                 "--sensitivity",
                 "is given with --precision f32; must be given with a type that rounds");
  RefuseOptionIf(call.min_snr && (has_error || call.sensitivity), "--min-snr",
                 "is given with --sensitivity or --max-error; must be given without them");
  const bool is_exact = is_auto || call.options.precisions.all == ElementType::f32;
  RefuseOptionIf(call.min_snr && is_exact, "--min-snr",
                 "is given without --precision TYPE; must be given with a type that "
                 "rounds");
  RefuseOptionIf(!call.inputs.empty() && !has_error && !call.sensitivity && MinSnr(call) == 0,
                 "--input",
                 "is given without --sensitivity, --max-error, --min-snr and --precision i8; must "
                 "be given with one");
}

std::filesystem::path WeightsOf(const ConvertCall& call) {
  if (!call.weights.empty()) return PathOf(call.weights);
  return PathOf(call.model).replace_extension(".bin");
}

// Checks all files of the call. The files of --evidence are known only after the conversion.
void CheckFiles(const ConvertCall& call, const std::vector<EvidenceFile>& evidence,
                Faults& faults) {
  CallFiles files;
  files.Reads("MODEL", PathOf(call.model));
  files.Reads(call.weights.empty() ? "the weights of MODEL" : "--weights", WeightsOf(call));
  for (const std::string& file : FilesOfValues(call.values)) files.Reads("a --value", PathOf(file));
  for (const std::string& text : call.inputs) {
    for (const std::string& file : FilesOfInput(text)) files.Reads("an --input", PathOf(file));
  }
  files.Writes("--output", PathOf(call.output));
  if (!call.c_source.empty()) {
    files.Writes("--c-source", PathOf(call.c_source));
    files.Writes("the header of --c-source", HeaderOf(PathOf(call.c_source)));
  }
  if (!call.report.empty()) files.Writes("--report", PathOf(call.report));
  for (const EvidenceFile& file : evidence) {
    files.Writes("a file of --evidence", PathOf(call.evidence) / PathOf(file.name));
  }
  if (!call.evidence.empty()) files.MakesFolder("--evidence", PathOf(call.evidence));
  call.dumps.AddFiles(files);
  files.Check(faults);
}

// Checks the combination of options and completes call.options.
void CheckCall(ConvertCall& call) {
  if (call.output.empty()) {
    // A .weft file as MODEL is rejected later; its error must not be a clash of file names.
    const std::filesystem::path model = PathOf(call.model);
    call.output = model.extension() == ".weft"
                      ? call.model + ".weft"
                      : std::filesystem::path(model).replace_extension(".weft").string();
  }
  pipeline::ConvertOptions& options = call.options;
  options.shapes = ParseShapes(call.shapes);
  call.dumps.CheckCall(options.dump_after);
  options.regions = ParseRegions(call.regions);
  options.time_axes = ParseTimeAxes(call.time_axes);
  if (!call.time_axes.empty() && !options.streaming_steps) {
    RefuseOption("--time-axis", "is given without --streaming; must be given with it");
  }
  options.states = ParseStates(call.states);
  ParsePrecisions(call.precisions, &options.precisions);
  options.arithmetic = graph::ArithmeticOf(call.arithmetic).value_or(graph::Arithmetic::kAuto);
  CheckMeasures(call);
  options.model = PathOf(call.model);
  options.weights = PathOf(call.weights);
  options.arena_aim = TargetOf(call.target).aim();
  options.precisions.keeps_scaled = TargetOf(call.target).keeps_i8x32;
  options.precisions.costs = IntegerCostsOf(call.target);
  if (call.arena_budget) options.arena_budget_bytes = ParseByteCount(*call.arena_budget);
  if (call.arena_budget == kSmallest) options.arena_aim = plan::Aim::kSmallest;
  if (call.arena_budget == kFastest) options.arena_aim = plan::Aim::kFastest;
}

// Returns the page of --report: the facts of `weft inspect --html`, the available plans, and the
// weight types by layer. Returns nullopt and sets *reason if the new file cannot be opened.
std::optional<std::string> ReportPage(const ConvertCall& call, const pipeline::Converted& converted,
                                      const Json& conversion, std::string* reason) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model =
      LoadedModel::Of(std::as_bytes(std::span(converted.file)), call.output, faults);
  if (model == nullptr || !model->Open(faults)) {
    *reason = faults.lines()[0];
    return std::nullopt;
  }
  Json facts = FactsOf(*model, kAllFacts);
  for (const char* key : {"curve", "weights_by_layer"}) facts[key] = conversion[key];
  return report::Page(facts);
}

// Files that the conversion read, for --evidence: those of a folder of --input in order.
std::vector<std::string> FilesReadBy(const ConvertCall& call) {
  std::vector<std::string> sources = {call.model};
  std::error_code error;
  const std::filesystem::path weights = WeightsOf(call);
  const bool is_ir = PathOf(call.model).extension() != ".tflite";
  if (is_ir && std::filesystem::exists(weights, error)) sources.push_back(weights.string());
  for (const std::string& file : FilesOfValues(call.values)) sources.push_back(file);
  for (const std::string& text : call.inputs) {
    for (const std::string& file : FilesOfInput(text)) {
      if (std::filesystem::is_regular_file(PathOf(file), error)) sources.push_back(file);
    }
  }
  return sources;
}

// Returns the files of --evidence. Adds a fault if one of them would overwrite another file of the
// call.
std::vector<EvidenceFile> EvidenceFilesOf(const ConvertCall& call,
                                          const pipeline::Converted& converted,
                                          const Json& conversion, Diagnostics& complaints) {
  if (call.evidence.empty()) return {};
  const EvidenceInput input = {PathOf(call.output).filename().string(),
                               std::as_bytes(std::span(converted.file)), call.given_options,
                               FilesReadBy(call), conversion};
  std::vector<EvidenceFile> files = EvidenceOf(input, complaints.input);
  CheckFiles(call, files, complaints.call);
  return files;
}

// Writes the model and, if requested, its C source, header, report and evidence: all files or none.
void WriteOutputs(const ConvertCall& call, const pipeline::Converted& converted,
                  const Json& conversion, EvidenceFolder& folder, Diagnostics& complaints) {
  std::vector<FileToWrite> files = {{PathOf(call.output), converted.file}};
  std::string reason;
  emit::CSource c;
  if (!call.c_source.empty()) {
    const std::filesystem::path source = PathOf(call.c_source);
    std::error_code error;  // if the working directory was deleted
    const std::string model = std::filesystem::absolute(PathOf(call.output), error).string();
    std::vector<std::string> regions;
    for (const pipeline::ScratchRegion& region : call.options.regions)
      regions.push_back(region.name);
    c = emit::WriteCSource({converted.file, source.stem().string(), call.incbin ? model : "",
                            converted.input_codes, converted.output_codes},
                           regions, PathOf(call.output).filename().string());
    files.push_back({source, BytesOfText(c.source)});
    files.push_back({HeaderOf(source), BytesOfText(c.header)});
  }
  std::optional<std::string> page;
  if (!call.report.empty()) {
    page = ReportPage(call, converted, conversion, &reason);
    if (!page) return complaints.input.Add(reason);
    files.push_back({PathOf(call.report), BytesOfText(*page)});
  }
  const std::vector<EvidenceFile> evidence =
      EvidenceFilesOf(call, converted, conversion, complaints);
  if (complaints.ok()) folder.Prepare(evidence, files, complaints.input);
  if (!complaints.ok()) return;
  if (!WriteFiles(files, &reason)) return complaints.input.Add(reason);
  folder.Keep(evidence);
}

// For --sensitivity, measures the error of each layer's weight type. For --max-error and --min-snr,
// chooses weight types and stores them in the call's options. Otherwise returns an empty object.
Json Measure(ConvertCall& call, Diagnostics& complaints) {
  Json findings = Json::object();
  const double min_snr = MinSnr(call);
  if (!call.sensitivity && !call.max_error && min_snr == 0) return findings;
  Trials trials(call.options, call.inputs);
  Diagnostics found;
  if (!trials.Begin(found)) {
    if (min_snr == 0 || call.min_snr || trials.has_files()) {
      complaints = std::move(found);
    } else if (trials.lacks_finite_outputs() && !trials.layers().empty()) {
      for (const std::string& line : found.input.lines()) complaints.input.Warn(line);
    }  // else the conversion itself reports what is wrong with the model
    return findings;
  }
  Progress progress(/*verbose=*/false);
  const auto announce = [&](std::string_view layer) {
    progress.Show(fmt::format("measuring {}", Visible(std::string(layer))));
  };
  program::Precisions& precisions = call.options.precisions;
  if (call.sensitivity) {
    findings["sensitivity"] = MeasureSensitivity(trials, precisions, announce);
  } else if (min_snr != 0) {
    Json snr = KeepSnr(trials, min_snr, call.precisions, TargetOf(call.target).wide_type(),
                       announce, &precisions);
    if (!snr.is_null()) findings["output_snr"] = std::move(snr);
  } else {
    findings["chosen_for_error"] =
        ChooseForError(trials, *call.max_error, call.precisions, announce, &precisions);
  }
  return findings;
}

// Converts again with --streaming, after a conversion whose plans exceed --arena-budget, and adds a
// line with the memory of the streaming model. Adds nothing if the model cannot be streamed.
void SuggestStreaming(const pipeline::ConvertOptions& options, Faults& faults) {
  pipeline::ConvertOptions streamed = options;
  streamed.streaming_steps = 1;
  streamed.arena_budget_bytes.reset();
  streamed.progress = nullptr;
  streamed.dump = nullptr;
  Faults discarded;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(streamed, discarded);
  if (!converted) return;
  faults.Add(fmt::format(
      "{}: with --streaming a run processes one time step and needs {} bytes of scratch "
      "and {} bytes of state",
      options.model.string(), converted->scratch_bytes, converted->state_bytes));
}

Exit Convert(ConvertCall& call) {
  CheckCall(call);
  Diagnostics complaints;
  CheckFiles(call, {}, complaints.call);
  EvidenceFolder evidence_folder(PathOf(call.evidence));
  if (!call.evidence.empty()) evidence_folder.Check(complaints.input);
  if (!complaints.ok()) return Report(complaints);
  Faults& faults = complaints.input;
  call.model_bytes = BytesOfStream(call.options.model);
  if (call.model_bytes) call.options.in_memory = {*call.model_bytes, std::nullopt};
  ReadValues(call.values, &call.options.values, faults);
  if (!faults.ok()) return Report(faults);
  const Json findings = Measure(call, complaints);
  if (!complaints.ok()) return Report(complaints);
  if (!call.dumps.MakeFolder(faults)) return Report(faults);
  std::optional<pipeline::Converted> converted;
  {
    Progress progress(call.verbose);
    std::string last;  // the pass that failed, if any
    call.options.progress = [&](std::string_view pass) {
      last = pass;
      progress.Show(pass);
    };
    call.options.dump = [&](std::string_view pass, std::string_view text) {
      call.dumps.Take(pass, text, !call.json);
    };
    converted = pipeline::Convert(call.options, faults);
    const bool exceeds = !converted && last == "plan" && call.options.arena_budget_bytes;
    if (exceeds && !call.options.streaming_steps) {
      progress.Show("trying --streaming");
      SuggestStreaming(call.options, faults);
    }
  }
  if (const Exit exit = Report(faults); exit != Exit::kDone) return exit;
  if (!converted) return Exit::kInput;
  const Json conversion = FactsOf(*converted, call.options, findings);
  Diagnostics unwritten;
  if (const std::string reason = call.dumps.reason(); !reason.empty()) {
    unwritten.input.Add(reason);
  } else {
    WriteOutputs(call, *converted, conversion, evidence_folder, unwritten);
  }
  if (!unwritten.ok()) return Report(unwritten);
  if (converted->f16_weights > 0 && !call.quiet) {
    Say("note: {}: {} weights are f16 in the IR{}", call.model, converted->f16_weights, kF16Advice);
  }
  const std::string note = FloatNote(call.target, converted->layers_with_floats, call.verbose);
  if (!note.empty() && !call.quiet) Say("{}", note);
  for (const std::string& warning : TargetWarnings(call.target, converted->weights.types)) {
    Say("{}", warning);
  }
  if (call.json) {
    Json json = {{"file", call.output}};
    json.update(conversion);
    if (!call.dumps.text().empty()) json["dump"] = call.dumps.text();
    Print(json);
    return Exit::kDone;
  }
  if (call.quiet) return Exit::kDone;
  if (converted->streamed) AnswerText(StreamedText(*converted->streamed));
  const int64_t streams = call.options.streams;
  if (streams > 0) AnswerText(StreamsText(streams, converted->stream_state_bytes) + "\n");
  AnswerText(ConversionText(call.output, conversion, call.options));
  return Exit::kDone;
}

std::string CheckTarget(const std::string& value) {
  if (IsTarget(value)) return {};
  const std::vector<std::string> names = TargetNames();
  return fmt::format("is \"{}\"; {}must be one of {}", OneLine(value), DidYouMean(value, names),
                     fmt::join(names, ", "));
}

std::string CheckArithmetic(const std::string& value) {
  if (graph::ArithmeticOf(value)) return {};
  return fmt::format("is \"{}\"; must be one of {}", OneLine(value),
                     fmt::join(graph::kArithmeticNames, ", "));
}

// The options that most calls need.
void AddMainOptions(Command& command, ConvertCall& call) {
  command.Add("MODEL", call.model, "TensorFlow Lite model (.tflite) or OpenVINO IR (.xml)")
      .Value("FILE", PathName)
      .Required();
  command
      .Add("-o,--output", call.output,
           "Model file to write. Default: MODEL with the extension .weft")
      .Value("FILE", PathName);
  AddShapeOption(command, call.shapes);
  command
      .Add("--streaming", call.options.streaming_steps,
           "Convert to a streaming model: each run processes N time steps, as in "
           "--streaming=8, and keeps state for the next run. N is at most the number of time "
           "steps of the model. Default N: 1")
      .ValueOr(Takes::kNumber, "1")
      .Value("[=N]", Integer(1, 0x7FFFFFFF));
  command
      .Add(
          "--streams", call.options.streams,
          "Process N independent streams per run: the batch of the model, which must be 1, becomes "
          "N. The state of each stream can be saved, loaded and reset. Outputs are bit-identical "
          "to "
          "those of one stream, which the conversion checks")
      .Value("N", Integer(2, 1024));
  command
      .Add("--precision", call.precisions,
           fmt::format("Type of the weights of dense, convolution and recurrent layers: {}. "
                       "Default: auto, which stores weights as f16 if this is exact, or large ones "
                       "as i8x32, else as f32. "
                       "All types except auto and f32 may round. i8x8 also rounds the data of a "
                       "layer to 8 bits, i8 to 16, i8x32 does not. i4:32 has a scale for each 32 "
                       "inputs of an output. NAME=TYPE sets the type of one layer",
                       program::PrecisionNames()))
      .Value("[NAME=]TYPE");
  command
      .Add("--arena-budget", call.arena_budget,
           "Maximum scratch size in bytes, such as 65536 or 64K, or min, or fastest. Default: "
           "the fastest plan that uses at most twice the minimum, or fastest if --target is "
           "not a microcontroller")
      .Value("BYTES", ByteCountOr({kSmallest, kFastest}));
  const Option& c_source = command
                               .Add("--c-source", call.c_source,
                                    "Also write the model as FILE.c and FILE.h for firmware")
                               .Value("FILE.c", PathName)
                               .Check(CheckCSourceName);
  command
      .AddFlag("--incbin", call.incbin,
               "With --c-source: FILE.c includes the model file when it is compiled, instead of "
               "containing its bytes")
      .Needs(c_source);
  command
      .Add("--report", call.report,
           "Also write an HTML page: memory over time, work, flash, and the available plans")
      .Value("FILE.html", PathName);
  command
      .Add("--evidence", call.evidence,
           "Also write a folder for a safety review: hashes, options, memory plan and its proof, "
           "kernels and their tests, recorded runs, and a bill of materials")
      .Value("FOLDER", PathName);
  command
      .Add("--self-test", call.options.self_test_runs,
           "Store inputs and expected outputs of N runs in the model file; a board can repeat and "
           "compare them")
      .Value("N", Integer(1, format::kMaxSelfTestRuns));
  command.AddFlag("--json", call.json, "Print the summary or the errors as JSON");
  command.AddFlag("--quiet", call.quiet, "Print only errors and warnings, and the JSON of --json");
}

void AddModelOptions(Command& command, ConvertCall& call) {
  command.Heading("Model inputs and states");
  command
      .Add("--weights", call.weights,
           "Weights of the IR. Default: the .bin file next to MODEL with the same name")
      .Value("FILE", PathName);
  command
      .Add("--value", call.values,
           "Replace input NAME with a constant: axis=axis.npy, sr=16000 or sizes=1,2,3. One number "
           "fills all elements. The input is removed from the model")
      .Value("NAME=FILE.npy|NUMBERS");
  command
      .Add("--state", call.states,
           "Replace an input and an output with a state: the value of the output is the input of "
           "the next run. The state starts as zeros. Accepts several pairs, as in h0=hn c0=cn")
      .Value("INPUT=OUTPUT");
  command
      .Add("--time-axis", call.time_axes,
           "With --streaming: the axis of input or output NAME that is time. Default: detected")
      .Value("NAME=AXIS");
  command
      .Add("--max-iterations", call.options.max_iterations,
           "Iteration limit of loops whose trip count is known only at run time")
      .Value("N", Integer(1, 0xFFFFFFFE));
}

void AddPrecisionOptions(Command& command, ConvertCall& call) {
  command.Heading("Weight precision");
  command
      .Add(
          "--arithmetic", call.arithmetic,
          "Rounding of int8 layers: xnnpack rounds once, in f32, as LiteRT does on desktops. micro "
          "computes the codes of tflite-micro and CMSIS-NN with integers, and needs no FPU. "
          "Default: auto, which is micro for .tflite files, else xnnpack")
      .Value("NAME", CheckArithmetic);
  command
      .Add("--target", call.target,
           fmt::format("Target processor: {}. Warns if the weight type is slow on it, and sets the "
                       "defaults of --arena-budget and --precision",
                       fmt::join(TargetNames(), ", ")))
      .Value("NAME", CheckTarget);
  command.AddFlag("--sensitivity", call.sensitivity,
                  "Print the output error if only one layer has the type of --precision, for each "
                  "layer, largest error first");
  command
      .Add("--max-error", call.max_error,
           "With --precision auto: choose the smallest weight types whose "
           "output error is at most NUMBER. Converts and runs the model up "
           "to 451 times")
      .Value("NUMBER", Tolerable);
  command
      .Add("--min-snr", call.min_snr,
           fmt::format(
               "With --precision TYPE: keep layers in f16 (on targets without f16: f32) until "
               "the signal-to-noise ratio of the float outputs, compared with f32 weights, is "
               "at least DB. Converts and runs the model twice more, or up to 452 times if "
               "the ratio is lower. Default for i8, i8x8 and i8x32: {}. 0: no measurement",
               kMinSnr))
      .Value("DB", Tolerable);
  command
      .Add("--input", call.inputs,
           "Inputs for --sensitivity, --max-error and --min-snr: NAME=FILE with a .npy or .wav "
           "file, or a "
           "folder of files named after the inputs. Default: 16 random runs")
      .Value("NAME=FILE.npy");
}

void AddMemoryOptions(Command& command, ConvertCall& call) {
  command.Heading("Memory");
  command
      .Add(
          "--region", call.regions,
          "Place scratch in memory region NAME, at most BYTES of it, as in dtcm=16K. Accepts up to "
          "four regions, the fastest first. The first region holds the most used buffers. Buffers "
          "that do not fit go to the next region; after a single region, to default memory without "
          "limit. With :weights, as in dtcm=64K:weights, the region also holds the most read "
          "weights. Open copies them from the model, and no other model may use the region")
      .Value("NAME=BYTES[:weights]");
  command
      .Add("--fold-budget", call.options.fold_budget_bytes,
           "Maximum memory in bytes for constant folding, which computes layers without inputs "
           "during the conversion. Example: 4G. Default: 1G. Also limits the work to one operation "
           "per 64 bytes of the budget, plus 256 per element of the model's constants")
      .Value("BYTES", ByteCount());
}

}  // namespace

void AddConvert(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("convert", "Convert a .tflite file or an OpenVINO IR to a model file");
  auto call = std::make_shared<ConvertCall>();
  AddMainOptions(command, *call);
  AddModelOptions(command, *call);
  AddPrecisionOptions(command, *call);
  AddMemoryOptions(command, *call);
  command.Heading("Debugging the converter");
  call->dumps.AddOptions(command, call->options.dump_after);
  command.AddFlag("--verbose", call->verbose, "Print the time of each pass on stderr");
  command.Footer(CurveHelp() + "\n" + kConvertExamples);
  command.OnCall([call, exit, &command] {
    call->given_options = GivenOptions(command);
    *exit = Convert(*call);
  });
}

}  // namespace weft::cli
