// SPDX-License-Identifier: Apache-2.0
// Memory between two pages that no access may touch, and calls that end at the first access to such
// a page. Boards without an MMU have no such pages; ExactBytes detects writes outside their memory.
#ifndef WEFT_TESTS_HOSTILE_GUARD_PAGES_H_
#define WEFT_TESTS_HOSTILE_GUARD_PAGES_H_

#if defined(__unix__) || defined(__APPLE__)
#define WEFT_HAS_GUARD_PAGES

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weft::test {

// Memory of at least `bytes`, in full pages, with an inaccessible page before and after them.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (bytes / page + 1) * page;
    mapped_bytes_ = bytes_ + 2 * page;
    mapping_ = static_cast<std::byte*>(
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (mapping_ == MAP_FAILED) std::abort();
    begin_ = mapping_ + page;
    if (mprotect(begin_, bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  GuardedMemory(GuardedMemory&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)),
        begin_(other.begin_),
        bytes_(other.bytes_),
        mapped_bytes_(other.mapped_bytes_) {}
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() {
    if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
  }

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + bytes_; }
  size_t bytes() const { return bytes_; }
  // The last address that is a multiple of `alignment` and has `bytes` before the page after.
  std::byte* Last(size_t bytes, size_t alignment) const {
    return end() - (bytes + alignment - 1) / alignment * alignment;
  }

 private:
  std::byte* mapping_ = nullptr;
  std::byte* begin_ = nullptr;
  size_t bytes_ = 0, mapped_bytes_ = 0;
};

enum class CallEnd { kReturned, kTooLong, kSignal };

namespace guarded_call {

inline sigjmp_buf start;
inline pthread_t caller;
inline volatile sig_atomic_t is_running = 0;

// The timer's signal is the process's: after a stop of the process, another thread may receive it,
// such as libFuzzer's, which must not continue on the stack of the caller. Then the signal may be
// late.
inline void OnSignal(int signal) {
  const bool is_timer = signal == SIGVTALRM;
  const bool is_caller = pthread_equal(pthread_self(), caller) != 0;
  if (is_running != 0 && is_caller) siglongjmp(start, is_timer ? 1 : 2);
  if (!is_timer) _exit(signal);
  if (is_running != 0) pthread_kill(caller, signal);
}

inline void SetTimer(long microseconds) {
  const itimerval value = {{0, 0}, {0, static_cast<suseconds_t>(microseconds)}};
  setitimer(ITIMER_VIRTUAL, &value, nullptr);
}

}  // namespace guarded_call

// The signals that end a GuardedCall: the timer's, or also those of invalid accesses.
enum class Caught { kTimer, kTimerAndFaults };

// While an object exists, GuardedCall catches signals; the destructor restores the previous
// handlers.
class SignalCatcher {
 public:
  explicit SignalCatcher(Caught caught = Caught::kTimerAndFaults)
      : count_(caught == Caught::kTimer ? 1 : kCount) {
    struct sigaction action = {};
    action.sa_handler = guarded_call::OnSignal;
    action.sa_flags = SA_NODEFER;
    for (size_t i = 0; i < count_; ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  SignalCatcher(const SignalCatcher&) = delete;
  SignalCatcher& operator=(const SignalCatcher&) = delete;
  ~SignalCatcher() {
    for (size_t i = 0; i < count_; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGVTALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  static constexpr size_t kCount = sizeof(kSignals) / sizeof(kSignals[0]);
  const size_t count_;
  struct sigaction before_[kCount];
};

// Calls `call`, which owns nothing, and stops it if it accesses a guard page or uses more than
// `microseconds` of processor time. The time only bounds the work of a test; no result depends on
// it.
template <typename Call>
CallEnd GuardedCall(long microseconds, const Call& call) {
  fenv_t environment;
  fegetenv(&environment);
  const int signal = sigsetjmp(guarded_call::start, 0);
  if (signal == 0) {
    guarded_call::caller = pthread_self();
    guarded_call::is_running = 1;
    guarded_call::SetTimer(microseconds);
    call();
  }
  guarded_call::SetTimer(0);
  guarded_call::is_running = 0;
  fesetenv(&environment);
  return signal == 0 ? CallEnd::kReturned : signal == 1 ? CallEnd::kTooLong : CallEnd::kSignal;
}

}  // namespace weft::test

#endif  // unix
#endif  // WEFT_TESTS_HOSTILE_GUARD_PAGES_H_
