/* The ABI of the kernels: plain functions over row-major float32, no structs, no allocation.
 * README.md in this folder describes their rounding and their results for NaN. */
#ifndef OG_KERNELS_H
#define OG_KERNELS_H

#include <stdint.h>

#if defined(_WIN32)
#define OG_EXPORT __declspec(dllexport)
#else
#define OG_EXPORT __attribute__((visibility("default")))
#endif

/* Incremented when a signature or its meaning changes; the loader rejects any other number. */
#define OG_KERNEL_ABI 2
OG_EXPORT int32_t og_kernel_abi_version(void);

/* The instruction set in use: "serial", "avx2", "avx512" or "neon". */
OG_EXPORT const char *og_kernel_isa(void);

/* Selects the named instruction set for every thread from now on; NULL or "" selects the best one
 * for this CPU. Returns 1, or returns 0 and changes nothing if this CPU, its operating system or
 * this build does not support it. */
OG_EXPORT int32_t og_force_isa(const char *name);

/* Computes dot products of `query` with each row and finds the best `k`, highest first; ties by
 * lower row; NaN after every number. Writes min(k, rows) entries to both outputs and returns that
 * number; returns -1 if an argument is negative or a row number does not fit into 32 bits. */
OG_EXPORT int32_t og_topk(const float *query, const float *block, int64_t rows, int32_t dims,
                          int32_t k, int32_t *rows_out, float *scores_out);

/* Writes a compressed copy of the block, rows * (dims + 12) bytes, to `copy`, whose address must be a
 * multiple of four. Returns 1, or 0 if the block has too many dimensions for a copy. */
OG_EXPORT int32_t og_compress(const float *block, int64_t rows, int32_t dims, void *copy);

/* Returns the same rows and bits as og_topk, but reads only those rows of the block that may be
 * among the best according to its compressed copy. */
OG_EXPORT int32_t og_topk_compressed(const float *query, const float *block, const void *copy,
                                     int64_t rows, int32_t dims, int32_t k, int32_t *rows_out,
                                     float *scores_out);

/* Scales each row to length 1, in place. A row of zeros, or one that contains NaN or infinity,
 * stays unchanged. */
OG_EXPORT void og_normalise(float *block, int64_t rows, int32_t dims);

/* out[i * rows + j] is the dot product of rows i and j, with the same bits as out[j * rows + i]. */
OG_EXPORT void og_pairwise(const float *block, int64_t rows, int32_t dims, float *out);

#endif
