/* The ABI of the encoder: a BERT encoder in int8 over a weight file. README.md beside this file
 * describes the computation and the layout of the file. */
#ifndef OG_ENCODER_H
#define OG_ENCODER_H

#include <stdint.h>

#include "kernels.h"

typedef struct og_encoder og_encoder;

/* Opens the weight file at `path` (UTF-8) and starts `threads` - 1 threads, since the
 * caller's thread works too. `isa` forces an instruction set; NULL or "" selects the best one here.
 * Returns NULL and writes a message to `error` if the file is incomplete, memory is short or the
 * CPU lacks the instructions. */
OG_EXPORT og_encoder *og_encoder_open(const char *path, int32_t threads, const char *isa,
                                      char *error, int32_t error_bytes);
OG_EXPORT void og_encoder_close(og_encoder *encoder);

/* The instruction set in use: "avx512vnni", "avxvnni", "avx2", "i8mm", "dotprod" or
 * "serial". */
OG_EXPORT const char *og_encoder_isa(const og_encoder *encoder);
OG_EXPORT int32_t og_encoder_dimensions(const og_encoder *encoder);
/* Maximum number of tokens in one text, and in all texts of one call together. */
OG_EXPORT int32_t og_encoder_max_tokens(const og_encoder *encoder);
OG_EXPORT int32_t og_encoder_batch_tokens(const og_encoder *encoder);

/* Encodes `n_texts` texts laid end to end: text i is ids[offsets[i]] to ids[offsets[i + 1] - 1],
 * special tokens included. `out` gets n_texts x dimensions numbers, pooled and not normalised.
 * Blocks until all is done; one call at a time. While `*hurry` is more than 0 no thread begins
 * texts but its first ones. Returns how many of the first texts were encoded; -1 for an empty or
 * too long text, too many tokens in all or an id outside the vocabulary, and then writes nothing.
 * Many texts take the least time with the longest first. */
OG_EXPORT int32_t og_encoder_run(og_encoder *encoder, const int32_t *ids, const int32_t *offsets,
                                 int32_t n_texts, const int32_t *hurry, float *out);

#endif
