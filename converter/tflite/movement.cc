// SPDX-License-Identifier: Apache-2.0
// Elements that move: joining, splitting, slicing, padding, gathering, blocks and resizing. Codes
// keep their quantisation.
#include <algorithm>
#include <limits>
#include <string>

#include "converter/ir/stated.h"
#include "converter/tflite/moved.h"
#include "converter/tflite/quantised.h"

namespace weft::tflite {
namespace {

// The bits of a mask of StridedSlice as a list of `count` numbers.
std::string MaskText(int32_t mask, size_t count) {
  std::vector<int64_t> bits;
  for (size_t i = 0; i < count; ++i) bits.push_back((mask >> i) & 1);
  return ListText(bits);
}

// The number of elements of a vector.
size_t LengthOf(const Tensor& tensor) {
  return tensor.dims.empty() ? 1 : static_cast<size_t>(tensor.dims[0]);
}

// The numbers of columns 0 and 1 of a matrix of two columns; nullopt after a fault.
std::optional<std::pair<Dims, Dims>> Pairs(Builder& b, size_t input) {
  const auto numbers = b.Integers(input);
  if (!numbers) return std::nullopt;
  std::pair<Dims, Dims> pairs;
  for (size_t i = 0; i + 1 < numbers->size(); i += 2) {
    pairs.first.push_back((*numbers)[i]);
    pairs.second.push_back((*numbers)[i + 1]);
  }
  return pairs;
}

void Padded(Builder& b, const char* mode, std::optional<ir::Source> value) {
  const auto pads = Pairs(b, 1);
  if (!pads) return;
  Sources inputs = {b.Input(0), b.Ints(pads->first), b.Ints(pads->second)};
  if (value) inputs.push_back(*value);
  b.SetMoved(0, b.Add("Pad", "opset1", {{"pad_mode", mode}}, inputs));
}

// Applies a block layer of NCHW to NHWC.
void OfBlocks(Builder& b, const char* type, int64_t block) {
  if (!b.RequireRank(0, 4)) return;
  const ir::Source x = b.Transposed(b.Input(0), {{0, 3, 1, 2}});
  const ir::Source y =
      b.Add(type, "opset1", {{"mode", "blocks_first"}, {"block_size", std::to_string(block)}}, {x});
  b.SetMoved(0, b.Transposed(y, {{0, 2, 3, 1}}));
}

// SpaceToBatch, BatchToSpace: axis 0 and the axes after the blocks are not divided.
void OfBatches(Builder& b, const char* type) {
  auto blocks = b.Integers(1);
  auto pads = Pairs(b, 2);
  if (!blocks || !pads) return;
  const auto extend = [&](Dims& numbers, int64_t rest) {
    numbers.insert(numbers.begin(), rest);
    numbers.resize(static_cast<size_t>(b.Rank(0)), rest);
  };
  extend(*blocks, 1);
  extend(pads->first, 0);
  extend(pads->second, 0);
  b.SetMoved(0, b.Add(type, "opset2", {},
                      {b.Input(0), b.Ints(*blocks), b.Ints(pads->first), b.Ints(pads->second)}));
}

// The coordinates of a resize, of which `half_pixel` is one. Returns null after a refusal.
template <typename Options>
const char* CoordinatesOf(Builder& b, const Options& options, const char* half_pixel) {
  if (!b.RequireRank(0, 4)) return nullptr;
  if (options.align_corners() && options.half_pixel_centers()) {
    b.Refuse("aligns corners and has half-pixel centers; must have at most one of them");
    return nullptr;
  }
  if (options.align_corners()) return "align_corners";
  return options.half_pixel_centers() ? half_pixel : "asymmetric";
}

// Resizes axes 1 and 2.
ir::Source Resized(Builder& b, Attributes attributes) {
  attributes["shape_calculation_mode"] = "sizes";
  attributes["antialias"] = "false";
  const std::vector<float> unused = {1, 1};
  return b.Add("Interpolate", "opset4", std::move(attributes),
               {b.Input(0), b.Input(1), b.Floats({2}, unused), b.Ints({{1, 2}})});
}

ir::Source ShapeOf(Builder& b, size_t input) {
  return b.Add("ShapeOf", "opset3", {{"output_type", "i64"}}, {b.Input(input)});
}

// The positions of the update's first elements, clamped so that the update fits.
ir::Source FittingStart(Builder& b, const Tensor& data, const Tensor& update) {
  const ir::Source start = b.Converted(b.Input(2), ElementType::i64);
  const ir::Source above = b.Add("Maximum", {start, b.Int(0)});
  if (!b.HasFixedShape(data) || !b.HasFixedShape(update)) {
    return b.Add("Minimum", {above, b.Add("Subtract", {ShapeOf(b, 0), ShapeOf(b, 1)})});
  }
  Dims last(data.dims.size());
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = std::max<int64_t>(data.dims[i] - update.dims[i], 0);
  }
  return b.Add("Minimum", {above, b.Ints(last)});
}

// All positions of the first `rank` axes, [dims..., rank] in row-major order.
std::vector<int64_t> Grid(const Dims& dims, size_t rank) {
  std::vector<int64_t> grid, position(rank);
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= dims[i];
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n;
    for (size_t i = rank; i-- > 0; rest /= dims[i]) position[i] = rest % dims[i];
    grid.insert(grid.end(), position.begin(), position.end());
  }
  return grid;
}

