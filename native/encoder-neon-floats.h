/* Four floats per register, for both arm64 instruction sets. Define ISA and TARGET first. */
#define LANES 4
#define INLINE TARGET static inline __attribute__((always_inline))
/* Signed bytes on both sides, so shares have seven bits. */
#define ACT_ZERO 0
#define SHARE_MAX 127
#define HEAD_MAX 127
typedef int8_t V(act);
typedef float32x4_t V(v);
INLINE float32x4_t V(load)(const float *p) { return vld1q_f32(p); }
INLINE void V(store)(float *p, float32x4_t a) { vst1q_f32(p, a); }
INLINE float32x4_t V(set1)(float a) { return vdupq_n_f32(a); }
INLINE float32x4_t V(add)(float32x4_t a, float32x4_t b) { return vaddq_f32(a, b); }
INLINE float32x4_t V(sub)(float32x4_t a, float32x4_t b) { return vsubq_f32(a, b); }
INLINE float32x4_t V(mul)(float32x4_t a, float32x4_t b) { return vmulq_f32(a, b); }
INLINE float32x4_t V(fma)(float32x4_t a, float32x4_t b, float32x4_t c) {
  return vfmaq_f32(c, a, b);
}
INLINE float32x4_t V(max)(float32x4_t a, float32x4_t b) { return vmaxq_f32(a, b); }
INLINE float32x4_t V(min)(float32x4_t a, float32x4_t b) { return vminq_f32(a, b); }
INLINE float32x4_t V(abs)(float32x4_t a) { return vabsq_f32(a); }
/* `fraction` is x - floor(x), `scale2` is a * 2^floor(x). */
INLINE float32x4_t V(fraction)(float32x4_t x) { return vsubq_f32(x, vrndmq_f32(x)); }
INLINE float32x4_t V(scale2)(float32x4_t a, float32x4_t x) {
  x = vminq_f32(vmaxq_f32(x, vdupq_n_f32(-126)), vdupq_n_f32(127));
  int32x4_t exponent = vshlq_n_s32(vaddq_s32(vcvtmq_s32_f32(x), vdupq_n_s32(127)), 23);
  return vmulq_f32(a, vreinterpretq_f32_s32(exponent));
}
INLINE float V(hmax)(float32x4_t a) { return vmaxvq_f32(a); }
INLINE float V(hsum)(float32x4_t a) { return vaddvq_f32(a); }
INLINE float32x4_t V(from_i32)(const int32_t *p) { return vcvtq_f32_s32(vld1q_s32(p)); }
INLINE float32x4_t V(from_i8)(const int8_t *p) {
  int8_t eight[8] = {0};
  memcpy(eight, p, 4);
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vld1_s8(eight)))));
}
/* a * factor, rounded. */
INLINE void V(to_i8)(int8_t *p, float32x4_t a, float32x4_t factor) {
  int16x4_t four = vqmovn_s32(vcvtnq_s32_f32(vmulq_f32(a, factor)));
  int8_t eight[8];
  vst1_s8(eight, vqmovn_s16(vcombine_s16(four, four)));
  memcpy(p, eight, 4);
}
INLINE void V(to_act)(int8_t *p, float32x4_t a, float32x4_t factor) { V(to_i8)(p, a, factor); }
INLINE void V(to_share)(int8_t *p, float32x4_t a, float32x4_t factor) { V(to_i8)(p, a, factor); }
