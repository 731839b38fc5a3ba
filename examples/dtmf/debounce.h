// SPDX-License-Identifier: Apache-2.0
//
// Converts one result per frame to pressed keys. A key counts once, when its probability exceeds
// one half in kHoldFrames consecutive frames. The next key counts only after as many frames of
// "none". The state is three words and nothing is allocated, so firmware can use this file
// unchanged.

#ifndef WEFT_EXAMPLES_DTMF_DEBOUNCE_H_
#define WEFT_EXAMPLES_DTMF_DEBOUNCE_H_

namespace dtmf {

inline constexpr char kKeys[] = "0123456789*#ABCD";
inline constexpr int kKeyCount = 16;
inline constexpr int kNone = kKeyCount;  // the class after the last key
inline constexpr int kAnswerCount = kKeyCount + 1;

class Debounce {
 public:
  // `probabilities` has kAnswerCount values. Returns the key that is detected in this frame, or
  // '\0'.
  char Hear(const float* probabilities) {
    int best = 0;
    for (int i = 1; i < kAnswerCount; ++i) {
      if (probabilities[i] > probabilities[best]) best = i;
    }
    const int answer = probabilities[best] > 0.5f ? best : kUnsure;
    if (answer != previous_) run_frames_ = 0;
    previous_ = answer;
    if (answer == kUnsure || run_frames_ == kHoldFrames) return '\0';
    if (++run_frames_ < kHoldFrames) return '\0';
    const bool counts = armed_ && answer != kNone;
    armed_ = answer == kNone;
    return counts ? kKeys[answer] : '\0';
  }

 private:
  static constexpr int kHoldFrames = 2;
  static constexpr int kUnsure = -1;

  int previous_ = kUnsure;
  int run_frames_ = 0;  // stops at kHoldFrames
  bool armed_ = true;
};

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_DEBOUNCE_H_
