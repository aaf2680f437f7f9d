/* The weight file, threads and memory of the encoder; encoder-body.h contains the arithmetic. */
#include "encoder.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

/* glibc 2.34 gave these functions new versions with the same meaning; the old versions are in every
 * glibc. */
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.17");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.17");
#endif

enum {
  MAX_HEAD_DIM = 128,
  MAX_HEADS = 64,
  /* Rows that pass through a layer together: their sums fit into the L2 cache (96 x 1536 x 4
   * bytes). */
  BLOCK_ROWS = 96,
  /* With fewer rows, a thread waits longer than it computes. */
  ROWS_A_THREAD = 8,
  /* Token limit of the batch that threads share; a call may have four times as many per thread. */
  BATCH_TOKENS = 1024,
  MAX_THREADS = 64,
  POOL_FIRST = 0,
  POOL_MEAN = 1,
  /* Number of inputs whose products are added up in 16 bits. */
  SPAN = 32,
};

/* outputs x inputs, int8 by output. `packed` consists of panels of 16 outputs, each with inputs / 4
 * lines of 16 outputs x 4 inputs. `zero` is 128 x the sum of an output's weights. `middles` and
 * `reach` belong to isa->prepare. */
struct matrix {
  const int8_t *packed;
  const float *scale, *bias;
  const int32_t *zero;
  const int16_t *middles;
  float reach;
  int32_t inputs, outputs;
};

static inline int32_t n_spans(const struct matrix *m) { return (m->inputs + SPAN - 1) / SPAN; }

struct layer {
  struct matrix qkv, out, up, down;
  const float *norm1_gain, *norm1_bias, *norm2_gain, *norm2_bias;
};

/**
 * Keys and values of a batch, by head, then by text; the length of each text is rounded up to 16.
 * The keys of the text are packed like a matrix of `padded` outputs and head_dim inputs, its values
 * like a matrix of head_dim outputs and `padded` inputs.
 */
struct attention {
  int8_t *keys, *values;
  float *key_scales, *value_scales;
};
/* The keys and values of one head of the text. */
struct keys {
  const int8_t *packed;
  const int32_t *zeros;
  const float *scales, *value_scales;
  int32_t dim, length, padded;
};

/* Texts that are encoded together, and the memory that their threads read and write. */
struct batch {
  const int32_t *ids;
  int32_t n_texts, n_rows;
  /* Number of rows before each text; the text of each row; the position of each text's keys. */
  int32_t *offsets, *text_of_row, *padded_start;
  /* By row: the numbers, their largest absolute value, and the scales of the queries by head. */
  float *states, *tops, *query_scales;
  void *queries;
  struct attention attention[2];
  int32_t capacity;
  /* Number of threads that share the batch, and number of them that have finished the current
   * round. */
  int32_t n_sharing, arrived;
  int64_t round;
};

/* Memory that only one thread writes. */
struct work {
  struct og_encoder *encoder;
  pthread_t thread;
  int32_t index;
  struct batch own;
  void *acts, *shares;
  int32_t *sums, *zeros, *rows;
  float *floats, *scales, *head_scales, *weights, *bias;
  int8_t *bytes;
};

struct encoder_isa {
  const char *name;
  int (*supported)(void);
  /* Computes the part of a shared batch that belongs to thread `index`. */
  void (*run)(const struct og_encoder *encoder, struct batch *batch, struct work *work,
              int32_t index);
  size_t act_bytes;
  /* For products in spans, otherwise NULL: computes -128 x the sums of the weights of each span, and
   * the greatest length of activations whose products with them fit into 16 bits. */
  void (*prepare)(struct matrix *matrix, int16_t *middles);
};

struct og_encoder {
  const struct encoder_isa *isa;
  int32_t n_layers, heads, hidden, inner, vocabulary, positions, pooling, head_dim;
  float epsilon, score_scale;
  const int8_t *words;
  const float *word_scales, *places, *types, *norm_gain, *norm_bias;
  struct layer *layers;
  const unsigned char *file;
  size_t file_bytes;

  /* A row of activations that represent 0. */
  uint8_t act_zeros[MAX_HEAD_DIM];

  /* The shared batch. All threads wait at its barrier, even if they do not share the texts. */
  struct batch batch;
  /* The current call. Threads share the batch, or each of them takes texts, starting with text
   * `n_taken`. */
  const int32_t *ids, *offsets, *hurry;
  int32_t n_texts, n_taken;
  float *out;
  int takes_texts;