// The first `rank` elements of a vector.
ir::Source First(Builder& b, ir::Source list, size_t rank) {
  return b.Add("Slice", "opset8", {},
               {list, b.Ints({{0}}), b.Ints({{static_cast<int64_t>(rank)}}), b.Ints({{1}})});
}

// All positions of the first `rank` axes of input 1, whose extents the conversion determines.
ir::Source GridOfUpdate(Builder& b, size_t rank) {
  const ir::Source shape = First(b, ShapeOf(b, 1), rank);
  std::vector<ir::Source> positions;
  for (size_t i = 0; i < rank; ++i) {
    const ir::Source extent = b.Add("Gather", "opset8", {{"batch_dims", "0"}},
                                    {shape, b.Int(static_cast<int64_t>(i)), b.Int(0)});
    Dims dims(rank, 1);
    dims[i] = -1;
    const ir::Source range =
        b.Add("Range", "opset4", {{"output_type", "i64"}}, {b.Int(0), extent, b.Int(1)});
    const ir::Source all = b.Broadcasted(b.Reshaped(range, dims), shape);
    positions.push_back(b.Add("Unsqueeze", {all, b.Int(static_cast<int64_t>(rank))}));
  }
  return b.Joined(positions, static_cast<int64_t>(rank));
}

// The axes in input 1, counted from the front.
ir::Source AxesFromFront(Builder& b) {
  std::optional<std::vector<int64_t>> axes = b.KnownIntegers(1);
  if (!axes) return b.Input(1);
  for (int64_t& axis : *axes) axis += axis < 0 ? b.Rank(0) : 0;
  return b.Ints(*axes);
}

}  // namespace

void SetJoined(Builder& b, size_t first, ir::Source value) {
  for (size_t i = first; i < b.input_count(); ++i) {
    if (!HaveSameCodes(b.InputTensor(i), b.OutputTensor(0))) return b.Set(0, value);
  }
  b.SetMoved(0, value, first);
}

bool IsKnown(const Tensor& tensor, size_t axis) {
  return tensor.signature.empty() || tensor.signature[axis] >= 0;
}
bool HasKnownShape(const Tensor& tensor) {
  return std::ranges::none_of(tensor.signature, [](int64_t extent) { return extent < 0; });
}

ir::Source ZeroLike(Builder& b, const Tensor& tensor) {
  const ElementType type =
      IsQuantised(tensor) ? ElementType::f32 : IrTypeOf(tensor.type).value_or(ElementType::f32);
  return b.Converted(b.Float(0), type);
}

void Transpose(Builder& b) { b.SetMoved(0, b.Add("Transpose", {b.Input(0), AxesFromFront(b)})); }

void Concatenation(Builder& b) {
  const auto& options = b.Options<schema::ConcatenationOptions>();
  const ir::Source y = b.Joined(b.Inputs(), options.axis());
  if (options.activation() == schema::Activation::none) return SetJoined(b, 0, y);
  b.Set(0, b.Activated(y, options.activation()));
}

void Pack(Builder& b) {
  int64_t axis = b.Options<schema::PackOptions>().axis();
  if (axis < 0) axis += b.Rank(0) + 1;
  Sources parts;
  for (const ir::Source& x : b.Inputs()) parts.push_back(b.Unsqueezed(x, axis));
  SetJoined(b, 0, b.Joined(parts, axis));
}

void Unpack(Builder& b) {
  int64_t axis = b.Options<schema::UnpackOptions>().axis();
  if (axis < 0) axis += b.Rank(0);
  const size_t count = b.output_count();
  ir::Node& split = b.AddNode("Split", "opset1", {{"num_splits", std::to_string(count)}},
                              {b.Input(0), b.Int(axis)}, count);
  for (uint32_t i = 0; i < count; ++i) b.SetMoved(i, b.Squeezed({&split, i}, axis));
}

