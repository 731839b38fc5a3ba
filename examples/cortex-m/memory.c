/* SPDX-License-Identifier: Apache-2.0
 * The three functions that compilers and weft require, for a program without a C library. Compile
 * with -fno-tree-loop-distribute-patterns; otherwise the loops would become calls of these
 * functions. The __aeabi names are Arm's names of the same functions, which Clang calls. If a C
 * library is linked, omit this file: the library's functions are faster. */
#include <stddef.h>
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) word;

static int are_words(const void* a, const void* b) {
  return (((uintptr_t)a | (uintptr_t)b) & (sizeof(word) - 1)) == 0;
}

void* memset(void* to, int value, size_t bytes) {
  unsigned char* p = to;
  const word four = (unsigned char)value * (word)0x01010101;
  if (are_words(p, p)) {
    for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) *(word*)p = four;
  }
  while (bytes-- > 0) *p++ = (unsigned char)value;
  return to;
}

/* From the first byte to the last. */
static void* copy_up(void* to, const void* from, size_t bytes) {
  unsigned char* p = to;
  const unsigned char* q = from;
  if (are_words(p, q)) {
    for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word), q += sizeof(word)) {
      *(word*)p = *(const word*)q;
    }
  }
  while (bytes-- > 0) *p++ = *q++;
  return to;
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  return copy_up(to, from, bytes);
}

void* memmove(void* to, const void* from, size_t bytes) {
  unsigned char* p = to;
  const unsigned char* q = from;
  if (p < q) return copy_up(to, from, bytes);
  if (are_words(p, q)) {
    while (bytes % sizeof(word) != 0) --bytes, p[bytes] = q[bytes];
    for (; bytes > 0; bytes -= sizeof(word)) {
      *(word*)(p + bytes - sizeof(word)) = *(const word*)(q + bytes - sizeof(word));
    }
  }
  while (bytes-- > 0) p[bytes] = q[bytes];
  return to;
}

void __aeabi_memset(void* to, size_t bytes, int value) { memset(to, value, bytes); }
void __aeabi_memclr(void* to, size_t bytes) { memset(to, 0, bytes); }
void __aeabi_memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  memcpy(to, from, bytes);
}
void __aeabi_memmove(void* to, const void* from, size_t bytes) { memmove(to, from, bytes); }

#define SAME_AS(name) __attribute__((alias(#name)))
void __aeabi_memset4(void*, size_t, int) SAME_AS(__aeabi_memset); /* 4, 8: for aligned addresses */
void __aeabi_memset8(void*, size_t, int) SAME_AS(__aeabi_memset);
void __aeabi_memclr4(void*, size_t) SAME_AS(__aeabi_memclr);
void __aeabi_memclr8(void*, size_t) SAME_AS(__aeabi_memclr);
void __aeabi_memcpy4(void*, const void*, size_t) SAME_AS(__aeabi_memcpy);
void __aeabi_memcpy8(void*, const void*, size_t) SAME_AS(__aeabi_memcpy);
void __aeabi_memmove4(void*, const void*, size_t) SAME_AS(__aeabi_memmove);
void __aeabi_memmove8(void*, const void*, size_t) SAME_AS(__aeabi_memmove);
