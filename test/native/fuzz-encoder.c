/**
 * Encodes random texts with every instruction set, and then with damaged copies of the weight file,
 * which the encoder must refuse or survive: `fuzz-encoder WEIGHTS SEED ROUNDS COPIES`.
 * test/contract/encoder-sanitizers.test.ts builds this file with address and undefined-behaviour
 * sanitizers. The weight file has 80 positions and a vocabulary of 50.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../native/encoder.h"

enum { POSITIONS = 80, VOCABULARY = 50, HIDDEN = 64, MAX_TEXTS = 24 };

/* No output contains this value. */
static const float UNTOUCHED = -1e30f;

static uint32_t state;
static uint32_t next(uint32_t limit) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % limit;
}

/* A thread sets and clears this flag during calls. */
static int32_t hurry;
static int is_over;

static void *change_hurry(void *nothing) {
  for (uint32_t i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
    __atomic_store_n(&hurry, i % 4 == 0, __ATOMIC_RELAXED);
    nanosleep(&(struct timespec){0, 50000}, NULL);
  }
  return nothing;
}

static void encode_something(og_encoder *encoder) {
  const int are_sound = next(4) > 0;
  int32_t offsets[MAX_TEXTS + 1] = {0}, n = (int32_t)next(MAX_TEXTS + 1);
  for (int32_t i = 0; i < n; i++)
    offsets[i + 1] = offsets[i] + (int32_t)(are_sound ? 1 + next(POSITIONS) : next(POSITIONS + 3));
  /**
   * The buffers have exactly the promised size, so that the sanitizer sees an access beyond them.
   */
  int32_t *ids = malloc(sizeof *ids * (size_t)(offsets[n] + 1));
  float *out = malloc(sizeof *out * (size_t)(n * HIDDEN + 1));
  for (int32_t i = 0; i < offsets[n]; i++)
    ids[i] = (int32_t)next(VOCABULARY) + (!are_sound && next(500) == 0 ? 100 : 0);
  for (int32_t i = 0; i < n * HIDDEN; i++) out[i] = UNTOUCHED;
  int32_t done = og_encoder_run(encoder, ids, offsets, n, &hurry, out);
  if (are_sound && n > 0 && (done < 1 || done > n)) abort();
  for (int32_t i = 0; i < n * HIDDEN; i++)
    if ((out[i] == UNTOUCHED) != (i >= done * HIDDEN)) abort();
  free(ids);
  free(out);
}

static void rounds_with(const char *path, const char *isa, int rounds) {
  char error[128];
  for (int32_t threads = 1; threads <= 3; threads++) {
    og_encoder *encoder = og_encoder_open(path, 0, threads, isa, error, sizeof error);
    if (encoder == NULL) return;
    for (int i = 0; i < rounds; i++) encode_something(encoder);
    og_encoder_close(encoder);
  }
}

static void damaged(const unsigned char *whole, size_t n_bytes, const char *path) {
  unsigned char *bytes = malloc(n_bytes);
  memcpy(bytes, whole, n_bytes);
  for (uint32_t i = next(3) + 1; i > 0; i--) {
    size_t at = next(2) ? next(64) : next((uint32_t)n_bytes);
    bytes[at] = (unsigned char)next(256);
  }
  size_t kept = next(3) == 0 ? next((uint32_t)n_bytes) : n_bytes;
  FILE *file = fopen(path, "wb");
  fwrite(bytes, 1, kept, file);
  fclose(file);
  free(bytes);
  rounds_with(path, "", 1);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  state = (uint32_t)atoi(argv[2]) * 2654435761u + 1;
  int rounds = atoi(argv[3]), copies = atoi(argv[4]);
  pthread_t changing;
  if (pthread_create(&changing, NULL, change_hurry, NULL) != 0) return 2;
  const char *every[] = {"serial", "avx2", "avxvnni", "avx512vnni", "amx", "dotprod", "i8mm"};
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) rounds_with(argv[1], every[i], rounds);

  FILE *file = fopen(argv[1], "rb");
  if (file == NULL) return 2;
  fseek(file, 0, SEEK_END);
  size_t n_bytes = (size_t)ftell(file);
  rewind(file);
  unsigned char *whole = malloc(n_bytes);
  if (fread(whole, 1, n_bytes, file) != n_bytes) return 2;
  fclose(file);
  char path[4096];
  snprintf(path, sizeof path, "%s.damaged", argv[1]);
  for (int i = 0; i < copies; i++) damaged(whole, n_bytes, path);
  free(whole);
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  pthread_join(changing, NULL);
  puts("done");
  return 0;
}
