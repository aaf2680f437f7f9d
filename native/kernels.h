/* The ABI of the kernels: plain functions over row-major float32, no structs, no allocation.
 * README.md beside this file describes their rounding and their results for NaN. */
#ifndef OG_KERNELS_H
#define OG_KERNELS_H

#include <stdint.h>

#if defined(_WIN32)
#define OG_EXPORT __declspec(dllexport)
#else
#define OG_EXPORT __attribute__((visibility("default")))
#endif

/* Raised when a signature or its meaning changes; the loader refuses any other number. */
#define OG_KERNEL_ABI 1
OG_EXPORT int32_t og_kernel_abi_version(void);

/* The instruction set in use: "serial", "avx2", "avx512" or "neon". */
OG_EXPORT const char *og_kernel_isa(void);

/* Uses the named instruction set from now on, in every thread; NULL or "" is the best one here.
 * Returns 1, or 0 and changes nothing where this CPU, its kernel or this build cannot. */
OG_EXPORT int32_t og_force_isa(const char *name);

/* Dot products of `query` with each row, the best `k` of them, highest first; equal scores by
 * lower row; NaN after every number. Writes min(k, rows) entries to both outputs and returns
 * that count; -1 when an argument is negative or a row number does not fit 32 bits. */
OG_EXPORT int32_t og_topk(const float *query, const float *block, int64_t rows, int32_t dims,
                          int32_t k, int32_t *rows_out, float *scores_out);

/* Scales each row to length 1, in place. A row of zeros, or with a NaN or infinity, stays. */
OG_EXPORT void og_normalise(float *block, int64_t rows, int32_t dims);

/* out[i * rows + j] is the dot product of rows i and j, and the same bits as out[j * rows + i]. */
OG_EXPORT void og_pairwise(const float *block, int64_t rows, int32_t dims, float *out);

#endif