  int32_t n_threads;
  struct work *works;
  void *memory;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int64_t job;
  int is_closing;
};

static inline int32_t share_start(int32_t n, int32_t index, int32_t n_threads) {
  return (int32_t)((int64_t)n * index / n_threads);
}

static inline int32_t padded_length(const struct batch *b, int32_t text) {
  return (b->offsets[text + 1] - b->offsets[text] + 15) & -16;
}

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Layers take about a millisecond, so a waiting thread spins for a while before it sleeps. */
static void wait_for_all(struct batch *b) {
  const int64_t round = __atomic_load_n(&b->round, __ATOMIC_ACQUIRE);
  /* Read before arriving, because the last thread may immediately start the next call with other
   * threads. */
  const int32_t n_sharing = b->n_sharing;
  if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == n_sharing) {
    __atomic_store_n(&b->arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&b->round, round + 1, __ATOMIC_RELEASE);
    return;
  }
  for (int32_t spins = 0; __atomic_load_n(&b->round, __ATOMIC_ACQUIRE) == round; spins++) {
    if (spins < 20000) relax();
    else sched_yield();
  }
}

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (__typeof__(a)){__VA_ARGS__})
#endif
typedef int8_t sixteen __attribute__((vector_size(16)));
typedef int16_t eight __attribute__((vector_size(16)));
typedef int32_t four __attribute__((vector_size(16)));
typedef int64_t two __attribute__((vector_size(16)));

