// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/facts_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "converter/base/visible.h"
#include "converter/cli/streamed.h"
#include "converter/cli/table.h"
#include "converter/cli/terminal.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

std::string SizeText(const Json& bytes) { return Size(bytes.get<int64_t>()); }

std::string PortsText(const Json& facts) {
  Json rows = Json::array();
  for (const char* side : {"input", "output"}) {
    const Json& ports = facts[fmt::format("{}s", side)];
    for (size_t i = 0; i < ports.size(); ++i) {
      std::string type = TypeText(ports[i]);
      if (ports[i].contains("run_time_axis")) {
        type += fmt::format(" (maximum of axis {})", Plain(ports[i]["run_time_axis"]));
      }
      const auto names = ports[i]["names"].get<std::vector<std::string>>();
      rows.push_back({{"port", fmt::format("{} {}", side, i)},
                      {"type", type},
                      {"names", fmt::format("{}", fmt::join(names, ", "))}});
    }
  }
  const std::string text = TableText(rows, "port | type | names") + "\n";
  if (facts["variables"].empty()) return text;
  return text + TableText(facts["variables"], "variable=name | type") + "\n";
}

std::string StreamsLine(const Json& streams) {
  if (streams.is_null()) return "";
  const auto number = [&](const char* key) { return streams[key].get<int64_t>(); };
  return StreamsText(number("count"), number("state_bytes")) + "\n\n";
}

std::string SelfTestText(const Json& test) {
  if (test.is_null()) return "";
  const bool is_exact =
      test["tolerance"] == format::EnumNameToleranceClass(format::ToleranceClass::exact);
  return fmt::format("self test: {} runs, {} bytes; outputs are bit-identical on {}\n\n",
                     Plain(test["runs"]), Plain(test["bytes"]),
                     is_exact
                         ? "every target"
                         : "targets with fused multiply-add; on others f32 is within 2^-16 * (1 + "
                           "|expected|)");
}

std::string SectionText(const Json& s) {
  const auto number = [&](const char* key) { return s[key].get<uint32_t>(); };
  const auto plural = [&](const char* key) { return number(key) == 1 ? "" : "s"; };
  return fmt::format(
      "section {} \"{}\", nesting depth {}: {}{} iteration{}, {} {} of the body\n"
      "  carried values: {} in place, {} in ping-pong buffers, {} in the scan output, {} copied\n"
      "  without a copy: {} sliced input{}, {} scan output{}\n"
      "  bytes copied or filled: {} per iteration, {} per run of the section\n",
      number("section"), Visible(Plain(s["layer"])), number("depth"),
      s["iterations_exact"].get<bool>() ? "" : "at most ", number("iterations"),
      plural("iterations"), number("unroll"), number("unroll") == 1 ? "copy" : "copies",
      number("in_place"), number("ping_pong"), number("through_scan"), number("by_copy"),
      number("sliced"), plural("sliced"), number("scans"), plural("scans"),
      Plain(s["copied_bytes_per_iteration"], "mean"), Plain(s["copied_bytes"], ","));
}

std::string CopiesText(const Json& facts) {
  Json copies = facts["copies"];
  for (Json& cause : copies) cause["step"] = "  " + Plain(cause["step"]);
  const std::string table =
      TableText(copies, "  kind=step | layer | >bytes per run=bytes , | reason=why");
  return fmt::format("bytes copied or filled per run: {}\n{}\n", Plain(CopiedBytes(facts), ","),
                     copies.empty() ? "" : table);
}

// Buffers may overlap, so their sizes can add up to more than the bytes in use.
std::string PeakText(const Json& peak) {
  uint64_t sum = 0;
  for (const Json& buffer : peak["largest"]) sum += buffer["bytes"].get<uint64_t>();
  return fmt::format("maximum use at step {} \"{}\": {} bytes in {} buffers{}", Plain(peak["step"]),
                     Plain(peak["layer"]), Plain(peak["bytes"]), Plain(peak["buffers"]),
                     sum > peak["bytes"].get<uint64_t>() ? ", which share bytes" : "");
}

std::string MemoryText(const Json& budget) {
  Table table({"memory", ">bytes", "content"});
  table.Row({"state", Plain(budget["state_bytes"]), "kept between runs, one per stream"});
  for (const Json& region : budget["scratch"]) {
    std::string what = "may be used for other data between runs";
    if (region.contains("peak")) {
      what = PeakText(region["peak"]);
    }
    if (region.contains("weight_bytes")) {
      what +=
          fmt::format("; {} bytes of weights are kept between runs", Plain(region["weight_bytes"]));
    }
    table.Row({Plain(region["region"]), Plain(region["bytes"]), what});
    if (!region.contains("peak")) continue;
    for (const Json& buffer : region["peak"]["largest"]) {
      table.Row({"", "", fmt::format("{:>8} {}", Plain(buffer["bytes"]), Plain(buffer["name"]))});
    }
  }
  table.Row(
      {"stack", Plain(budget["stack_bytes"]),
       fmt::format("maximum of Open, Run and Reset on Cortex-M ({} with Helium); SelfTest needs {} "
                   "more",
                   Plain(budget["stack_bytes_helium"]), Plain(budget["self_test_stack_bytes"]))});
  return table.Text();
}

