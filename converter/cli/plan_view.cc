// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "converter/base/visible.h"
#include "converter/emit/model_file.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/shared.h"
#include "converter/inspect/traffic.h"
#include "converter/plan/solve.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

// The maximum over all loops of the bytes copied or filled in one iteration.
double CopiedPerIteration(const format::Model& model) {
  double bytes = 0;
  for (const inspect::SectionSum& section : inspect::TrafficOf(model).bytes.sections) {
    bytes = std::max(bytes, section.per_iteration);
  }
  return bytes;
}

// Bytes shared by inputs and outputs, each output slot counted once. A run may overwrite its
// inputs.
int64_t SharedPortBytes(const format::Model& model) {
  std::set<uint32_t> outputs;
  for (const format::Port& port : format::RowsOf(model.outputs())) outputs.insert(port.slot());
  int64_t shared = 0;
  for (const format::Port& port : format::RowsOf(model.inputs())) {
    const format::Slot& input = *model.slots()->Get(port.slot());
    for (const uint32_t slot : outputs) {
      const format::Slot& output = *model.slots()->Get(slot);
      if (output.region() != input.region()) continue;
      const int64_t begin = std::max(input.offset_bytes(), output.offset_bytes());
      const int64_t end = std::min(int64_t{input.offset_bytes()} + input.bytes(),
                                   int64_t{output.offset_bytes()} + output.bytes());
      shared += std::max<int64_t>(0, end - begin);
    }
  }
  return shared;
}

Json SharedJson(const std::vector<inspect::SharedAddress>& positions) {
  Json list = Json::array();
  for (const inspect::SharedAddress& location : positions) {
    list.push_back({{"slot", location.slot},
                    {"of", location.of},
                    {"offset", location.offset_bytes},
                    {"bytes", location.bytes},
                    {"first_step", location.first_step},
                    {"last_step", location.last_step},
                    {"why", inspect::Why(location.why)}});
  }
  return list;
}

// Pairs of first and last step.
Json LiveJson(const std::vector<inspect::StepSpan>& live) {
  Json list = Json::array();
  for (const inspect::StepSpan& span : live) list.push_back({span.first, span.last});
  return list;
}

Json BuffersJson(const format::Model& model) {
  Json list = Json::array();
  const std::vector<inspect::PlacedBuffer> buffers = inspect::BuffersOf(model);
  const std::vector<std::vector<inspect::SharedAddress>> shared = inspect::SharedIn(model, buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const inspect::PlacedBuffer& buffer = buffers[i];
    list.push_back({{"name", buffer.name},
                    {"region", buffer.region - format::kFirstScratchRegion},
                    {"offset", buffer.offset_bytes},
                    {"bytes", buffer.bytes},
                    {"first_step", buffer.live.front().first},
                    {"last_step", buffer.live.back().last},
                    {"live", LiveJson(buffer.live)},
                    {"slots", buffer.slots},
                    {"shared", SharedJson(shared[i])}});
  }
  return list;
}

// Loops copy once per iteration; a model without loops copies only per run.
std::string CopiedText(const Json& plan, double bytes_per_run) {
  const std::string per_run = fmt::format("copied per run {:.0f} bytes", bytes_per_run);
  const double per_iteration = plan["copied_bytes_per_iteration"];
  return per_iteration == 0 ? per_run
                            : fmt::format("{}, per iteration {:.0f}", per_run, per_iteration);
}

std::string LineOf(const Json& plan, double copied_bytes_per_run) {
  std::string arena;
  for (const Json& bytes : plan["arena_bytes"]) {
    arena += fmt::format("{}{}", arena.empty() ? "" : " + ", bytes.get<int64_t>());
  }
  std::string bound;
  if (plan.contains("bound_bytes")) {
    const int64_t min = plan["bound_bytes"];
    bound = plan["arena_bytes"][0] == min
                ? fmt::format(", proven minimum for this order of steps (bound {})", min)
                : ", " + plan["proof"].get<std::string>();
  }
  return fmt::format("scratch {} bytes{} | state {} bytes | {} | weights {} bytes", arena, bound,
                     plan["state_bytes"].get<int64_t>(), CopiedText(plan, copied_bytes_per_run),
                     plan["weights_bytes"].get<int64_t>());
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

Json PlanJson(const LoadedModel& model) {
  const format::Model& root = model.root();
  Json arena = Json::array();
  for (uint32_t i = format::kFirstScratchRegion; i < root.regions()->size(); ++i) {
    arena.push_back(root.regions()->Get(i)->bytes());
  }
  Json plan = {{"line", ""}, {"arena_bytes", arena}};
  if (const std::optional<int64_t> bound = emit::ScratchBoundOf(root)) {
    plan::Account account;
    account.used_bytes = arena[0];
    account.bound_bytes = *bound;
    plan["bound_bytes"] = account.bound_bytes;
    plan["proof"] = plan::ToString(account);
  }
  plan["state_bytes"] = model.needs().state_bytes;
  plan["copied_bytes_per_iteration"] = CopiedPerIteration(root);
  plan["weights_bytes"] = format::RowsOf(root.regions())[0].bytes();
  plan["ports_shared_bytes"] = SharedPortBytes(root);
  plan["line"] = LineOf(plan, inspect::TrafficOf(root).bytes.run);
  plan["buffers"] = BuffersJson(root);
  plan["live_bytes"] = inspect::LiveBytesOf(root);
  return plan;
}

std::string PlanText(const Json& plan) {
  std::string text =
      fmt::format("{}\noutputs overlap inputs by {} bytes; a run may overwrite its inputs\n",
                  plan["line"].get<std::string>(), plan["ports_shared_bytes"].get<int64_t>());
  for (size_t i = 0; i < plan["arena_bytes"].size(); ++i) text += RegionText(plan, i);
  return text;
}

}  // namespace weft::cli