/* out[4 i + j] = in[j * stride + i]: four rows of 16 bytes, column by column. */
static inline void interleave(const int8_t *in, int64_t stride, int8_t *out) {
  sixteen row[4], half[4];
  for (int j = 0; j < 4; j++) memcpy(&row[j], in + j * stride, 16);
  for (int j = 0; j < 2; j++) {
    sixteen a = row[2 * j], b = row[2 * j + 1];
    half[j] = SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    half[2 + j] = SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
  for (int j = 0; j < 2; j++) {
    eight a = (eight)half[2 * j], b = (eight)half[2 * j + 1];
    eight low = SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    eight high = SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(out + 32 * j, &low, 16);
    memcpy(out + 32 * j + 16, &high, 16);
  }
}

/* The same for rows of four times four bytes; columns are 64 bytes apart. */
static inline void interleave_fours(const int8_t *in, int64_t stride, int8_t *out) {
  four row[4];
  two half[4];
  for (int j = 0; j < 4; j++) memcpy(&row[j], in + j * stride, 16);
  for (int j = 0; j < 2; j++) {
    four a = row[2 * j], b = row[2 * j + 1];
    half[j] = (two)SHUFFLE(a, b, 0, 4, 1, 5);
    half[2 + j] = (two)SHUFFLE(a, b, 2, 6, 3, 7);
  }
  for (int j = 0; j < 2; j++) {
    two low = SHUFFLE(half[2 * j], half[2 * j + 1], 0, 2);
    two high = SHUFFLE(half[2 * j], half[2 * j + 1], 1, 3);
    memcpy(out + 128 * j, &low, 16);
    memcpy(out + 128 * j + 64, &high, 16);
  }
}

/* With -DOG_STAGES, counts the time of each stage of a run on one thread (`bench-encoder.ts
 * stages`). STAGE ends the stage that began with the previous STAGE. */
enum {
  STAGE_EMBED, STAGE_QUANTISE, STAGE_QKV, STAGE_HEADS, STAGE_WEIGH, STAGE_CONTEXT, STAGE_OUT,
  STAGE_NORM, STAGE_UP, STAGE_GELU, STAGE_DOWN, N_STAGES,
};
#if defined(OG_STAGES) && defined(__x86_64__)
static uint64_t stage_ticks[N_STAGES], stage_mark;
static inline void end_stage(int stage) {
  uint64_t now = __builtin_ia32_rdtsc();
  stage_ticks[stage] += now - stage_mark;
  stage_mark = now;
}
/* Returns the ticks of a stage since the last call for it; any other number starts the clock. */
__attribute__((visibility("default"))) double og_encoder_stage(int32_t stage) {
  if (stage < 0 || stage >= N_STAGES) {
    stage_mark = __builtin_ia32_rdtsc();
    return 0;
  }
  double ticks = (double)stage_ticks[stage];
  stage_ticks[stage] = 0;
  return ticks;
}
#define STAGE(stage) end_stage(STAGE_##stage)
#else
#define STAGE(stage) ((void)0)
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define V(name) PASTE(ISA, name)

#if defined(__x86_64__)
#include "encoder-avx512.h"
#include "encoder-avx2.h"
#elif defined(__aarch64__)
#include "encoder-neon.h"
#endif
#include "encoder-serial.h"

/* Best first; the last one runs everywhere. */
static const struct encoder_isa *const every_isa[] = {
#if defined(__x86_64__) && defined(__linux__)
    &amx_encoder,
#endif
#if defined(__x86_64__)
    &avx512vnni_encoder, &avxvnni_encoder, &avx2_encoder,
#elif defined(__aarch64__)
    &i8mm_encoder, &dotprod_encoder,
#endif
    &serial_encoder,
};
enum { N_ISAS = sizeof every_isa / sizeof every_isa[0] };

static const struct encoder_isa *isa_named(const char *name) {
  int is_any = name == NULL || name[0] == '\0';
  for (size_t i = 0; i < N_ISAS; i++)
    if ((is_any || strcmp(every_isa[i]->name, name) == 0) && every_isa[i]->supported())
      return every_isa[i];
  return NULL;
}

/* ---- The weight file ---- */

struct header {
  char magic[8];
  uint32_t version, n_layers, heads, hidden, inner, vocabulary, positions, pooling;
  float epsilon;
  uint32_t checksum;
  uint64_t payload_bytes;
  char unused[8];
};

/* FNV-1a over 32-bit words in 16 parallel lanes. */
static uint32_t checksum_of(const unsigned char *bytes, size_t n_bytes) {
  uint32_t lanes[16], sum = 2166136261u;
  for (int i = 0; i < 16; i++) lanes[i] = 2166136261u + (uint32_t)i;
  for (size_t at = 0; at < n_bytes; at += 64) {
    uint32_t words[16];
    memcpy(words, bytes + at, 64);
    for (int i = 0; i < 16; i++) lanes[i] = (lanes[i] ^ words[i]) * 16777619u;
  }
  for (int i = 0; i < 16; i++) sum = (sum ^ lanes[i]) * 16777619u;
  return sum;
}

/* Returns the parts of the file in order, each aligned to 64 bytes. */
struct cursor {
  const unsigned char *base;
  uint64_t at;
};

static const void *part(struct cursor *cursor, uint64_t n_bytes) {
  const void *found = cursor->base == NULL ? NULL : cursor->base + cursor->at;
  cursor->at += (n_bytes + 63) & ~(uint64_t)63;
  return found;
}

static void matrix_part(struct cursor *cursor, struct matrix *m, int32_t inputs, int32_t outputs) {
  m->inputs = inputs;
  m->outputs = outputs;
  m->packed = part(cursor, (uint64_t)inputs * outputs);
  m->scale = part(cursor, 4ull * outputs);
  m->bias = part(cursor, 4ull * outputs);
  m->zero = part(cursor, 4ull * outputs);
}

/* Sets all pointers into the payload; if it is NULL, only measures. Returns the number of bytes. */
static uint64_t place_parts(struct og_encoder *e, const unsigned char *payload) {
  struct cursor cursor = {payload, 0};
  const uint64_t row = 4ull * e->hidden;
  e->words = part(&cursor, (uint64_t)e->vocabulary * e->hidden);
  e->word_scales = part(&cursor, 4ull * e->vocabulary);
  e->places = part(&cursor, row * e->positions);
  e->types = part(&cursor, row);
  e->norm_gain = part(&cursor, row);
  e->norm_bias = part(&cursor, row);
  for (int32_t i = 0; i < e->n_layers; i++) {
    struct layer unused, *layer = payload == NULL ? &unused : &e->layers[i];
    matrix_part(&cursor, &layer->qkv, e->hidden, 3 * e->hidden);
    matrix_part(&cursor, &layer->out, e->hidden, e->hidden);
    layer->norm1_gain = part(&cursor, row);
    layer->norm1_bias = part(&cursor, row);
    matrix_part(&cursor, &layer->up, e->hidden, e->inner);
    matrix_part(&cursor, &layer->down, e->inner, e->hidden);
    layer->norm2_gain = part(&cursor, row);
    layer->norm2_bias = part(&cursor, row);
  }
  return cursor.at;
}

static const char *header_fault(const struct header *h, size_t file_bytes) {
  if (memcmp(h->magic, "OGENCODE", 8) != 0) return "it is not a weight file of og";
  if (h->version != 2) return "its version is another than this og reads";
  if (h->n_layers < 1 || h->n_layers > 64 || h->heads < 1 || h->heads > MAX_HEADS ||
      h->hidden < 16 || h->hidden > 4096 || h->inner < 16 || h->inner > 16384 ||
      h->vocabulary < 1 || h->vocabulary > 1000000 || h->positions < 16 || h->positions > 8192 ||
      h->pooling > 1)
    return "its sizes are impossible";
  uint32_t dim = h->hidden / h->heads;
  if (h->hidden % h->heads != 0 || dim % 16 != 0 || dim > MAX_HEAD_DIM || h->inner % 16 != 0)
    return "its sizes are none that this og computes";
  if (!(h->epsilon > 0 && h->epsilon < 1)) return "its sizes are impossible";
  if (h->payload_bytes != file_bytes - sizeof *h) return "it is cut short or has a tail";
  return NULL;
}

#if defined(_WIN32)
static unsigned char *map_file(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  unsigned char *bytes = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long end = ftell(file);
    rewind(file);
    bytes = end > 0 ? _aligned_malloc((size_t)end, 64) : NULL;
    if (bytes != NULL && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
      _aligned_free(bytes);
      bytes = NULL;
    }
    *n_bytes = (size_t)end;
  }
  fclose(file);
  return bytes;
}
static void unmap_file(const unsigned char *bytes, size_t n_bytes) {
  (void)n_bytes;
  _aligned_free((void *)bytes);
}
#else
static unsigned char *map_file(const char *path, size_t *n_bytes) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  off_t end = lseek(file, 0, SEEK_END);
  void *bytes = MAP_FAILED;
  if (end > 0) {
    *n_bytes = (size_t)end;
    bytes = mmap(NULL, *n_bytes, PROT_READ, MAP_SHARED, file, 0);
  }
  int reason = errno;
  close(file);
  errno = reason;
  return bytes == MAP_FAILED ? NULL : bytes;
}
static void unmap_file(const unsigned char *bytes, size_t n_bytes) {
  munmap((void *)bytes, n_bytes);
}
#endif

