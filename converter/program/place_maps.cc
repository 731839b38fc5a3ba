// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/passes.h"
#include "converter/program/window_rows.h"

namespace weft::program {
namespace {

// Extents and strides, in elements, of images, rows, pixels and channels.
struct Map {
  Dims dims, strides;
  int64_t channels() const { return dims[3]; }
  int64_t pixel() const { return strides[2]; }
  int64_t reach() const {
    int64_t last = 0;
    for (size_t i = 0; i < dims.size(); ++i) last += (dims[i] - 1) * strides[i];
    return last + 1;
  }
};

template <typename Params>
constexpr bool kHasCodes = requires(Params params) {
  params.codes();
};
template <typename Params>
constexpr bool kHasMap = requires(Params params) {
  params.mutable_y().mutate_pixel(0);
};
// True for steps whose params have a float output map y with strides.
template <typename Params>
constexpr bool kMakesMap = kHasMap<Params> && !kHasCodes<Params>;

std::optional<Map> MapOf(const Step& step) {
  return std::visit(
      [](const auto& params) -> std::optional<Map> {
        if constexpr (kMakesMap<std::decay_t<decltype(params)>>) {
          const format::MapStrides& y = params.y();
          return Map{
              {params.batch(), params.out_height(), params.out_width(), OutputChannels(params)},
              {y.image(), y.row(), y.pixel(), y.channel()}};
        }
        return std::nullopt;
      },
      step.params);
}

void SetStrides(Step& step, const Dims& strides) {
  const auto stride = [&](size_t i) { return Narrow32(strides[i], "stride"); };
  std::visit(
      [&](auto& params) {
        if constexpr (kMakesMap<std::decay_t<decltype(params)>>) {
          params.mutable_y() = format::MapStrides(stride(0), stride(1), stride(2), stride(3));
        }
      },
      step.params);
}

// Returns where a copy puts a map of these dims, if channels stay adjacent, pixels stay within rows
// and rows within images; nullopt otherwise.
std::optional<Map> TargetOf(const format::CopyParams& copy, const Dims& dims) {
  const std::optional<Dims> strides =
      StridesOver(Listed(copy.dims(), copy.rank()), Listed(copy.dst_strides(), copy.rank()), dims);
  if (!strides) return std::nullopt;
  Map placed = {dims, *strides};
  int64_t inside = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t& stride = placed.strides[i];
    if (dims[i] == 1) stride = inside;
    if (stride < inside || (i == 3 && stride != 1)) return std::nullopt;
    inside = stride * dims[i];
  }
  return placed;
}

// The same for a copy of exactly one dense map.
std::optional<Map> Placed(const Map& map, const format::CopyParams& copy) {
  const Dims dims = Listed(copy.dims(), copy.rank());
  const bool takes_all = copy.src_offset() == 0 && copy.element_bytes() == sizeof(float) &&
                         ElementCount(dims) == ElementCount(map.dims) &&
                         Listed(copy.src_strides(), copy.rank()) == DenseStrides(dims);
  return takes_all ? TargetOf(copy, map.dims) : std::nullopt;
}

// A map within a root; `begin` is in elements.
struct Part {
  int64_t begin;
  Map map;
};

bool AreDisjoint(const Part& a, const Part& b) {
  const auto& [first, last] = a.begin <= b.begin ? std::tie(a, b) : std::tie(b, a);
  const bool is_alike = a.map.strides == b.map.strides &&
                        std::equal(a.map.dims.begin(), a.map.dims.end() - 1, b.map.dims.begin());
  return is_alike && first.begin + first.map.channels() <= last.begin &&
         last.begin + last.map.channels() <= first.begin + first.map.pixel();
}

class MapPlacer {
 public:
  MapPlacer(Builder& builder, BlockId block)
      : builder_(builder),
        program_(builder.program()),
        block_(block),
        items_(program_.blocks[block].items),
        accesses_(CollectAccesses(program_, block)) {}

  void Run() {
    std::set<size_t> dead;
    for (size_t item = 0; item < items_.size(); ++item) {
      if (Put(item)) dead.insert(item);
    }
    RemoveItems(items_, dead);
  }

 private:
  Step* StepAt(size_t item) { return std::get_if<Step>(&items_[item]); }
  // Returns true if the copy at `item` is no longer needed.
  bool Put(size_t item);
  std::optional<Part> PartOf(const Access& access, const Dims& dims) const;
  bool IsFree(ValueId root, const Part& part, size_t maker, size_t copy) const;
  void Move(ValueId root, const Part& part, size_t maker, size_t copy);

