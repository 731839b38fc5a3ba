// SPDX-License-Identifier: Apache-2.0
#include "converter/program/access_index.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

namespace weft::program {
namespace {

constexpr size_t kMaxInList = 16;

}  // namespace

// The bytes of the accesses in `list` are stored relative to `base_bytes`, so that all of them can
// be shifted at once.
struct AccessIndex::Root {
  struct ByPosition {
    bool operator()(const std::vector<Move>& a, const std::vector<Move>& b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(), [](const Move& x, const Move& y) {
            return std::pair(x.section, x.stride_bytes) < std::pair(y.section, y.stride_bytes);
          });
    }
  };

  // Accesses of equal byte ranges, by item.
  struct Group {
    using Entries = std::set<std::pair<int64_t, size_t>>;  // item, index in the root's list
    Entries reads, writes;

    void Add(const Access& access, size_t index) {
      (access.write ? writes : reads).emplace(access.item, index);
    }
  };

  // Accesses with equal moves. Ranges of about equal length are grouped, so that those which
  // overlap given bytes begin within one length of them.
  struct Lane {
    Group all;
    std::map<int, std::map<std::pair<int64_t, int64_t>, Group>, std::greater<>> codes;

    static int CodeOf(int64_t bytes) {
      return bytes <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(bytes) - 1);
    }
    void Add(const Access& access, size_t index) {
      all.Add(access, index);
      const int code = CodeOf(access.end_bytes - access.begin_bytes);
      codes[code][{access.begin_bytes, access.end_bytes}].Add(access, index);
    }
  };

  std::vector<Access> list;
  int64_t base_bytes = 0;
  ItemExtent extent;
  bool is_indexed = false;
  std::map<std::vector<Move>, Lane, ByPosition> lanes;

  void Add(Access access) {
    access.begin_bytes -= base_bytes;
    access.end_bytes -= base_bytes;
    extent.first = std::min(extent.first, access.item);
    extent.last = std::max(extent.last, access.item);
    if (access.write) extent.last_write = std::max(extent.last_write, access.item);
    list.push_back(std::move(access));
    if (is_indexed) lanes[list.back().moves].Add(list.back(), list.size() - 1);
  }

  void MakeIndex() {
    if (is_indexed) return;
    is_indexed = true;
    for (size_t i = 0; i < list.size(); ++i) lanes[list[i].moves].Add(list[i], i);
  }

  struct Question {
    int64_t first, last;
    bool only_writes;
    const Predicate& holds;
  };

  bool AnyInList(const Question& question, const Access& range) const {
    return std::any_of(list.begin(), list.end(), [&](const Access& access) {
      return access.item >= question.first && access.item <= question.last &&
             (access.write || !question.only_writes) && Overlap(access, range) &&
             (!question.holds || question.holds(access));
    });
  }

  bool AnyIn(const Question& question, const Group& group) const {
    const auto any = [&](const Group::Entries& entries) {
      auto entry = entries.lower_bound({question.first, 0});
      for (; entry != entries.end() && entry->first <= question.last; ++entry) {
        if (!question.holds || question.holds(list[entry->second])) return true;
      }
      return false;
    };
    return any(group.writes) || (!question.only_writes && any(group.reads));
  }

  bool AnyIn(const Question& question, const Root::Lane& lane, const Access& range) const {
    for (const auto& [code, groups] : lane.codes) {
      const int64_t longest = int64_t{1} << code;
      auto group = groups.lower_bound({range.begin_bytes - longest, 0});
      for (; group != groups.end() && group->first.first < range.end_bytes; ++group) {
        if (range.begin_bytes < group->first.second && AnyIn(question, group->second)) return true;
      }
    }
    return false;
  }
};

AccessCounts CountsOf(const AccessMap& accesses) {
  AccessCounts counts;
  for (const auto& [root, list] : accesses) counts[root] = list.size();
  return counts;
}

AccessIndex::AccessIndex(AccessMap accesses) {
  for (auto& [root, list] : accesses) {
    std::unique_ptr<Root>& entry = roots_[root] = std::make_unique<Root>();
    entry->list.reserve(list.size());
    for (Access& access : list) entry->Add(std::move(access));
  }
}

AccessIndex::~AccessIndex() = default;

size_t AccessIndex::CountOf(ValueId root) const {
  const auto found = roots_.find(root);
  return found == roots_.end() ? 0 : found->second->list.size();
}

ItemExtent AccessIndex::ExtentOf(ValueId root) const {
  const auto found = roots_.find(root);
  return found == roots_.end() ? ItemExtent() : found->second->extent;
}

bool AccessIndex::Any(ValueId root, const Access& range, int64_t first, int64_t last, Kind kind,
                      const Predicate& holds) const {
  const auto found = roots_.find(root);
  if (found == roots_.end() || first > last) return false;
  Root& accesses = *found->second;
  const bool only_writes = kind == Kind::kWrite;
  const int64_t latest = only_writes ? accesses.extent.last_write : accesses.extent.last;
  if (latest < first || last < accesses.extent.first) return false;
  const Root::Question question{first, last, only_writes, holds};
  Access shifted = range;
  shifted.begin_bytes -= accesses.base_bytes;
  shifted.end_bytes -= accesses.base_bytes;
  if (accesses.list.size() <= kMaxInList) return accesses.AnyInList(question, shifted);
  accesses.MakeIndex();
  return std::any_of(accesses.lanes.begin(), accesses.lanes.end(), [&](const auto& entry) {
    // Different moves always count as overlapping.
    return entry.first == range.moves ? accesses.AnyIn(question, entry.second, shifted)
                                      : accesses.AnyIn(question, entry.second.all);
  });
}

// Moves the shorter list into the longer one.
void AccessIndex::Merge(ValueId root, const Location& location) {
  const auto found = roots_.find(root);
  if (found == roots_.end()) return;
  std::unique_ptr<Root> child = std::move(found->second);
  roots_.erase(found);
  std::unique_ptr<Root>& storage = roots_[location.root];
  if (storage == nullptr) storage = std::make_unique<Root>();
  int64_t offset = location.offset_bytes;
  if (location.moves.empty() && child->list.size() > storage->list.size()) {
    child->base_bytes += offset;
    offset = 0;
    std::swap(child, storage);
  }
  for (Access& access : child->list) {
    access.begin_bytes += child->base_bytes + offset;
    access.end_bytes += child->base_bytes + offset;
    access.moves.insert(access.moves.end(), location.moves.begin(), location.moves.end());
    storage->Add(std::move(access));
  }
}

}  // namespace weft::program
