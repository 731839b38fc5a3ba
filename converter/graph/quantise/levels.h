// SPDX-License-Identifier: Apache-2.0
// Levels: integers of i8 that stand for numbers, spread evenly. What a FakeQuantize rounds to, the
// arithmetic of the steps that go between numbers and levels, and which values of a graph lie on
// levels.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_LEVELS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_LEVELS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

inline constexpr int kLeastByte = -128, kGreatestByte = 127, kByteCount = 256;

// An integer from low to high stands for (integer - zero) * scale; all of them lie within i8.
struct Levels {
  double scale = 0;
  int zero = 0, low = 0, high = 0;
  // Does an integer stand for the same number in both?
  bool AgreesWith(const Levels& other) const { return scale == other.scale && zero == other.zero; }
};

// Those of integers of a type that stand for themselves; nullopt of other types than i8 and u8.
// Levels are 128 below integers of u8.
std::optional<Levels> LevelsOfType(ElementType type);

// The number that a level stands for, and the level of a number, as the steps compute them.
float NumberAt(int level, const Levels& levels);
int LevelOf(float number, const Levels& levels);
float InverseOf(const Levels& levels);

// Steps take it as a factor.
bool IsScale(double scale);

// A FakeQuantize of one range for all elements: the levels that it finds, and what they stand for
// behind it.
struct Quantiser {
  Levels in, out;
};
// Nullopt where ranges differ or are computed, are empty, have no level at 0, or more levels than
// i8 holds.
std::optional<Quantiser> QuantiserOf(const ir::Node& node);

// Of more levels than i8 holds, the same ones in front and behind: their integers are of i16, 0
// stands for 0, and only scales may differ.
std::optional<Quantiser> ShortQuantiserOf(const ir::Node& node);

// Levels of which each channel has a scale of its own; levels.scale says nothing.
struct ChannelLevels {
  Levels levels;
  std::vector<double> scales;
};
// Of a FakeQuantize of such ranges along an axis, which stand for the same behind it. Nullopt where
// channels differ in more than the scale.
std::optional<ChannelLevels> ChannelLevelsOf(const ir::Node& node, size_t axis);

// The values of a graph, of f32, whose elements all lie on the same levels: behind quantisers and
// what moves or keeps their elements.
class LevelledValues {
 public:
  explicit LevelledValues(const ir::Graph& graph);
  // Null where it lies on none.
  const Levels* Of(const ir::Source& source) const;

 private:
  void Add(const ir::Graph& graph, const ir::Node& node);
  void AddMoved(const ir::Node& node);
  void AddJoined(const ir::Node& node);
  std::optional<Levels> Scaled(const ir::Node& node) const;

  std::map<std::pair<const ir::Node*, uint32_t>, Levels> levels_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_LEVELS_H_
