/* Portable C, one number at a time: the reference for the other instruction sets. */
#define ISA serial
#define TARGET
#define INLINE static inline
#define LANES 1
#define ACT_ZERO 0
#define SHARE_MAX 255
#define HEAD_MAX 127
#define TILE_ROWS 4
#define TILE_PANELS 1
#define EACH_TILE TILE(4, 1); TILE(3, 1); TILE(2, 1); TILE(1, 1)
#define WEIGH_ROWS 4
#define EACH_WEIGH WEIGH(4); WEIGH(3); WEIGH(2); WEIGH(1)
static const char serial_name[] = "serial";

static int serial_supported(void) { return 1; }

typedef int16_t serial_act;
typedef float serial_v;
INLINE float serial_load(const float *p) {
  float a;
  memcpy(&a, p, 4);
  return a;
}
INLINE void serial_store(float *p, float a) { memcpy(p, &a, 4); }
INLINE float serial_set1(float a) { return a; }
INLINE float serial_add(float a, float b) { return a + b; }
INLINE float serial_sub(float a, float b) { return a - b; }
INLINE float serial_mul(float a, float b) { return a * b; }
INLINE float serial_fma(float a, float b, float c) { return a * b + c; }
INLINE float serial_max(float a, float b) { return a > b ? a : b; }
INLINE float serial_min(float a, float b) { return a < b ? a : b; }
INLINE float serial_abs(float a) { return fabsf(a); }
/* `fraction` is x - floor(x), `scale2` is a * 2^floor(x). */
INLINE float serial_fraction(float x) { return x - floorf(x); }
INLINE float serial_scale2(float a, float x) {
  return ldexpf(a, x < -126 ? -126 : x > 127 ? 127 : (int)floorf(x));
}
INLINE float serial_hmax(float a) { return a; }
INLINE float serial_hsum(float a) { return a; }
INLINE float serial_from_i32(const int32_t *p) {
  int32_t a;
  memcpy(&a, p, 4);
  return (float)a;
}
INLINE float serial_from_i8(const int8_t *p) { return *p; }
INLINE void serial_to_i8(int8_t *p, float a, float factor) { *p = (int8_t)rintf(a * factor); }
INLINE void serial_to_act(int16_t *p, float a, float factor) { *p = (int16_t)rintf(a * factor); }
INLINE void serial_to_share(int16_t *p, float a, float factor) { *p = (int16_t)rintf(a * factor); }

INLINE void serial_tile(const int16_t *a, int64_t lda, const int8_t *b, int32_t k, const int rows,
                        const int panels, const int32_t *zero, int32_t *out, int64_t ldo) {
  (void)panels;
  (void)zero;
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < 16; j++) {
      int32_t sum = 0;
      for (int32_t i = 0; i < k; i++) sum += a[r * lda + i] * b[(i / 4 * 16 + j) * 4 + i % 4];
      memcpy(out + r * ldo + j, &sum, 4);
    }
}

#include "encoder-body.h"
