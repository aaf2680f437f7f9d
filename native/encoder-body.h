/* The encoder, written with the primitives of an instruction set; included once for each. Define
 * before the include: ISA, TARGET, LANES, ACT_ZERO, SHARE_MAX, HEAD_MAX, TILE_ROWS, TILE_PANELS,
 * EACH_TILE, WEIGH_ROWS, EACH_WEIGH, the types `act` and `v`, and the functions on them. README.md describes
 * the passes. */

/* Computes rows x (16 * panels) sums over k, minus `zero` if it is not NULL, for any number of rows
 * and panels. The panels of a tile stay in the L1 cache while all rows pass by them. */
TARGET static void V(products)(const V(act) *a, int64_t lda, int32_t rows, const int8_t *b,
                               int32_t panels, int32_t k, const int32_t *zero, int32_t *out,
                               int64_t ldo) {
#define TILE(r, p)                                                                               \
  case (r) * 4 + (p):                                                                            \
    V(tile)(a + at * lda, lda, b + (int64_t)panel * 16 * k, k, r, p, less, to, ldo);             \
    break
  for (int32_t panel = 0; panel < panels; panel += TILE_PANELS) {
    const int32_t *less = zero == NULL ? NULL : zero + 16 * panel;
    int32_t p = panels - panel < TILE_PANELS ? panels - panel : TILE_PANELS;
    for (int64_t at = 0; at < rows; at += TILE_ROWS) {
      int32_t *to = out + at * ldo + 16 * panel;
      int64_t r = rows - at < TILE_ROWS ? rows - at : TILE_ROWS;
      switch (r * 4 + p) {
        EACH_TILE;
      }
    }
  }
#undef TILE
}

/* Computes outputs `from` to `to` of a matrix, both multiples of 16. */
TARGET static void V(dense)(const V(act) *a, int32_t rows, const struct matrix *m, int32_t from,
                            int32_t to, int32_t *out) {
  const int8_t *packed = m->packed + (int64_t)from * m->inputs;
#ifdef HAS_TILES
  if (m->inputs % 64 == 0) {
    V(tiles)(a, m->inputs, rows, packed, (to - from) / 16, m->inputs, m->zero + from, out + from,
             m->outputs);
    return;
  }
#endif
#ifdef HAS_SPANS
  (void)packed;
  V(spans)(a, rows, m, from, to, out);
#else
  V(products)(a, m->inputs, rows, packed, (to - from) / 16, m->inputs, m->zero + from, out + from,
              m->outputs);
#endif
}

/* Quantises a row whose largest absolute value is `top` symmetrically to -127..127, for a product
 * with `m`. Returns the scale: x is about scale * integer. */
INLINE float V(to_acts)(const float *x, float top, const struct matrix *m, V(act) *out) {
#ifdef HAS_SPANS
  top = V(bounded)(x, top, m);
#endif
  V(v) factor = V(set1)(top > 0 ? 127 / top : 0);
  for (int32_t i = 0; i < m->inputs; i += LANES) V(to_act)(out + i, V(load)(x + i), factor);
  return top / 127;
}

TARGET static float V(quantise)(const float *x, const struct matrix *m, V(act) *out) {
  V(v) largest = V(set1)(0);
  for (int32_t i = 0; i < m->inputs; i += LANES) largest = V(max)(largest, V(abs)(V(load)(x + i)));
  return V(to_acts)(x, V(hmax)(largest), m, out);
}

/* Returns one vector of a matrix product: sums x scale + bias. */
INLINE V(v) V(linear)(const int32_t *sums, V(v) scale, const struct matrix *m, int32_t i) {
  return V(fma)(V(from_i32)(sums + i), V(mul)(scale, V(load)(m->scale + i)), V(load)(m->bias + i));
}

/* Applies layer norm to a row whose numbers add up to `total` and whose squares add up to
 * `squares`. Returns the largest absolute value. */
