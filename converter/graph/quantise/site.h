// SPDX-License-Identifier: Apache-2.0
// A graph during its conversion to integers: finds the quantised values, and creates their codes on
// first use. The f32 values remain where they are still read.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/graph/quantise/quant_params.h"
#include "converter/graph/quantise/quantise.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "kernels/simd/requantise.h"

namespace weft::graph {

using NodeAttributes = std::map<std::string, std::string>;

class QuantiseSite {
 public:
  QuantiseSite(ir::Graph& graph, Folding& folding, const QuantiseOptions& options)
      : graph_(graph), folding_(folding), options_(options), reads_(graph), quant_params_(graph) {}

  ir::Graph& graph() { return graph_; }
  Folding& folding() { return folding_; }
  // The only node that reads `node`, if it does so once, else null. Refers to the graph before the
  // conversion.
  ir::Node* SoleReader(const ir::Node& node) const { return reads_.SoleReader(node); }
  bool KeepsFloats(const ir::Node& node) const { return options_.keeps_floats(node.name); }
  bool by_integers() const { return options_.by_integers; }
  bool keeps_codes() const { return options_.keeps_codes; }
  // The parameters that all elements of the value share; null if it is not quantised.
  const QuantParams* QuantParamsOf(const ir::Source& source) const {
    return quant_params_.Of(source);
  }

  // The codes of a quantised value.
  ir::Source Integers(const ir::Source& source);
  // Sets the codes of the single output of a quantised node. The node becomes a Dequantize of these
  // codes.
  void SetIntegers(ir::Node& node, ir::Source integers);
  // Adds the codes of a per-channel quantiser, which its single reader uses. Its f32 output
  // remains.
  void SetChannels(const ir::Node& quantiser, ir::Source integers, ChannelQuantParams quant_params);
  // The parameters that SetChannels stored; null if there are none.
  const ChannelQuantParams* ChannelsOf(const ir::Source& source) const;
  // Records the int16 codes from which a quantiser's numbers are now computed.
  void SetShorts(const ir::Node& quantiser, ir::Source shorts, const QuantParams& quant_params) {
    integers_[{&quantiser, 0}] = shorts;
    shorts_[&quantiser] = quant_params;
  }
  // The parameters of these codes; null if there are none.
  const QuantParams* ShortsOf(const ir::Node& node) const {
    const auto found = shorts_.find(&node);
    return found == shorts_.end() ? nullptr : &found->second;
  }
  bool HasIntegers(const ir::Node& node) const { return integers_.contains({&node, 0}); }
  // Returns true if the node limits quantised values by a scalar constant, as a table of codes
  // does.
  bool IsLimit(const ir::Node& node) const;
  // Returns true if the node concatenates values that are all quantised, each with its own
  // parameters.
  bool ArePartsQuantised(const ir::Node& join) const;
  // Returns true if the operator of the file before `quantiser` moves codes or changes their
  // parameters, which needs no floats.
  bool IsOfCodes(const ir::Node& quantiser) const;
  // Returns true if `quantiser` rounds floats as QUANTIZE of tflite-micro does.
  bool RoundsFloats(const ir::Node& quantiser) const {
    return by_integers() && IsOfFloats(quantiser);
  }
  // Adds the layer before a quantiser that the reader of the model stated, as it is now. Does
  // nothing for other nodes.
  void AddFloatLayer(const ir::Node& node);
  void AddFloatLayers(std::vector<FloatLayer> layers) {
    float_layers_.insert(float_layers_.end(), layers.begin(), layers.end());
  }
  std::vector<FloatLayer> TakeFloatLayers() { return std::move(float_layers_); }
  // Requantises the codes of a value: each becomes the code in `to` of the nearest number. Halves
  // are rounded to even, or by integers as tflite-micro does; as by QUANTIZE of floats if `like` is
  // one.
  ir::Source Requantised(const ir::Node& like, const ir::Source& x, const QuantParams& from,
                         const QuantParams& to);

 private:
  ir::Source MakeIntegers(ir::Node& node, uint32_t port);
  ir::Source Quantised(ir::Node& node);
  ir::Source OfFloats(const ir::Node& like, const ir::Source& x, const QuantParams& to);
  ir::Source Joined(ir::Node& node, const QuantParams& to);
  ir::Source CodesIn(const ir::Source& source, const QuantParams& quant_params, int zero);
  ir::Source Limited(ir::Node& node);
  ir::Source Moved(ir::Node& node, uint32_t port, const QuantParams& quant_params);
  ir::Source OfRing(ir::Node& ring);
  ir::Source ByTable(const ir::Node& like, ir::Source integers, const QuantParams& from,
                     const QuantParams& to);
  const ir::Node* FloatInputOf(const ir::Node& quantiser) const;

  ir::Graph& graph_;
  Folding& folding_;
  const QuantiseOptions& options_;
  const FormSite reads_;
  const QuantisedValues quant_params_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Source> integers_;
  std::map<const ir::Node*, ChannelQuantParams> channels_;
  std::map<const ir::Node*, QuantParams> shorts_;
  std::vector<FloatLayer> float_layers_;
};

// Attributes of the operations in ops/quantised.h: output parameters, and the text of a number.
void WriteQuantParams(NodeAttributes& attributes, const QuantParams& quant_params);
std::string AttributeOf(double number);
std::string AttributeOf(const kernels::Multiplier& multiplier);
// Maps each i8 code to table[code + 128], as i8.
ir::Source NewByteTable(ir::Graph& graph, const ir::Node& like, ir::Source integers,
                        const std::vector<int64_t>& table);
// Converts between u8 and i8; i8 values are 128 lower. Bytes that already have `type` are returned
// unchanged.
ir::Source BytesAs(ir::Graph& graph, const ir::Node& like, ir::Source bytes, ElementType type);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_SITE_H_
