/* The public functions, and the choice of the instruction set that serves them. Only this file is
 * compiled: each instruction set is a header that fills in a `struct isa`. */
#include "kernels.h"

#include <float.h>
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

int32_t og_topk(const float *query, const float *block, int64_t rows, int32_t dims, int32_t k,
                int32_t *rows_out, float *scores_out) {
  enum { BATCH = 256 };
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
