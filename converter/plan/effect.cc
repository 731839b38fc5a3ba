// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/effect.h"

namespace weft::plan {

namespace {

struct Piece {
  int64_t begin, end;
};

void Conflict(const Needed& needed, uint32_t owner, int64_t begin, int64_t end,
              Findings& findings) {
  constexpr size_t kMaxConflicts = 64;  // a broken loop has one per byte run
  if (findings.conflicts.size() < kMaxConflicts) {
    findings.conflicts.push_back({needed, owner, begin, end});
  }
}

}  // namespace

void Effect::Need(int64_t begin, int64_t end, const Needed& needed, Findings& findings) {
  std::vector<Piece> fresh;
  needed_.ForEach(begin, end, [&](int64_t from, int64_t to, const Needed* other) {
    ++findings.work;
    if (other == nullptr) {
      fresh.push_back({from, to});
    } else if (other->owner != needed.owner) {
      Conflict(needed, other->owner, from, to, findings);
    }
  });
  for (const Piece& piece : fresh) needed_.Assign(piece.begin, piece.end, needed);
}

void Effect::Read(int64_t begin, int64_t end, const Needed& needed, Findings& findings) {
  std::vector<Piece> open;
  written_.ForEach(begin, end, [&](int64_t from, int64_t to, const Written* written) {
    ++findings.work;
    if (written != nullptr && written->owner != needed.owner) {
      Conflict(needed, written->owner, from, to, findings);
    } else if (written == nullptr || !written->certain) {
      open.push_back({from, to});
    }
  });
  for (const Piece& piece : open) Need(piece.begin, piece.end, needed, findings);
}

void Effect::AddWriter(int64_t begin, int64_t end, uint32_t owner, Findings& findings) {
  std::vector<Piece> fresh, shared;
  writers_.ForEach(begin, end, [&](int64_t from, int64_t to, const uint32_t* other) {
    ++findings.work;
    if (other == nullptr) {
      fresh.push_back({from, to});
    } else if (*other != owner) {
      shared.push_back({from, to});
    }
  });
  for (const Piece& piece : fresh) writers_.Assign(piece.begin, piece.end, owner);
  for (const Piece& piece : shared) writers_.Assign(piece.begin, piece.end, kManyOwners);
}

void Effect::Write(int64_t begin, int64_t end, const Written& written, Findings& findings) {
  AddWriter(begin, end, written.owner, findings);
  if (written.certain) return written_.Assign(begin, end, written);
  std::vector<Piece> fresh, mixed;
  written_.ForEach(begin, end, [&](int64_t from, int64_t to, const Written* before) {
    ++findings.work;
    if (before == nullptr) {
      fresh.push_back({from, to});
    } else if (before->owner != written.owner) {
      mixed.push_back({from, to});
    }
  });
  for (const Piece& piece : fresh) written_.Assign(piece.begin, piece.end, written);
  for (const Piece& piece : mixed) written_.Assign(piece.begin, piece.end, {kManyOwners, true});
}

void Effect::Then(const Effect& next, int64_t shift, Findings& findings) {
  for (const auto& [begin, run] : next.needed_) {
    Read(begin + shift, run.end + shift, run.value, findings);
  }
  for (const auto& [begin, run] : next.written_) {
    Write(begin + shift, run.end + shift, run.value, findings);
  }
  for (const auto& [begin, run] : next.writers_) {
    AddWriter(begin + shift, run.end + shift, run.value, findings);
  }
}

void Effect::MergeBranch(const Effect& other, Findings& findings) {
  for (const auto& [begin, run] : other.needed_) Need(begin, run.end, run.value, findings);
  for (const auto& [begin, run] : other.writers_) AddWriter(begin, run.end, run.value, findings);
  ByteRuns<Written> joined;
  for (const auto& [begin, run] : written_) {
    const Written mine = run.value;
    other.written_.ForEach(begin, run.end, [&](int64_t from, int64_t to, const Written* theirs) {
      ++findings.work;
      if (theirs == nullptr) {
        joined.Assign(from, to, {mine.owner, false});
      } else if (theirs->owner == mine.owner) {
        joined.Assign(from, to, {mine.owner, mine.certain && theirs->certain});
      } else {
        joined.Assign(from, to, {kManyOwners, true});
      }
    });
  }
  for (const auto& [begin, run] : other.written_) {
    const uint32_t owner = run.value.owner;
    written_.ForEach(begin, run.end, [&](int64_t from, int64_t to, const Written* mine) {
      ++findings.work;
      if (mine == nullptr) joined.Assign(from, to, {owner, false});
    });
  }
  written_ = joined;
}

void Effect::Beside(const Effect& other, Findings& findings) {
  for (const auto& [begin, run] : other.needed_) Need(begin, run.end, run.value, findings);
  for (const auto& [begin, run] : other.written_) Write(begin, run.end, run.value, findings);
  for (const auto& [begin, run] : other.writers_) AddWriter(begin, run.end, run.value, findings);
}

void Effect::CheckReaders(const ByteRuns<Needed>& readers, Findings& findings) const {
  for (const auto& [begin, run] : readers) {
    const Needed& needed = run.value;
    writers_.ForEach(begin, run.end, [&](int64_t from, int64_t to, const uint32_t* owner) {
      ++findings.work;
      if (owner != nullptr && *owner != needed.owner) Conflict(needed, *owner, from, to, findings);
    });
  }
}

void Effect::MustBeDisjointFrom(const Effect& other, Findings& findings) const {
  CheckReaders(other.needed_, findings);
  other.CheckReaders(needed_, findings);
  for (const auto& [begin, run] : writers_) {
    const uint32_t mine = run.value;
    other.writers_.ForEach(begin, run.end, [&](int64_t from, int64_t to, const uint32_t* theirs) {
      ++findings.work;
      if (theirs != nullptr && (*theirs != mine || mine == kManyOwners))
        Conflict({mine, kNoReader, kNoReader}, *theirs, from, to, findings);
    });
  }
}

void Effect::MustHaveOneOwnerEach(Findings& findings) const {
  CheckReaders(needed_, findings);
  for (const auto& [begin, run] : writers_) {
    if (run.value == kManyOwners)
      Conflict({kManyOwners, kNoReader, kNoReader}, kManyOwners, begin, run.end, findings);
  }
}

}  // namespace weft::plan
