// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/compare_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "converter/base/paths.h"
#include "converter/cli/call_files.h"
#include "converter/cli/named_options.h"
#include "converter/cli/streams.h"
#include "converter/ir/stated.h"
#include "converter/pipeline.h"
#include "converter/read_model.h"

namespace weft::cli {
namespace {

// An output of a layer for which the folder has a file.
struct LayerFile {
  graph::LayerOutput output;
  std::string layer, type, file;
  std::optional<StatedCodes> codes;
};

// The codes of a layer that rounds to codes, or of the data that the layer moves. Layers that
// compute other numbers round them in the graph of a .tflite file.
std::optional<StatedCodes> CodesOf(const ir::Node* node) {
  while (!node->attributes.contains(ir::kStatedScale)) {
    if (node->inputs.empty()) return std::nullopt;
    node = node->inputs[0].node;
  }
  return ir::CodesStatedBy(*node);
}

template <typename T>
Array InCodes(const Array& numbers, ElementType type, const StatedCodes& codes) {
  Array made{{type, numbers.type.dims}, {}};
  for (size_t at = 0; at < numbers.bytes.size(); at += sizeof(float)) {
    float number;
    std::memcpy(&number, &numbers.bytes[at], sizeof(number));
    const T code = static_cast<T>(std::llrint(number / double{codes.scale}) + codes.zero);
    const auto* bytes = reinterpret_cast<const std::byte*>(&code);
    made.bytes.insert(made.bytes.end(), bytes, bytes + sizeof(code));
  }
  return made;
}

// Returns f32 numbers of a quantised layer as codes if the file has codes, else the array.
Array AsIn(const Array& file, const Array& is, const std::optional<StatedCodes>& codes) {
  if (!codes || is.type.type != ElementType::f32) return is;
  switch (file.type.type) {
    case ElementType::i8:
      return InCodes<int8_t>(is, file.type.type, *codes);
    case ElementType::u8:
      return InCodes<uint8_t>(is, file.type.type, *codes);
    case ElementType::i16:
      return InCodes<int16_t>(is, file.type.type, *codes);
    default:
      return is;
  }
}

// Maps the names of files, such as "relu.npy", to paths, such as "folder/relu.npy".
std::map<std::string, std::string> FilesIn(const std::string& folder, Faults& faults) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(PathOf(folder), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() == ".npy") files.emplace(path.filename().string(), path.string());
  }
  if (error) faults.Add(fmt::format("{}: cannot be read: {}", folder, error.message()));
  return files;
}

// Accepted names of files with an output of the layer.
std::vector<std::string> FileNamesOf(const ir::Node& node, uint32_t port) {
  std::vector<std::string> names = {FileNameOf(node.name) + fmt::format(".{}.npy", port)};
  if (node.outputs.size() == 1) names.push_back(FileNameOf(node.name) + ".npy");
  for (const std::string& name : node.outputs[port].names) {
    names.push_back(FileNameOf(name) + ".npy");
  }
  return names;
}

// Inputs and constants are not computed; the folder may contain their values.
bool IsComputed(const ir::Node& node) {
  return !ir::IsParameter(node) && !ir::IsResult(node) && !node.constant;
}

class LayerFiles {
 public:
  LayerFiles(const CompareCall& call, Faults& faults)
      : call_(call), files_(FilesIn(call.layers, faults)) {}

  // Adds layers in the order of execution.
  void Find(const ir::Graph& graph) {
    for (const ir::Node* node : ir::Topological(graph)) {
      for (uint32_t port = 0; port < node->outputs.size(); ++port) Take(*node, port);
    }
  }

  // Warns about files without a layer. A folder without a file for any layer is a fault.
  void Report(const ir::Graph& graph, Faults& faults) const {
    if (found_.empty() && faults.ok()) {
      faults.Add(fmt::format("{}: has no file for a layer of {}; must have files such as {}",
                             call_.layers, call_.model, example_.empty() ? "NAME.npy" : example_));
      return;
    }
    const std::set<std::string> inner = NamesInBodies(graph);
    for (const auto& [name, file] : files_) {
      if (used_.contains(name)) continue;
      faults.Warn(fmt::format("{}: is not compared; {}", file,
                              inner.contains(name) ? "its layer is in a loop or branch"
                                                   : "no layer that the model uses has this name"));
    }
  }

  const std::vector<LayerFile>& found() const { return found_; }

 private:
  void Take(const ir::Node& node, uint32_t port) {
    for (const std::string& name : FileNamesOf(node, port)) {
      if (IsComputed(node)) example_ = name;
      const auto file = files_.find(name);
      if (file == files_.end() || !used_.insert(name).second) continue;
      if (!IsComputed(node)) continue;
      found_.push_back({{node.id, port}, node.name, node.type, file->second, CodesOf(&node)});
      return;
    }
  }

  static std::set<std::string> NamesInBodies(const ir::Graph& graph) {
    std::set<std::string> names;
    for (const auto& node : graph.nodes) {
      for (const ir::Body& body : node->bodies) {
        for (const auto& inner : body.graph->nodes) {
          for (uint32_t port = 0; port < inner->outputs.size(); ++port) {
            for (std::string& name : FileNamesOf(*inner, port)) names.insert(std::move(name));
          }
        }
        names.merge(NamesInBodies(*body.graph));
      }
    }
    return names;
  }

  const CompareCall& call_;
  const std::map<std::string, std::string> files_;
  std::vector<LayerFile> found_;
  std::set<std::string> used_;  // names of files
  std::string example_;
};

