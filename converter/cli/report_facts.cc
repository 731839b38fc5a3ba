// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/report_facts.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <utility>

#include "converter/base/files.h"
#include "converter/base/json.h"
#include "converter/base/parse_number.h"
#include "converter/base/paths.h"
#include "converter/base/visible.h"

namespace weft::cli {
namespace {

constexpr const char* kBenchJson = "\"weft bench --json\"";
constexpr const char* kTimes = "\"weft bench --json\", or a board's table of steps,";
constexpr const char* kCompareJson = "\"weft compare --json\"";

std::optional<std::string> ReadText(const std::string& file, Faults& faults) {
  std::string reason;
  const std::optional<std::vector<std::byte>> bytes = ReadFile(PathOf(file), &reason);
  if (!bytes) {
    faults.Add(fmt::format("{}: cannot be read: {}", file, reason));
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// Parses the text of a file. Returns null if it is not a JSON object; adds a fault if it is nested
// too deep. `command` writes such files.
Json ParseObject(const std::string& text, const std::string& file, const char* command,
                 Faults& faults) {
  bool too_deep = false;
  Json json = ParseJson(text, &too_deep);
  if (too_deep) {
    faults.Add(fmt::format("{}: is JSON nested more than {} deep; must be the output of {}", file,
                           kMaxJsonDepth, command));
  }
  if (!json.is_object()) return nullptr;
  return json;
}

// Reads a JSON file. Returns null and adds a fault on failure.
Json ReadObject(const std::string& file, const char* command, Faults& faults) {
  const std::optional<std::string> text = ReadText(file, faults);
  if (!text) return nullptr;
  const size_t count = faults.lines().size();
  Json json = ParseObject(*text, file, command, faults);
  if (json.is_null() && faults.lines().size() == count)
    faults.Add(fmt::format("{}: is not a JSON object; must be the output of {}", file, command));
  return json;
}

// Parses a row of the table that runtime/step_times.h prints: step, kind, layer (which may contain
// spaces), calls, microseconds per run and share. The table of weft bench has a median before the
// share. Returns null for any other line.
Json BoardStep(const std::string& line, bool has_median) {
  std::istringstream words(line);
  std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
  const size_t after = has_median ? 3 : 2;  // words after the microseconds
  if (word.size() < 4 + after || word.back() != "%") return nullptr;
  const std::string microseconds_text = word[word.size() - 1 - after];
  const std::string calls_text = word[word.size() - 2 - after];
  const auto step = ParseNumber<uint64_t>(word[0]);
  const auto microseconds = ParseNumber<double>(microseconds_text);
  if (!step || !microseconds || !ParseNumber<double>(calls_text)) return nullptr;
  // The layer is the text between kind and calls.
  const size_t kind_end = line.find(word[1], line.find(word[0]) + word[0].size()) + word[1].size();
  size_t calls_at = line.size();
  for (size_t i = 1; i <= after + 2; ++i)
    calls_at = line.rfind(word[word.size() - i], calls_at - 1);
  const size_t first = line.find_first_not_of(' ', kind_end);
  const size_t last = line.find_last_not_of(' ', calls_at - 1);
  const std::string layer = first < calls_at ? line.substr(first, last + 1 - first) : "";
  return {{"step", *step},
          {"kind", word[1]},
          {"layer", layer},
          {"microseconds_per_run", *microseconds}};
}

// Finds the table in the output of a board and returns it in the form of "weft bench --json"; null
// if there is no table.
Json BoardTimes(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find("step  kind") == std::string::npos || line.find("us/run") == std::string::npos)
      continue;
    const bool has_median = line.find("median") != std::string::npos;
    Json steps = Json::array();
    while (std::getline(lines, line)) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      Json step = BoardStep(line, has_median);
      if (step.is_null()) break;
      steps.push_back(std::move(step));
    }
    if (!steps.empty()) return {{"steps", std::move(steps)}};
  }
  return nullptr;
}

// Typed access to members of untrusted JSON. A missing member, or one of another type, adds a
// fault.
class Fields {
 public:
  Fields(const Json& json, std::string where, const char* command, Faults& faults)
      : json_(json), where_(std::move(where)), command_(command), faults_(faults) {}

