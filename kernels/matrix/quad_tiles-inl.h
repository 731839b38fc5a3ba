// SPDX-License-Identifier: Apache-2.0
// Sums of quads (quads-inl.h) with AMX: one instruction multiplies a tile of 16 rows of 64 bytes by
// a tile of 16 quads of weights, whose order in a tile is that of quads. Written in assembly
// because the target's functions are compiled for processors without AMX.

#if defined(WEFT_KERNELS_MATRIX_QUAD_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_QUAD_TILES_INL_H_
#undef WEFT_KERNELS_MATRIX_QUAD_TILES_INL_H_
#else
#define WEFT_KERNELS_MATRIX_QUAD_TILES_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/quads-inl.h"

#if defined(WEFT_QUADS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if !defined(WEFT_TARGET_TILES)
struct Tiles {};
#else

inline constexpr size_t kTileBytes = 64, kMaxTileRows = 16;

// The operand of ldtilecfg: the bytes of a row and the rows of each tile register.
struct alignas(64) TileShapes {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  void Set(size_t tile, size_t row_count, size_t bytes) {
    rows[tile] = static_cast<uint8_t>(row_count);
    row_bytes[tile] = static_cast<uint16_t>(bytes);
  }
};

// The tile registers. kRestOfRows and kRestOfWeights hold the end of a run, if it is shorter than
// kTileBytes. From kSums on there are the sums of up to kMaxTiles tiles of rows.
enum TileRegister : int { kRows, kWeights, kRestOfRows, kRestOfWeights, kSums };
inline constexpr size_t kMaxTiles = 4;

// The destructor releases the registers, so that the system need not save them when threads change.
class Tiles {
 public:
  ~Tiles() {
    if (rows_ != 0) __asm__ volatile("tilerelease");
  }

  // For `rows` rows, at most kMaxTileRows, in runs of `count` numbers, a multiple of kQuad.
  void SetShapes(size_t rows, size_t count) {
    if (rows == rows_ && count == count_) return;
    rows_ = rows;
    count_ = count;
    const size_t rest = count % kTileBytes;
    TileShapes shapes;
    for (size_t tile = 0; tile < kMaxTiles; ++tile) shapes.Set(kSums + tile, rows, kQuadBytes);
    shapes.Set(kRows, rows, kTileBytes);
    shapes.Set(kWeights, kTileBytes / kQuad, kQuadBytes);
    if (rest != 0) {
      shapes.Set(kRestOfRows, rows, rest);
      shapes.Set(kRestOfWeights, rest / kQuad, kQuadBytes);
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
  }

  // Stores the sums of a panel at intervals of kPanelOutputs. Rows are unsigned factors or, with
  // kSigned, the numbers themselves.
  template <bool kSigned>
  void Sum(const QuadRows& rows, const int8_t* weights, int32_t* sums) const {
    const size_t rest = rows.count % kTileBytes, complete = rows.count - rest;
    const int8_t* numbers = rows.numbers;
    Clear<kSums>();
    for (size_t run = rows.runs;; numbers += rows.run_step) {
      for (size_t k = 0; k < complete; k += kTileBytes, weights += kTileBytes * kPanelOutputs) {
        Load<kWeights>(weights, kQuadBytes);
        Load<kRows>(numbers + k, rows.stride);
        Add<kSigned, kSums, kRows, kWeights>();
      }
      if (rest != 0) {
        Load<kRestOfWeights>(weights, kQuadBytes);
        Load<kRestOfRows>(numbers + complete, rows.stride);
        Add<kSigned, kSums, kRestOfRows, kRestOfWeights>();
        weights += rest * kPanelOutputs;
      }
      if (--run == 0) break;  // there is no run after the last
    }
    Store<kSums>(sums);
  }

  // The same for kTiles tiles of rows of `count` unsigned factors. They share the weights, and
  // their sums do not wait for each other. The sums of a tile follow those of the one before.
  template <size_t kTiles>
  void SumTiles(const int8_t* const (&rows)[kTiles], size_t stride, const int8_t* weights,
                int32_t* sums) const {
    static_assert(kTiles == 1 || kTiles == 2 || kTiles == kMaxTiles, "one register each");
    ForTiles<kTiles>([](auto tile) { Clear<kSums + tile()>(); });
    const size_t rest = count_ % kTileBytes, complete = count_ - rest;
    for (size_t k = 0; k < complete; k += kTileBytes, weights += kTileBytes * kPanelOutputs) {
      Load<kWeights>(weights, kQuadBytes);
      ForTiles<kTiles>([&](auto tile) {
        Load<kRows>(rows[tile()] + k, stride);
        Add<false, kSums + tile(), kRows, kWeights>();
      });
    }
    if (rest != 0) {
      Load<kRestOfWeights>(weights, kQuadBytes);
      ForTiles<kTiles>([&](auto tile) {
        Load<kRestOfRows>(rows[tile()] + complete, stride);
        Add<false, kSums + tile(), kRestOfRows, kRestOfWeights>();
      });
    }
    ForTiles<kTiles>(
        [&](auto tile) { Store<kSums + tile()>(sums + tile() * rows_ * kPanelOutputs); });
  }

 private:
  // Calls visit with the numbers of kTiles tiles, as types.
  template <int kTiles, class Visit>
  static HWY_INLINE void ForTiles(const Visit& visit) {
    if constexpr (kTiles > 1) ForTiles<kTiles - 1>(visit);
    visit(std::integral_constant<int, kTiles - 1>());
  }
  template <int kTile>
  static void Clear() {
    __asm__ volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  static void Load(const int8_t* from, size_t stride) {
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2"
                     :
                     : "r"(from), "r"(stride), "i"(kTile)
                     : "memory");
  }
  template <int kTile>
  static void Store(int32_t* to) {
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)"
                     :
                     : "r"(to), "r"(kPanelOutputs * sizeof(int32_t)), "i"(kTile)
                     : "memory");
  }
  template <bool kSigned, int kTo, int kOfRows, int kOfWeights>
  static void Add() {
    if constexpr (kSigned) {
      __asm__ volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                       :
                       : "i"(kTo), "i"(kOfRows), "i"(kOfWeights));
    } else {
      __asm__ volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                       :
                       : "i"(kTo), "i"(kOfRows), "i"(kOfWeights));
    }
  }

  size_t rows_ = 0, count_ = 0;
};
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_QUAD_TILES_INL_H_
