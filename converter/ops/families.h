// SPDX-License-Identifier: Apache-2.0
// The families of operations that table.cc joins. Each is defined in the source file of its name,
// which holds its rows (one per version), shape rules and lowerings. Operation names are those of
// the IR ("Const", not "Constant"). Spans refer to static storage.
#ifndef WEFT_CONVERTER_OPS_FAMILIES_H_
#define WEFT_CONVERTER_OPS_FAMILIES_H_

#include <span>

#include "converter/ops/operation.h"

namespace weft::ops {

// Computation: elements change.
std::span<const Operation> ElementwiseOperations();
std::span<const Operation> BitwiseOperations();
std::span<const Operation> UnaryOperations();
std::span<const Operation> CompareOperations();
std::span<const Operation> SnakeOperations();
std::span<const Operation> SelectOperations();
std::span<const Operation> ReduceOperations();
std::span<const Operation> SoftmaxOperations();
std::span<const Operation> NormalizeOperations();
std::span<const Operation> LrnOperations();
std::span<const Operation> CumSumOperations();
std::span<const Operation> InverseOperations();
std::span<const Operation> TopOperations();
std::span<const Operation> BucketizeOperations();
std::span<const Operation> EmbeddingBagOperations();
std::span<const Operation> SegmentMaxOperations();
std::span<const Operation> QuantizeOperations();
std::span<const Operation> QuantisedOperations();
std::span<const Operation> FakeConvertOperations();
std::span<const Operation> MatmulOperations();
std::span<const Operation> FourierOperations();
std::span<const Operation> ShortTimeOperations();
std::span<const Operation> EinsumOperations();
std::span<const Operation> AttentionOperations();
std::span<const Operation> ConvolutionOperations();
std::span<const Operation> TransposedConvolutionOperations();
std::span<const Operation> PoolingOperations();
std::span<const Operation> AdaptivePoolingOperations();
std::span<const Operation> RegionOperations();
std::span<const Operation> RoiAlignOperations();
std::span<const Operation> RoiPoolingOperations();
std::span<const Operation> PriorOperations();
std::span<const Operation> RandomUniformOperations();
std::span<const Operation> SuppressionOperations();
std::span<const Operation> DetectionOperations();
std::span<const Operation> GridSampleOperations();
std::span<const Operation> NonZeroOperations();
std::span<const Operation> UniqueOperations();
std::span<const Operation> DecoderOperations();
std::span<const Operation> ConvertOperations();
std::span<const Operation> StateOperations();

// Movement: elements keep their bits.
std::span<const Operation> ReshapeOperations();
std::span<const Operation> TransposeOperations();
std::span<const Operation> InterpolateOperations();
std::span<const Operation> ConcatOperations();
std::span<const Operation> SlicingOperations();
std::span<const Operation> ReverseOperations();
std::span<const Operation> TileOperations();
std::span<const Operation> GatherOperations();
std::span<const Operation> GatherElementsOperations();
std::span<const Operation> ScatterOperations();
std::span<const Operation> GatherTreeOperations();
std::span<const Operation> OneHotOperations();
std::span<const Operation> PadOperations();
std::span<const Operation> BatchToSpaceOperations();
std::span<const Operation> PatchOperations();
std::span<const Operation> Col2ImOperations();
std::span<const Operation> ShapeOperations();
std::span<const Operation> PortOperations();

// Recurrence: bodies, cells and sequences.
std::span<const Operation> RecurrentOperations();
std::span<const Operation> ControlFlowOperations();
std::span<const Operation> BranchOperations();

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_FAMILIES_H_
