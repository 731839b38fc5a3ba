// SPDX-License-Identifier: Apache-2.0
// weft convert: model.xml -> model.weft.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/streamed.h"
#include "converter/emit/c_source.h"
#include "converter/files.h"
#include "converter/passes/pipeline.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft convert model.xml -o model.weft
  weft convert model.xml --weights other.bin -o model.weft --arena-budget 64K
  weft convert model.xml -o model.weft --shape x=1,25,512
  weft convert model.xml -o step.weft --streaming
  weft convert model.xml -o block.weft --streaming=8
  weft convert model.xml -o model.weft --self-test 2
  weft convert model.xml -o model.weft --c-source model.c
  weft convert model.xml -o model.weft --region dtcm=16K --region sram=256K)";

struct ConvertCall {
  passes::ConvertOptions options;
  std::string model, weights, output, c_source, precision = "f32";
  bool incbin = false;
  std::vector<std::string> shapes, regions;
  uint64_t arena_budget_bytes = 0;
  int64_t streaming_steps = 0;
  CLI::Option* has_arena_budget = nullptr;
  CLI::Option* has_streaming = nullptr;
  bool json = false;
};

// "1,25,512", brackets allowed; nothing stands for a scalar.
std::optional<Dims> ParseShape(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Dims dims;
  while (!text.empty()) {
    int64_t dim = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim < 0) return std::nullopt;
    dims.push_back(dim);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    if (text.empty()) break;
    if (text[0] != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return dims;
}

// "dtcm=64K"; the name becomes part of a C identifier.
std::optional<passes::ScratchRegion> ParseRegion(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  passes::ScratchRegion region{text.substr(0, equals), 0};
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::all_of(region.name.begin(), region.name.end(), fits)) return std::nullopt;
  std::string bytes = text.substr(equals + 1);
  try {
    if (!CLI::AsSizeValue(false)(bytes).empty()) return std::nullopt;
  } catch (const CLI::Error&) {
    return std::nullopt;  // a unit that it does not know
  }
  const auto [stop, error] =
      std::from_chars(bytes.data(), bytes.data() + bytes.size(), region.bytes);
  const bool whole = error == std::errc() && stop == bytes.data() + bytes.size();
  if (!whole || region.bytes < 0) return std::nullopt;
  return region;
}

void TakeRegions(const ConvertCall& call, passes::ConvertOptions* options) {
  for (const std::string& text : call.regions) {
    const std::optional<passes::ScratchRegion> region = ParseRegion(text);
    if (!region) {
      throw CLI::ValidationError(
          "--region", fmt::format("\"{}\"; must be NAME=BYTES, as dtcm=65536 or dtcm=64K", text));
    }
    for (const passes::ScratchRegion& other : options->regions) {
      if (other.name == region->name) {
        throw CLI::ValidationError("--region", fmt::format("names \"{}\" twice", region->name));
      }
    }
    options->regions.push_back(*region);
  }
  if (options->regions.size() > kMaxScratchRegions) {
    throw CLI::ValidationError(
        "--region", fmt::format("stands {} times; must stand at most {}", options->regions.size(),
                                kMaxScratchRegions));
  }
}

bool SameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

// What CLI11 cannot know of the call.
void CheckCall(ConvertCall& call) {
  passes::ConvertOptions& options = call.options;
  for (const std::string& text : call.shapes) {
    const size_t equals = text.rfind('=');
    const std::optional<Dims> dims = equals == std::string::npos
                                         ? std::nullopt
                                         : ParseShape(std::string_view(text).substr(equals + 1));
    if (!dims || equals == 0) {
      throw CLI::ValidationError("--shape", fmt::format("\"{}\"; must be NAME=1,25,512", text));
    }
    if (!options.shapes.emplace(text.substr(0, equals), *dims).second) {
      throw CLI::ValidationError("--shape",
                                 fmt::format("names \"{}\" twice", text.substr(0, equals)));
    }
  }
  TakeRegions(call, &options);
  options.model = call.model;
  options.weights = call.weights;
  std::filesystem::path weights = options.weights;
  if (weights.empty()) weights = std::filesystem::path(options.model).replace_extension(".bin");
  if (SameFile(call.output, options.model) || SameFile(call.output, weights)) {
    throw CLI::ValidationError("--output",
                               fmt::format("{} is the input; must be another file", call.output));
  }
  if (call.has_arena_budget->count() > 0) {
    options.arena_budget_bytes = static_cast<int64_t>(call.arena_budget_bytes);
  }
  if (call.has_streaming->count() > 0) options.streaming_steps = call.streaming_steps;
}

