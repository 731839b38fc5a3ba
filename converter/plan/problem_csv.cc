// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/problem_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "converter/base/parse_number.h"
#include "converter/base/split.h"

namespace weft::plan {
namespace {

// Maximum of times and bytes: sums over a few million buffers stay far below 64 bits.
constexpr int64_t kMaxNumber = int64_t{1} << 40;

enum Column {
  kId,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kGaps,
  kOffset,
  kHint,
  kTraffic,
  kOverlapping,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames = {
    "id", "lower", "upper", "size", "alignment", "gaps", "offset", "hint", "traffic", "near"};
constexpr int kNeeded = 4;  // the first columns, which are required

// One line of the text; `fault` describes the first error, or is empty.
class Row {
 public:
  Row(const std::array<int, kColumns>& positions, const std::vector<std::string_view>& cells)
      : positions_(positions), cells_(cells) {}

  Buffer Read() {
    Buffer buffer;
    buffer.name = Cell(kId);
    if (buffer.name.empty()) Fail("id", "", "a name");
    buffer.lifetime = {Number(kLower, 0).value_or(0), Number(kUpper, 0).value_or(0)};
    if (fault.empty() && buffer.lifetime.begin >= buffer.lifetime.end) {
      fault = fmt::format("lifetime is [{}, {}); must not be empty", buffer.lifetime.begin,
                          buffer.lifetime.end);
    }
    buffer.bytes = Number(kSize, 0).value_or(0);
    if (!Cell(kAlignment).empty()) buffer.alignment_bytes = Number(kAlignment, 1).value_or(1);
    if (!Cell(kOffset).empty()) buffer.fixed_offset_bytes = Number(kOffset, 0);
    if (!Cell(kHint).empty()) buffer.hint_bytes = Number(kHint, 0);
    if (!Cell(kTraffic).empty()) buffer.traffic_bytes = Traffic();
    ReadGaps(buffer);
    return buffer;
  }

  // Adds the pairs in which the buffer of this line, `y`, is the second.
  void ReadOverlaps(size_t y, std::vector<AllowedOverlap>& allowed_overlaps) {
    for (const std::string_view text : Split(Cell(kOverlapping), " ")) {
      if (text.empty()) continue;
      std::vector<int64_t> numbers;
      for (const std::string_view part : Split(text, ":")) {
        const std::optional<int64_t> number = ParseNumber<int64_t>(part);
        if (number && *number >= 0 && *number <= kMaxNumber) numbers.push_back(*number);
      }
      if (numbers.size() != 3 || std::cmp_equal(numbers[0], y)) {
        return Fail("near", Cell(kOverlapping),
                    "X:BEFORE:BEHIND with X the index of another buffer");
      }
      allowed_overlaps.push_back({static_cast<size_t>(numbers[0]), y, numbers[1], numbers[2]});
    }
  }

  std::string fault;

 private:
  std::string_view Cell(Column column) const {
    const int location = positions_[column];
    return location < 0 ? std::string_view() : cells_[static_cast<size_t>(location)];
  }
  void Fail(std::string_view column, std::string_view is, const std::string& must) {
    if (fault.empty()) fault = fmt::format("{} is \"{}\"; must be {}", column, is, must);
  }
  std::optional<int64_t> Number(Column column, int64_t min) {
    const std::optional<int64_t> number = ParseNumber<int64_t>(Cell(column));
    if (number && *number >= min && *number <= kMaxNumber) return number;
    Fail(kNames[column], Cell(column), fmt::format("an integer from {} to {}", min, kMaxNumber));
    return std::nullopt;
  }
  double Traffic() {
    const std::optional<double> traffic = ParseNumber<double>(Cell(kTraffic));
    if (traffic && std::isfinite(*traffic) && *traffic >= 0) return *traffic;
    Fail("traffic", Cell(kTraffic), "a number of bytes, 0 or more");
    return 0;
  }
  void ReadGaps(Buffer& buffer) {
    for (const std::string_view text : Split(Cell(kGaps), " ")) {
      if (text.empty()) continue;
      const size_t dash = text.find('-');
      const std::optional<int64_t> begin = ParseNumber<int64_t>(text.substr(0, dash));
      const std::optional<int64_t> end = dash == std::string_view::npos
                                             ? std::nullopt
                                             : ParseNumber<int64_t>(text.substr(dash + 1));
      const int64_t min = buffer.gaps.empty() ? buffer.lifetime.begin : buffer.gaps.back().end;
      if (!begin || !end || *begin < min || *begin >= *end || *end > buffer.lifetime.end) {
        return Fail("gaps", Cell(kGaps),
                    "BEGIN-END within the lifetime, in increasing order, separated by spaces");
      }
      buffer.gaps.push_back({*begin, *end});
    }
  }

  const std::array<int, kColumns>& positions_;
  const std::vector<std::string_view>& cells_;
};

class Reader {
 public:
  Reader(std::string_view where, Faults& faults) : where_(where), faults_(faults) {
    positions_.fill(-1);
  }

  std::optional<Problem> Read(std::string_view text) {
    Problem problem;
    size_t line_number = 0, columns = 0;
    for (std::string_view line : Split(text, "\n")) {
      ++line_number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      const std::vector<std::string_view> cells = Split(line, ",");
      if (columns == 0) {
        if (!ReadHeader(cells, line_number)) return std::nullopt;
        columns = cells.size();
      } else if (cells.size() != columns) {
        Add(line_number,
            fmt::format("has {} fields; must have {}, like the header", cells.size(), columns));
      } else {
        Row row(positions_, cells);
        problem.buffers.push_back(row.Read());
        row.ReadOverlaps(problem.buffers.size() - 1, problem.allowed_overlaps);
        if (row.fault.empty()) row.fault = CheckName(problem.buffers.back().name);
        if (!row.fault.empty()) Add(line_number, row.fault);
      }
    }
    if (columns == 0) faults_.Add(fmt::format("{}: is empty; must begin with a header", where_));
    CheckOverlaps(problem);
    if (has_fault_ || columns == 0) return std::nullopt;
    return problem;
  }