/* Returns NULL, or a message if the file is unusable. */
static const char *open_file(struct og_encoder *e, const char *path, int is_verified) {
  errno = 0;
  e->file = map_file(path, &e->file_bytes);
  if (e->file == NULL) return errno != 0 ? strerror(errno) : "it is empty";
  struct header h;
  if (e->file_bytes < sizeof h) return "it is cut short or has a tail";
  memcpy(&h, e->file, sizeof h);
  const char *fault = header_fault(&h, e->file_bytes);
  if (fault != NULL) return fault;
  e->n_layers = (int32_t)h.n_layers;
  e->heads = (int32_t)h.heads;
  e->hidden = (int32_t)h.hidden;
  e->inner = (int32_t)h.inner;
  e->vocabulary = (int32_t)h.vocabulary;
  e->positions = (int32_t)h.positions;
  e->pooling = (int32_t)h.pooling;
  e->epsilon = h.epsilon;
  e->head_dim = e->hidden / e->heads;
  /* exp(x / sqrt(dim)) as a power of two. */
  e->score_scale = (float)(1.4426950408889634 / sqrt((double)e->head_dim));
  if (place_parts(e, NULL) != h.payload_bytes) return "its sizes are not those of its parts";
  const unsigned char *payload = e->file + sizeof h;
  if (!is_verified && checksum_of(payload, (size_t)h.payload_bytes) != h.checksum)
    return "its checksum is wrong";
  e->layers = calloc((size_t)e->n_layers, sizeof *e->layers);
  if (e->layers == NULL) return "there is not enough memory";
  place_parts(e, payload);
  return NULL;
}

/* ---- Memory: one block, divided like the parts of the file ---- */

