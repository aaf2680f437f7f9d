/* The instructions that this processor and its operating system support, according to cpuid: in the
 * runtime that zig links, __builtin_cpu_supports always returns false. */
#ifndef OG_CPU_H
#define OG_CPU_H
#include <cpuid.h>

enum {
  CPU_AVX2 = 1, /* with FMA */
  CPU_AVXVNNI = 2,
  CPU_AVX512F = 4,
  CPU_AVX512VNNI = 8, /* with BW, VL, DQ */
  CPU_AMX = 16, /* products of bytes */
};

static inline unsigned cpu_features(void) {
  unsigned a, b, c, d, found = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return 0;
  unsigned fma = c & (1u << 12);
  /* The registers that the operating system saves: bits 1 and 2 are YMM, bits 5 to 7 are ZMM. */
  unsigned saved, high;
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  unsigned leaves = a;
  unsigned both = 1u << 30 | 1u << 31 | 1u << 17;
  if ((saved & 0x06) == 0x06 && (b & (1u << 5)) && fma) found |= CPU_AVX2;
  if ((saved & 0xe6) == 0xe6 && (b & (1u << 16))) {
    found |= CPU_AVX512F;
    if ((b & both) == both && (c & (1u << 11))) found |= CPU_AVX512VNNI;
    unsigned tiles = 3u << 24; /* and bits 17 and 18 are the tiles */
    if ((saved & 0x60000) == 0x60000 && (d & tiles) == tiles) found |= CPU_AMX;
  }
  if (leaves >= 1 && (found & CPU_AVX2)) {
    __cpuid_count(7, 1, a, b, c, d);
    if (a & (1u << 4)) found |= CPU_AVXVNNI;
  }
  return found;
}

/* Asks the processor only once: in a virtual machine, cpuid stops it for microseconds (measured: 25
 * for all features). Threads that race here store the same features. */
static inline int cpu_has(unsigned wanted) {
  enum { CPU_KNOWN = 1 << 30 };
  static unsigned known;
  unsigned found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found == 0) {
    found = cpu_features() | CPU_KNOWN;
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return (found & wanted) == wanted;
}
#endif
