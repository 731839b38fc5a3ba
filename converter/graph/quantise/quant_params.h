// SPDX-License-Identifier: Apache-2.0
// Quantisation parameters: int8 or int16 codes that represent evenly spaced numbers. Reads them
// from FakeQuantize, converts between numbers and codes like the steps do, and finds the quantised
// values of a graph.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_QUANT_PARAMS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_QUANT_PARAMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

inline constexpr int kMinByte = -128, kMaxByte = 127, kByteCount = 256;

// Affine parameters: a code in [low, high], within its type, represents (code - zero) * scale.
struct QuantParams {
  double scale = 0;
  int zero = 0, low = 0, high = 0;
  ElementType type = ElementType::i8;  // or i16, whose zero is 0

  bool is_short() const { return type == ElementType::i16; }
  int min() const { return is_short() ? -0x8000 : kMinByte; }  // of the type
  int max() const { return is_short() ? 0x7FFF : kMaxByte; }
  // Returns true if every code represents the same number in both.
  bool AgreesWith(const QuantParams& other) const {
    return scale == other.scale && zero == other.zero && type == other.type;
  }
};

// Parameters of integers of type i8 or u8 that represent themselves; nullopt for other types. The
// code of a u8 integer is 128 lower than the integer.
std::optional<QuantParams> QuantParamsOfType(ElementType type);

// The number that a code represents, and the code of a number, with the arithmetic of the steps.
float NumberAt(int code, const QuantParams& quant_params);
int CodeOf(float number, const QuantParams& quant_params);
float InverseOf(const QuantParams& quant_params);
// The code of a number that TFLite's QUANTIZE computes: by a division, halves away from zero.
int DividedCodeOf(float number, const QuantParams& quant_params);
// Returns true if a FakeQuantize is a QUANTIZE of floats.
bool IsOfFloats(const ir::Node& quantiser);

// The codes of a constant's numbers; nullopt if it is not f32, or a number is not that of a code.
std::optional<std::vector<int64_t>> CodesOf(const ir::Constant& constant,
                                            const QuantParams& quant_params);

// Returns true if the number of elements of an output is known only at run time.
bool IsLongAtRunTime(const ir::Node& node);

// The parameters of a Quantize or Dequantize that a reader has created; nullopt if it has none.
std::optional<QuantParams> QuantParamsOfCodes(const ir::Node& node);

// The parameters of a per-tensor FakeQuantize before it (to quantise) and after it (to dequantise).
struct Quantiser {
  QuantParams in, out;
};
// The file's scale is used if it is stated. Returns nullopt if ranges differ between elements, are
// computed or empty, have no code for 0, or need more codes than i8 has, unless the reader of the
// model stated that they are i16.
std::optional<Quantiser> QuantiserOf(const ir::Node& node);

// As above for int16, stated or not: more codes than i8 has. Low, high and zero are equal before
// and after, zero is 0, and only scales may differ.
std::optional<Quantiser> ShortQuantiserOf(const ir::Node& node);

// Per-channel parameters; levels.scale is unused.
struct ChannelQuantParams {
  QuantParams quant_params;
  std::vector<double> scales;
};
// Parameters of a FakeQuantize with one range per channel along `axis`, equal before and after it.
// Returns nullopt if channels differ in more than the scale.
std::optional<ChannelQuantParams> ChannelQuantParamsOf(const ir::Node& node, size_t axis);

// The f32 values of a graph whose elements all share one set of parameters: outputs of quantisers,
// and of operations that move or keep such elements (ops::MovedInputs).
class QuantisedValues {
 public:
  explicit QuantisedValues(const ir::Graph& graph);
  // Null if the value is not quantised.
  const QuantParams* Of(const ir::Source& source) const;
  // Returns true if all elements of an f32 value are numbers of codes: of a value with these
  // parameters, of a constant, or elements that are moved from such values.
  bool HasCodes(const ir::Source& source, const QuantParams& quant_params) const {
    return HasCodes(source, quant_params, 0);
  }

 private:
  void Add(const ir::Graph& graph, const ir::Node& node);
  void AddMoved(const ir::Node& node);
  bool HasCodes(const ir::Source& source, const QuantParams& quant_params, int depth) const;
  bool MovesCodes(const ir::Node& node, const QuantParams& quant_params, int depth) const;
  std::optional<QuantParams> Scaled(const ir::Node& node) const;

  std::map<std::pair<const ir::Node*, uint32_t>, QuantParams> quant_params_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_QUANT_PARAMS_H_
