/* The public functions, and the choice of the instruction set that serves them. Only this file is
 * compiled: each instruction set is a header that fills in a `struct isa`. */
#include "kernels.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The functions of an instruction set. `dots` must give a row the same bits at every position in
 * the block; otherwise duplicates would not tie. Therefore every row is summed in the same order of
 * lanes. */
struct isa {
  const char *name;
  int (*supported)(void);
  void (*dots)(const float *query, const float *block, int64_t rows, int32_t dims, float *out);
  double (*sum_squares)(const float *row, int32_t dims);
  void (*scale)(float *row, int32_t dims, double factor);
  /* Exact integers, because the caller limits the query so that no sum exceeds 32 bits. */
  void (*byte_dots)(const int16_t *query, const int8_t *block, int64_t rows, int32_t dims,
                    int32_t *out);
};

/* If the block is larger than the caches, reading four rows side by side defeats the prefetcher of
 * the CPU (measured: half the speed of one row at a time). AVX code therefore prefetches the block
 * in the order of its addresses, 9 KB ahead. A prefetch beyond the end of the block never faults.
 */
#define AHEAD 2304
#define prefetch(from, n_lines)                                                                  \
  for (int32_t line = 0; line < (n_lines); line++) __builtin_prefetch((from) + 16 * line)

#include "serial.h"
#if defined(__x86_64__)
#include "avx2.h"
#include "avx512.h"
#elif defined(__aarch64__)
#include "neon.h"
#endif

/* Best first; the last one runs everywhere. */
static const struct isa *const every_isa[] = {
#if defined(__x86_64__)
    &avx512_isa, &avx2_isa,
#elif defined(__aarch64__)
    &neon_isa,
#endif
    &serial_isa,
};
enum { N_ISAS = sizeof every_isa / sizeof every_isa[0] };

/* NULL until first use. Threads that race here compute and store the same pointer. */
static const struct isa *active;

static const struct isa *best_isa(void) {
  size_t i = 0;
  while (i < N_ISAS - 1 && !every_isa[i]->supported()) i++;
  return every_isa[i];
}

static const struct isa *active_isa(void) {
  const struct isa *isa = __atomic_load_n(&active, __ATOMIC_RELAXED);
  if (isa == NULL) {
    isa = best_isa();
    __atomic_store_n(&active, isa, __ATOMIC_RELAXED);
  }
  return isa;
}

int32_t og_kernel_abi_version(void) { return OG_KERNEL_ABI; }

const char *og_kernel_isa(void) { return active_isa()->name; }

int32_t og_force_isa(const char *name) {
  const struct isa *chosen = NULL;
  if (name == NULL || name[0] == '\0') chosen = best_isa();
  for (size_t i = 0; chosen == NULL && i < N_ISAS; i++)
    if (strcmp(every_isa[i]->name, name) == 0 && every_isa[i]->supported()) chosen = every_isa[i];
  if (chosen == NULL) return 0;
  __atomic_store_n(&active, chosen, __ATOMIC_RELAXED);
  return 1;
}

/* The order of hits: higher scores first, ties by lower row, and NaN after every number. */
static inline int outranks(float a, int32_t a_row, float b, int32_t b_row) {
  if (a > b) return 1;
  if (a < b) return 0;
  int a_is_nan = a != a, b_is_nan = b != b;
  if (a_is_nan != b_is_nan) return b_is_nan;
  return a_row < b_row;
}

/* The hits so far: a heap whose root is the hit to drop first. It uses the output arrays as its
 * memory. */
struct heap {
  int32_t *rows;
  float *scores;
  int32_t size;
};

static void put(struct heap *heap, int32_t at, float score, int32_t row) {
  heap->scores[at] = score;
  heap->rows[at] = row;
}

static void sift_up(struct heap *heap, int32_t at, float score, int32_t row) {
  while (at > 0) {
    int32_t parent = (at - 1) / 2;
    if (!outranks(heap->scores[parent], heap->rows[parent], score, row)) break;
    put(heap, at, heap->scores[parent], heap->rows[parent]);
    at = parent;
  }
  put(heap, at, score, row);
}

static void sift_down(struct heap *heap, float score, int32_t row) {
  int64_t at = 0, child;
  while ((child = 2 * at + 1) < heap->size) {
    if (child + 1 < heap->size && outranks(heap->scores[child], heap->rows[child],
                                           heap->scores[child + 1], heap->rows[child + 1]))
      child++;
    if (!outranks(score, row, heap->scores[child], heap->rows[child])) break;
    put(heap, (int32_t)at, heap->scores[child], heap->rows[child]);
    at = child;
  }
  put(heap, (int32_t)at, score, row);
}

static void offer(struct heap *heap, int32_t k, float score, int32_t row) {
  if (heap->size < k) {
    heap->size++;
    sift_up(heap, heap->size - 1, score, row);
  } else if (outranks(score, row, heap->scores[0], heap->rows[0])) {
    sift_down(heap, score, row);
  }
}