  double Number(const char* name) const {
    const Json* field = Find(name, &Json::is_number);
    return field == nullptr ? 0 : field->get<double>();
  }
  uint64_t Count(const char* name) const {
    const Json* field = Find(name, &Json::is_number_unsigned);
    return field == nullptr ? 0 : field->get<uint64_t>();
  }
  std::string Text(const char* name) const {
    const Json* field = Find(name, &Json::is_string);
    return field == nullptr ? "" : field->get<std::string>();
  }
  bool Flag(const char* name) const {
    const Json* field = Find(name, &Json::is_boolean);
    return field != nullptr && field->get<bool>();
  }
  // Returns an empty list if the member is missing.
  const Json& List(const char* name) const {
    static const Json kEmpty = Json::array();
    const Json* field = Find(name, &Json::is_array);
    return field == nullptr ? kEmpty : *field;
  }
  bool Has(const char* name) const { return json_.is_object() && json_.contains(name); }

 private:
  using Is = bool (Json::*)() const noexcept;
  const Json* Find(const char* name, Is is) const {
    if (Has(name) && (json_[name].*is)()) return &json_[name];
    faults_.Add(fmt::format("{}: \"{}\" is {}; must be as in the output of {}", where_, name,
                            Has(name) ? "of another type" : "missing", command_));
    return nullptr;
  }

