// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/report_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "converter/base/files.h"
#include "converter/base/visible.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBenchJson = "\"weft bench --json\"";
constexpr const char* kCompareJson = "\"weft compare --json\"";

// A file as JSON; null with a fault.
Json ReadObject(const std::string& file, const char* command, Faults& faults) {
  std::string reason;
  const std::optional<std::vector<std::byte>> bytes = ReadFile(file, &reason);
  if (!bytes) {
    faults.Add(reason);
    return nullptr;
  }
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  Json json = Json::parse(text, text + bytes->size(), nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  faults.Add(fmt::format("{}: is no JSON object; must be what {} prints", file, command));
  return nullptr;
}

// Members of foreign JSON. What is missing or of another type is a fault, once for each.
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
  // Empty where there is none.
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
    faults_.Add(fmt::format("{}: \"{}\" is {}; must be as {} prints it", where_, name,
                            Has(name) ? "of another type" : "missing", command_));
    return nullptr;
  }

  const Json& json_;
  const std::string where_;
  const char* const command_;
  Faults& faults_;
};

// Faults of one step are enough to say that the file is of another model.
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

Json TimesOf(const Json& entry, const std::string& file, const Json& model, Faults& faults) {
  const Fields fields(entry, file, kBenchJson, faults);
  static const Json kNone = Json::object();
  const Json& times = fields.Has("microseconds") ? entry["microseconds"] : kNone;
  const Fields run(times, file + ": microseconds", kBenchJson, faults);
  Json json = {{"runs", fields.Count("iterations")},
               {"median", run.Number("median")},
               {"min", run.Number("min")},
               {"max", run.Number("max")}};
  json["steps"] = Json::array();
  if (!fields.Has("steps")) return json;  // without --profile
  for (const Json& step : fields.List("steps")) {
    const Fields row(step, file, kBenchJson, faults);
    const double microseconds = row.Number("microseconds_per_run");
    if (!StepFits(row, file, model, faults)) return json;
    json["steps"].push_back({{"step", row.Count("step")}, {"microseconds", microseconds}});
  }
  return json;
}

Json DifferenceOf(const Fields& row) {
  Json json = {{"equal", row.Flag("equal")}};
  if (!row.Has("mismatches")) return json;  // types differ
  json["elements"] = row.Count("elements");
  json["mismatches"] = row.Count("mismatches");
  return json;
}

Json ComparisonOf(const Json& found, const std::string& file, Faults& faults) {
  const Fields fields(found, file, kCompareJson, faults);
  const bool has_layers = fields.Has("layers");
  Json json = {{"equal", fields.Flag("equal")}, {"of", has_layers ? "layer" : "output"}};
  json["rows"] = Json::array();
  for (const Json& entry : fields.List(has_layers ? "layers" : "outputs")) {
    const Fields row(entry, file, kCompareJson, faults);
    Json difference = DifferenceOf(row);
    difference["name"] = row.Text(has_layers ? "layer" : "output");
    // "inf" stands for what JSON cannot say.
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
  faults.Add(fmt::format("{}: is given of {} models; must be of {} at most", option, is, models));
  return false;
}

}  // namespace

void AddTimes(const std::vector<std::string>& files, std::vector<Json>& models, Faults& faults) {
  std::vector<std::pair<Json, std::string>> entries;  // with the file
  for (const std::string& file : files) {
    Json json = ReadObject(file, kBenchJson, faults);
    if (json.is_null()) continue;
    if (!json.contains("models")) {
      entries.emplace_back(std::move(json), file);
      continue;
    }
    for (const Json& entry : Fields(json, file, kBenchJson, faults).List("models")) {
      entries.emplace_back(entry, file);
    }
  }
  if (!faults.ok() || !FewEnough(entries.size(), "--bench", models.size(), faults)) return;
  for (size_t i = 0; i < entries.size(); ++i) {
    models[i]["times"] = TimesOf(entries[i].first, entries[i].second, models[i], faults);
  }
}

void AddComparisons(const std::vector<std::string>& files, std::vector<Json>& models,
                    Faults& faults) {
  if (!FewEnough(files.size(), "--accuracy", models.size(), faults)) return;
  for (size_t i = 0; i < files.size(); ++i) {
    const Json json = ReadObject(files[i], kCompareJson, faults);
    if (!json.is_null()) models[i]["comparison"] = ComparisonOf(json, files[i], faults);
  }
}

}  // namespace weft::cli