// One line on a terminal that each pass overwrites.
class Progress {
 public:
  void Show(std::string_view pass) {
    if (!on_terminal_) return;
    fmt::print(stderr, "\r\x1b[Kconverting: {}", pass);
    std::fflush(stderr);
    shown_ = true;
  }
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  const bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

void PrintSummary(const ConvertCall& call, const passes::Converted& converted) {
  if (call.json) {
    nlohmann::ordered_json json;
    json["file"] = call.output;
    json["file_bytes"] = converted.file.size();
    json["weights_bytes"] = converted.weights_bytes;
    json["state_bytes"] = converted.state_bytes;
    json["scratch_bytes"] = converted.scratch_bytes;
    if (!call.options.regions.empty()) {
      json["more_scratch_bytes"] = converted.slow_scratch_bytes;
    }
    json["scratch_bound_bytes"] = converted.scratch_bound_bytes;
    json["self_test_bytes"] = converted.self_test_bytes;
    if (converted.streamed) json["streamed"] = StreamedJson(*converted.streamed);
    Print(json);
    return;
  }
  fmt::print("{}: {} bytes; weights {}, state {}, scratch {} (no plan needs less than {})\n",
             call.output, converted.file.size(), converted.weights_bytes, converted.state_bytes,
             converted.scratch_bytes + converted.slow_scratch_bytes, converted.scratch_bound_bytes);
  if (!call.options.regions.empty()) {
    fmt::print("scratch in {}: {} bytes, elsewhere{}: {}\n", call.options.regions[0].name,
               converted.scratch_bytes,
               call.options.regions.size() > 1 ? " (" + call.options.regions[1].name + ")" : "",
               converted.slow_scratch_bytes);
  }
  if (call.options.self_test_runs != 0) {
    fmt::print("self test of {} runs: {} bytes\n", call.options.self_test_runs,
               converted.self_test_bytes);
  }
}

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The model, and its C source and header when asked for: all of them or none.
bool WriteOutputs(const ConvertCall& call, const passes::Converted& converted,
                  std::string* reason) {
  std::vector<FileToWrite> files = {{call.output, converted.file}};
  emit::CSource c;
  if (!call.c_source.empty()) {
    const std::filesystem::path source = call.c_source;
    const std::string model = std::filesystem::absolute(call.output).string();
    std::vector<std::string> regions;
    for (const passes::ScratchRegion& region : call.options.regions) regions.push_back(region.name);
    c = emit::WriteCSource(converted.file, source.stem().string(), call.incbin ? model : "",
                           regions);
    files.push_back({source, BytesOf(c.source)});
    files.push_back({std::filesystem::path(source).replace_extension(".h"), BytesOf(c.header)});
  }
  return WriteFiles(files, reason);
}

Exit Convert(ConvertCall& call) {
  CheckCall(call);
  Faults faults;
  std::optional<passes::Converted> converted;
  bool dumped = false;
  {
    Progress progress;
    call.options.progress = [&](std::string_view pass) { progress.Show(pass); };
    call.options.dump = [&](std::string_view text) {
      fmt::print("{}", text);
      dumped = true;
    };
    converted = passes::Convert(call.options, faults);
  }
  if (Tell(faults) != Exit::kDone || !converted) return Exit::kInput;
  if (!call.options.dump_after.empty() && !dumped) {
    throw CLI::ValidationError(
        "--dump-after", fmt::format("pass {} has nothing to print", call.options.dump_after));
  }
  std::string reason;
  if (!WriteOutputs(call, *converted, &reason)) {
    fmt::print(stderr, "{}\n", reason);
    return Exit::kInput;
  }
  if (converted->streamed && !call.json) {
    fmt::print(stderr, "{}", StreamedText(*converted->streamed));
  }
  PrintSummary(call, *converted);
  return Exit::kDone;
}

// Options of the plan that this version lacks: named, so that the refusal says more than
// "unexpected".
void RefuseUnbuilt(CLI::App& command) {
  const auto refuse = [&](const std::string& name, const std::string& instead, bool takes_value) {
    const auto fail = [name, instead] {
      throw CLI::ValidationError(name, "is not built yet; " + instead);
    };
    if (takes_value) {
      command.add_option_function<std::string>(name, [fail](const std::string&) { fail(); })
          ->group("");
    } else {
      command.add_flag_function(name, [fail](int64_t) { fail(); })->group("");
    }
  };
  refuse("--report", "\"weft inspect\" prints the plan", true);
}

}  // namespace