INLINE float V(normalise)(float *x, V(v) total, V(v) squares, const float *gain, const float *bias,
                          const struct og_encoder *e) {
  const int32_t n = e->hidden;
  const float average = V(hsum)(total) / n;
  float variance = V(hsum)(squares) / n - average * average;
  V(v) mean = V(set1)(average);
  /* Numbers far from zero and close to each other: the difference has lost its digits. */
  if (variance < average * average * 1e-3f) {
    squares = V(set1)(0);
    for (int32_t i = 0; i < n; i += LANES) {
      V(v) d = V(sub)(V(load)(x + i), mean);
      squares = V(fma)(d, d, squares);
    }
    variance = V(hsum)(squares) / n;
  }
  V(v) inverse = V(set1)(1 / __builtin_sqrtf(variance + e->epsilon)), largest = V(set1)(0);
  for (int32_t i = 0; i < n; i += LANES) {
    V(v) d = V(mul)(V(sub)(V(load)(x + i), mean), inverse);
    d = V(fma)(d, V(load)(gain + i), V(load)(bias + i));
    V(store)(x + i, d);
    largest = V(max)(largest, V(abs)(d));
  }
  return V(hmax)(largest);
}

/* Computes x + product, then layer norm; returns the largest absolute value. */
TARGET static float V(add_norm)(float *x, const int32_t *sums, float scale,
                                const struct matrix *m, const float *gain, const float *bias,
                                const struct og_encoder *e) {
  V(v) s = V(set1)(scale), total = V(set1)(0), squares = V(set1)(0);
  for (int32_t i = 0; i < e->hidden; i += LANES) {
    V(v) y = V(add)(V(load)(x + i), V(linear)(sums, s, m, i));
    V(store)(x + i, y);
    total = V(add)(total, y);
    squares = V(fma)(y, y, squares);
  }
  return V(normalise)(x, total, squares, gain, bias, e);
}

/* x * (1 + erf(x / sqrt 2)) / 2: max(x, 0) minus an even bump that ends at 3.14. The bump is a
 * polynomial with an error below 2.1e-3, a tenth of a quantisation step (iterated reweighted least
 * squares). */
INLINE V(v) V(gelu)(V(v) x) {
  V(v) u = V(min)(V(abs)(x), V(set1)(3.14f)), p = V(set1)(0.0205011594f);
  p = V(fma)(p, u, V(set1)(-0.180092319f));
  p = V(fma)(p, u, V(set1)(0.531987779f));
  p = V(fma)(p, u, V(set1)(-0.530170745f));
  return V(fma)(p, u, V(max)(x, V(set1)(0)));
}

/* Applies GELU to a row of the first dense layer and quantises it; returns the scale. */
TARGET static float V(gelu_row)(float *x, const int32_t *sums, float scale,
                                const struct matrix *m, const struct matrix *next, V(act) *out) {
  V(v) s = V(set1)(scale), largest = V(set1)(0);
  for (int32_t i = 0; i < m->outputs; i += LANES) {
    V(v) y = V(gelu)(V(linear)(sums, s, m, i));
    V(store)(x + i, y);
    largest = V(max)(largest, V(abs)(y));
  }
  return V(to_acts)(x, V(hmax)(largest), next, out);
}

/* 2^x times a constant, which cancels out of the shares, with an error below 1.8e-3: a quadratic
 * polynomial between whole numbers (iterated reweighted least squares). */
INLINE V(v) V(exp2)(V(v) x) {
  V(v) f = V(fraction)(x), p = V(set1)(0.337191546f);
  p = V(fma)(p, f, V(set1)(0.657638423f));
  p = V(fma)(p, f, V(set1)(1.00172334f));
  return V(scale2)(p, x);
}

/* Quantises the queries, keys and values of a row by head: queries to where attention reads them,
 * keys and values by row into `bytes`. Writes the 3 x heads scales of the row; `x` is scratch. */
INLINE void V(quantise_heads)(const struct og_encoder *e, const struct matrix *m,
                              const int32_t *sums, float scale, const int32_t dim, float *x,
                              V(act) *queries, int8_t *bytes, float *scales) {
  V(v) s = V(set1)(scale);
  for (int32_t h = 0; h < 3 * e->heads; h++) {
    V(v) largest = V(set1)(0);
    for (int32_t i = h * dim; i < (h + 1) * dim; i += LANES) {
      V(v) y = V(linear)(sums, s, m, i);
      V(store)(x + i, y);
      largest = V(max)(largest, V(abs)(y));
    }
    scales[h] = V(hmax)(largest);
  }
  float factors[3 * MAX_HEADS];
  for (int32_t h = 0; h < 3 * e->heads; h++) {
    const float most = h < e->heads ? 127 : HEAD_MAX;
    factors[h] = scales[h] > 0 ? most / scales[h] : 0;
    scales[h] /= most;
  }
  for (int32_t h = 0; h < e->heads; h++)
    for (int32_t i = h * dim; i < (h + 1) * dim; i += LANES)
      V(to_act)(queries + i, V(load)(x + i), V(set1)(factors[h]));
  for (int32_t h = e->heads; h < 3 * e->heads; h++)
    for (int32_t i = h * dim; i < (h + 1) * dim; i += LANES)
      V(to_i8)(bytes + i - e->hidden, V(load)(x + i), V(set1)(factors[h]));
}