static void place_batch_memory(const struct og_encoder *e, struct batch *b, struct cursor *c) {
  const uint64_t act = e->isa->act_bytes, hidden = (uint64_t)e->hidden, heads = (uint64_t)e->heads;
  const uint64_t tokens = (uint64_t)b->capacity;
  b->offsets = (int32_t *)part(c, 4 * (tokens + 1));
  b->text_of_row = (int32_t *)part(c, 4 * tokens);
  b->padded_start = (int32_t *)part(c, 4 * tokens);
  b->states = (float *)part(c, 4 * tokens * hidden);
  b->tops = (float *)part(c, 4 * tokens);
  b->query_scales = (float *)part(c, 4 * tokens * heads);
  b->queries = (void *)part(c, act * tokens * hidden);
  for (int i = 0; i < 2; i++) {
    struct attention *a = &b->attention[i];
    a->keys = (int8_t *)part(c, tokens * hidden);
    a->values = (int8_t *)part(c, tokens * hidden);
    a->key_scales = (float *)part(c, 4 * tokens * heads);
    a->value_scales = (float *)part(c, 4 * tokens * heads);
  }
}

/* Without memory, only measures. */
static void prepare_matrices(struct og_encoder *e, struct cursor *c) {
  for (int32_t i = 0; i < e->n_layers && e->isa->prepare != NULL; i++) {
    struct layer *l = &e->layers[i];
    struct matrix *every[] = {&l->qkv, &l->out, &l->up, &l->down};
    for (int j = 0; j < 4; j++) {
      int16_t *middles = (int16_t *)part(c, 4ull * every[j]->outputs * n_spans(every[j]));
      if (middles != NULL) e->isa->prepare(every[j], middles);
    }
  }
}

static void place_memory(struct og_encoder *e, struct cursor *c) {
  const uint64_t act = e->isa->act_bytes, hidden = (uint64_t)e->hidden, heads = (uint64_t)e->heads;
  const uint64_t wide = 3 * hidden > (uint64_t)e->inner ? 3 * hidden : (uint64_t)e->inner;
  const uint64_t longest = ((uint64_t)e->positions + 15) & ~15ull;
  prepare_matrices(e, c);
  place_batch_memory(e, &e->batch, c);
  for (int32_t i = 0; i < e->n_threads; i++) {
    struct work *w = &e->works[i];
    w->own.capacity = (int32_t)longest;
    w->own.n_sharing = 1;
    place_batch_memory(e, &w->own, c);
    const uint64_t floats = BLOCK_ROWS * hidden > wide ? BLOCK_ROWS * hidden : wide;
    w->acts = (void *)part(c, act * BLOCK_ROWS * wide);
    w->sums = (int32_t *)part(c, 4 * BLOCK_ROWS * wide);
    w->floats = (float *)part(c, 4 * floats);
    w->scales = (float *)part(c, 4 * BLOCK_ROWS);
    w->rows = (int32_t *)part(c, 4 * BLOCK_ROWS);
    w->head_scales = (float *)part(c, 4 * BLOCK_ROWS * 3 * heads);
    w->bytes = (int8_t *)part(c, BLOCK_ROWS * 2 * hidden);
    w->zeros = (int32_t *)part(c, 4 * longest);
    w->bias = (float *)part(c, 4 * longest);
    w->weights = (float *)part(c, 4 * 8 * longest);
    w->shares = (void *)part(c, act * 16 * longest);
  }
}

/* ---- Runs ---- */

/* Fills the batch with texts that are known to fit. */
static void place_batch(struct batch *b, const int32_t *ids, const int32_t *offsets,
                        int32_t n_texts) {
  b->ids = ids + offsets[0];
  b->n_texts = n_texts;
  b->n_rows = offsets[n_texts] - offsets[0];
  int32_t padded = 0;
  for (int32_t i = 0; i < n_texts; i++) {
    b->offsets[i] = offsets[i] - offsets[0];
    b->offsets[i + 1] = offsets[i + 1] - offsets[0];
    b->padded_start[i] = padded;
    padded += padded_length(b, i);
    for (int32_t row = b->offsets[i]; row < b->offsets[i + 1]; row++) b->text_of_row[row] = i;
  }
}

static void pool(const struct og_encoder *e, const struct batch *b, float *out) {
  const int64_t hidden = e->hidden;
  for (int32_t i = 0; i < b->n_texts; i++) {
    const float *x = b->states + b->offsets[i] * hidden;
    int32_t length = e->pooling == POOL_FIRST ? 1 : b->offsets[i + 1] - b->offsets[i];
    for (int64_t j = 0; j < hidden; j++) {
      float sum = 0;
      for (int32_t r = 0; r < length; r++) sum += x[r * hidden + j];
      out[i * hidden + j] = sum / (float)length;
    }
  }
}

