// SPDX-License-Identifier: Apache-2.0
// A graph while its values become integers: which of them lie on levels, and each as integers, made
// when they are first asked for. The values in f32 stay where they are still read.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/graph/quantise/levels.h"
#include "converter/graph/recognise/form_site.h"

namespace weft::graph {

using NodeAttributes = std::map<std::string, std::string>;

class QuantiseSite {
 public:
  // Layers of which `keeps_floats` accepts the name are left alone.
  using KeepsFloatsFunction = std::function<bool(const std::string& layer)>;
  QuantiseSite(ir::Graph& graph, Folding& folding, const KeepsFloatsFunction& keeps_floats)
      : graph_(graph),
        folding_(folding),
        keeps_floats_(keeps_floats),
        reads_(graph),
        levels_(graph) {}

  ir::Graph& graph() { return graph_; }
  Folding& folding() { return folding_; }
  // As the graph was read: the one node that reads this one, and only once, or null.
  ir::Node* SoleReader(const ir::Node& node) const { return reads_.SoleReader(node); }
  bool KeepsFloats(const ir::Node& node) const { return keeps_floats_(node.name); }
  // Null where the value lies on no levels, all the same for its elements.
  const Levels* LevelsOf(const ir::Source& source) const { return levels_.Of(source); }

  // The value, which lies on levels, as its integers.
  ir::Source Integers(const ir::Source& source);
  // The one output of a node on levels as integers that were made; its numbers come from these from
  // then on.
  void SetIntegers(ir::Node& node, ir::Source integers);
  // The output of a quantiser that levels each channel for itself: as integers for its one reader,
  // beside its numbers.
  void SetChannels(const ir::Node& quantiser, ir::Source integers, ChannelLevels levels);
  // Null where these were not set.
  const ChannelLevels* ChannelsOf(const ir::Source& source) const;
  // Integers of i16 that a quantiser's numbers are made of now; null where none were made.
  void SetShorts(const ir::Node& quantiser, const Levels& levels) { shorts_[&quantiser] = levels; }
  const Levels* ShortsOf(const ir::Node& node) const {
    const auto found = shorts_.find(&node);
    return found == shorts_.end() ? nullptr : &found->second;
  }
  bool HasIntegers(const ir::Node& node) const { return integers_.contains({&node, 0}); }
  // Does the node join values each of which lies on some levels?
  bool ArePartsOnLevels(const ir::Node& join) const;
  // Integers on some levels, as those of others that stand for the nearest numbers.
  ir::Source OnLevels(const ir::Node& like, ir::Source integers, const Levels& from,
                      const Levels& to);

 private:
  ir::Source MakeIntegers(ir::Node& node, uint32_t port);
  ir::Source Quantised(ir::Node& node);
  ir::Source OfFloats(const ir::Node& like, const ir::Source& x, const Levels& to);
  ir::Source Joined(ir::Node& node, const Levels* to);
  ir::Source Moved(ir::Node& node, uint32_t port);
  ir::Source OfRing(ir::Node& ring);

  ir::Graph& graph_;
  Folding& folding_;
  const KeepsFloatsFunction& keeps_floats_;
  const FormSite reads_;
  const LevelledValues levels_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Source> integers_;
  std::map<const ir::Node*, ChannelLevels> channels_;
  std::map<const ir::Node*, Levels> shorts_;
};

// Attributes of the operations in ops/quantised.h: of levels that a node makes, and one number.
void WriteLevels(NodeAttributes& attributes, const Levels& levels);
std::string AttributeOf(double number);
// table[integer + 128] of each integer of i8, as i8.
ir::Source NewByteTable(ir::Graph& graph, const ir::Node& like, ir::Source integers,
                        const std::vector<int64_t>& table);
// Integers of u8 as those of i8, 128 below them, or back; themselves where they are of that type.
ir::Source BytesAs(ir::Graph& graph, const ir::Node& like, ir::Source bytes, ElementType type);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_
