/* 256-bit x86 in two variants: with VNNI (Alder Lake, Zen 5), which has u8 x s8 products of four,
 * and with AVX2 alone, which adds up pairs of u8 x s8 products in 16 bits. */
#include <immintrin.h>

#include "cpu.h"

#define ISA avxvnni
#define TARGET __attribute__((target("avx2,fma,avxvnni")))
#include "encoder-avx-floats.h"
#define HEAD_MAX 127
#define TILE_ROWS 6
#define TILE_PANELS 1
#define EACH_TILE TILE(6, 1); TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 6
#define EACH_WEIGH WEIGH(6); WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char avxvnni_name[] = "avxvnni";

static int avxvnni_supported(void) {
  return cpu_has(CPU_AVX2 | CPU_AVXVNNI);
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
/* Two products of unsigned bytes with these fit into 16 bits. */
#define HEAD_MAX 63
#define SPAN_ROWS 6
#define TILE_ROWS 5
#define TILE_PANELS 1
#define EACH_TILE TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 5
#define EACH_WEIGH WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char avx2_name[] = "avx2";

static int avx2_supported(void) {
  return cpu_has(CPU_AVX2);
}

/* For attention. Widens each pair of products to 32 bits. */
INLINE void avx2_tile(const uint8_t *a, int64_t lda, const int8_t *b, int32_t k, const int rows,
                      const int panels, const int32_t *zero, int32_t *out, int64_t ldo) {
  (void)panels;
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums[TILE_ROWS][2], less[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  for (int j = 0; j < 2 && zero != NULL; j++)
    less[j] = _mm256_sub_epi32(less[j], _mm256_loadu_si256((const __m256i *)(zero + 8 * j)));
#pragma GCC unroll 5
  for (int r = 0; r < rows; r++) {
    sums[r][0] = less[0];
    sums[r][1] = less[1];
  }
  for (int32_t i = 0; i < k; i += 4) {
    __m256i low = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16));
    __m256i high = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16 + 32));
#pragma GCC unroll 5
    for (int r = 0; r < rows; r++) {
      int32_t four;
      memcpy(&four, a + r * lda + i, 4);
      __m256i x = _mm256_set1_epi32(four);
      __m256i left = _mm256_madd_epi16(_mm256_maddubs_epi16(x, low), ones);
      __m256i right = _mm256_madd_epi16(_mm256_maddubs_epi16(x, high), ones);
      sums[r][0] = _mm256_add_epi32(sums[r][0], left);
      sums[r][1] = _mm256_add_epi32(sums[r][1], right);
      /* Row by row, because GCC 12 would load all rows first and spill the sums. */
      __asm__ volatile("" : "+x"(sums[r][0]), "+x"(sums[r][1]) : : "memory");
    }
  }
#pragma GCC unroll 5
  for (int r = 0; r < rows; r++) {
    _mm256_storeu_si256((__m256i *)(out + r * ldo), sums[r][0]);
    _mm256_storeu_si256((__m256i *)(out + r * ldo + 8), sums[r][1]);
  }
}

TARGET static void avx2_prepare(struct matrix *m, int16_t *middles) {
  const __m256i ones = _mm256_set1_epi8(1), zero = _mm256_setzero_si256();
  __m256i most = zero;
  const int8_t *b = m->packed;
  m->middles = middles;
  for (int32_t panel = 0; panel < m->outputs; panel += 16)
    for (int32_t from = 0; from < m->inputs; from += SPAN, middles += 32) {
      __m256i sums[2] = {zero, zero}, squares[2] = {zero, zero};
      for (int32_t i = from; i < m->inputs && i < from + SPAN; i += 4)
        for (int j = 0; j < 2; j++, b += 32) {
          __m256i w = _mm256_loadu_si256((const __m256i *)b), size = _mm256_abs_epi8(w);
          sums[j] = _mm256_add_epi16(sums[j], _mm256_maddubs_epi16(ones, w));
          /* An eighth, rounded up, so that eight of them fit. */
          __m256i square = _mm256_add_epi16(_mm256_maddubs_epi16(size, size), _mm256_set1_epi16(7));
          squares[j] = _mm256_add_epi16(squares[j], _mm256_srli_epi16(square, 3));
        }
      for (int j = 0; j < 2; j++) {
        __m256i middle = _mm256_sub_epi16(zero, _mm256_slli_epi16(sums[j], 7));
        _mm256_storeu_si256((__m256i *)middles + j, middle);
        most = _mm256_max_epu16(most, squares[j]);
      }
    }
  uint16_t lanes[16], largest = 1;
  _mm256_storeu_si256((__m256i *)lanes, most);
  for (int i = 0; i < 16; i++) largest = lanes[i] > largest ? lanes[i] : largest;
  /* By Cauchy and Schwarz. Rounding makes sixteen activations longer by at most 2. */
  m->reach = 32767 / __builtin_sqrtf(8.0f * largest) - 3;
}