void Split(Builder& b) {
  const auto axis = b.Integers(0);
  const size_t count = b.output_count();
  if (!axis || axis->size() != 1) return;
  ir::Node& split = b.AddNode("Split", "opset1", {{"num_splits", std::to_string(count)}},
                              {b.Input(1), b.Int((*axis)[0])}, count);
  for (uint32_t i = 0; i < count; ++i) b.SetMoved(i, {&split, i}, 1);
}

void SplitV(Builder& b) {
  const size_t count = b.output_count();
  ir::Node& split =
      b.AddNode("VariadicSplit", "opset1", {}, {b.Input(0), b.Input(2), b.Input(1)}, count);
  for (uint32_t i = 0; i < count; ++i) b.SetMoved(i, {&split, i});
}

// Returns true if a slice has all elements of the axis, so that it begins at 0.
bool HasAllOfAxis(const Builder& b, size_t axis, int64_t size) {
  const Tensor &x = b.InputTensor(0), &y = b.OutputTensor(0);
  const bool is_known = b.HasFixedShape(x) && axis < y.dims.size() && IsKnown(y, axis);
  return is_known && (size < 0 ? y.dims[axis] : size) == x.dims[axis];
}

// Elements from positions that the run computes, in constant numbers. A Slice of the IR would have
// run-time extents, so each axis gathers its elements. Returns nullopt if an axis has an open size.
std::optional<ir::Source> SlicedAtRunTime(Builder& b, const Dims& sizes) {
  const size_t rank = std::min(b.InputTensor(0).dims.size(), sizes.size());
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0 && !HasAllOfAxis(b, i, sizes[i])) return std::nullopt;
  }
  const ir::Source start = b.Converted(b.Input(1), ElementType::i64);
  ir::Source x = b.Input(0);
  for (size_t i = 0; i < rank; ++i) {
    if (HasAllOfAxis(b, i, sizes[i])) continue;
    const auto axis = static_cast<int64_t>(i);
    const ir::Source first = b.Sliced(start, 0, axis, axis + 1);
    const ir::Source steps =
        b.Add("Range", "opset4", {{"output_type", "i64"}}, {b.Int(0), b.Int(sizes[i]), b.Int(1)});
    x = b.Add("Gather", "opset8", {{"batch_dims", "0"}},
              {x, sizes[i] == 1 ? first : b.Add("Add", {steps, first}), b.Int(axis)});
  }
  return x;
}

// Returns false and reports constant sizes, with constant positions or any, that do not fit.
bool IsFittingSlice(Builder& b, const std::optional<Dims>& begin, const Dims& size) {
  const Tensor& x = b.InputTensor(0);
  for (size_t i = 0; i < std::min(x.dims.size(), size.size()); ++i) {
    if (begin && i >= begin->size()) break;
    const int64_t first = begin ? (*begin)[i] : 0, count = size[i];
    const int64_t extent = b.HasFixedShape(x) ? x.dims[i] : std::numeric_limits<int32_t>::max();
    if (first >= 0 && count >= -1 && first + std::max<int64_t>(count, 0) <= extent) continue;
    b.Refuse("axis {} of {} begins at {} with size {}; must be within the axis", i,
             ToString(x.dims), first, count);
    return false;
  }
  return true;
}

// A size of -1 extends to the end.
void Slice(Builder& b) {
  const auto begin = b.KnownIntegers(1), size = b.KnownIntegers(2);
  const size_t rank = static_cast<size_t>(b.Rank(0));
  if (size && !IsFittingSlice(b, begin, *size)) return;
  if (size && !begin) {
    if (const auto y = SlicedAtRunTime(b, *size)) return b.SetMoved(0, *y);
  }
  const int64_t all = std::numeric_limits<int32_t>::max();
  const ir::Source start = b.Converted(b.Input(1), ElementType::i64);
  ir::Source end;
  if (begin && size) {
    Dims ends(rank, all);
    for (size_t i = 0; i < std::min({rank, begin->size(), size->size()}); ++i) {
      if ((*size)[i] >= 0) ends[i] = (*begin)[i] + (*size)[i];
    }
    end = b.Ints(ends);
  } else {
    const ir::Source length = b.Converted(b.Input(2), ElementType::i64);
    const ir::Source is_open = b.Add("Less", {length, b.Int(0)});
    end = b.Add("Select", {is_open, b.Int(all), b.Add("Add", {start, length})});
  }
  const ir::Source ones = b.Ints(Dims(rank, 1));
  b.SetMoved(0, b.Add("Slice", "opset8", {}, {b.Input(0), start, end, ones}));
}

