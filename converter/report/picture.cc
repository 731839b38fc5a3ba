// SPDX-License-Identifier: Apache-2.0
#include "converter/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "converter/base/split.h"
#include "converter/base/visible.h"
#include "converter/report/page_parts.h"

namespace weft::report {
namespace {

using Json = nlohmann::ordered_json;

// Lengths in SVG user units.
constexpr double kWidth = 960, kLeft = 84, kRight = 12, kMap = 280, kCurve = 70, kLane = 20;
constexpr double kBracket = 18, kKeys = 24, kCharacter = 6.4;
constexpr size_t kMaxLanes = 8;

std::string PictureStyle() { return fmt::format("<style>\n{}</style>\n", kPictureStyle); }

std::string Number(int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (int64_t at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

// A name as SVG text, shortened to `width`; empty if less than three characters fit.
std::string Label(const std::string& name, double width) {
  const double room = std::floor(width / kCharacter);
  if (room < 3) return "";
  std::string text = Visible(name);
  if (static_cast<double>(CharacterCount(text)) > room) {
    size_t end = 0;
    for (double i = 0; i + 1 < room; ++i) end += FirstCharacter(text.substr(end)).bytes;
    text = text.substr(0, end) + "\u2026";
  }
  return Replaced(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}});
}

class Drawing {
 public:
  explicit Drawing(const Json& facts) : facts_(facts), plan_(facts["plan"]) {
    for (const Json& section : facts["sections"]) {
      depth_ = std::max(depth_, section["depth"].get<int>() + 1);
    }
    for (const auto& [side, slots] :
         {std::pair("inputs", &inputs_), std::pair("outputs", &outputs_)}) {
      for (const Json& port : facts[side]) slots->insert(port["slot"].get<int64_t>());
    }
    const auto steps = static_cast<double>(std::max<size_t>(1, facts["listing"].size()));
    column_ = (kWidth - kLeft - kRight) / steps;
  }

  std::string Text() {
    Keys();
    for (size_t i = 0; i < plan_["arena_bytes"].size(); ++i) Region(i);
    Lanes();
    const std::string size = fmt::format("{:.0f} {:.0f}", kWidth, y_ + 8);
    const std::string file = facts_["file"].get<std::string>();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weft\" role=\"img\" viewBox=\"0 0 "
        "{}\">\n"
        "<title>Memory of {} over its schedule</title>\n{}"
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V6\"/></pattern></defs>\n"
        "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{}</svg>\n",
        size, Label(file.substr(file.find_last_of('/') + 1), 100 * kCharacter), PictureStyle(),
        body_);
  }

 private:
  double X(const Json& step) const { return kLeft + step.get<double>() * column_; }

  void Rectangle(std::string_view kind, double x, double y, double width, double height) {
    body_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n", kind,
        x, y, std::max(width, 0.8), std::max(height, 0.8));
  }
  void Line(std::string_view kind, double y) {
    body_ +=
        fmt::format("<path class=\"{}\" d=\"M{} {:.2f}H{}\"/>\n", kind, kLeft, y, kWidth - kRight);
  }
  // `anchor` is start, middle or end.
  void Write(std::string_view kind, double x, double y, std::string_view anchor,
             const std::string& escaped) {
    if (escaped.empty()) return;
    body_ +=
        fmt::format("<text class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n",
                    kind, x, y, anchor, escaped);
  }

  void Keys() {
    double x = kLeft;
    for (const auto& [kind, text] :
         {std::pair("value", "value between steps"), std::pair("input", "input"),
          std::pair("output", "output"), std::pair("state", "state"),
          std::pair("hatched", "a value that shares memory")}) {
      const bool is_hatched = std::string_view(kind) == "hatched";
      Rectangle(is_hatched ? "value" : kind, x, 8, 11, 11);
      if (is_hatched) Hatch(x, 8, 11, 11);
      Write("soft", x + 16, 17, "start", text);
      x += 34 + kCharacter * static_cast<double>(std::string_view(text).size());
    }
    y_ = kKeys;
  }

  void Hatch(double x, double y, double width, double height) {
    body_ += fmt::format(
        "<rect fill=\"url(#hatch)\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
        "height=\"{:.2f}\"/>\n",
        x, y, std::max(width, 0.8), std::max(height, 0.8));
  }

  // Draws the map of a region, the curve below it, and the axes.
  void Region(size_t region) {
    const auto bytes = std::max(1.0, plan_["arena_bytes"][region].get<double>());
    Brackets();
    const double top = y_;
    for (int i = 0; i <= 4; ++i) {
      const double y = top + kMap * (4 - i) / 4;
      Line("grid", y);
      Write("soft", kLeft - 8, y + 4, "end", Number(std::llround(bytes * i / 4)));
    }
    body_ += fmt::format(
        "<text class=\"soft\" text-anchor=\"middle\" transform=\"translate(14 {:.0f}) "
        "rotate(-90)\">"
        "address, B</text>\n",
        top + kMap / 2);
    for (const Json& buffer : plan_["buffers"]) {
      if (buffer["region"] == region) Buffer(buffer, top, bytes);
    }
    y_ = top + kMap + 24;
    Curve(region, bytes);
  }

