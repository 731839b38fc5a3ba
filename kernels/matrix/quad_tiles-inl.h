// SPDX-License-Identifier: Apache-2.0
// Sums of quads (quads-inl.h) with AMX: one instruction multiplies a tile of 16 rows of 64 bytes by
// a tile of 16 quads of weights, whose order in a tile is that of quads. Written in assembly
// because the target's functions are compiled for processors without AMX. Included by rows_q8-inl.h
// only, so without a guard.

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

// Tile registers 0 for the sums, 1 and 2 for rows and weights, 3 and 4 for the rest of a run. The
// destructor releases them, so that the system need not save them when threads change.
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
    shapes.Set(0, rows, kQuadBytes);
    shapes.Set(1, rows, kTileBytes);
    shapes.Set(2, kTileBytes / kQuad, kQuadBytes);
    if (rest != 0) {
      shapes.Set(3, rows, rest);
      shapes.Set(4, rest / kQuad, kQuadBytes);
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
  }

  // Stores the sums of a panel at intervals of kPanelOutputs. Rows are unsigned factors or, with
  // kSigned, the numbers themselves.
  template <bool kSigned>
  void Sum(const QuadRows& rows, const int8_t* weights, int32_t* sums) const {
    const size_t rest = rows.count % kTileBytes, complete = rows.count - rest;
    const int8_t* numbers = rows.numbers;
    __asm__ volatile("tilezero %%tmm0" ::);
    for (size_t run = rows.runs;; numbers += rows.run_step) {
      for (size_t k = 0; k < complete; k += kTileBytes, weights += kTileBytes * kPanelOutputs) {
        Add<kSigned, 1>(numbers + k, rows.stride, weights);
      }
      if (rest != 0) {
        Add<kSigned, 3>(numbers + complete, rows.stride, weights);
        weights += rest * kPanelOutputs;
      }
      if (--run == 0) break;  // there is no run after the last
    }
    __asm__ volatile("tilestored %%tmm0, (%0,%1,1)"
                     :
                     : "r"(sums), "r"(kPanelOutputs * sizeof(int32_t))
                     : "memory");
  }

 private:
  // Adds the products of a tile of rows in register kFirst and of weights in the next register.
  template <bool kSigned, int kFirst>
  static void Add(const int8_t* numbers, size_t stride, const int8_t* weights) {
    __asm__ volatile(
        "tileloadd (%0,%1,1), %%tmm%c4\n\t"
        "tileloadd (%2,%3,1), %%tmm%c5"
        :
        : "r"(numbers), "r"(stride), "r"(weights), "r"(kQuadBytes), "i"(kFirst), "i"(kFirst + 1)
        : "memory");
    if constexpr (kSigned) {
      __asm__ volatile("tdpbssd %%tmm%c1, %%tmm%c0, %%tmm0" : : "i"(kFirst), "i"(kFirst + 1));
    } else {
      __asm__ volatile("tdpbusd %%tmm%c1, %%tmm%c0, %%tmm0" : : "i"(kFirst), "i"(kFirst + 1));
    }
  }

  size_t rows_ = 0, count_ = 0;
};
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
