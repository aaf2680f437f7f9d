/* AVX2 with FMA: eight floats per register. Tails are masked loads, which never touch bytes beyond
 * the row. */
#include <immintrin.h>

#include "cpu.h"

#define AVX2 __attribute__((target("avx2,fma")))

static int avx2_supported(void) {
  return cpu_has(CPU_AVX2);
}

/* Returns a mask of the first `n` lanes, 0 <= n <= 8. */
AVX2 static inline __m256i avx2_mask(int32_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

AVX2 static inline float avx2_sum(__m256 even, __m256 odd) {
  __m256 all = _mm256_add_ps(even, odd);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

/* `n` rows (1 or 4) share each load of the query; two sums per row hide the latency of the
 * multiply-add. `n` is a constant in each call, so the inner loops are unrolled. */
AVX2 static inline __attribute__((always_inline)) void avx2_dots_of(
    const float *query, const float *block, int32_t n, int32_t dims, float *out) {
  __m256 even[4], odd[4];
  for (int32_t r = 0; r < n; r++) even[r] = odd[r] = _mm256_setzero_ps();
  int32_t i = 0;
  for (; i + 16 <= dims; i += 16) {
    prefetch(block + AHEAD + (int64_t)n * i, n);
    __m256 q0 = _mm256_loadu_ps(query + i), q1 = _mm256_loadu_ps(query + i + 8);
    for (int32_t r = 0; r < n; r++) {
      const float *at = block + (int64_t)r * dims + i;
      even[r] = _mm256_fmadd_ps(q0, _mm256_loadu_ps(at), even[r]);
      odd[r] = _mm256_fmadd_ps(q1, _mm256_loadu_ps(at + 8), odd[r]);
    }
  }
  for (; i < dims; i += 8) {
    __m256i mask = avx2_mask(dims - i);
    __m256 q = _mm256_maskload_ps(query + i, mask);
    for (int32_t r = 0; r < n; r++) {
      __m256 tail = _mm256_maskload_ps(block + (int64_t)r * dims + i, mask);
      even[r] = _mm256_fmadd_ps(q, tail, even[r]);
    }
  }
  for (int32_t r = 0; r < n; r++) out[r] = avx2_sum(even[r], odd[r]);
}

AVX2 static void avx2_dots(const float *query, const float *block, int64_t rows, int32_t dims,
                           float *out) {
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) avx2_dots_of(query, block + row * dims, 4, dims, out + row);
  for (; row < rows; row++) avx2_dots_of(query, block + row * dims, 1, dims, out + row);
}

AVX2 static double avx2_sum_squares(const float *row, int32_t dims) {
  __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
  for (int32_t i = 0; i < dims; i += 8) {
    __m256 eight = dims - i >= 8 ? _mm256_loadu_ps(row + i)
                                 : _mm256_maskload_ps(row + i, avx2_mask(dims - i));
    __m256d a = _mm256_cvtps_pd(_mm256_castps256_ps128(eight));
    __m256d b = _mm256_cvtps_pd(_mm256_extractf128_ps(eight, 1));
    low = _mm256_fmadd_pd(a, a, low);
    high = _mm256_fmadd_pd(b, b, high);
  }
  __m256d four = _mm256_add_pd(low, high);
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

AVX2 static void avx2_scale(float *row, int32_t dims, double factor) {
  __m256d by = _mm256_set1_pd(factor);
  int32_t i = 0;
  for (; i + 4 <= dims; i += 4) {
    __m256d four = _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(row + i)), by);
    _mm_storeu_ps(row + i, _mm256_cvtpd_ps(four));
  }
  for (; i < dims; i++) row[i] = (float)(row[i] * factor);
}

/* Products of 16 numbers of the query and 16 bytes of a row, added in pairs. */
AVX2 static inline __m256i avx2_byte_products(const int16_t *query, const int8_t *row) {
  __m256i bytes = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)row));
  return _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)query), bytes);
}

AVX2 static void avx2_byte_dots(const int16_t *query, const int8_t *block, int64_t rows,
                                int32_t dims, int32_t *out) {
  for (int64_t row = 0; row < rows; row++) {
    const int8_t *at = block + row * dims;
    __m256i even = _mm256_setzero_si256(), odd = even;
    int32_t i = 0;
    for (; i + 32 <= dims; i += 32) {
      __builtin_prefetch(at + 4096 + i);
      even = _mm256_add_epi32(even, avx2_byte_products(query + i, at + i));
      odd = _mm256_add_epi32(odd, avx2_byte_products(query + i + 16, at + i + 16));
    }
    __m256i all = _mm256_add_epi32(even, odd);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    int32_t sum = _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
    out[row] = sum + serial_byte_dot(query, at, i, dims);
  }
}

static const struct isa avx2_isa = {"avx2", avx2_supported, avx2_dots, avx2_sum_squares,
                                    avx2_scale, avx2_byte_dots};
