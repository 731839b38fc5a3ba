/* SPDX-License-Identifier: Apache-2.0
 * Startup code from reset to main() on the boards that QEMU emulates. Enables the FPU, clears .bss,
 * passes the host's command line to main() and returns its result to the host by semihosting. On a
 * processor fault, prints a message and exits with code 70, so that crashed tests do not hang. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint32_t board_stack_top[], board_bss_begin[], board_bss_end[];
extern void initialise_monitor_handles(void);
extern void __libc_init_array(void);
extern int main(int argc, char** argv);

enum { kMaxArguments = 32, kLineBytes = 512 };
enum { kSysWrite0 = 0x04, kSysGetCmdline = 0x15, kSysExitExtended = 0x20 };

static int Semihost(int operation, const void* argument) {
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static void Stop(int code) {
  const uint32_t reason[] = {0x20026u, (uint32_t)code}; /* ADP_Stopped_ApplicationExit */
  Semihost(kSysExitExtended, reason);
  for (;;) {
  }
}

static void OnFault(void) {
  Semihost(kSysWrite0, "board: the processor took a fault\n");
  Stop(70);
}

/* The system calls that newlib and libstdc++ require. */
void* __dso_handle = 0;
void _init(void) {}
void _fini(void) {}
void _exit(int code) {
  Stop(code);
  for (;;) {
  }
}
int mkdir(const char* path, unsigned mode) {
  (void)path;
  (void)mode;
  return -1;
}
char* getcwd(char* to, size_t bytes) {
  return bytes < 2 ? 0 : strcpy(to, "."); /* the host resolves names from its own folder */
}
int getentropy(void* to, size_t bytes) {
  memset(to, 0x5A, bytes);
  return 0;
}

/* libstdc++ requires this where the processor has no exclusive access; a board has one thread. */
unsigned __atomic_fetch_sub_4(volatile void* at, unsigned by, int order) {
  (void)order;
  volatile unsigned* const number = at;
  const unsigned before = *number;
  *number = before - by;
  return before;
}

static int SplitLine(char* line, char** arguments) {
  int count = 0;
  for (char* word = strtok(line, " "); word != 0 && count < kMaxArguments; word = strtok(0, " ")) {
    arguments[count++] = word;
  }
  return count;
}

void Reset(void) {
#if defined(__ARM_FP)
  *(volatile uint32_t*)0xE000ED88u |= 0xFu << 20; /* CPACR: enable the FPU */
#endif
#if defined(__ARM_FEATURE_MVE) || __ARM_ARCH >= 8
  *(volatile uint32_t*)0xE000ED14u |= 1u << 19; /* CCR.LOB: low-overhead loops */
#endif
#if defined(__ARM_ARCH_6M__)
  *(volatile uint32_t*)0xE000ED14u |= 1u << 3; /* CCR.UNALIGN_TRP: fault as this core would */
#endif
  __asm__ volatile("dsb\n isb");
  memset(board_bss_begin, 0, (size_t)((char*)board_bss_end - (char*)board_bss_begin));
  initialise_monitor_handles();
  __libc_init_array();
  static char line[kLineBytes];
  static char* arguments[kMaxArguments + 1];
  const struct {
    char* to;
    uint32_t bytes;
  } request = {line, sizeof(line)};
  int count = Semihost(kSysGetCmdline, &request) == 0 ? SplitLine(line, arguments) : 0;
  exit(main(count, arguments));
}

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    board_stack_top, Reset, OnFault, OnFault, OnFault, OnFault, OnFault, OnFault,
    OnFault,         OnFault, OnFault, OnFault, OnFault, OnFault, OnFault, OnFault,
};