std::string WorkText(const Json& work) {
  const char* max = work["exact"].get<bool>() ? "" : "at most ";
  const std::string text = fmt::format("work per run: {}{} steps, {}{} multiply-adds\n", max,
                                       Plain(work["steps"]), max, Plain(work["multiply_adds"]));
  if (work["sections"].empty()) return text;
  Json sections = work["sections"];
  for (Json& section : sections) {
    section["iterations"] =
        (section["iterations_exact"].get<bool>() ? "" : "<= ") + Plain(section["iterations"]);
  }
  return text + TableText(sections,
                          ">section | layer | >iterations | >steps/iteration=steps_per_iteration "
                          "mean | >multiply-adds/iteration=multiply_adds_per_iteration mean | "
                          ">multiply-adds=multiply_adds");
}

std::string LargestText(const Json& budget) {
  const double all = std::max(1.0, budget["work"]["multiply_adds"].get<double>());
  Json steps = budget["largest_steps"];
  for (Json& row : steps) row["share"] = row["multiply_adds"].get<double>() / all;
  const Json& weights = budget["largest_weights"];
  return (steps.empty() ? ""
                        : TableText(steps,
                                    "largest steps=step | layer | >calls | "
                                    ">multiply-adds=multiply_adds | >share=share %") +
                              "\n") +
         (weights.empty() ? ""
                          : TableText(weights, "largest weights=step | layer | type | >bytes"));
}

// The letter of a buffer, by its rank in size; "*" for all buffers beyond the available letters.
char LetterOf(size_t rank) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return rank < kLetters.size() ? kLetters[rank] : '*';
}

// A text picture: a row for each step or a few steps, a column for each range of addresses.
class Picture {
 public:
  // `buffers` are all buffers of one region of `bytes` bytes, the largest first.
  Picture(const std::vector<Json>& buffers, int64_t bytes) : buffers_(buffers), bytes_(bytes) {
    for (const Json& buffer : buffers) {
      steps_ = std::max<int64_t>(steps_, buffer["last_step"].get<int64_t>() + 1);
    }
  }

  std::string Text() const {
    const int64_t rows = std::min<int64_t>(steps_, kMaxRows);
    std::string text;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t from = row * steps_ / rows, to = (row + 1) * steps_ / rows;
      text += fmt::format("{:6} ", from);
      for (int64_t column = 0; column < kColumns; ++column) text += Cell(from, to, column);
      text += "\n";
    }
    return text;
  }

 private:
  static constexpr int64_t kMaxRows = 32, kColumns = 72;

  // The letter of the largest buffer that contains the cell's middle address at any of the steps.
  char Cell(int64_t from, int64_t to, int64_t column) const {
    const int64_t address = (2 * column + 1) * bytes_ / (2 * kColumns);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const Json& buffer = buffers_[i];
      const int64_t offset = buffer["offset"], bytes = buffer["bytes"];
      const bool is_live = std::ranges::any_of(buffer["live"], [&](const Json& span) {
        return span[0].get<int64_t>() < to && span[1].get<int64_t>() >= from;
      });
      if (is_live && address >= offset && address < offset + bytes) return LetterOf(i);
    }
    return '.';
  }

  const std::vector<Json>& buffers_;
  const int64_t bytes_;
  int64_t steps_ = 0;
};

std::string RegionText(const Json& plan, size_t region) {
  const int64_t bytes = plan["arena_bytes"][region];
  std::vector<Json> buffers;
  for (const Json& buffer : plan["buffers"]) {
    if (buffer["region"] == region) buffers.push_back(buffer);
  }
  if (buffers.empty()) return "";
  std::ranges::stable_sort(buffers, [](const Json& a, const Json& b) {
    return a["bytes"].get<int64_t>() > b["bytes"].get<int64_t>();
  });
  std::string text = fmt::format(
      "\nscratch {}: {} bytes; addresses left to right, steps top to bottom\n", region, bytes);
  text += Picture(buffers, bytes).Text();
  text += "\n      address      bytes  first   last  buffer, live from first to last step\n";
  constexpr size_t kMaxName = 36, kMaxLines = 62;
  for (size_t i = 0; i < std::min(buffers.size(), kMaxLines); ++i) {
    const Json& buffer = buffers[i];
    std::string name = OneLine(buffer["name"].get<std::string>());
    if (name.size() > kMaxName) name = "..." + name.substr(name.size() - kMaxName + 3);
    text +=
        fmt::format("{} {:11} {:10} {:6} {:6}  {}\n", LetterOf(i), buffer["offset"].get<int64_t>(),
                    buffer["bytes"].get<int64_t>(), buffer["first_step"].get<int64_t>(),
                    buffer["last_step"].get<int64_t>(), name);
  }
  if (buffers.size() > kMaxLines) {
    text += fmt::format("* and {} smaller buffers\n", buffers.size() - kMaxLines);
  }
  return text;
}

}  // namespace

