/* The ABI of the encoder: a BERT encoder in int8 that reads a weight file. README.md in this folder
 * describes the computation and the layout of the file. */
#ifndef OG_ENCODER_H
#define OG_ENCODER_H

#include <stdint.h>

#include "kernels.h"

typedef struct og_encoder og_encoder;

/* Opens the weight file at `path` (UTF-8) and starts `threads` - 1 threads, because the caller's
 * thread works too. If `is_verified` is 0, reads the whole file to compare its checksum; otherwise
 * only its header is read, and the word table stays on disk except for the used rows. `isa` forces an instruction set; NULL or "" selects the best one for this CPU.
 * Returns NULL and writes a message to `error` if the file is incomplete, memory is short, or the
 * CPU lacks the instructions. */
OG_EXPORT og_encoder *og_encoder_open(const char *path, int32_t is_verified, int32_t threads,
                                      const char *isa, char *error, int32_t error_bytes);
OG_EXPORT void og_encoder_close(og_encoder *encoder);

/* The instruction set in use: "amx", "avx512vnni", "avxvnni", "avx2", "i8mm", "dotprod" or
 * "serial". */
OG_EXPORT const char *og_encoder_isa(const og_encoder *encoder);
OG_EXPORT int32_t og_encoder_dimensions(const og_encoder *encoder);
/* Maximum number of tokens of one text, and of all texts in one call. */
OG_EXPORT int32_t og_encoder_max_tokens(const og_encoder *encoder);
OG_EXPORT int32_t og_encoder_batch_tokens(const og_encoder *encoder);

/* Encodes `n_texts` texts that follow each other in `ids`: text i is ids[offsets[i]] to
 * ids[offsets[i + 1] - 1], including special tokens. Writes n_texts x dimensions numbers to `out`,
 * pooled and not normalised. Blocks until all texts are done; only one call at a time is allowed.
 * While `*hurry` is greater than 0, each thread stops after its first texts. Returns how many
 * texts, from the first on, were encoded. Returns -1 and writes nothing if a text is empty or too
 * long, if there are too many tokens in total, or if an id is outside the vocabulary. Many texts
 * take the least time if the longest come first. */
OG_EXPORT int32_t og_encoder_run(og_encoder *encoder, const int32_t *ids, const int32_t *offsets,
                                 int32_t n_texts, const int32_t *hurry, float *out);

#endif