// Constant sizes from positions that the run computes: the ends of a StridedSlice that are offsets,
// without strides and masks. Returns nullopt for another StridedSlice.
std::optional<Dims> SizesAtRunTime(Builder& b, const schema::StridedSliceOptions& options) {
  const int masks = options.begin_mask() | options.end_mask() | options.ellipsis_mask() |
                    options.new_axis_mask() | options.shrink_axis_mask();
  if (!options.offset() || masks != 0 || b.KnownIntegers(1)) return std::nullopt;
  const std::optional<Dims> sizes = b.KnownIntegers(2), strides = b.KnownIntegers(3);
  const auto is_one = [](int64_t stride) { return stride == 1; };
  const auto is_size = [](int64_t size) { return size >= 0; };
  const bool is_plain = sizes && strides && std::ranges::all_of(*strides, is_one) &&
                        std::ranges::all_of(*sizes, is_size);
  return is_plain ? sizes : std::nullopt;
}

void StridedSlice(Builder& b) {
  const auto& options = b.Options<schema::StridedSliceOptions>();
  if (const std::optional<Dims> sizes = SizesAtRunTime(b, options)) {
    if (IsFittingSlice(b, std::nullopt, *sizes)) b.SetMoved(0, *SlicedAtRunTime(b, *sizes));
    return;
  }
  const size_t count = LengthOf(b.InputTensor(1));
  ir::Source end = b.Input(2);
  if (options.offset()) end = b.Add("Add", {b.Input(1), end});
  const ir::Source y = b.Add("StridedSlice", "opset1",
                             {{"begin_mask", MaskText(options.begin_mask(), count)},
                              {"end_mask", MaskText(options.end_mask(), count)},
                              {"ellipsis_mask", MaskText(options.ellipsis_mask(), count)},
                              {"new_axis_mask", MaskText(options.new_axis_mask(), count)},
                              {"shrink_axis_mask", MaskText(options.shrink_axis_mask(), count)}},
                             {b.Input(0), b.Input(1), end, b.Input(3)});
  b.SetMoved(0, y);
}

void Pad(Builder& b) { Padded(b, "constant", std::nullopt); }
void PadV2(Builder& b) { Padded(b, "constant", b.Input(2)); }

void MirrorPad(Builder& b) {
  const bool reflects = b.Options<schema::MirrorPadOptions>().mode() == schema::MirrorMode::reflect;
  Padded(b, reflects ? "reflect" : "symmetric", std::nullopt);
}

void Gather(Builder& b) {
  const auto& options = b.Options<schema::GatherOptions>();
  const auto indices = b.KnownIntegers(1);
  if (indices && std::ranges::any_of(*indices, [](int64_t index) { return index < 0; })) {
    return b.Refuse("index {} is negative; must be a position of the axis",
                    std::ranges::min(*indices));
  }
  b.SetMoved(0, b.Add("Gather", "opset8", {{"batch_dims", std::to_string(options.batch_dims())}},
                      {b.Input(0), b.PortInput(1), b.Int(options.axis())}));
}

void GatherNd(Builder& b) {
  b.SetMoved(0, b.Add("GatherND", "opset8", {{"batch_dims", "0"}}, {b.Input(0), b.Input(1)}));
}

// Updates of one position are added. LiteRT adds codes like plain integers, to codes of 0.
void ScatterNd(Builder& b) {
  const Tensor& updates = b.InputTensor(1);
  const bool has_codes = IsQuantised(updates);
  const ir::Source added = has_codes ? b.Converted(b.PortInput(1), ElementType::i32) : b.Input(1);
  const ir::Source zero =
      has_codes ? b.Converted(b.Int(0), ElementType::i32) : ZeroLike(b, updates);
  const ir::Source zeros = b.Broadcasted(zero, b.Input(2));
  const ir::Source sums =
      b.Add("ScatterNDUpdate", "opset15", {{"reduction", "sum"}}, {zeros, b.Input(0), added});
  if (!has_codes) return b.Set(0, sums);
  b.SetPort(0, b.Converted(sums, *IrTypeOf(updates.type)));
}

// Returns false and reports an update that does not fit, or whose positions need gigabytes.
bool IsFittingUpdate(Builder& b, const Tensor& tensor, const Dims& update, size_t rank) {
  const Dims& data = tensor.dims;
  constexpr int64_t kMaxPositions = int64_t{1} << 24;
  int64_t positions = 1;
  for (size_t i = 0; i < rank && positions <= kMaxPositions; ++i) {
    if (update[i] > data[i] && b.HasFixedShape(tensor)) {
      b.Refuse("update has shape {}; must fit in {}", ToString(update), ToString(data));
      return false;
    }
    positions *= update[i];
  }
  if (positions <= kMaxPositions) return true;
  b.Refuse("update {} of {} has more than {} positions on its first {} axes; must have fewer",
           ToString(update), ToString(data), kMaxPositions, rank);
  return false;
}