/* Packs the keys and values of `n` neighbouring rows of one text, starting with its `key`th row;
 * `bytes` and `scales` come from V(quantise_heads). */
INLINE void V(pack_rows)(const struct og_encoder *e, const struct batch *b, const int8_t *bytes,
                         const float *scales, int32_t text, int32_t key, int32_t n,
                         const int32_t dim, struct attention *to) {
  const int32_t hidden = e->hidden, padded = padded_length(b, text);
  const int32_t length = b->offsets[text + 1] - b->offsets[text];
  for (int32_t h = 0; h < e->heads; h++) {
    const int64_t slot = (int64_t)h * b->capacity + b->padded_start[text];
    /* Keys beyond the end belong to another text; their scores must not become infinite. */
    for (int32_t i = key + n == length ? length : padded; i < padded; i++)
      to->key_scales[slot + i] = to->value_scales[slot + i] = 0;
    for (int32_t r = 0; r < n; r++) {
      to->key_scales[slot + key + r] = scales[(3 * r + 1) * e->heads + h];
      to->value_scales[slot + key + r] = scales[(3 * r + 2) * e->heads + h];
    }
    for (int32_t r = 0, rows; r < n; r += rows) {
      const uint32_t at = (uint32_t)(key + r);
      const int8_t *from = bytes + (int64_t)r * 2 * hidden + h * dim;
      int8_t *keys = to->keys + slot * dim + (int64_t)(at / 16 * 16) * dim + at % 16 * 4;
      int8_t *values = to->values + slot * dim + (int64_t)(at / 4) * 64;
      rows = at % 4 == 0 && n - r >= 4 ? 4 : 1;
      for (int32_t d = 0; d < dim; d += 16) {
        if (rows == 4) {
          interleave_fours(from + d, 2 * hidden, keys + d * 16);
          interleave(from + hidden + d, 2 * hidden, values + (int64_t)d * padded);
        } else {
          for (int32_t i = 0; i < 16; i += 4) memcpy(keys + (d + i) * 16, from + d + i, 4);
          for (int32_t i = 0; i < 16; i++)
            values[(int64_t)d * padded + i * 4 + at % 4] = from[hidden + d + i];
        }
      }
    }
  }
}

/* Quantises and packs the queries, keys and values of `n` rows, starting with row `from`. */
INLINE void V(place_heads)(const struct og_encoder *e, struct batch *b, struct work *w,
                           const struct matrix *m, int32_t from, int32_t n, const int32_t dim,
                           struct attention *to) {
  const int64_t hidden = e->hidden, heads = e->heads;
  for (int32_t r = 0; r < n; r++) {
    V(quantise_heads)(e, m, w->sums + 3 * hidden * r, w->scales[r], dim, w->floats,
                      (V(act) *)b->queries + (from + r) * hidden, w->bytes + 2 * hidden * r,
                      w->head_scales + 3 * heads * r);
    memcpy(b->query_scales + (from + r) * heads, w->head_scales + 3 * heads * r, 4 * heads);
  }
  for (int32_t r = 0, run; r < n; r += run) {
    const int32_t text = b->text_of_row[from + r], end = b->offsets[text + 1] - from;
    run = (end < n ? end : n) - r;
    V(pack_rows)(e, b, w->bytes + 2 * hidden * r, w->head_scales + 3 * heads * r, text,
                 from + r - b->offsets[text], run, dim, to);
  }
}

/* Computes 2^(score + bias) times the value's scale, for `rows` neighbouring queries and all keys
 * of their text: the sums of a tile become exponentials in registers. Writes them for each query,
 * with their maximum and their total without the value's scale. */
