/* AVX-512: sixteen floats per register, tails by mask. Uses nothing but the foundation subset (F)
 * and AVX2, so that every CPU with AVX-512 can run it. */
#include <immintrin.h>

#include "cpu.h"

#define AVX512 __attribute__((target("avx512f")))

static int avx512_supported(void) {
  return cpu_has(CPU_AVX512F | CPU_AVX2);
}

/* Returns a mask of the first `n` lanes, n >= 0. */
AVX512 static inline __mmask16 avx512_mask(int32_t n) {
  return n >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << n) - 1);
}

/* Like avx2_dots_of: 1 or 4 rows share each load of the query. */
AVX512 static inline __attribute__((always_inline)) void avx512_dots_of(
    const float *query, const float *block, int32_t n, int32_t dims, float *out) {
  __m512 even[4], odd[4];
  for (int32_t r = 0; r < n; r++) even[r] = odd[r] = _mm512_setzero_ps();
  int32_t i = 0;
  for (; i + 32 <= dims; i += 32) {
    prefetch(block + AHEAD + (int64_t)n * i, 2 * n);
    __m512 q0 = _mm512_loadu_ps(query + i), q1 = _mm512_loadu_ps(query + i + 16);
    for (int32_t r = 0; r < n; r++) {
      const float *at = block + (int64_t)r * dims + i;
      even[r] = _mm512_fmadd_ps(q0, _mm512_loadu_ps(at), even[r]);
      odd[r] = _mm512_fmadd_ps(q1, _mm512_loadu_ps(at + 16), odd[r]);
    }
  }
  for (; i < dims; i += 16) {
    __mmask16 mask = avx512_mask(dims - i);
    __m512 q = _mm512_maskz_loadu_ps(mask, query + i);
    for (int32_t r = 0; r < n; r++) {
      __m512 tail = _mm512_maskz_loadu_ps(mask, block + (int64_t)r * dims + i);
      even[r] = _mm512_fmadd_ps(q, tail, even[r]);
    }
  }
  for (int32_t r = 0; r < n; r++) out[r] = _mm512_reduce_add_ps(_mm512_add_ps(even[r], odd[r]));
}

AVX512 static void avx512_dots(const float *query, const float *block, int64_t rows, int32_t dims,
                               float *out) {
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) avx512_dots_of(query, block + row * dims, 4, dims, out + row);
  for (; row < rows; row++) avx512_dots_of(query, block + row * dims, 1, dims, out + row);
}

AVX512 static inline __m512d avx512_low(__m512 all) {
  return _mm512_cvtps_pd(_mm512_castps512_ps256(all));
}

AVX512 static inline __m512d avx512_high(__m512 all) {
  return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(all), 1)));
}

AVX512 static double avx512_sum_squares(const float *row, int32_t dims) {
  __m512d low = _mm512_setzero_pd(), high = _mm512_setzero_pd();
  for (int32_t i = 0; i < dims; i += 16) {
    __m512 all = _mm512_maskz_loadu_ps(avx512_mask(dims - i), row + i);
    __m512d a = avx512_low(all), b = avx512_high(all);
    low = _mm512_fmadd_pd(a, a, low);
    high = _mm512_fmadd_pd(b, b, high);
  }
  return _mm512_reduce_add_pd(_mm512_add_pd(low, high));
}

AVX512 static void avx512_scale(float *row, int32_t dims, double factor) {
  __m512d by = _mm512_set1_pd(factor);
  for (int32_t i = 0; i < dims; i += 16) {
    __mmask16 mask = avx512_mask(dims - i);
    __m512 all = _mm512_maskz_loadu_ps(mask, row + i);
    __m256 low = _mm512_cvtpd_ps(_mm512_mul_pd(avx512_low(all), by));
    __m256 high = _mm512_cvtpd_ps(_mm512_mul_pd(avx512_high(all), by));
    __m512d both = _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)),
                                      _mm256_castps_pd(high), 1);
    _mm512_mask_storeu_ps(row + i, mask, _mm512_castpd_ps(both));
  }
}

static const struct isa avx512_isa = {"avx512", avx512_supported, avx512_dots, avx512_sum_squares,
                                      avx512_scale, avx2_byte_dots};