std::string TypeText(const Json& port) {
  return fmt::format("{}[{}]", Plain(port["type"]),
                     fmt::join(port["shape"].get<std::vector<int64_t>>(), ","));
}

double CopiedBytes(const Json& facts) {
  double bytes = 0;
  for (const Json& cause : facts["copies"]) bytes += cause["bytes"].get<double>();
  return bytes;
}

// "weights of gru_1: 12,288 bytes in scratch, copied at Open"
std::string WeightCopiesText(const Json& copies) {
  std::string text;
  for (const Json& copy : copies) {
    text +=
        fmt::format("weights of {}: {} bytes in {}, copied at Open\n", Visible(Plain(copy["name"])),
                    Plain(copy["bytes"], ","), Plain(copy["region"]));
  }
  return text.empty() ? text : text + "\n";
}

std::string FactsText(const Json& facts) {
  const Json& regions = facts["regions"];
  std::string scratch;
  for (size_t i = format::kFirstScratchRegion; i < regions.size(); ++i) {
    scratch += (scratch.empty() ? "" : " + ") + SizeText(regions[i]["bytes"]);
  }
  std::string text = fmt::format(
      "{}: {} bytes, file format {}, checksum {}\n"
      "weights {}, state {}, scratch {}; alignment {} bytes\n\n",
      Visible(Plain(facts["file"])), Plain(facts["file_bytes"], ","),
      Plain(facts["format_version"]), Plain(facts["checksum"]),
      SizeText(regions[format::kWeightsRegion]["bytes"]), SizeText(facts["needs"]["state_bytes"]),
      scratch, Plain(facts["needs"]["alignment"]));
  text += PortsText(facts) + StreamsLine(facts["streams"]) +
          StreamedText(facts["streamed"], Plain(facts["state_layout"])) +
          SelfTestText(facts["self_test"]) + WeightCopiesText(facts["weight_copies"]);
  for (const Json& section : facts["sections"]) text += SectionText(section);
  text += (facts["sections"].empty() ? "" : "\n") + CopiesText(facts);
  Table steps({"kind of step", ">count"});
  for (const auto& [kind, count] : facts["steps"].items()) steps.Row({kind, Plain(count)});
  return text + steps.Text();
}

std::string BudgetText(const Json& budget) {
  Json flash = budget["flash"];
  flash.push_back(
      {{"part", "total"}, {"bytes", budget["flash_bytes"]}, {"what", "size of the file"}});
  return TableText(flash, "flash=part | >bytes | content=what") + "\n" + MemoryText(budget) + "\n" +
         WorkText(budget["work"]) + "\n" + LargestText(budget);
}

std::string InstructionsText(const Json& instructions, size_t max_rows) {
  const bool has_bound = !instructions["max"].is_null();
  std::string text =
      fmt::format("instructions per run on {}, default build, {}: {}\n",
                  Plain(instructions["target"]), Plain(instructions["compiler"]),
                  has_bound ? fmt::format("at most {}, {} of them between the steps",
                                          Plain(instructions["max"]), Plain(instructions["engine"]))
                            : fmt::format("no bound, because {} of {} steps have none",
                                          Plain(instructions["steps_without_bound"]),
                                          instructions["steps"].size()));
  std::vector<Json> steps = instructions["steps"];
  const auto most = [](const Json& step) {
    return step["max"].is_null() ? INFINITY : step["max_per_run"].get<double>();
  };
  std::ranges::stable_sort(steps, [&](const Json& a, const Json& b) { return most(a) > most(b); });
  const size_t shown = std::min(steps.size(), max_rows);
  Json rows = Json::array();
  for (Json& step : std::span(steps).first(shown)) {
    const Json& depends = step["depends_on_data"];
    step["data"] = depends.is_null() ? "-" : depends.get<bool>() ? "yes" : "no";
    if (step["max"].is_null()) step["max"] = step["max_per_run"] = "no bound";
    rows.push_back(step);
  }
  if (rows.empty()) return text;
  text += TableText(rows,
                    ">step | kind | layer | >executions | >at most=max | >excess=excess % | "
                    ">per run=max_per_run | time depends on data=data");
  return shown == steps.size() ? text
                               : text + fmt::format("and {} more steps\n", steps.size() - shown);
}

std::string PlanText(const Json& plan) {
  std::string text =
      fmt::format("{}\noutputs overlap inputs by {} bytes; a run may overwrite its inputs\n",
                  plan["line"].get<std::string>(), plan["ports_shared_bytes"].get<int64_t>());
  for (size_t i = 0; i < plan["arena_bytes"].size(); ++i) text += RegionText(plan, i);
  return text;
}

}  // namespace weft::cli