INLINE void V(weigh)(const V(act) *query, int64_t lda, const struct keys *keys, const float *bias,
                     const float *factors, const int rows, float *out, float *totals,
                     float *heaviest) {
  V(v) total[WEIGH_ROWS], most[WEIGH_ROWS], factor[WEIGH_ROWS];
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++) {
    total[r] = most[r] = V(set1)(0);
    factor[r] = V(set1)(factors[r]);
  }
  for (int32_t key = 0; key < keys->padded; key += 16) {
    int32_t sums[WEIGH_ROWS * 16];
    V(tile)(query, lda, keys->packed + (int64_t)key * keys->dim, keys->dim, rows, 1,
            keys->zeros + key, sums, 16);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
      for (int32_t i = 0; i < 16; i += LANES) {
        V(v) x = V(mul)(V(from_i32)(sums + 16 * r + i), V(load)(keys->scales + key + i));
        x = V(exp2)(V(fma)(x, factor[r], V(load)(bias + key + i)));
        total[r] = V(add)(total[r], x);
        x = V(mul)(x, V(load)(keys->value_scales + key + i));
        most[r] = V(max)(most[r], x);
        V(store)(out + (int64_t)r * keys->padded + key + i, x);
      }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; r++) {
    totals[r] = V(hsum)(total[r]);
    heaviest[r] = V(hmax)(most[r]);
  }
}

/* The same, but subtracts the largest score first, for queries whose exponentials exceed the range
 * of float32. No trained model has such queries. */
TARGET static void V(weigh_wide)(const V(act) *query, int64_t lda, const struct keys *keys,
                                 float *bias, float factor, float *out, float *total,
                                 float *heaviest) {
  float largest = -3e38f;
  for (int32_t key = 0; key < keys->length; key += 16) {
    int32_t sums[16];
    V(tile)(query, lda, keys->packed + (int64_t)key * keys->dim, keys->dim, 1, 1,
            keys->zeros + key, sums, 16);
    for (int32_t i = 0; i < 16 && key + i < keys->length; i++) {
      float score = (float)sums[i] * keys->scales[key + i] * factor;
      largest = score > largest ? score : largest;
    }
  }
  for (int32_t i = 0; i < keys->length; i++) bias[i] = -largest;
  V(weigh)(query, lda, keys, bias, &factor, 1, out, total, heaviest);
  for (int32_t i = 0; i < keys->length; i++) bias[i] = 0;
}

/* Computes the quantised shares of the values for `rows` queries. Each share is first multiplied by
 * its value's scale, so that the product over them needs only one factor, which is written to
 * `factors`. */
TARGET static void V(softmax)(const V(act) *query, int64_t lda, const struct keys *keys,
                              float *bias, float *factors, int32_t rows, float *x,
                              V(act) *shares) {
  float totals[WEIGH_ROWS], heaviest[WEIGH_ROWS];
  const int32_t padded = keys->padded;
#define WEIGH(r)                                                                                 \
  case r:                                                                                        \
    V(weigh)(query, lda, keys, bias, factors, r, x, totals, heaviest);                           \
    break
  switch (rows) {
    EACH_WEIGH;
  }
#undef WEIGH
  for (int32_t r = 0; r < rows; r++) {
    if (!(totals[r] > 0x1p-60f && totals[r] < 0x1p60f))
      V(weigh_wide)(query + r * lda, lda, keys, bias, factors[r], x + (int64_t)r * padded,
                    totals + r, heaviest + r);
    V(v) step = V(set1)(heaviest[r] > 0 ? SHARE_MAX / heaviest[r] : 0);
    for (int64_t i = (int64_t)r * padded; i < (int64_t)(r + 1) * padded; i += LANES)
      V(to_share)(shares + i, V(load)(x + i), step);
    factors[r] = heaviest[r] / SHARE_MAX / totals[r];
  }
}