  void Brackets() {
    y_ += 4;
    for (const Json& section : facts_["sections"]) {
      const double y = y_ + kBracket * section["depth"].get<double>();
      const double x = X(section["first_step"]) + 1, width = X(section["end_step"]) - 1 - x;
      Rectangle("loop", x, y, width, kBracket - 3);
      const std::string times =
          fmt::format("{} {} {}", section["iterations_exact"].get<bool>() ? "\u00d7" : "\u2264",
                      section["iterations"].get<int64_t>(), section["layer"].get<std::string>());
      Write("", x + 5, y + 11.5, "start", Label(times, width - 8));
    }
    y_ += kBracket * depth_ + 4;
  }

  std::string_view KindOf(const Json& buffer) const {
    bool is_output = false;
    for (const Json& slot : buffer["slots"]) {
      if (inputs_.contains(slot.get<int64_t>())) return "input";
      is_output = is_output || outputs_.contains(slot.get<int64_t>());
    }
    return is_output ? "output" : "value";
  }

  void Buffer(const Json& buffer, double top, double bytes) {
    const double scale = kMap / bytes;
    const auto y_of = [&](const Json& offset, const Json& size) {
      return top + kMap - (offset.get<double>() + size.get<double>()) * scale;
    };
    const double y = y_of(buffer["offset"], buffer["bytes"]);
    const double height = buffer["bytes"].get<double>() * scale;
    const std::string_view kind = KindOf(buffer);
    for (const Json& span : buffer["live"]) {
      const double x = X(span[0]), width = X(span[1]) + column_ - x - 1;
      Rectangle(kind, x, y, width, height - (height > 4 ? 1 : 0));
      if (height < 13) continue;
      Write(kind == "value" ? "" : "on", x + 5, y + std::min(height / 2 + 4, 14.0), "start",
            Label(buffer["name"].get<std::string>(), width - 8));
    }
    for (const Json& shared : buffer["shared"]) {
      const double begin = X(shared["first_step"]);
      Hatch(begin, y_of(shared["offset"], shared["bytes"]),
            X(shared["last_step"]) + column_ - begin - 1, shared["bytes"].get<double>() * scale);
    }
  }

  void Curve(size_t region, double bytes) {
    const double bottom = y_ + kCurve;
    const auto y_of = [&](double live) { return bottom - live * kCurve / bytes; };
    std::string path = fmt::format("M{} {:.2f}", kLeft, bottom);
    double max = 0;
    if (region < plan_["live_bytes"].size()) {
      for (const Json& live : plan_["live_bytes"][region]) {
        max = std::max(max, live.get<double>());
        path += fmt::format("V{:.2f}h{:.4f}", y_of(live.get<double>()), column_);
      }
    }
    body_ += fmt::format("<path class=\"live\" d=\"{}V{:.2f}Z\"/>\n", path, bottom);
    Line("arena", y_);
    Line("grid", bottom);
    Write("soft", kLeft, y_ - 7, "start",
          fmt::format("live bytes, at most {}; dashed: the arena, {} B", Number(std::llround(max)),
                      Number(std::llround(bytes))));
    Write("soft", kLeft - 8, y_ + 4, "end", Number(std::llround(bytes)));
    Write("soft", kLeft - 8, bottom + 4, "end", "0");
    Write("soft", (kLeft + kWidth) / 2, bottom + 16, "middle",
          fmt::format("steps of the schedule, 0 to {}",
                      std::max<int64_t>(0, static_cast<int64_t>(facts_["listing"].size()) - 1)));
    y_ = bottom + 26;
  }

  void Lanes() {
    const Json& variables = facts_["variables"];
    if (variables.empty()) return;
    const size_t shown = std::min(variables.size(), kMaxLanes);
    std::string text = fmt::format("state, kept between runs: {} B",
                                   Number(facts_["needs"]["state_bytes"].get<int64_t>()));
    if (variables.size() > shown) text += fmt::format("; {} more", variables.size() - shown);
    Write("soft", kLeft, y_ + 8, "start", text);
    for (size_t i = 0; i < shown; ++i) {
      const Json& variable = variables[i];
      const double y = y_ + 14 + static_cast<double>(i) * kLane;
      Rectangle("state", kLeft, y, kWidth - kLeft - kRight, kLane - 3);
      Write("on", kLeft + 5, y + 12.5, "start",
            Label(fmt::format("{} {}, {} B", variable["name"].get<std::string>(),
                              variable["type"].get<std::string>(),
                              Number(variable["bytes"].get<int64_t>())),
                  kWidth - kLeft - kRight - 10));
    }
    y_ += 14 + static_cast<double>(shown) * kLane;
  }

  const Json& facts_;
  const Json& plan_;
  std::set<int64_t> inputs_, outputs_;  // slots
  int depth_ = 0;
  double column_ = 1;  // the width of a step
  double y_ = 0;       // where the next part begins
  std::string body_;
};

}  // namespace

std::string Picture(const Json& facts) { return Drawing(facts).Text(); }

}  // namespace weft::report