/* Repeatedly moves the root to the end, so that the best hit is first. */
static void sort(struct heap *heap) {
  while (heap->size > 1) {
    int32_t last = heap->size - 1;
    float score = heap->scores[last];
    int32_t row = heap->rows[last];
    put(heap, last, heap->scores[0], heap->rows[0]);
    heap->size = last;
    sift_down(heap, score, row);
  }
}

/* A compressed row: its numbers are `scale` times a byte each. `error` is at least the length of the
 * difference from the row, `reach` at least the length of the row plus `error`. */
struct bounds {
  float scale, error, reach;
};

/* A compressed copy of a block: the bounds of all rows, then their bytes. */
struct copy {
  struct bounds *bounds;
  int8_t *bytes;
};

static struct copy copy_at(void *memory, int64_t rows) {
  struct bounds *bounds = memory;
  return (struct copy){bounds, (int8_t *)(bounds + rows)};
}

/* The query as integers: `scale` times them differs from it by a vector of length `error`. */
enum { MAX_COMPRESSED_DIMS = 4096 };
struct byte_query {
  int16_t numbers[MAX_COMPRESSED_DIMS];
  double scale, error, length;
};

/* Longer rows could overflow float32 in a dot product, whose result the bounds would not contain. */
#define MAX_LENGTH 1e15

enum { LANES = 8 }; /* The compiler turns sums in lanes into vector instructions. */

/* Returns the largest absolute value; NaN does not count. */
static float largest(const float *row, int32_t dims) {
  float most[LANES] = {0};
  int32_t i = 0;
  for (; i + LANES <= dims; i += LANES)
    for (int32_t lane = 0; lane < LANES; lane++) {
      float size = __builtin_fabsf(row[i + lane]);
      most[lane] = size > most[lane] ? size : most[lane];
    }
  for (int32_t lane = 0; i < dims; i++, lane++) {
    float size = __builtin_fabsf(row[i]);
    most[lane] = size > most[lane] ? size : most[lane];
  }
  for (int32_t lane = 1; lane < LANES; lane++) most[0] = most[lane] > most[0] ? most[lane] : most[0];
  return most[0];
}

/* Rounds to the nearest integer: the sum has no bits left for a fraction. */
static inline float nearest_integer(float value) {
  const float shift = 12582912.0f; /* 1.5 * 2^23 */
  return (value + shift) - shift;
}

static inline float compress_number(float value, float scale, float inverse, int8_t *byte) {
  float whole = nearest_integer(value * inverse);
  *byte = (int8_t)(int32_t)whole;
  return value - scale * whole;
}

/* No number exceeds 127 times the scale by more than its rounding, so every byte is in range. */
static void compress_row(const float *row, int32_t dims, int8_t *bytes, struct bounds *bounds) {
  double length = __builtin_sqrt(active_isa()->sum_squares(row, dims));
  float scale = largest(row, dims) / 127;
  /* The bounds of a row with NaN, infinity or only denormals exclude nothing. */
  if (!(length <= MAX_LENGTH) || (scale < 1e-15f && length > 0)) {
    memset(bytes, 0, (size_t)dims);
    *bounds = (struct bounds){0, INFINITY, INFINITY};
    return;
  }
  float inverse = length > 0 ? 1 / scale : 0;
  float squares[LANES] = {0};
  int32_t i = 0;
  for (; i + LANES <= dims; i += LANES)
    for (int32_t lane = 0; lane < LANES; lane++) {
      float error = compress_number(row[i + lane], scale, inverse, bytes + i + lane);
      squares[lane] += error * error;
    }
  for (int32_t lane = 0; i < dims; i++, lane++) {
    float error = compress_number(row[i], scale, inverse, bytes + i);
    squares[lane] += error * error;
  }
  double sum = 0;
  for (int32_t lane = 0; lane < LANES; lane++) sum += squares[lane];
  /* The factor covers the rounding of the squares, the second part the rounding of the errors. */
  double error = __builtin_sqrt(sum) * (1 + dims * 0x1p-23) + length * 0x1p-21;
  *bounds = (struct bounds){scale, (float)(error * 1.000001), (float)((length + error) * 1.000001)};
}

int32_t og_compress(const float *block, int64_t rows, int32_t dims, void *memory) {
  if (rows < 0 || dims < 0 || dims > MAX_COMPRESSED_DIMS) return 0;
  struct copy copy = copy_at(memory, rows);
  for (int64_t i = 0; i < rows; i++)
    compress_row(block + i * dims, dims, copy.bytes + i * dims, copy.bounds + i);
  return 1;
}

