/* 256-bit x86 in two variants: with VNNI (Alder Lake, Zen 5), which has u8 x s8 products of four,
 * and with AVX2 alone, which widens bytes to 16 bits because its own byte products saturate. */
#include <immintrin.h>

#include "cpu.h"

#define ISA avxvnni
#define TARGET __attribute__((target("avx2,fma,avxvnni")))
#include "encoder-avx-floats.h"
#define ACT_ZERO 128
#define SHARE_MAX 255
#define TILE_ROWS 6
#define TILE_PANELS 1
#define EACH_TILE TILE(6, 1); TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 6
#define EACH_WEIGH WEIGH(6); WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char avxvnni_name[] = "avxvnni";

static int avxvnni_supported(void) {
  return cpu_has(CPU_AVX2 | CPU_AVXVNNI);
}

/* Stored with 128 added, because vpdpbusd takes unsigned bytes on one side. */
typedef uint8_t avxvnni_act;
INLINE void avxvnni_to_share(uint8_t *p, __m256 a, __m256 factor) {
  __m128i low = V(pairs)(a, factor), bytes = _mm_packus_epi16(low, low);
  _mm_storel_epi64((__m128i *)p, bytes);
}
INLINE void avxvnni_to_act(uint8_t *p, __m256 a, __m256 factor) {
  __m128i low = V(pairs)(a, factor), bytes = _mm_packs_epi16(low, low);
  _mm_storel_epi64((__m128i *)p, _mm_xor_si128(bytes, _mm_set1_epi8((char)0x80)));
}
INLINE void avxvnni_tile(const uint8_t *a, int64_t lda, const int8_t *b, int32_t k,
                         const int rows, const int panels, const int32_t *zero, int32_t *out,
                         int64_t ldo) {
  (void)panels;
  __m256i sums[TILE_ROWS][2], less[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  for (int j = 0; j < 2 && zero != NULL; j++)
    less[j] = _mm256_sub_epi32(less[j], _mm256_loadu_si256((const __m256i *)(zero + 8 * j)));
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
    sums[r][0] = less[0];
    sums[r][1] = less[1];
  }
  for (int32_t i = 0; i < k; i += 4) {
    __m256i low = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16));
    __m256i high = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16 + 32));
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      int32_t four;
      memcpy(&four, a + r * lda + i, 4);
      __m256i x = _mm256_set1_epi32(four);
      sums[r][0] = _mm256_dpbusd_avx_epi32(sums[r][0], x, low);
      sums[r][1] = _mm256_dpbusd_avx_epi32(sums[r][1], x, high);
      /* Without this barrier, GCC spills the sums, as in the function below. */
      __asm__ volatile("" : "+x"(sums[r][0]), "+x"(sums[r][1]) : : "memory");
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
    _mm256_storeu_si256((__m256i *)(out + r * ldo), sums[r][0]);
    _mm256_storeu_si256((__m256i *)(out + r * ldo + 8), sums[r][1]);
  }
}
#include "encoder-body.h"

#define ISA avx2
#define TARGET __attribute__((target("avx2,fma")))
#include "encoder-avx-floats.h"
#define ACT_ZERO 0
#define SHARE_MAX 255
#define TILE_ROWS 5
#define TILE_PANELS 1
#define EACH_TILE TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 5
#define EACH_WEIGH WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char avx2_name[] = "avx2";

static int avx2_supported(void) {
  return cpu_has(CPU_AVX2);
}

typedef int16_t avx2_act;
INLINE void avx2_to_act(int16_t *p, __m256 a, __m256 factor) {
  _mm_storeu_si128((__m128i *)p, V(pairs)(a, factor));
}
INLINE void avx2_to_share(int16_t *p, __m256 a, __m256 factor) { V(to_act)(p, a, factor); }
/* Computes eight outputs of a panel at a time, because the sums of more would not fit into the
 * registers. Each 32-bit lane sums two of an output's four inputs; neighbouring lanes are added at
 * the end. */
INLINE void avx2_half_tile(const int16_t *a, int64_t lda, const int8_t *b, int32_t k,
                           const int rows, int32_t *out, int64_t ldo) {
  __m256i sums[TILE_ROWS][2];
#pragma GCC unroll 5
  for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  for (int32_t i = 0; i < k; i += 4) {
    const __m128i *line = (const __m128i *)(b + (int64_t)i * 16);
    __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(line));
    __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(line + 1));
#pragma GCC unroll 5
    for (int r = 0; r < rows; r++) {
      int64_t four;
      memcpy(&four, a + r * lda + i, 8);
      __m256i x = _mm256_set1_epi64x(four);
      sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(x, low));
      sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(x, high));
      /* Row by row, because GCC 12 would load all rows first and spill the sums. */
      __asm__ volatile("" : "+x"(sums[r][0]), "+x"(sums[r][1]) : : "memory");
    }
  }
#pragma GCC unroll 5
  for (int r = 0; r < rows; r++) {
    __m256i eight = _mm256_hadd_epi32(sums[r][0], sums[r][1]);
    _mm256_storeu_si256((__m256i *)(out + r * ldo), _mm256_permute4x64_epi64(eight, 0xd8));
  }
}
INLINE void avx2_tile(const int16_t *a, int64_t lda, const int8_t *b, int32_t k, const int rows,
                      const int panels, const int32_t *zero, int32_t *out, int64_t ldo) {
  (void)panels;
  (void)zero;
  avx2_half_tile(a, lda, b, k, rows, out, ldo);
  avx2_half_tile(a, lda, b + 32, k, rows, out + 8, ldo);
}
#include "encoder-body.h"
