/* Sixteen floats and VNNI, for the plain AVX-512 and for AMX. Define ISA and TARGET first. */
#define LANES 16
/* vpdpbusd takes unsigned bytes on one side, so activations are stored with this added. */
typedef uint8_t V(act);
#define ACT_ZERO 128
#define SHARE_MAX 255
#define HEAD_MAX 127

#define TILE_ROWS 8
#define TILE_PANELS 3
#define EACH_TILE                                                                                \
  TILE(8, 3); TILE(7, 3); TILE(6, 3); TILE(5, 3); TILE(4, 3); TILE(3, 3); TILE(2, 3); TILE(1, 3); \
  TILE(8, 2); TILE(7, 2); TILE(6, 2); TILE(5, 2); TILE(4, 2); TILE(3, 2); TILE(2, 2); TILE(1, 2); \
  TILE(8, 1); TILE(7, 1); TILE(6, 1); TILE(5, 1); TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 6
#define EACH_WEIGH WEIGH(6); WEIGH(5); WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)

typedef __m512 V(v);
#define INLINE TARGET static inline __attribute__((always_inline))
INLINE __m512 V(load)(const float *p) { return _mm512_loadu_ps(p); }
INLINE void V(store)(float *p, __m512 a) { _mm512_storeu_ps(p, a); }
INLINE __m512 V(set1)(float a) { return _mm512_set1_ps(a); }
INLINE __m512 V(add)(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
INLINE __m512 V(sub)(__m512 a, __m512 b) { return _mm512_sub_ps(a, b); }
INLINE __m512 V(mul)(__m512 a, __m512 b) { return _mm512_mul_ps(a, b); }
INLINE __m512 V(fma)(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
INLINE __m512 V(max)(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
INLINE __m512 V(min)(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
INLINE __m512 V(abs)(__m512 a) { return _mm512_abs_ps(a); }
/* `fraction` is x - floor(x), `scale2` is a * 2^floor(x). */
INLINE __m512 V(fraction)(__m512 x) { return _mm512_reduce_ps(x, 9); }
INLINE __m512 V(scale2)(__m512 a, __m512 x) { return _mm512_scalef_ps(a, x); }
INLINE float V(hmax)(__m512 a) { return _mm512_reduce_max_ps(a); }
INLINE float V(hsum)(__m512 a) { return _mm512_reduce_add_ps(a); }
INLINE __m512 V(from_i32)(const int32_t *p) {
  return _mm512_cvtepi32_ps(_mm512_loadu_si512(p));
}
INLINE __m512 V(from_i8)(const int8_t *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
}
/* a * factor, rounded to integers from -127 to 127 (0 to 255 for shares). Adding 2^23 moves the
 * integer into the lowest bits of the float; adding another 128 costs nothing. */
INLINE __m128i V(bytes)(__m512 a, __m512 factor, float zero) {
  __m512 sum = _mm512_fmadd_ps(a, factor, _mm512_set1_ps(zero));
  return _mm512_cvtepi32_epi8(_mm512_castps_si512(sum));
}
INLINE void V(to_i8)(int8_t *p, __m512 a, __m512 factor) {
  _mm_storeu_si128((__m128i *)p, V(bytes)(a, factor, 0x1.8p23f));
}
INLINE void V(to_act)(uint8_t *p, __m512 a, __m512 factor) {
  _mm_storeu_si128((__m128i *)p, V(bytes)(a, factor, 0x1p23f + 128));
}
INLINE void V(to_share)(uint8_t *p, __m512 a, __m512 factor) {
  _mm_storeu_si128((__m128i *)p, V(bytes)(a, factor, 0x1p23f));
}

/* Computes rows x (16 * panels) sums over k, minus `zero`; row r of `a` is at a + r * lda, panel j
 * at b + j * 16 * k. */
INLINE void V(tile)(const uint8_t *a, int64_t lda, const int8_t *b, int32_t k,
                            const int rows, const int panels, const int32_t *zero, int32_t *out,
                            int64_t ldo) {
  __m512i sums[TILE_ROWS][TILE_PANELS], less[TILE_PANELS];
#pragma GCC unroll 3
  for (int j = 0; j < panels; j++) {
    less[j] = _mm512_setzero_si512();
    if (zero != NULL) less[j] = _mm512_sub_epi32(less[j], _mm512_loadu_si512(zero + 16 * j));
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
    for (int j = 0; j < panels; j++) sums[r][j] = less[j];
  for (int32_t i = 0; i < k; i += 4) {
    __m512i w[TILE_PANELS];
#pragma GCC unroll 3
    for (int j = 0; j < panels; j++)
      w[j] = _mm512_loadu_si512(b + (int64_t)j * 16 * k + (int64_t)i * 16);
    /* The next panels. A query has so few rows that it waits mostly for weights. */
#pragma GCC unroll 3
    for (int j = panels; j < 2 * panels; j++)
      __builtin_prefetch(b + (int64_t)j * 16 * k + (int64_t)i * 16, 0, 2);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
      int32_t four;
      memcpy(&four, a + r * lda + i, 4);
      __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 3
      for (int j = 0; j < panels; j++) sums[r][j] = _mm512_dpbusd_epi32(sums[r][j], x, w[j]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
    for (int j = 0; j < panels; j++) _mm512_storeu_si512(out + r * ldo + 16 * j, sums[r][j]);
}