/* Every sum of `dims` products of an integer and a byte must fit into 32 bits. */
static void round_query(const float *query, int32_t dims, struct byte_query *out) {
  double most = dims == 0 ? 0 : (double)INT32_MAX / 128 / dims;
  if (most > INT16_MAX) most = INT16_MAX;
  float large = largest(query, dims);
  out->length = __builtin_sqrt(active_isa()->sum_squares(query, dims));
  int is_bounded = out->length <= MAX_LENGTH && large >= FLT_MIN;
  out->scale = is_bounded ? large / (double)(int32_t)most : 0;
  double squares = 0;
  for (int32_t i = 0; i < dims; i++) {
    double number = is_bounded ? __builtin_rint((double)query[i] / out->scale) : 0;
    out->numbers[i] = (int16_t)number;
    double error = (double)query[i] - out->scale * number;
    squares += error * error;
  }
  out->error = is_bounded ? __builtin_sqrt(squares) * 1.000001 : INFINITY;
}

/* The largest score that og_topk may compute for the row. By Cauchy and Schwarz, an error of the row
 * changes it by at most this error times the length of the query, and vice versa. `query_error`
 * includes the rounding of float32. */
static inline double upper_bound(int32_t dot, const struct byte_query *query, double query_error,
                                 const struct bounds *row) {
  return (double)dot * query->scale * (double)row->scale + (double)row->error * query->length +
         (double)row->reach * query_error + 1e-37;
}

enum { BATCH = 256 };

/* Adds the rows of a batch that may be among the best. A NaN excludes no row. */
static void offer_possible(struct heap *heap, int32_t k, const float *query, const float *block,
                           const double *upper, int64_t start, int64_t n, int32_t dims) {
  const struct isa *isa = active_isa();
  for (int64_t i = 0; i < n; i++) {
    if (heap->size == k && upper[i] < (double)heap->scores[0]) continue;
    float score;
    isa->dots(query, block + (start + i) * dims, 1, dims, &score);
    offer(heap, k, score, (int32_t)(start + i));
  }
}

int32_t og_topk_compressed(const float *query, const float *block, const void *memory,
                           int64_t rows, int32_t dims, int32_t k, int32_t *rows_out,
                           float *scores_out) {
  if (rows < 0 || rows > INT32_MAX || dims < 0 || dims > MAX_COMPRESSED_DIMS || k < 0) return -1;
  if (k > rows) k = (int32_t)rows;
  if (k == 0) return 0;
  const struct isa *isa = active_isa();
  struct copy copy = copy_at((void *)memory, rows);
  struct heap heap = {rows_out, scores_out, 0};
  struct byte_query rounded;
  round_query(query, dims, &rounded);
  double query_error = rounded.error + (dims + 8) * 0x1p-23 * rounded.length;
  int32_t dots[BATCH];
  double upper[BATCH];
  for (int64_t start = 0; start < rows; start += BATCH) {
    int64_t n = rows - start < BATCH ? rows - start : BATCH;
    isa->byte_dots(rounded.numbers, copy.bytes + start * dims, n, dims, dots);
    for (int64_t i = 0; i < n; i++)
      upper[i] = upper_bound(dots[i], &rounded, query_error, copy.bounds + start + i);
    offer_possible(&heap, k, query, block, upper, start, n, dims);
  }
  sort(&heap);
  return k;
}

int32_t og_topk(const float *query, const float *block, int64_t rows, int32_t dims, int32_t k,
                int32_t *rows_out, float *scores_out) {
  if (rows < 0 || rows > INT32_MAX || dims < 0 || k < 0) return -1;
  if (k > rows) k = (int32_t)rows;
  if (k == 0) return 0;
  const struct isa *isa = active_isa();
  struct heap heap = {rows_out, scores_out, 0};
  float scores[BATCH];
  for (int64_t start = 0; start < rows; start += BATCH) {
    int64_t n = rows - start < BATCH ? rows - start : BATCH;
    isa->dots(query, block + start * dims, n, dims, scores);
    for (int64_t i = 0; i < n; i++) offer(&heap, k, scores[i], (int32_t)(start + i));
  }
  sort(&heap);
  return k;
}

void og_normalise(float *block, int64_t rows, int32_t dims) {
  const struct isa *isa = active_isa();
  for (int64_t i = 0; i < rows; i++) {
    float *row = block + i * dims;
    double norm = __builtin_sqrt(isa->sum_squares(row, dims));
    if (norm > 0 && norm <= DBL_MAX) isa->scale(row, dims, 1 / norm);
  }
}

void og_pairwise(const float *block, int64_t rows, int32_t dims, float *out) {
  const struct isa *isa = active_isa();
  for (int64_t i = 0; i < rows; i++) {
    const float *row = block + i * dims;
    float *line = out + i * rows;
    isa->dots(row, row, rows - i, dims, line + i);
    for (int64_t j = i + 1; j < rows; j++) out[j * rows + i] = line[j];
  }
}