  Builder& builder_;
  Program& program_;
  const BlockId block_;
  std::vector<Item>& items_;
  AccessMap accesses_;
};

// Returns the part of a root that a step writes, as a map with the extents of `dims` except
// channels; nullopt if the part is not such a map.
std::optional<Part> MapPlacer::PartOf(const Access& access, const Dims& dims) const {
  const Step& step = *access.step;
  const ValueId value = step.outputs[static_cast<size_t>(access.operand) - step.inputs.size()];
  const Location location = Resolve(program_, value);
  const int64_t begin = location.offset_bytes / int64_t{sizeof(float)};
  if (const std::optional<Map> map = MapOf(step)) return Part{begin, *map};
  const auto* copy = std::get_if<format::CopyParams>(&step.params);
  if (copy == nullptr || copy->element_bytes() != sizeof(float)) return std::nullopt;
  const int64_t count = ElementCount(Listed(copy->dims(), copy->rank())).value_or(0);
  const int64_t positions = dims[0] * dims[1] * dims[2];
  const std::optional<Map> map =
      TargetOf(*copy, {dims[0], dims[1], dims[2], std::max<int64_t>(1, count / positions)});
  return map ? std::optional(Part{begin + copy->dst_offset(), *map}) : std::nullopt;
}

// Returns true if, from `maker` to `copy`, items only write other, disjoint parts of the root.
bool MapPlacer::IsFree(ValueId root, const Part& part, size_t maker, size_t copy) const {
  const int64_t begin = part.begin * int64_t{sizeof(float)};
  const int64_t end = (part.begin + part.map.reach()) * int64_t{sizeof(float)};
  return std::ranges::none_of(accesses_.at(root), [&](const Access& access) {
    const bool is_between =
        access.item >= static_cast<int64_t>(maker) && access.item < static_cast<int64_t>(copy);
    if (!is_between) return false;
    if (access.nested || access.step == nullptr || !access.moves.empty()) return true;
    if (access.end_bytes <= begin || end <= access.begin_bytes) return false;
    if (!access.write) return true;
    const std::optional<Part> other = PartOf(access, part.map.dims);
    return !other || !AreDisjoint(part, *other);
  });
}

bool MapPlacer::Put(size_t item) {
  const Step* copy = StepAt(item);
  const auto* params = copy == nullptr ? nullptr : std::get_if<format::CopyParams>(&copy->params);
  if (params == nullptr || IsPlainCopy(program_, *copy)) return false;
  const std::optional<size_t> maker =
      SoleWriter(program_, accesses_, copy->inputs[0], static_cast<int64_t>(item));
  Step* step = maker ? StepAt(*maker) : nullptr;
  const std::optional<Map> map = step == nullptr ? std::nullopt : MapOf(*step);
  if (!map || !AreDense(map->dims, map->strides)) return false;
  const std::optional<Map> placed = Placed(*map, *params);
  const Location target = Resolve(program_, copy->outputs[0]);
  const Value& whole = program_.values[target.root];
  const bool is_here =
      target.moves.empty() && whole.block == block_ && whole.storage == Storage::kScratch;
  if (!placed || !is_here) return false;
  const int64_t offset = int64_t{params->dst_offset()} * int64_t{sizeof(float)};
  const Part part = {(target.offset_bytes + offset) / int64_t{sizeof(float)}, *placed};
  if (!IsFree(target.root, part, *maker, item)) return false;
  step->outputs[0] = builder_.View(copy->outputs[0], offset, {ElementType::f32, {placed->reach()}});
  SetStrides(*step, placed->strides);
  Move(target.root, part, *maker, item);
  return true;
}

// Assigns the write of the copy to its maker.
void MapPlacer::Move(ValueId root, const Part& part, size_t maker, size_t copy) {
  const Step& step = *StepAt(maker);
  for (Access& access : accesses_[root]) {
    if (access.item != static_cast<int64_t>(copy) || !access.write) continue;
    access.item = static_cast<int64_t>(maker);
    access.step = &step;
    access.operand = Narrow<int32_t>(step.inputs.size(), "operand");
    access.begin_bytes = part.begin * int64_t{sizeof(float)};
    access.end_bytes = access.begin_bytes + part.map.reach() * int64_t{sizeof(float)};
  }
}

}  // namespace

void PlaceMaps(Program& program) {
  Builder builder(program);
  for (BlockId block = 0; block < program.blocks.size(); ++block) {
    builder.SetBlock(block);
    MapPlacer(builder, block).Run();
  }
}

}  // namespace weft::program