 private:
  bool ReadHeader(const std::vector<std::string_view>& cells, size_t line_number) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto found = std::find(kNames.begin(), kNames.end(), cells[i]);
      if (found == kNames.end()) {
        Add(line_number, fmt::format("column \"{}\" is unknown; must be one of {}", cells[i],
                                     fmt::join(kNames, " ")));
        return false;
      }
      int& location = positions_[static_cast<size_t>(found - kNames.begin())];
      if (location >= 0) {
        Add(line_number, fmt::format("column \"{}\" appears twice; must appear once", cells[i]));
        return false;
      }
      location = static_cast<int>(i);
    }
    for (size_t i = 0; i < kNeeded; ++i) {
      if (positions_[i] >= 0) continue;
      Add(line_number, fmt::format("column \"{}\" is missing; must be given", kNames[i]));
      return false;
    }
    return true;
  }
  // The solution names its buffers by these names.
  std::string CheckName(const std::string& name) {
    if (names_.insert(name).second) return "";
    return fmt::format("id is \"{}\", as in an earlier line; must be given once", name);
  }
  // Checks what depends on more than one line.
  void CheckOverlaps(const Problem& problem) {
    std::set<std::pair<size_t, size_t>> pairs;
    for (const AllowedOverlap& overlap : problem.allowed_overlaps) {
      const std::string& name = problem.buffers[overlap.y].name;
      if (overlap.x >= problem.buffers.size()) {
        faults_.Add(fmt::format("{}: near of \"{}\" refers to buffer {}; must be below {}", where_,
                                name, overlap.x, problem.buffers.size()));
        has_fault_ = true;
      } else if (!pairs.insert(std::minmax(overlap.x, overlap.y)).second) {
        faults_.Add(
            fmt::format("{}: the near pair \"{}\" and \"{}\" is given twice; must be given once",
                        where_, problem.buffers[overlap.x].name, name));
        has_fault_ = true;
      }
    }
  }
  void Add(size_t line_number, const std::string& fault) {
    faults_.Add(fmt::format("{}:{}: {}", where_, line_number, fault));
    has_fault_ = true;
  }

  const std::string_view where_;
  Faults& faults_;
  std::array<int, kColumns> positions_;
  std::unordered_set<std::string> names_;
  bool has_fault_ = false;
};

std::string PlainName(std::string name) {
  for (char& c : name) {
    if (c == ',' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  return name.empty() ? "_" : name;
}

std::string GapsText(const Buffer& buffer) {
  std::string text;
  for (const TimeRange& gap : buffer.gaps) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", gap.begin, gap.end);
  }
  return text;
}

std::string OverlapsText(const Problem& problem, size_t y) {
  std::string text;
  for (const AllowedOverlap& overlap : problem.allowed_overlaps) {
    if (overlap.y != y) continue;
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : " ", overlap.x, overlap.before_bytes,
                        overlap.after_bytes);
  }
  return text;
}

std::string NumberText(const std::optional<int64_t>& number) {
  return number ? fmt::format("{}", *number) : "";
}

}  // namespace

std::string ToCsv(const Problem& problem, const Placement* placement) {
  const auto any = [&](auto is_needed) {
    return std::any_of(problem.buffers.begin(), problem.buffers.end(), is_needed);
  };
  const bool alignment = any([](const Buffer& b) { return b.alignment_bytes != 1; });
  const bool gaps = any([](const Buffer& b) { return !b.gaps.empty(); });
  const bool offset =
      placement != nullptr || any([](const Buffer& b) { return b.fixed_offset_bytes.has_value(); });
  const bool hint = any([](const Buffer& b) { return b.hint_bytes.has_value(); });
  const bool traffic = any([](const Buffer& b) { return b.traffic_bytes != 0; });
  const bool overlap = !problem.allowed_overlaps.empty();
  std::string text = fmt::format("id,lower,upper,size{}{}{}{}{}{}\n", alignment ? ",alignment" : "",
                                 gaps ? ",gaps" : "", offset ? ",offset" : "", hint ? ",hint" : "",
                                 traffic ? ",traffic" : "", overlap ? ",near" : "");
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    text += fmt::format("{},{},{},{}", PlainName(buffer.name), buffer.lifetime.begin,
                        buffer.lifetime.end, buffer.bytes);
    if (alignment) text += fmt::format(",{}", buffer.alignment_bytes);
    if (gaps) text += "," + GapsText(buffer);
    if (offset) {
      text += "," + NumberText(placement != nullptr ? placement->buffers[i].offset_bytes
                                                    : buffer.fixed_offset_bytes);
    }
    if (hint) text += "," + NumberText(buffer.hint_bytes);
    if (traffic) text += fmt::format(",{}", buffer.traffic_bytes);
    if (overlap) text += "," + OverlapsText(problem, i);
    text += "\n";
  }
  return text;
}

std::optional<Problem> FromCsv(std::string_view text, std::string_view where, Faults& faults) {
  return Reader(where, faults).Read(text);
}

}  // namespace weft::plan
