// SPDX-License-Identifier: Apache-2.0
// weft explain: the meaning of an error code, for builds of the runtime without texts.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/cli/table.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::cli {
namespace {

struct Row {
  uint32_t number;
  std::string_view name, text;
};
constexpr Row kRows[] = {
#define WEFT_FAULT(number, name, text) {number, #name, text},
#include "runtime/format/faults.inc"
#undef WEFT_FAULT
};

// A number that the runtime prints after the error code, and its meaning.
struct Field {
  std::string name, meaning;
};

std::string KindNumbers() {
  std::string list;
  for (uint32_t kind = 1; kind < format::kKindCount; ++kind) {
    list += fmt::format("{}{} {}", kind == 1 ? "" : ", ", kind,
                        format::NameOf(static_cast<format::Kind>(kind)));
  }
  return list;
}

std::string TypeNumbers() {
  std::string list;
  for (uint32_t type = 0; type < format::kElementTypeCount; ++type) {
    list += fmt::format("{}{} {}", type == 0 ? "" : ", ", type,
                        Name(static_cast<format::ElementType>(type)));
  }
  return list;
}

// "step" of "step %index (%step_kind): ..."
std::string_view TableOf(std::string_view text) { return text.substr(0, text.find(" %index")); }

std::vector<Field> FieldsOf(std::string_view text) {
  const auto has = [text](std::string_view word) { return text.find(word) != text.npos; };
  std::vector<Field> fields;
  if (text.find(" %index") != text.npos && !has("scratch %index") && !has("run %index")) {
    fields.push_back({"index", fmt::format("which {}, counted from 0", TableOf(text))});
  } else if (has("%index")) {
    fields.push_back({"index", "which one, counted from 0"});
  }
  if (has("%step_kind")) fields.push_back({"kind", "of the step: " + KindNumbers()});
  if (has("%operand")) fields.push_back({"operand", "of the step, counted from 0, inputs first"});
  if (has("%is_type")) {
    fields.push_back({"is", "what was found, an element type: " + TypeNumbers()});
  } else if (has("names slot %is")) {
    fields.push_back({"is", "the slot, an index of the model's table of tensors"});
  } else if (has("%is")) {
    fields.push_back({"is", "what was found"});
  }
  if (has("%must_type")) {
    fields.push_back({"must", "what must be, an element type: " + TypeNumbers()});
  } else if (has("names slot %is")) {
    fields.push_back({"must", "the number of slots"});
  } else if (has("%must")) {
    fields.push_back({"must", "what must be"});
  }
  return fields;
}

// Replaces the placeholders in the text by the names of the numbers.
std::string WithNames(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"%index", "INDEX"},    {"%step_kind", "KIND"}, {"%operand", "OPERAND"}, {"%is_type", "IS"},
      {"%must_type", "MUST"}, {"%is", "IS"},          {"%must", "MUST"}};
  for (const auto& [placeholder, name] : kNames) {
    for (size_t at = text.find(placeholder); at != text.npos; at = text.find(placeholder)) {
      text.replace(at, placeholder.size(), name);
    }
  }
  return text;
}

Exit Explain(uint32_t code, bool json) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& fault) { return fault.number == code; });
  if (row == std::end(kRows)) {
    Faults faults;
    faults.Add(
        fmt::format("explain: code {} is not an error code of weft {}; must be a number that its "
                    "runtime prints",
                    code, WEFT_VERSION));
    return Report(faults);
  }
  const std::vector<Field> fields = FieldsOf(row->text);
  if (json) {
    nlohmann::ordered_json meanings = nlohmann::ordered_json::object();
    for (const Field& field : fields) meanings[field.name] = field.meaning;
    Print({{"code", row->number},
           {"name", row->name},
           {"text", WithNames(std::string(row->text))},
           {"numbers", meanings}});
    return Exit::kDone;
  }
  Answer("fault {} ({}): {}", row->number, row->name, WithNames(std::string(row->text)));
  if (fields.empty()) return Exit::kDone;
  Table table({"  number", "meaning"});
  for (const Field& field : fields) table.Row({"  " + field.name, field.meaning});
  AnswerText(table.Text());
  return Exit::kDone;
}

struct ExplainCall {
  uint32_t code = 0;
  bool json = false;
};

}  // namespace

void AddExplain(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("explain", "Explain an error code of the runtime");
  auto call = std::make_shared<ExplainCall>();
  command.Add("CODE", call->code, "Error code").Value("NUMBER", Integer(0, 65535)).Required();
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(
      "A runtime built with WEFT_TEXT=OFF prints errors as numbers:\n"
      "  fault 34 index 41 kind 1 operand 0 is 77 must 60\n\n"
      "Error codes have the same meaning in all releases.\n\nExamples:\n  weft explain 34");
  command.OnCall([call, exit] { *exit = Explain(call->code, call->json); });
}

}  // namespace weft::cli
