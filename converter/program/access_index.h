// SPDX-License-Identifier: Apache-2.0
// An index of the accesses of one block by root, bytes and items. Roots with few accesses are
// searched as a list. A root with many accesses (a value that many steps read, a value that many
// parts are joined into) is indexed on its first query.
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

namespace weft::program {

// Range of items that access a root.
struct ItemExtent {
  int64_t first = kAfterRun, last = kBeforeRun, last_write = kBeforeRun;
};

// Number of accesses by root.
using AccessCounts = std::unordered_map<ValueId, size_t>;
// Counts the accesses of each root.
AccessCounts CountsOf(const AccessMap& accesses);

// Owns the accesses of one block. Roots can be merged, but accesses cannot be added or removed.
class AccessIndex {
 public:
  explicit AccessIndex(AccessMap accesses);
  ~AccessIndex();
  AccessIndex(const AccessIndex&) = delete;
  AccessIndex& operator=(const AccessIndex&) = delete;

  // Return the number of accesses of a root, and the items that access it; 0 and an empty extent
  // for an unknown root.
  size_t CountOf(ValueId root) const;
  ItemExtent ExtentOf(ValueId root) const;

  enum class Kind { kAny, kWrite };
  using Predicate = std::function<bool(const Access&)>;
  // Returns true if an access of the root in items [first, last] overlaps `range` and satisfies the
  // predicate, if one is given.
  bool Any(ValueId root, const Access& range, int64_t first, int64_t last, Kind kind,
           const Predicate& holds = nullptr) const;

  // Makes `root` a part of `location`, and adds its accesses to those of the root of `location`.
  void Merge(ValueId root, const Location& location);

 private:
  struct Root;
  std::unordered_map<ValueId, std::unique_ptr<Root>> roots_;
};

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_ACCESS_INDEX_H_
