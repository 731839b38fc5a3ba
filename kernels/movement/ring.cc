// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/ring.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/movement/ring.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {
namespace {

using Byte = unsigned char;

// Pieces of `bytes`, in two loops over places (time steps) and rows, with their strides on both
// sides in bytes.
struct Pieces {
  size_t positions, rows, bytes;
  size_t from_position, from_row, to_position, to_row;
};

// Unrolled by four: otherwise a scalar core would spend more time on the loop than on the elements.
template <typename T>
void MoveRow(size_t count, const Byte* from, size_t from_step, Byte* to, size_t to_step) {
  const auto move = [&](size_t at) {
    *reinterpret_cast<Raw<T>*>(to + at * to_step) =
        *reinterpret_cast<const Raw<T>*>(from + at * from_step);
  };
  for (; count >= 4; count -= 4) {
    move(0);
    move(1);
    move(2);
    move(3);
    from += 4 * from_step;
    to += 4 * to_step;
  }
  for (size_t at = 0; at < count; ++at) move(at);
}

template <typename T>
void MoveElements(const Pieces& pieces, const Byte* from, Byte* to) {
  for (size_t position = 0; position < pieces.positions; ++position) {
    MoveRow<T>(pieces.rows, from, pieces.from_row, to, pieces.to_row);
    from += pieces.from_position;
    to += pieces.to_position;
  }
}

void MoveRuns(const Pieces& pieces, const Byte* from, Byte* to) {
  for (size_t position = 0; position < pieces.positions; ++position) {
    for (size_t row = 0; row < pieces.rows; ++row) {
      std::memcpy(to + row * pieces.to_row, from + row * pieces.from_row, pieces.bytes);
    }
    from += pieces.from_position;
    to += pieces.to_position;
  }
}

// Merges pieces that are contiguous on both sides.
void Join(Pieces* p) {
  for (int loop = 0; loop < 2; ++loop) {
    if (p->from_row == p->bytes && p->to_row == p->bytes) {
      p->bytes *= p->rows;
      p->rows = 1;
    }
    if (p->from_position == p->bytes && p->to_position == p->bytes) {
      p->bytes *= p->positions;
      p->positions = 1;
    }
  }
}

void Exchange(size_t* a, size_t* b) {
  const size_t held = *a;
  *a = *b;
  *b = held;
}

// Exchanges the loops over places and rows.
void Exchange(Pieces* p) {
  Exchange(&p->positions, &p->rows);
  Exchange(&p->from_position, &p->from_row);
  Exchange(&p->to_position, &p->to_row);
}

#if HWY_TARGET == HWY_SCALAR
bool MoveSquares(Pieces*, const Byte*, Byte*) { return false; }
#else
// Moves four places of four rows: words are contiguous along rows in x and along places in y.
void MoveSquare(const Pieces& p, const Byte* from, Byte* to) {
  const hn::Full128<uint32_t> words;
  const hn::Full128<uint64_t> pairs;
  const auto load = [&](size_t position) HWY_ATTR {
    return hn::LoadU(words, reinterpret_cast<const uint32_t*>(from + position * p.from_position));
  };
  const auto store = [&](size_t row, auto v) HWY_ATTR {
    hn::StoreU(hn::BitCast(words, v), words, reinterpret_cast<uint32_t*>(to + row * p.to_row));
  };
  // The lower halves of the four vectors, then their upper halves.
  const auto a = load(0), b = load(1), c = load(2), d = load(3);
  const auto ab = hn::BitCast(pairs, hn::InterleaveLower(words, a, b));
  const auto cd = hn::BitCast(pairs, hn::InterleaveLower(words, c, d));
  store(0, hn::InterleaveLower(pairs, ab, cd));
  store(1, hn::InterleaveUpper(pairs, ab, cd));
  const auto more_ab = hn::BitCast(pairs, hn::InterleaveUpper(words, a, b));
  const auto more_cd = hn::BitCast(pairs, hn::InterleaveUpper(words, c, d));
  store(2, hn::InterleaveLower(pairs, more_ab, more_cd));
  store(3, hn::InterleaveUpper(pairs, more_ab, more_cd));
}

// Moves words that are contiguous along rows on one side and along places on the other. Returns
// false if they are not, or are too few.
bool MoveSquares(Pieces* p, const Byte* from, Byte* to) {
  constexpr size_t kWord = 4, kSide = 4;
  if (p->positions < kSide || p->rows < kSide) return false;
  if (p->from_position == kWord && p->to_row == kWord) Exchange(p);
  if (p->from_row != kWord || p->to_position != kWord) return false;
  const size_t positions = p->positions / kSide * kSide, rows = p->rows / kSide * kSide;
  for (size_t position = 0; position < positions; position += kSide) {
    const Byte* read = from + position * p->from_position;
    Byte* write = to + position * kWord;
    for (size_t row = 0; row < rows; row += kSide) {
      MoveSquare(*p, read + row * kWord, write + row * p->to_row);
    }
    for (size_t row = rows; row < p->rows; ++row) {
      MoveRow<uint32_t>(kSide, read + row * kWord, p->from_position, write + row * p->to_row,
                        kWord);
    }
  }
  for (size_t position = positions; position < p->positions; ++position) {
    MoveRow<uint32_t>(p->rows, from + position * p->from_position, kWord, to + position * kWord,
                      p->to_row);
  }
  return true;
}
#endif

void Move(Pieces&& pieces, size_t element_bytes, const Byte* from, Byte* to) {
  if (pieces.positions == 0) return;
  Join(&pieces);
  // Merged pieces may be aligned less than their size.
  if (pieces.bytes != element_bytes) return MoveRuns(pieces, from, to);
  if (element_bytes == 4 && MoveSquares(&pieces, from, to)) return;
  if (pieces.positions > pieces.rows) Exchange(&pieces);  // the longer loop is the inner one
  switch (element_bytes) {
    case 1:
      return MoveElements<uint8_t>(pieces, from, to);
    case 2:
      return MoveElements<uint16_t>(pieces, from, to);
    case 4:
      return MoveElements<uint32_t>(pieces, from, to);
    default:
      return MoveElements<uint64_t>(pieces, from, to);
  }
}

size_t Smaller(size_t a, size_t b) { return b < a ? b : a; }

class Line {
 public:
  Line(const RingShape& shape, size_t start)
      : shape_(shape),
        start_(start),
        piece_(size_t{shape.inner} * shape.element_bytes),
        position_(shape.order == RingOrder::kPositionsOuterInner   ? piece_ * shape.outer
                  : shape.order == RingOrder::kOuterPositionsInner ? piece_
                                                                   : shape.element_bytes),
        row_(shape.order == RingOrder::kPositionsOuterInner ? piece_ : piece_ * shape.past) {}