/* Returns how many of the texts at `offsets` have at most `limit` padded tokens together; at least
 * one. */
static int32_t fitting(const int32_t *offsets, int32_t n_texts, int32_t limit) {
  int32_t padded = 0;
  for (int32_t i = 0; i < n_texts; i++) {
    padded += (offsets[i + 1] - offsets[i] + 15) & -16;
    if (padded > limit && i > 0) return i;
  }
  return n_texts;
}

static int is_hurried(const struct og_encoder *e) {
  return __atomic_load_n(e->hurry, __ATOMIC_RELAXED) > 0;
}

/* Puts the next texts of the call into the thread's own batch: half of its share of the remaining
 * texts, so that all threads end together (guided self-scheduling: Polychronopoulos and Kuck 1987),
 * but at least a block and at most what fits. Returns the index of the first of them; -1 if none
 * are left, or if the thread has already encoded some and the caller is in a hurry. */
static int32_t take_texts(struct og_encoder *e, struct batch *b, int has_taken) {
  pthread_mutex_lock(&e->mutex);
  const int32_t left = e->n_texts - e->n_taken;
  const int32_t first = left > 0 && !(has_taken && is_hurried(e)) ? e->n_taken : -1;
  if (first >= 0) {
    const int32_t *offsets = e->offsets + first;
    int32_t wanted = (offsets[left] - offsets[0]) / (2 * e->batch.n_sharing);
    if (wanted < BLOCK_ROWS) wanted = BLOCK_ROWS;
    if (wanted > b->capacity) wanted = b->capacity;
    const int32_t n_texts = fitting(offsets, left, wanted);
    place_batch(b, e->ids, offsets, n_texts);
    e->n_taken += n_texts;
  }
  pthread_mutex_unlock(&e->mutex);
  return first;
}

/* Does a thread's part of the current call; returns when all threads have finished. */
static void take_part(struct og_encoder *e, struct work *w) {
  if (e->takes_texts) {
    for (int32_t first, n = 0; (first = take_texts(e, &w->own, n > 0)) >= 0; n++) {
      e->isa->run(e, &w->own, w, 0);
      pool(e, &w->own, e->out + (int64_t)first * e->hidden);
    }
  } else e->isa->run(e, &e->batch, w, w->index);
  wait_for_all(&e->batch);
}

/* ---- Threads ---- */

static void *work_for_ever(void *given) {
  struct work *w = given;
  struct og_encoder *e = w->encoder;
  for (int64_t seen = 0;;) {
    pthread_mutex_lock(&e->mutex);
    while (e->job == seen && !e->is_closing) pthread_cond_wait(&e->wake, &e->mutex);
    int is_closing = e->is_closing, is_mine = w->index < e->batch.n_sharing;
    seen = e->job;
    pthread_mutex_unlock(&e->mutex);
    if (is_closing) return NULL;
    if (!is_mine) continue;
    take_part(e, w);
  }
}

static const char *start(struct og_encoder *e, int32_t n_threads) {
  e->batch.capacity = BATCH_TOKENS > e->positions ? BATCH_TOKENS : (e->positions + 15) & -16;
  e->n_threads = n_threads;
  e->works = calloc((size_t)n_threads, sizeof *e->works);
  if (e->works == NULL) return "there is not enough memory";
  struct cursor cursor = {NULL, 0};
  place_memory(e, &cursor);
  e->memory = calloc(1, cursor.at + 64);
  if (e->memory == NULL) return "there is not enough memory";
  cursor.base = (unsigned char *)(((uintptr_t)e->memory + 63) & ~(uintptr_t)63);
  cursor.at = 0;
  place_memory(e, &cursor);
  memset(e->act_zeros, 128, sizeof e->act_zeros);
  pthread_mutex_init(&e->mutex, NULL);
  pthread_cond_init(&e->wake, NULL);
  e->works[0].encoder = e;
  for (int32_t i = 1; i < n_threads; i++) {
    e->works[i].encoder = e;
    e->works[i].index = i;
    if (pthread_create(&e->works[i].thread, NULL, work_for_ever, &e->works[i]) != 0) {
      e->n_threads = i; /* close stops the running threads */
      return "no thread can be started";
    }
  }
  return NULL;
}

