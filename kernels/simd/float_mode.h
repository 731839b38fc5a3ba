// SPDX-License-Identifier: Apache-2.0
// A scope with the floating-point mode of the kernels, whatever mode the caller has set. Results
// are rounded to nearest. Subnormal numbers count as zero, as inputs and as results: on x86 they
// cost 46 to 130 times an ordinary operation, and ARM's armv7 vectors flush them anyway. RISC-V
// cannot flush them. The destructor restores the caller's mode. Only one control register of the
// calling thread changes.
#ifndef WEFT_KERNELS_SIMD_FLOAT_MODE_H_
#define WEFT_KERNELS_SIMD_FLOAT_MODE_H_

#include <cstdint>

#if defined(__SSE__) || defined(_M_X64)  // MSVC defines no __SSE__
#include <xmmintrin.h>
#define WEFT_HAS_MXCSR 1
#else
#define WEFT_HAS_MXCSR 0
#endif

namespace weft::kernels {

class FloatMode {
 public:
  FloatMode() : saved_(Read()) { Write((saved_ & ~kRounding) | kFlush); }
  ~FloatMode() { Write(saved_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if WEFT_HAS_MXCSR
  using Word = uint32_t;
  static constexpr Word kFlush = 0x8040;     // MXCSR: flush to zero, denormals are zeros
  static constexpr Word kRounding = 0x6000;  // MXCSR.RC; 0: to nearest
  static Word Read() { return _mm_getcsr(); }
  static void Write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kFlush = uint64_t{1} << 24;     // FPCR.FZ
  static constexpr Word kRounding = uint64_t{3} << 22;  // FPCR.RMode
  static Word Read() {
    Word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Write(Word word) { __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#elif defined(__arm__) && defined(__ARM_FP) && !defined(__SOFTFP__)
  using Word = uint32_t;
  static constexpr Word kFlush = uint32_t{1} << 24;     // FPSCR.FZ
  static constexpr Word kRounding = uint32_t{3} << 22;  // FPSCR.RMode
  static Word Read() {
    Word word;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(word));
    return word;
  }
  static void Write(Word word) { __asm__ volatile("vmsr fpscr, %0" : : "r"(word) : "memory"); }
#elif defined(__riscv_flen)
  using Word = uintptr_t;
  static constexpr Word kFlush = 0;
  static constexpr Word kRounding = 7;  // frm
  static Word Read() {
    Word word;
    __asm__ volatile("frrm %0" : "=r"(word));
    return word;
  }
  static void Write(Word word) { __asm__ volatile("fsrm %0" : : "r"(word) : "memory"); }
#else
  using Word = uint32_t;
  static constexpr Word kFlush = 0, kRounding = 0;
  static Word Read() { return 0; }
  static void Write(Word) {}
#endif

 public:
  static constexpr bool kFlushes = kFlush != 0;

 private:
  Word saved_;
};

}  // namespace weft::kernels

#undef WEFT_HAS_MXCSR

#endif  // WEFT_KERNELS_SIMD_FLOAT_MODE_H_