  // Copies `count` time steps from step `first` on to `y`, whose rows are `y_row` bytes apart.
  void Read(size_t first, size_t count, const Byte* x, const Byte* ring, Byte* y, size_t y_row) {
    const size_t past = shape_.past;
    const size_t old = first < past ? Smaller(count, past - first) : 0;
    if (old > 0) {
      const size_t at = Wrapped(start_ + first);
      const size_t head = Smaller(old, past - at);
      FromRing(head, ring + at * position_, y, y_row);
      FromRing(old - head, ring, y + head * piece_, y_row);
    }
    if (old == count) return;
    const size_t x_row = shape_.positions * piece_;
    Move({count - old, shape_.outer, piece_, piece_, x_row, piece_, y_row}, shape_.element_bytes,
         x + (first + old - past) * piece_, y + old * piece_);
  }

  // Copies the last steps of x to their position in the ring. If no older step remains, the copy
  // starts at the new start.
  void Write(const Byte* x, Byte* ring) {
    const size_t past = shape_.past, count = Smaller(shape_.positions, past);
    const size_t first = shape_.positions - count;
    const size_t at = count < past ? start_ : After();
    const size_t head = Smaller(count, past - at);
    ToRing(head, x + first * piece_, ring + at * position_);
    ToRing(count - head, x + (first + head) * piece_, ring);
  }

  // Start of the ring after x was written; a division is expensive and rarely needed.
  size_t After() const {
    const uint32_t past = shape_.past, at = static_cast<uint32_t>(start_) + shape_.positions;
    if (at < past) return at;
    return at - past < past ? at - past : at % past;
  }

 private:
  size_t Wrapped(size_t at) const { return at < shape_.past ? at : at - shape_.past; }

  void FromRing(size_t count, const Byte* from, Byte* y, size_t y_row) {
    if (shape_.order != RingOrder::kOuterInnerPositions) {
      return Move({count, shape_.outer, piece_, position_, row_, piece_, y_row},
                  shape_.element_bytes, from, y);
    }
    for (size_t row = 0; row < shape_.outer; ++row) {
      Move({count, shape_.inner, position_, position_, position_ * shape_.past, piece_, position_},
           position_, from + row * row_, y + row * y_row);
    }
  }

  void ToRing(size_t count, const Byte* x, Byte* to) {
    const size_t x_row = shape_.positions * piece_;
    if (shape_.order != RingOrder::kOuterInnerPositions) {
      return Move({count, shape_.outer, piece_, piece_, x_row, position_, row_},
                  shape_.element_bytes, x, to);
    }
    for (size_t row = 0; row < shape_.outer; ++row) {
      Move({count, shape_.inner, position_, piece_, position_, position_, position_ * shape_.past},
           position_, x + row * x_row, to + row * row_);
    }
  }

  const RingShape& shape_;
  const size_t start_, piece_;
  const size_t position_, row_;  // strides of the time steps of the ring, and of outer
};

}  // namespace

void Ring(const RingShape& shape, const void* x, const RingState& state, void* y) {
  const size_t past = shape.past;
  size_t start = state.start == nullptr ? 0 : static_cast<uint32_t>(*state.start);
  if (start >= past) start = 0;
  Line line(shape, start);
  if (state.start_after != nullptr) {
    *state.start_after = past == 0 ? 0 : static_cast<int32_t>(line.After());
  }
  const size_t piece = size_t{shape.inner} * shape.element_bytes;
  if (shape.outer == 0 || piece == 0) return;  // x, y and the ring need not exist
  const Byte* data = static_cast<const Byte*>(x);
  const size_t run = shape.length * piece;
  for (size_t tap = 0; y != nullptr && run != 0 && tap < shape.taps; ++tap) {
    line.Read(shape.first + tap * shape.dilation, shape.length, data,
              static_cast<const Byte*>(state.ring), static_cast<Byte*>(y) + tap * run,
              shape.taps * run);
  }
  if (past == 0 || state.ring_after == nullptr) return;
  if (state.ring_after != state.ring) {
    std::memcpy(state.ring_after, state.ring, past * shape.outer * piece);
  }
  if (shape.positions > 0) line.Write(data, static_cast<Byte*>(state.ring_after));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Ring, (const RingShape& shape, const void* x, const RingState& state, void* y),
            (shape, x, state, y))