void AddConvert(CLI::App& app, Exit* exit) {
  CLI::App* command = app.add_subcommand("convert", "Convert OpenVINO IR to a model file");
  auto call = std::make_shared<ConvertCall>();
  command->add_option("MODEL", call->model, "The IR's model.xml")->required();
  command->add_option("--weights", call->weights, "Its weights; else the .bin beside the model");
  command->add_option("-o,--output", call->output, "The model.weft to write")->required();
  command
      ->add_option("--shape", call->shapes,
                   "NAME=1,25,512: give an input another shape; may be repeated")
      ->allow_extra_args(false);
  call->has_arena_budget = command
                               ->add_option("--arena-budget", call->arena_budget_bytes,
                                            "Most bytes of scratch, as 65536 or 64K")
                               ->transform(CLI::AsSizeValue(false));
  command
      ->add_option("--region", call->regions,
                   "NAME=BYTES: a fast memory for the most used part of scratch; a second one is "
                   "for the rest")
      ->allow_extra_args(false);
  command
      ->add_option("--max-iterations", call->options.max_iterations,
                   "Hard maximum of loops whose end is known at run time only")
      ->check(CLI::Range(int64_t{1}, int64_t{0xFFFFFFFE}));
  // A flag, so that the word after it is not taken for its number.
  call->has_streaming =
      command
          ->add_flag("--streaming{1}", call->streaming_steps,
                     "=N: a run takes N steps of the time axis, and state stays between runs")
          ->check(CLI::Range(int64_t{1}, int64_t{0x7FFFFFFF}));
  command
      ->add_option("--precision", call->precision, "Element type of the weights; only f32 so far")
      ->check([](const std::string& value) {
        if (value == "f32") return std::string();
        const bool planned = value == "f16" || value == "bf16" || value == "i8";
        return fmt::format("{} is {}; must be f32", value, planned ? "not built yet" : "unknown");
      });
  command
      ->add_option("--self-test", call->options.self_test_runs,
                   "Store N runs with their outputs, which a board can repeat and compare")
      ->check(CLI::Range(1u, format::kMaxSelfTestRuns));
  std::string passes;
  for (std::string_view name : passes::PassNames()) passes.append(" ").append(name);
  command
      ->add_option("--dump-after", call->options.dump_after,
                   "Print the model after a pass:" + passes)
      ->check([](const std::string& value) {
        for (std::string_view name : passes::PassNames()) {
          if (name == value) return std::string();
        }
        return "there is no pass \"" + value + "\"";
      });
  CLI::Option* c_source = command->add_option("--c-source", call->c_source,
                                              "Also write MODEL.c and MODEL.h for firmware");
  c_source->check([](const std::string& value) {
    return std::filesystem::path(value).extension() == ".c" ? "" : value + "; must end in .c";
  });
  command
      ->add_flag("--incbin", call->incbin,
                 "The C source takes the model's bytes from MODEL.weft when it is compiled")
      ->needs(c_source);
  command->add_flag("--json", call->json, "Print the summary as JSON");
  RefuseUnbuilt(*command);
  command->footer(kExamples);
  command->callback([call, exit] { *exit = Convert(*call); });
}

}  // namespace weft::cli