struct LayerResult {
  const LayerFile* layer = nullptr;
  Comparison comparison;
  std::string types;  // error message if the types differ; empty if the values were compared
  bool equal() const { return types.empty() && comparison.mismatch_count == 0; }
};

// The outputs of the layers follow those of the model.
std::vector<LayerResult> CompareAll(const CompareCall& call, const LoadedModel& model,
                                    Session& session, const std::vector<LayerFile>& files,
                                    Faults& faults) {
  std::vector<LayerResult> results;
  const size_t first = model.outputs().size() - files.size();
  for (size_t i = 0; i < files.size(); ++i) {
    std::string reason;
    const std::optional<Array> must =
        ReadAs(model.outputs()[first + i].type, call.cast, files[i].file, &reason);
    if (!must) {
      faults.Add(fmt::format("{}: {}", files[i].file, reason));
      continue;
    }
    const Array is = AsIn(*must, session.outputs()[first + i], files[i].codes);
    LayerResult result{.layer = &files[i], .comparison = {}, .types = ""};
    if (is.type == must->type) {
      result.comparison = Compare(is, *must, call.tolerance);
    } else {
      result.types = fmt::format("is {}; {} expects {}{}", ToString(is.type), files[i].file,
                                 ToString(must->type), CastAdvice(must->type.type, is.type));
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::string LayerText(const LayerResult& result) {
  return fmt::format("layer \"{}\" ({}): {}", result.layer->layer, result.layer->type,
                     result.types.empty() ? ComparisonText(result.comparison) : result.types);
}

std::string LayerCount(std::ptrdiff_t count) {
  return count == 1 ? "1 layer" : fmt::format("{} layers", count);
}

void PrintLayers(const std::vector<LayerResult>& results) {
  const auto first = std::ranges::find_if(results, [](const auto& row) { return !row.equal(); });
  if (first == results.end()) {
    AnswerOne(fmt::format("{}: equal", LayerCount(std::ssize(results))), Tint::kGood);
    return;
  }
  Answer("{} equal{}; first layer that differs:", LayerCount(first - results.begin()),
         first == results.begin()
             ? ""
             : fmt::format(", the last \"{}\"", std::prev(first)->layer->layer));
  AnswerOne(LayerText(*first), Tint::kFault);
  const auto differ = std::count_if(std::next(first), results.end(),
                                    [](const LayerResult& row) { return !row.equal(); });
  Answer("{} after it, of which {} differ", LayerCount(results.end() - first - 1), differ);
}

Json LayerFacts(const std::vector<LayerResult>& results) {
  const auto first = std::ranges::find_if(results, [](const auto& row) { return !row.equal(); });
  const auto row_of = [](const LayerResult& result) {
    Json row = {
        {"layer", result.layer->layer}, {"type", result.layer->type}, {"file", result.layer->file}};
    if (result.types.empty()) {
      row.update(ComparisonJson(result.comparison));
    } else {
      row["equal"] = false;
      row["fault"] = result.types;
    }
    return row;
  };
  return {{"equal", first == results.end()},
          {"first", first == results.end() ? Json() : Json(first->layer->layer)},
          {"layers", ListOf(results, row_of)}};
}

// Converts the model with outputs of the layers. Returns null and adds faults on failure.
std::unique_ptr<LoadedModel> ConvertWithLayers(const CompareCall& call,
                                               const std::optional<ir::IrBytes>& in_memory,
                                               const std::vector<LayerFile>& files,
                                               Faults& faults) {
  pipeline::ConvertOptions options;
  options.model = PathOf(call.model);
  options.weights = PathOf(call.weights);
  options.in_memory = in_memory;
  options.shapes = ParseShapes(call.shapes);
  for (const LayerFile& file : files) options.layer_outputs.push_back(file.output);
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  if (!converted) return nullptr;
  std::unique_ptr<LoadedModel> model = LoadedModel::Of(converted->file, call.model, faults);
  return model != nullptr && model->Open(faults) ? std::move(model) : nullptr;
}

}  // namespace

Exit CompareLayers(const CompareCall& call) {
  Diagnostics complaints;
  Faults& faults = complaints.input;
  const std::optional<std::vector<std::byte>> bytes = BytesOfStream(PathOf(call.model));
  std::optional<ir::IrBytes> in_memory;
  if (bytes) in_memory = {*bytes, std::nullopt};
  const std::unique_ptr<ir::Graph> graph =
      pipeline::ReadModel(PathOf(call.model), PathOf(call.weights), in_memory, faults);
  if (graph == nullptr) return Report(complaints);
  LayerFiles files(call, faults);
  files.Find(*graph);
  files.Report(*graph, faults);
  if (!faults.ok()) return Report(complaints);
  const std::unique_ptr<LoadedModel> model =
      ConvertWithLayers(call, in_memory, files.found(), faults);
  if (model == nullptr) return Report(complaints);
  Session session(*model);
  session.ReadInputs(call, complaints);
  if (!complaints.ok()) return Report(complaints);
  session.Run(call.repeat, faults);
  std::vector<LayerResult> results;
  if (faults.ok()) results = CompareAll(call, *model, session, files.found(), faults);
  const Exit said = Report(complaints);
  if (said != Exit::kDone) return said;
  if (call.json) {
    Print(LayerFacts(results));
  } else {
    PrintLayers(results);
  }
  const bool equal = std::ranges::all_of(results, &LayerResult::equal);
  if (!equal && HasF16Weights(model->root())) {
    Say("note: {}: weights are f16 in the IR{}", call.model, kF16Advice);
  }
  return equal ? Exit::kDone : Exit::kInput;
}

}  // namespace weft::cli