// Axes after the last one on which data and update differ are copied as a unit. If the conversion
// sets other shapes, the layer checks that these axes have equal extents.
void DynamicUpdateSlice(Builder& b) {
  const Tensor &tensor = b.InputTensor(0), &updates = b.InputTensor(1);
  const Dims &data = tensor.dims, &update = updates.dims;
  if (data.size() != update.size()) {
    return b.Refuse("update has rank {}; must have rank {}", update.size(), data.size());
  }
  const bool is_fixed = b.HasFixedShape(tensor) && b.HasFixedShape(updates);
  const auto is_equal = [&](size_t axis) {
    return IsKnown(tensor, axis) && IsKnown(updates, axis) && data[axis] == update[axis];
  };
  size_t rank = data.size();
  while (rank > (is_fixed ? 0 : 1) && is_equal(rank - 1)) --rank;
  if (rank == 0) return b.SetMoved(0, b.Input(1), 1);
  ir::Source grid;
  if (b.HasFixedShape(updates)) {
    if (!IsFittingUpdate(b, tensor, update, rank)) return;
    Dims dims(update.begin(), update.begin() + static_cast<ptrdiff_t>(rank));
    const ir::Source positions = b.Ints(Grid(dims, rank));
    dims.push_back(static_cast<int64_t>(rank));
    grid = b.Reshaped(positions, dims);
  } else {
    grid = GridOfUpdate(b, rank);
  }
  ir::Source start = FittingStart(b, tensor, updates);
  if (rank < data.size()) start = First(b, start, rank);
  const ir::Source indices = b.Add("Add", {grid, start});
  b.SetMoved(0, b.Add("ScatterNDUpdate", "opset3", {{ir::kStatedBlock, "1"}},
                      {b.Input(0), indices, b.Input(1)}));
}

void Tile(Builder& b) { b.SetMoved(0, b.Add("Tile", {b.Input(0), b.Input(1)})); }

void ReverseV2(Builder& b) {
  b.SetMoved(0, b.Add("Reverse", "opset1", {{"mode", "index"}}, {b.Input(0), AxesFromFront(b)}));
}

void ReverseSequence(Builder& b) {
  const auto& options = b.Options<schema::ReverseSequenceOptions>();
  b.SetMoved(0, b.Add("ReverseSequence", "opset1",
                      {{"batch_axis", std::to_string(options.batch_dim())},
                       {"seq_axis", std::to_string(options.seq_dim())}},
                      {b.Input(0), b.Input(1)}));
}

void DepthToSpace(Builder& b) {
  OfBlocks(b, "DepthToSpace", b.Options<schema::DepthToSpaceOptions>().block_size());
}
void SpaceToDepth(Builder& b) {
  OfBlocks(b, "SpaceToDepth", b.Options<schema::SpaceToDepthOptions>().block_size());
}
void SpaceToBatchNd(Builder& b) { OfBatches(b, "SpaceToBatch"); }
void BatchToSpaceNd(Builder& b) { OfBatches(b, "BatchToSpace"); }

void ResizeBilinear(Builder& b) {
  const auto& options = b.Options<schema::ResizeBilinearOptions>();
  const char* mode = CoordinatesOf(b, options, "half_pixel");
  if (mode == nullptr) return;
  b.Set(0, Resized(b, {{"mode", "linear_onnx"}, {"coordinate_transformation_mode", mode}}));
}

void ResizeNearestNeighbor(Builder& b) {
  const auto& options = b.Options<schema::ResizeNearestNeighborOptions>();
  const char* mode = CoordinatesOf(b, options, "tf_half_pixel_for_nn");
  if (mode == nullptr) return;
  b.SetMoved(
      0, Resized(b, {{"mode", "nearest"},
                     {"coordinate_transformation_mode", mode},
                     {"nearest_mode", options.align_corners() ? "round_prefer_ceil" : "floor"}}));
}

void OneHot(Builder& b) {
  const int32_t axis = b.Options<schema::OneHotOptions>().axis();
  b.Set(0, b.Add("OneHot", "opset1", {{"axis", std::to_string(axis)}}, b.Inputs()));
}

// A sparse constant is expanded when the file is read.
void Densify(Builder& b) { b.SetMoved(0, b.Input(0)); }

}  // namespace weft::tflite
