// SPDX-License-Identifier: Apache-2.0
// The accesses of one block, found by root, bytes and items. A root that is touched a few times is
// searched as a list; one that is touched often (a value that many steps read, the whole that many
// parts are joined to) gets an index when it is first asked for.
#ifndef WEFT_CONVERTER_PROGRAM_ACCESS_INDEX_H_
#define WEFT_CONVERTER_PROGRAM_ACCESS_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/program.h"

namespace weft::plan {

// The items that touch a root.
struct ItemExtent {
  int64_t first = kAfterRun, last = kBeforeRun, last_write = kBeforeRun;
};

// How many accesses each root has.
using AccessCounts = std::unordered_map<ValueId, size_t>;
AccessCounts CountsOf(const AccessMap& accesses);

class AccessIndex {
 public:
  explicit AccessIndex(AccessMap accesses);
  ~AccessIndex();
  AccessIndex(const AccessIndex&) = delete;
  AccessIndex& operator=(const AccessIndex&) = delete;

  size_t CountOf(ValueId root) const;
  ItemExtent ExtentOf(ValueId root) const;

  enum class Kind { kAny, kWrite };
  using Predicate = std::function<bool(const Access&)>;
  // Is there an access of the root in items [first, last] that overlaps `range`, and holds the
  // predicate where one is given?
  bool Any(ValueId root, const Access& range, int64_t first, int64_t last, Kind kind,
           const Predicate& holds = nullptr) const;

  // `root` becomes a part of `place`, and its accesses those of that root.
  void Merge(ValueId root, const Place& place);

 private:
  struct Root;
  std::unordered_map<ValueId, std::unique_ptr<Root>> roots_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_ACCESS_INDEX_H_
