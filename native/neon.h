/* NEON, which every arm64 CPU has: four floats per register. */
#include <arm_neon.h>

static int neon_supported(void) { return 1; }

/* Like avx2_dots_of: 1 or 4 rows share each load of the query. */
static inline __attribute__((always_inline)) void neon_dots_of(
    const float *query, const float *block, int32_t n, int32_t dims, float *out) {
  float32x4_t even[4], odd[4];
  for (int32_t r = 0; r < n; r++) even[r] = odd[r] = vdupq_n_f32(0);
  int32_t i = 0;
  for (; i + 8 <= dims; i += 8) {
    float32x4_t q0 = vld1q_f32(query + i), q1 = vld1q_f32(query + i + 4);
    for (int32_t r = 0; r < n; r++) {
      const float *at = block + (int64_t)r * dims + i;
      even[r] = vfmaq_f32(even[r], q0, vld1q_f32(at));
      odd[r] = vfmaq_f32(odd[r], q1, vld1q_f32(at + 4));
    }
  }
  for (int32_t r = 0; r < n; r++) {
    const float *row = block + (int64_t)r * dims;
    float sum = vaddvq_f32(vaddq_f32(even[r], odd[r]));
    for (int32_t t = i; t < dims; t++) sum += query[t] * row[t];
    out[r] = sum;
  }
}

static void neon_dots(const float *query, const float *block, int64_t rows, int32_t dims,
                      float *out) {
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) neon_dots_of(query, block + row * dims, 4, dims, out + row);
  for (; row < rows; row++) neon_dots_of(query, block + row * dims, 1, dims, out + row);
}

static double neon_sum_squares(const float *row, int32_t dims) {
  float64x2_t low = vdupq_n_f64(0), high = vdupq_n_f64(0);
  int32_t i = 0;
  for (; i + 4 <= dims; i += 4) {
    float32x4_t four = vld1q_f32(row + i);
    float64x2_t a = vcvt_f64_f32(vget_low_f32(four)), b = vcvt_high_f64_f32(four);
    low = vfmaq_f64(low, a, a);
    high = vfmaq_f64(high, b, b);
  }
  double sum = vaddvq_f64(vaddq_f64(low, high));
  for (; i < dims; i++) sum += (double)row[i] * (double)row[i];
  return sum;
}

static void neon_scale(float *row, int32_t dims, double factor) {
  float64x2_t by = vdupq_n_f64(factor);
  int32_t i = 0;
  for (; i + 4 <= dims; i += 4) {
    float32x4_t four = vld1q_f32(row + i);
    float32x2_t low = vcvt_f32_f64(vmulq_f64(vcvt_f64_f32(vget_low_f32(four)), by));
    vst1q_f32(row + i, vcvt_high_f32_f64(low, vmulq_f64(vcvt_high_f64_f32(four), by)));
  }
  for (; i < dims; i++) row[i] = (float)(row[i] * factor);
}

static void neon_byte_dots(const int16_t *query, const int8_t *block, int64_t rows, int32_t dims,
                           int32_t *out) {
  for (int64_t row = 0; row < rows; row++) {
    const int8_t *at = block + row * dims;
    int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    int32_t i = 0;
    for (; i + 16 <= dims; i += 16) {
      int8x16_t bytes = vld1q_s8(at + i);
      int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
      int16x8_t q0 = vld1q_s16(query + i), q1 = vld1q_s16(query + i + 8);
      sums[0] = vmlal_s16(sums[0], vget_low_s16(q0), vget_low_s16(low));
      sums[1] = vmlal_high_s16(sums[1], q0, low);
      sums[2] = vmlal_s16(sums[2], vget_low_s16(q1), vget_low_s16(high));
      sums[3] = vmlal_high_s16(sums[3], q1, high);
    }
    int32x4_t all = vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3]));
    out[row] = vaddvq_s32(all) + serial_byte_dot(query, at, i, dims);
  }
}

static const struct isa neon_isa = {"neon", neon_supported, neon_dots, neon_sum_squares,
                                    neon_scale, neon_byte_dots};
