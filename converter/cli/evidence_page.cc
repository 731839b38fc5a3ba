// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "converter/cli/evidence_facts.h"
#include "converter/cli/table.h"

namespace weft::cli {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>weft evidence</title>
<style>
body { font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #bbb; padding: .2em .6em; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f3f3f3; overflow-x: auto; padding: .6em; }
</style>
</head>
<body>
)";

std::string LongestRun(const Json& summary) {
  std::string text = fmt::format("at most {} steps", Plain(summary["max_steps_of_a_run"]));
  for (const Json& core : summary["max_instructions_of_a_run"]) {
    text += core["max"].is_null()
                ? fmt::format("; {}: no bound of instructions, because {} of {} steps have none",
                              Plain(core["target"]), Plain(core["steps_without_bound"]),
                              Plain(core["steps"]))
                : fmt::format("; {}: at most {} instructions, with {}", Plain(core["target"]),
                              Plain(core["max"]), Plain(core["compiler"]));
  }
  return text + "; time is not bounded";
}

// Rows "question", "answer" of the first table.
Json AnswersOf(const Json& summary) {
  Json rows = Json::array();
  const auto add = [&](const char* question, const std::string& answer) {
    rows.push_back({{"question", question}, {"answer", answer}});
  };
  const Json& model = summary["model"];
  const Json& memory = summary["memory"];
  const Json& checks = summary["checks"];
  const Json& numeric = summary["numeric"];
  add("Model file", fmt::format("{}, {} bytes, SHA-256 {}", Plain(model["file"]),
                                Plain(model["bytes"]), Plain(model["sha256"])));
  for (const Json& source : summary["sources"]) {
    add("Converted from", fmt::format("{}, {} bytes, SHA-256 {}", Plain(source["file"]),
                                      Plain(source["bytes"]), Plain(source["sha256"])));
  }
  add("Tool", fmt::format("weft {}, file format {}", Plain(summary["tool"]["weft"]),
                          Plain(summary["tool"]["file_format"])));
  std::string options;
  for (const Json& option : summary["options"]) {
    options += fmt::format("{}{} {}", options.empty() ? "" : " ", Plain(option["option"]),
                           Plain(option["value"]));
  }
  add("Options", options.empty() ? "none" : options);
  add("Memory",
      fmt::format("state {} bytes, scratch {} bytes, stack {} bytes ({} with Helium), no heap",
                  Plain(memory["state_bytes"]), Plain(memory["scratch_bytes"]),
                  Plain(memory["stack_bytes"]), Plain(memory["stack_bytes_helium"])));
  add("Longest run", LongestRun(summary));
  std::string rounded;
  for (const Json& row : numeric["by_target"]) {
    if (row["class"] == "exact") continue;
    rounded += fmt::format("{}{}", rounded.empty() ? "" : ", ", Plain(row["target"]));
  }
  add("Numeric class",
      fmt::format("exact on {} targets of --target; {} on those without fused multiply-add{}",
                  std::ranges::count(numeric["by_target"], "exact",
                                     [](const Json& row) { return Plain(row["class"]); }),
                  Plain(numeric["targets_without_fused_multiply_add"]),
                  rounded.empty() ? "" : ": " + rounded));
  add("Memory plan",
      fmt::format("{}: {} byte ranges compared; of {} pairs of values, {} share bytes, {} of them "
                  "in one step",
                  Plain(checks["result"]), Plain(checks["compared_byte_ranges"]),
                  Plain(checks["pairs_of_values"]), Plain(checks["pairs_that_share_bytes"]),
                  Plain(checks["pairs_that_share_bytes_in_one_step"])));
  for (const Json& line : checks["violations"]) add("Violation", Plain(line));
  add("Proved", Plain(checks["proved"]));
  add("Not proved", Plain(checks["not_proved"]));
  const bool is_stored = summary["vectors"]["stored_in_model"];
  add("Recorded runs",
      fmt::format("{} in vectors/, {}. weft computed the outputs: they show that results repeat, "
                  "not that they agree with the source",
                  Plain(summary["vectors"]["runs"]),
                  is_stored ? "the self test in the model, which passed"
                            : "recorded for this folder; the model has no self test"));
  return rows;
}

std::string Heading(const char* text) { return fmt::format("<h2>{}</h2>\n", text); }

}  // namespace

std::string EvidencePage(const Json& summary, const Json& mapping, const Json& plan) {
  std::string page = kHead;
  page += fmt::format("<h1>Evidence for {}</h1>\n", HtmlEscaped(Plain(summary["model"]["file"])));
  page += HtmlText(AnswersOf(summary), "question | answer");
  page += Heading("Files") + HtmlText(summary["files"], "file | content | >bytes | sha256");
  page += Heading("Repeat the checks");
  page += "<p>Run these commands in this folder, with the model file in it:</p>\n<pre>";
  for (const Json& command : summary["commands"]) page += HtmlEscaped(Plain(command)) + "\n";
  page += "</pre>\n" + Heading("Not promised") + "<ul>\n";
  for (const Json& limit : summary["limits"]) {
    page += fmt::format("<li>{}</li>\n", HtmlEscaped(Plain(limit)));
  }
  page += "</ul>\n" + Heading("Layers, steps, kernels and tests");
  page += HtmlText(mapping, kMappingColumns);
  page += Heading("Memory plan");
  page +=
      "<p>Values may share bytes in one step if it updates them in place, or in a loop, where "
      "their "
      "addresses move with each iteration. The validator compares the bytes of every "
      "iteration.</p>\n";
  page += HtmlText(plan, kPlanColumns);
  return page + "</body>\n</html>\n";
}

}  // namespace weft::cli