/* Computes attention for `n` neighbouring rows of one text from `row` on; out is n x hidden. */
TARGET static void V(attend)(const struct og_encoder *e, const struct batch *b, struct work *w,
                             const struct attention *from, int32_t row, int32_t n, float *out) {
  const int32_t text = b->text_of_row[row], dim = e->head_dim, hidden = e->hidden;
  const int32_t length = b->offsets[text + 1] - b->offsets[text];
  const int32_t padded = padded_length(b, text);
  V(act) *shares = (V(act) *)w->shares;
  int32_t context[WEIGH_ROWS * MAX_HEAD_DIM];
  for (int32_t i = 0; i < padded; i++) w->bias[i] = i < length ? 0 : -3e38f;
  for (int32_t h = 0; h < e->heads; h++) {
    int64_t slot = (int64_t)h * b->capacity + b->padded_start[text];
    struct keys keys = {from->keys + slot * dim, w->zeros, from->key_scales + slot,
                        from->value_scales + slot, dim, length, padded};
    if (ACT_ZERO != 0)
      V(products)((const V(act) *)e->act_zeros, dim, 1, keys.packed, padded / 16, dim, NULL,
                  w->zeros, padded);
    for (int32_t at = 0; at < n; at += WEIGH_ROWS) {
      int32_t rows = n - at < WEIGH_ROWS ? n - at : WEIGH_ROWS;
      float factors[WEIGH_ROWS];
      for (int32_t r = 0; r < rows; r++)
        factors[r] = b->query_scales[(int64_t)(row + at + r) * e->heads + h] * e->score_scale;
      const V(act) *query = (V(act) *)b->queries + (int64_t)(row + at) * hidden + h * dim;
      V(softmax)(query, hidden, &keys, w->bias, factors, rows, w->weights, shares);
      STAGE(WEIGH);
      V(products)(shares, padded, rows, from->values + slot * dim, dim / 16, padded, NULL, context,
                  dim);
      for (int32_t r = 0; r < rows; r++)
        for (int32_t i = 0; i < dim; i += LANES)
          V(store)(out + (int64_t)(at + r) * hidden + h * dim + i,
                   V(mul)(V(from_i32)(context + r * dim + i), V(set1)(factors[r])));
      STAGE(CONTEXT);
    }
  }
}

/* Computes `rows[0..n)` after attention: out projection, norm, the two dense layers, norm. */
TARGET static void V(finish_rows)(const struct og_encoder *e, struct batch *b, struct work *w,
                                  const struct layer *layer, const int32_t *rows, int32_t n) {
  const int32_t hidden = e->hidden, inner = e->inner;
  V(act) *acts = (V(act) *)w->acts;
  for (int32_t r = 0; r < n; r++)
    w->scales[r] =
        V(quantise)(w->floats + (int64_t)r * hidden, &layer->out, acts + (int64_t)r * hidden);
  STAGE(QUANTISE);
  V(dense)(acts, n, &layer->out, 0, layer->out.outputs, w->sums);
  STAGE(OUT);
  for (int32_t r = 0; r < n; r++) {
    float *x = b->states + (int64_t)rows[r] * hidden;
    float top = V(add_norm)(x, w->sums + (int64_t)r * hidden, w->scales[r], &layer->out,
                            layer->norm1_gain, layer->norm1_bias, e);
    w->scales[r] = V(to_acts)(x, top, &layer->up, acts + (int64_t)r * hidden);
  }
  STAGE(NORM);
  V(dense)(acts, n, &layer->up, 0, layer->up.outputs, w->sums);
  STAGE(UP);
  for (int32_t r = 0; r < n; r++) {
    w->scales[r] = V(gelu_row)(w->floats, w->sums + (int64_t)r * inner, w->scales[r], &layer->up,
                               &layer->down, acts + (int64_t)r * inner);
  }
  STAGE(GELU);
  V(dense)(acts, n, &layer->down, 0, layer->down.outputs, w->sums);
  STAGE(DOWN);
  for (int32_t r = 0; r < n; r++)
    b->tops[rows[r]] =
        V(add_norm)(b->states + (int64_t)rows[r] * hidden, w->sums + (int64_t)r * hidden,
                    w->scales[r], &layer->down, layer->norm2_gain, layer->norm2_bias, e);
  STAGE(NORM);
}

TARGET static void V(embed_row)(const struct og_encoder *e, struct batch *b, int32_t row) {
  const int32_t hidden = e->hidden, id = b->ids[row];
  const int8_t *word = e->words + (int64_t)id * hidden;
  const float *place = e->places + (int64_t)(row - b->offsets[b->text_of_row[row]]) * hidden;
  float *x = b->states + (int64_t)row * hidden;
  V(v) scale = V(set1)(e->word_scales[id]), total = V(set1)(0), squares = V(set1)(0);
  for (int32_t i = 0; i < hidden; i += LANES) {
    V(v) y = V(fma)(V(from_i8)(word + i), scale, V(load)(place + i));
    y = V(add)(y, V(load)(e->types + i));
    V(store)(x + i, y);
    total = V(add)(total, y);
    squares = V(fma)(y, y, squares);
  }
  b->tops[row] = V(normalise)(x, total, squares, e->norm_gain, e->norm_bias, e);
}