og_encoder *og_encoder_open(const char *path, int32_t is_verified, int32_t threads, const char *isa,
                            char *error, int32_t error_bytes) {
  const char *fault = "there is not enough memory";
  struct og_encoder *e = calloc(1, sizeof *e);
  if (e != NULL) {
    e->isa = isa_named(isa);
    fault = e->isa == NULL ? "this CPU cannot run that instruction set"
                           : open_file(e, path, is_verified);
    int32_t n_threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    if (fault == NULL) fault = start(e, n_threads);
  }
  if (fault == NULL) return e;
  if (error_bytes > 0) snprintf(error, (size_t)error_bytes, "%s", fault);
  og_encoder_close(e);
  return NULL;
}

void og_encoder_close(og_encoder *e) {
  if (e == NULL) return;
  if (e->memory != NULL) {
    pthread_mutex_lock(&e->mutex);
    e->is_closing = 1;
    pthread_cond_broadcast(&e->wake);
    pthread_mutex_unlock(&e->mutex);
    for (int32_t i = 1; i < e->n_threads; i++) pthread_join(e->works[i].thread, NULL);
    pthread_mutex_destroy(&e->mutex);
    pthread_cond_destroy(&e->wake);
  }
  if (e->file != NULL) unmap_file(e->file, e->file_bytes);
  free(e->memory);
  free(e->works);
  free(e->layers);
  free(e);
}

const char *og_encoder_isa(const og_encoder *e) { return e->isa->name; }
int32_t og_encoder_dimensions(const og_encoder *e) { return e->hidden; }
int32_t og_encoder_max_tokens(const og_encoder *e) { return e->positions; }
int32_t og_encoder_batch_tokens(const og_encoder *e) {
  return 4 * e->batch.capacity * e->n_threads;
}

/* Returns true if all texts can be computed and have few enough tokens, each text padded to a
 * multiple of 16. */
static int can_encode(const og_encoder *e, const int32_t *ids, const int32_t *offsets,
                      int32_t n_texts) {
  if (n_texts < 0 || offsets[0] != 0) return 0;
  int32_t padded = 0;
  for (int32_t i = 0; i < n_texts; i++) {
    int64_t length = (int64_t)offsets[i + 1] - offsets[i];
    if (length < 1 || length > e->positions) return 0;
    padded += (int32_t)(length + 15) & -16;
    if (padded > og_encoder_batch_tokens(e)) return 0;
    for (int32_t row = offsets[i]; row < offsets[i + 1]; row++)
      if (ids[row] < 0 || ids[row] >= e->vocabulary) return 0;
  }
  return 1;
}

/* Makes all threads do their parts of that many rows; for a few rows, waking a thread is not worth
 * it. */
static void run_threads(struct og_encoder *e, int32_t n_rows) {
  const int32_t worthwhile = n_rows / ROWS_A_THREAD;
  const int32_t n_sharing = worthwhile < e->n_threads ? worthwhile : e->n_threads;
  pthread_mutex_lock(&e->mutex);
  e->batch.n_sharing = n_sharing < 1 ? 1 : n_sharing;
  e->job++;
  if (e->batch.n_sharing > 1) pthread_cond_broadcast(&e->wake);
  pthread_mutex_unlock(&e->mutex);
  take_part(e, &e->works[0]);
}

int32_t og_encoder_run(og_encoder *e, const int32_t *ids, const int32_t *offsets, int32_t n_texts,
                       const int32_t *hurry, float *out) {
  if (!can_encode(e, ids, offsets, n_texts)) return -1;
  e->ids = ids;
  e->offsets = offsets;
  e->n_texts = n_texts;
  e->n_taken = 0;
  e->hurry = hurry;
  e->out = out;
  /* Threads that take texts never wait for each other, but if there are few texts, some threads
   * would be idle. */
  e->takes_texts =
      n_texts >= 4 * e->n_threads && offsets[n_texts] >= 2 * BLOCK_ROWS * e->n_threads;
  if (e->takes_texts) {
    run_threads(e, offsets[n_texts]);
    return e->n_taken;
  }
  while (e->n_taken < n_texts && !(e->n_taken > 0 && is_hurried(e))) {
    const int32_t *next = offsets + e->n_taken;
    const int32_t n = fitting(next, n_texts - e->n_taken, e->batch.capacity);
    place_batch(&e->batch, ids, next, n);
    run_threads(e, e->batch.n_rows);
    pool(e, &e->batch, out + (int64_t)e->n_taken * e->hidden);
    e->n_taken += n;
  }
  return e->n_taken;
}