  const Json& json_;
  const std::string where_;
  const char* const command_;
  Faults& faults_;
};

// Checks that the data are of this file. Returns false and adds a fault if not.
bool IsOf(const Fields& fields, const std::string& file, const Json& model, Faults& faults) {
  const std::string is = fields.Text("checksum"), must = model["checksum"];
  if (is == must) return true;
  if (!is.empty()) {
    faults.Add(fmt::format("{}: is of a model with checksum {}; must be {}, that of {}", file,
                           OneLine(is), must, model["file"].get<std::string>()));
  }
  return false;
}

// Times of one model.
struct TimesEntry {
  Json json;
  std::string file;
  bool is_board = false;
};

// Reads the times of a file; adds a fault if it has none.
void ReadTimes(const std::string& file, std::vector<TimesEntry>& entries, Faults& faults) {
  const std::optional<std::string> text = ReadText(file, faults);
  if (!text) return;
  const size_t count = faults.lines().size();
  Json json = ParseObject(*text, file, kTimes, faults);
  if (faults.lines().size() != count) return;
  const bool is_board = json.is_null();
  if (is_board) json = BoardTimes(*text);
  if (json.is_null()) {
    faults.Add(fmt::format("{}: has no times; must be the output of {}", file, kTimes));
  } else if (json.contains("models")) {
    for (const Json& entry : Fields(json, file, kBenchJson, faults).List("models")) {
      entries.push_back({entry, file});
    }
  } else {
    entries.push_back({std::move(json), file, is_board});
  }
}

// Checks a step against the model's listing. Returns false and adds a fault if it does not match.
bool StepFits(const Fields& row, const std::string& where, const Json& model, Faults& faults) {
  const Json& listing = model["listing"];
  const uint64_t step = row.Count("step");
  const std::string kind = row.Text("kind"), layer = row.Text("layer");
  if (!faults.ok()) return false;
  if (step < listing.size() && listing[step]["kind"] == kind && listing[step]["layer"] == layer) {
    return true;
  }
  const std::string is = fmt::format("{} \"{}\"", OneLine(kind), OneLine(layer));
  faults.Add(step < listing.size()
                 ? fmt::format("{}: step {} is {}; must be {} \"{}\", as in {}", where, step, is,
                               listing[step]["kind"].get<std::string>(),
                               OneLine(listing[step]["layer"].get<std::string>()),
                               model["file"].get<std::string>())
                 : fmt::format("{}: step {} is {}; must be one of the {} of {}", where, step, is,
                               listing.size(), model["file"].get<std::string>()));
  return false;
}

Json RunTimes(const Json& entry, const Fields& fields, const std::string& file, Faults& faults) {
  static const Json kNone = Json::object();
  const Json& times = fields.Has("microseconds") ? entry["microseconds"] : kNone;
  const Fields run(times, file + ": microseconds", kBenchJson, faults);
  return {{"runs", fields.Count("iterations")},
          {"median", run.Number("median")},
          {"min", run.Number("min")},
          {"max", run.Number("max")}};
}

// Returns the times of one model. The table of a board has no runs; its times are means.
Json TimesOf(const TimesEntry& entry, const Json& model, Faults& faults) {
  const std::string& file = entry.file;
  const Fields fields(entry.json, file, kBenchJson, faults);
  if (!entry.is_board && !IsOf(fields, file, model, faults)) return nullptr;
  Json json = entry.is_board ? Json::object() : RunTimes(entry.json, fields, file, faults);
  Json steps = Json::array();
  double mean = 0;
  if (fields.Has("steps")) {  // with --profile
    for (const Json& step : fields.List("steps")) {
      const Fields row(step, file, kTimes, faults);
      const double microseconds = row.Number("microseconds_per_run");
      if (!StepFits(row, file, model, faults)) break;
      steps.push_back({{"step", row.Count("step")}, {"microseconds", microseconds}});
      mean += microseconds;
    }
  }
  if (entry.is_board) json["mean"] = mean;
  json["steps"] = std::move(steps);
  return json;
}

Json DifferenceOf(const Fields& row) {
  Json json = {{"equal", row.Flag("equal")}};
  if (!row.Has("mismatches")) return json;  // types differ
  json["elements"] = row.Count("elements");
  json["mismatches"] = row.Count("mismatches");
  for (const char* decibels : {"signal_to_noise_db", "weights_signal_to_noise_db"}) {
    if (row.Has(decibels)) json[decibels] = row.Number(decibels);
  }
  return json;
}

// Layers that were compared with files are those of an IR or a .tflite file. Fused layers have no
// step, so at least one of them must be a layer of the model. Returns false and adds a fault if
// not.
bool HasLayer(const Json& layers, const std::string& file, const Json& model, Faults& faults) {
  for (const Json& row : layers) {
    const std::string name = Fields(row, file, kCompareJson, faults).Text("layer");
    for (const Json& step : model["listing"]) {
      if (step["layer"] == name) return true;
    }
  }
  faults.Add(fmt::format("{}: has no layer of {}; must be a comparison of this model", file,
                         model["file"].get<std::string>()));
  return false;
}

Json ComparisonOf(const Json& found, const std::string& file, const Json& model, Faults& faults) {
  const Fields fields(found, file, kCompareJson, faults);
  const bool has_layers = fields.Has("layers");
  const bool is_of_ir = has_layers && !fields.Has("checksum");
  if (is_of_ir ? !HasLayer(fields.List("layers"), file, model, faults)
               : !IsOf(fields, file, model, faults)) {
    return nullptr;
  }
  Json json = {{"equal", fields.Flag("equal")}, {"of", has_layers ? "layer" : "output"}};
  json["rows"] = Json::array();
  for (const Json& entry : fields.List(has_layers ? "layers" : "outputs")) {
    const Fields row(entry, file, kCompareJson, faults);
    Json difference = DifferenceOf(row);
    difference["name"] = row.Text(has_layers ? "layer" : "output");
    // JSON has no infinity; it is stored as "inf".
    if (difference.contains("mismatches") && entry.contains("largest_difference") &&
        entry["largest_difference"] != "inf") {
      difference["largest_difference"] = row.Number("largest_difference");
    }
    json["rows"].push_back(std::move(difference));
  }
  return json;
}

bool FewEnough(size_t is, const char* option, size_t models, Faults& faults) {
  if (is <= models) return true;
  faults.Add(
      fmt::format("{}: has data of {} models; must have data of at most {}", option, is, models));
  return false;
}

}  // namespace

void AddTimes(const std::vector<std::string>& files, std::vector<Json>& models, Faults& faults) {
  std::vector<TimesEntry> entries;
  for (const std::string& file : files) ReadTimes(file, entries, faults);
  if (!faults.ok() || !FewEnough(entries.size(), "--bench", models.size(), faults)) return;
  for (size_t i = 0; i < entries.size(); ++i) {
    models[i]["times"] = TimesOf(entries[i], models[i], faults);
  }
}

void AddComparisons(const std::vector<std::string>& files, std::vector<Json>& models,
                    Faults& faults) {
  if (!FewEnough(files.size(), "--accuracy", models.size(), faults)) return;
  for (size_t i = 0; i < files.size(); ++i) {
    const Json json = ReadObject(files[i], kCompareJson, faults);
    if (!json.is_null()) models[i]["comparison"] = ComparisonOf(json, files[i], models[i], faults);
  }
}

}  // namespace weft::cli