/* Computes the queries, keys and values of `n` rows, starting with row `from`; in the last layer,
 * only the queries that are read. */
TARGET static void V(project_rows)(const struct og_encoder *e, struct batch *b, struct work *w,
                                   const struct matrix *m, struct attention *to, int32_t from,
                                   int32_t n, int is_first_only) {
  const int64_t hidden = e->hidden;
  V(act) *acts = (V(act) *)w->acts;
  for (int32_t r = 0; r < n; r++)
    w->scales[r] =
        V(to_acts)(b->states + (from + r) * hidden, b->tops[from + r], m, acts + r * hidden);
  STAGE(QUANTISE);
  if (is_first_only) {
    V(dense)(acts, n, m, e->hidden, 3 * e->hidden, w->sums);
    for (int32_t r = 0; r < n; r++)
      if (from + r == b->offsets[b->text_of_row[from + r]])
        V(dense)(acts + r * hidden, 1, m, 0, e->hidden, w->sums + 3 * hidden * r);
  } else V(dense)(acts, n, m, 0, m->outputs, w->sums);
  STAGE(QKV);
  /* A size known at compile time saves a quarter of the time. */
  if (e->head_dim == 32) V(place_heads)(e, b, w, m, from, n, 32, to);
  else V(place_heads)(e, b, w, m, from, n, e->head_dim, to);
  STAGE(HEADS);
}

/* Computes the part of the shared batch that belongs to thread `index`. The keys and values of two
 * layers are kept in turn, so that one barrier per layer is enough. */
TARGET static void V(run)(const struct og_encoder *e, struct batch *b, struct work *w,
                          int32_t index) {
  const int32_t from = share_start(b->n_rows, index, b->n_sharing);
  const int32_t to = share_start(b->n_rows, index + 1, b->n_sharing);
  for (int32_t row = from; row < to; row++) V(embed_row)(e, b, row);
  STAGE(EMBED);
  for (int32_t l = 0; l < e->n_layers; l++) {
    const struct layer *layer = &e->layers[l];
    struct attention *attention = &b->attention[l & 1];
    /* In the last layer, only the first token of the text is read. */
    int is_first_only = l == e->n_layers - 1 && e->pooling == POOL_FIRST;
    for (int32_t at = from; at < to; at += BLOCK_ROWS)
      V(project_rows)(e, b, w, &layer->qkv, attention, at,
                      to - at < BLOCK_ROWS ? to - at : BLOCK_ROWS, is_first_only);
    wait_for_all(b);
    int32_t i = is_first_only ? share_start(b->n_texts, index, b->n_sharing) : from;
    int32_t end = is_first_only ? share_start(b->n_texts, index + 1, b->n_sharing) : to;
    while (i < end) {
      int32_t n = 0;
      for (; i < end && n < BLOCK_ROWS; i++) w->rows[n++] = is_first_only ? b->offsets[i] : i;
      for (int32_t r = 0, run; r < n; r += run) {
        for (run = 1; r + run < n && w->rows[r + run] == w->rows[r] + run &&
                      b->text_of_row[w->rows[r + run]] == b->text_of_row[w->rows[r]];)
          run++;
        V(attend)(e, b, w, attention, w->rows[r], run, w->floats + (int64_t)r * e->hidden);
      }
      V(finish_rows)(e, b, w, layer, w->rows, n);
    }
  }
}

static const struct encoder_isa V(encoder) = {
    V(name), V(supported), V(run), sizeof(V(act)),
#ifdef HAS_SPANS
    V(prepare),
#else
    NULL,
#endif
};

#undef ISA
#undef TARGET
#undef INLINE
#undef LANES
#undef SHARE_MAX
#undef HEAD_MAX
#undef ACT_ZERO
#undef TILE_ROWS
#undef TILE_PANELS
#undef EACH_TILE
#undef WEIGH_ROWS
#undef EACH_WEIGH
#undef HAS_TILES
#undef HAS_SPANS
