/* arm64 in two variants: with matrix products of bytes (i8mm: Neoverse V1, Apple M2 and later), and
 * with dot products of bytes (dotprod: Neoverse N1, Cortex-A76, Apple M1 and later). */
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
static int arm64_has(int dotprod, int i8mm) {
  return (!dotprod || (getauxval(AT_HWCAP) >> 20 & 1)) &&
         (!i8mm || (getauxval(AT_HWCAP2) >> 13 & 1));
}
#elif defined(__APPLE__)
#include <sys/sysctl.h>
static int arm64_flag(const char *name) {
  int value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, NULL, 0) == 0 && value;
}
static int arm64_has(int dotprod, int i8mm) {
  return (!dotprod || arm64_flag("hw.optional.arm.FEAT_DotProd")) &&
         (!i8mm || arm64_flag("hw.optional.arm.FEAT_I8MM"));
}
#else
static int arm64_has(int dotprod, int i8mm) { return !dotprod && !i8mm; }
#endif

#define ISA i8mm
#define TARGET __attribute__((target("arch=armv8.2-a+dotprod+i8mm")))
#include "encoder-neon-floats.h"
#define TILE_ROWS 4
#define TILE_PANELS 1
#define EACH_TILE TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 4
#define EACH_WEIGH WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char i8mm_name[] = "i8mm";
static int i8mm_supported(void) { return arm64_has(1, 1); }

/* Each product combines two rows and two outputs over eight inputs; an odd last row is repeated. */
INLINE void i8mm_tile(const int8_t *a, int64_t lda, const int8_t *b, int32_t k, const int rows,
                      const int panels, const int32_t *zero, int32_t *out, int64_t ldo) {
  (void)panels;
  (void)zero;
  int32x4_t sums[2][8];
  for (int p = 0; p < 2; p++)
    for (int j = 0; j < 8; j++) sums[p][j] = vdupq_n_s32(0);
  for (int32_t i = 0; i < k; i += 8) {
    const int8_t *line = b + (int64_t)i * 16;
    int8x16_t pair[2], w[8];
    for (int p = 0; 2 * p < rows; p++) {
      const int odd = 2 * p + 1 < rows ? 2 * p + 1 : 2 * p;
      pair[p] = vcombine_s8(vld1_s8(a + 2 * p * lda + i), vld1_s8(a + odd * lda + i));
    }
    for (int g = 0; g < 4; g++) {
      int32x4_t first = vreinterpretq_s32_s8(vld1q_s8(line + 16 * g));
      int32x4_t second = vreinterpretq_s32_s8(vld1q_s8(line + 64 + 16 * g));
      w[2 * g] = vreinterpretq_s8_s32(vzip1q_s32(first, second));
      w[2 * g + 1] = vreinterpretq_s8_s32(vzip2q_s32(first, second));
    }
    for (int p = 0; 2 * p < rows; p++)
      for (int j = 0; j < 8; j++) sums[p][j] = vmmlaq_s32(sums[p][j], pair[p], w[j]);
  }
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < 8; j += 2) {
      int64x2_t left = vreinterpretq_s64_s32(sums[r / 2][j]);
      int64x2_t right = vreinterpretq_s64_s32(sums[r / 2][j + 1]);
      int64x2_t four = r % 2 == 0 ? vzip1q_s64(left, right) : vzip2q_s64(left, right);
      vst1q_s32(out + r * ldo + 2 * j, vreinterpretq_s32_s64(four));
    }
}
#include "encoder-body.h"

#define ISA dotprod
#define TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#include "encoder-neon-floats.h"
#define TILE_ROWS 5
#define TILE_PANELS 1
#define EACH_TILE TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 5
#define EACH_WEIGH WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char dotprod_name[] = "dotprod";
static int dotprod_supported(void) { return arm64_has(1, 0); }

INLINE void dotprod_tile(const int8_t *a, int64_t lda, const int8_t *b, int32_t k, const int rows,
                         const int panels, const int32_t *zero, int32_t *out, int64_t ldo) {
  (void)panels;
  (void)zero;
  int32x4_t sums[TILE_ROWS][4];
  for (int r = 0; r < rows; r++)
    for (int g = 0; g < 4; g++) sums[r][g] = vdupq_n_s32(0);
#define LINE(lane)                                                                               \
  for (int g = 0; g < 4; g++) {                                                                  \
    int8x16_t w = vld1q_s8(b + (int64_t)i * 16 + 64 * (lane) + 16 * g);                          \
    for (int r = 0; r < rows; r++) sums[r][g] = vdotq_laneq_s32(sums[r][g], w, x[r], lane);      \
  }
  for (int32_t i = 0; i < k; i += 16) {
    int8x16_t x[TILE_ROWS];
    for (int r = 0; r < rows; r++) x[r] = vld1q_s8(a + r * lda + i);
    LINE(0) LINE(1) LINE(2) LINE(3)
  }
#undef LINE
  for (int r = 0; r < rows; r++)
    for (int g = 0; g < 4; g++) vst1q_s32(out + r * ldo + 4 * g, sums[r][g]);
}
#include "encoder-body.h"
