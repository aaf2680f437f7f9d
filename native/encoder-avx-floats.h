/* Eight floats per register, for both 256-bit instruction sets. Define ISA and TARGET first. */
#define LANES 8
/* Products of bytes take unsigned bytes on one side, so activations are stored with this added. */
typedef uint8_t V(act);
#define ACT_ZERO 128
#define SHARE_MAX 255
#define INLINE TARGET static inline __attribute__((always_inline))
typedef __m256 V(v);
INLINE __m256 V(load)(const float *p) { return _mm256_loadu_ps(p); }
INLINE void V(store)(float *p, __m256 a) { _mm256_storeu_ps(p, a); }
INLINE __m256 V(set1)(float a) { return _mm256_set1_ps(a); }
INLINE __m256 V(add)(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
INLINE __m256 V(sub)(__m256 a, __m256 b) { return _mm256_sub_ps(a, b); }
INLINE __m256 V(mul)(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }
INLINE __m256 V(fma)(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
INLINE __m256 V(max)(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
INLINE __m256 V(min)(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
INLINE __m256 V(abs)(__m256 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
/* `fraction` is x - floor(x), `scale2` is a * 2^floor(x). */
INLINE __m256 V(fraction)(__m256 x) { return _mm256_sub_ps(x, _mm256_floor_ps(x)); }
INLINE __m256 V(scale2)(__m256 a, __m256 x) {
  x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-126)), _mm256_set1_ps(127));
  __m256i whole = _mm256_cvtps_epi32(_mm256_floor_ps(x));
  __m256i exponent = _mm256_add_epi32(whole, _mm256_set1_epi32(127));
  return _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
}
INLINE __m128 V(halves)(__m256 a) { return _mm256_extractf128_ps(a, 1); }
INLINE float V(hmax)(__m256 a) {
  __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), V(halves)(a));
  x = _mm_max_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
INLINE float V(hsum)(__m256 a) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), V(halves)(a));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
INLINE __m256 V(from_i32)(const int32_t *p) {
  return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)p));
}
INLINE __m256 V(from_i8)(const int8_t *p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
/* a * factor, rounded to eight 16-bit integers. */
INLINE __m128i V(pairs)(__m256 a, __m256 factor) {
  __m256i x = _mm256_cvtps_epi32(_mm256_mul_ps(a, factor));
  return _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}
INLINE void V(to_i8)(int8_t *p, __m256 a, __m256 factor) {
  __m128i x = V(pairs)(a, factor);
  _mm_storel_epi64((__m128i *)p, _mm_packs_epi16(x, x));
}
INLINE void V(to_act)(uint8_t *p, __m256 a, __m256 factor) {
  __m128i low = V(pairs)(a, factor), bytes = _mm_packs_epi16(low, low);
  _mm_storel_epi64((__m128i *)p, _mm_xor_si128(bytes, _mm_set1_epi8((char)0x80)));
}
INLINE void V(to_share)(uint8_t *p, __m256 a, __m256 factor) {
  __m128i low = V(pairs)(a, factor), bytes = _mm_packus_epi16(low, low);
  _mm_storel_epi64((__m128i *)p, bytes);
}
