/* AVX-512 with VNNI (Ice Lake, Zen 4 and later): u8 x s8 products of four, sixteen outputs. With AMX
 * (Sapphire Rapids and later), dense layers are products of tiles: the same sums, bit for bit. */
#include <immintrin.h>

#include "cpu.h"

#define ISA avx512vnni
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#include "encoder-avx512-floats.h"
static const char avx512vnni_name[] = "avx512vnni";

static int avx512vnni_supported(void) {
  return cpu_has(CPU_AVX512VNNI);
}

#include "encoder-body.h"

#if defined(__linux__)
#include <sys/syscall.h>

#define ISA amx
#define TARGET \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,amx-tile,amx-int8")))
#include "encoder-avx512-floats.h"
static const char amx_name[] = "amx";

/* A process has to ask Linux for the tiles (ARCH_REQ_XCOMP_PERM), because they make the stack frames
 * of signals larger. */
static int amx_supported(void) {
  return cpu_has(CPU_AVX512VNNI | CPU_AMX) && syscall(SYS_arch_prctl, 0x1023, 18) == 0;
}

/* Tiles 0 to 3 are sums of 16 outputs, 4 and 5 rows of activations, 6 and 7 panels of weights. The
 * second row of tiles has `more` rows. */
INLINE void amx_configure(int32_t rows, int32_t more) {
  struct { uint8_t palette, start, unused[14]; uint16_t bytes[16]; uint8_t rows[16]; } tiles = {0};
  tiles.palette = 1;
  for (int i = 0; i < 8; i++) {
    int is_second = i == 2 || i == 3 || i == 5;
    tiles.rows[i] = (uint8_t)(i > 5 ? 16 : is_second ? more : rows);
    tiles.bytes[i] = tiles.rows[i] > 0 ? 64 : 0;
  }
  _tile_loadconfig(&tiles);
}

/* Computes up to 32 rows x 16 or 32 outputs over k inputs, a multiple of 64. */
INLINE void amx_block(const uint8_t *a, int64_t lda, const int more, const int8_t *b,
                      const int panels, int32_t k, const int32_t *zero, int32_t *out,
                      int64_t ldo, int ahead) {
  int32_t less[32];
  for (int i = 0; i < 16 * panels; i++) less[i] = -zero[i];
  /* A stride of 0 loads the same line into every row of a tile. */
  _tile_loadd(0, less, 0);
  if (panels > 1) _tile_loadd(1, less + 16, 0);
  if (more) _tile_loadd(2, less, 0);
  if (more && panels > 1) _tile_loadd(3, less + 16, 0);
  const int8_t *next = b + 16 * (int64_t)k;
  for (int32_t i = 0; i < k; i += 64) {
    _tile_loadd(4, a + i, lda);
    _tile_loadd(6, b + 16 * (int64_t)i, 64);
    _tile_dpbusd(0, 4, 6);
    if (panels > 1) {
      _tile_loadd(7, next + 16 * (int64_t)i, 64);
      _tile_dpbusd(1, 4, 7);
    }
    if (more) {
      _tile_loadd(5, a + 16 * lda + i, lda);
      _tile_dpbusd(2, 5, 6);
      if (panels > 1) _tile_dpbusd(3, 5, 7);
    }
    /* The panels that follow, which are in the cache for later rows. */
    for (int line = 0; line < ahead; line++)
      __builtin_prefetch(b + 16 * (int64_t)panels * (k + i) + 64 * line, 0, 2);
  }
  _tile_stored(0, out, 4 * ldo);
  if (panels > 1) _tile_stored(1, out + 16, 4 * ldo);
  if (more) _tile_stored(2, out + 16 * ldo, 4 * ldo);
  if (more && panels > 1) _tile_stored(3, out + 16 * ldo + 16, 4 * ldo);
}

/* For layers whose inputs are a multiple of 64, unlike the heads of attention. */
TARGET static void amx_tiles(const uint8_t *a, int64_t lda, int32_t rows, const int8_t *b,
                             int32_t panels, int32_t k, const int32_t *zero, int32_t *out,
                             int64_t ldo) {
#define BLOCK(more, p) amx_block(from, lda, more, weights, p, k, zero + 16 * panel, to, ldo, ahead)
  for (int32_t at = 0; at < rows; at += 32) {
    const int32_t n = rows - at < 32 ? rows - at : 32, more = n > 16 ? n - 16 : 0;
    const uint8_t *from = a + at * lda;
    amx_configure(n - more, more);
    for (int32_t panel = 0; panel < panels; panel += 2) {
      const int8_t *weights = b + (int64_t)panel * 16 * k;
      int32_t *to = out + at * ldo + 16 * panel;
      const int is_pair = panels - panel > 1, ahead = at == 0 ? 16 + 16 * is_pair : 0;
      if (more && is_pair) BLOCK(1, 2);
      else if (is_pair) BLOCK(0, 2);
      else if (more) BLOCK(1, 1);
      else BLOCK(0, 1);
    }
  }
  _tile_release();
#undef BLOCK
}
#define HAS_TILES
#include "encoder-body.h"
#endif