/* Returns a top that is high enough: quantised by it, the activations that are added up in one lane
 * of a span are at most `reach` long. A trained model seldom has rows that need a higher top. */
INLINE float avx2_bounded(const float *x, float top, const struct matrix *m) {
  __m256 longest = _mm256_setzero_ps();
  for (int32_t from = 0; from < m->inputs; from += SPAN) {
    __m256 sum = _mm256_setzero_ps();
    for (int32_t i = from; i < m->inputs && i < from + SPAN; i += 8) {
      __m256 y = _mm256_loadu_ps(x + i);
      sum = _mm256_fmadd_ps(y, y, sum);
    }
    /* A lane adds up two inputs of each four. */
    sum = _mm256_add_ps(sum, _mm256_permute_ps(sum, 0xb1));
    sum = _mm256_add_ps(sum, _mm256_permute2f128_ps(sum, sum, 1));
    longest = _mm256_max_ps(longest, sum);
  }
  const float least = 127 * __builtin_sqrtf(V(hmax)(longest)) / m->reach;
  return top > least ? top : least;
}

/* For dense layers. Widens once per span of eight lines (in the last span, perhaps of four). The
 * 16-bit sums of a span start at `middles`, -128 x the sum of their weights, modulo 2^16: they end
 * exactly, even if they wrap on the way, because avx2_bounded keeps the end within 16 bits. */
INLINE void avx2_span_tile(const uint8_t *a, int64_t lda, const int8_t *b, const int16_t *middles,
                           int32_t k, const int rows, int is_first, int32_t *out,
                           int64_t ldo) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums[SPAN_ROWS][2], span[SPAN_ROWS][2];
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
#define LINE                                                                                     \
  {                                                                                              \
    __m256i low = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16));                    \
    __m256i high = _mm256_loadu_si256((const __m256i *)(b + (int64_t)i * 16 + 32));              \
    _Pragma("GCC unroll 6") for (int r = 0; r < rows; r++) {                                     \
      int32_t four;                                                                              \
      memcpy(&four, a + r * lda + i, 4);                                                         \
      __m256i x = _mm256_set1_epi32(four);                                                       \
      span[r][0] = _mm256_add_epi16(span[r][0], _mm256_maddubs_epi16(x, low));                   \
      span[r][1] = _mm256_add_epi16(span[r][1], _mm256_maddubs_epi16(x, high));                  \
      __asm__ volatile("" : "+x"(span[r][0]), "+x"(span[r][1]) : : "memory");                    \
    }                                                                                            \
    i += 4;                                                                                      \
  }
  for (int32_t i = 0; i < k; middles += 32) {
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      span[r][0] = _mm256_loadu_si256((const __m256i *)middles);
      span[r][1] = _mm256_loadu_si256((const __m256i *)middles + 1);
    }
    /* The next panel. A query has so few rows that it waits mostly for weights. */
    for (int line = 0; is_first && line < SPAN / 4; line++)
      __builtin_prefetch(b + (int64_t)(k + i) * 16 + 64 * line);
    if (k - i >= SPAN) { LINE LINE LINE LINE }
    LINE LINE LINE LINE
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
      for (int j = 0; j < 2; j++)
        sums[r][j] = _mm256_add_epi32(sums[r][j], _mm256_madd_epi16(span[r][j], ones));
  }
#undef LINE
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < 2; j++)
      _mm256_storeu_si256((__m256i *)(out + r * ldo + 8 * j), sums[r][j]);
}

TARGET static void avx2_spans(const uint8_t *a, int32_t rows, const struct matrix *m, int32_t from,
                              int32_t to, int32_t *out) {
#define SPANS(r)                                                                                 \
  case r:                                                                                        \
    avx2_span_tile(a + at * m->inputs, m->inputs, b, middles, m->inputs, r, at == 0, sums,       \
                   m->outputs);                                                                  \
    break
  /* Tiles of equal height are faster than high ones and a rest. */
  const int32_t n_tiles = (rows + SPAN_ROWS - 1) / SPAN_ROWS;
  const int32_t height = (rows + n_tiles - 1) / n_tiles;
  for (int32_t panel = from; panel < to; panel += 16) {
    const int8_t *b = m->packed + (int64_t)panel * m->inputs;
    const int16_t *middles = m->middles + (int64_t)panel * 2 * n_spans(m);
    for (int64_t at = 0; at < rows; at += height) {
      int32_t *sums = out + at * m->outputs + panel;
      switch (rows - at < height ? rows - at : height) {
        SPANS(6); SPANS(5); SPANS(4); SPANS(3); SPANS(2); SPANS(1);
      }
    }
  }
#undef SPANS
}
#define HAS_SPANS
#include "encoder-body.h"
