/* The encoder over one instruction set's primitives; included once for each. What stands before
 * the include: ISA, TARGET, LANES, SHARE_MAX, TILE_ROWS, TILE_PANELS, EACH_TILE, the types `act`
 * and `v`, and the functions on them. README.md describes the passes. */

/* rows x (16 * panels) sums over k; any number of rows and panels. A tile's panels stay in the
 * first cache while all rows pass by them. */
TARGET static void V(products)(const V(act) *a, int64_t lda, int32_t rows, const int8_t *b,
                               int32_t panels, int32_t k, int32_t *out, int64_t ldo) {
#define TILE(r, p)                                                                               \
  case (r) * 4 + (p):                                                                            \
    V(tile)(a + at * lda, lda, b + (int64_t)panel * 16 * k, k, r, p, to, ldo);                   \
    break
  for (int32_t panel = 0; panel < panels; panel += TILE_PANELS) {
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

/* Symmetric quantisation of a row to -127..127. Returns the scale: x is about scale * integer. */
TARGET static float V(quantise)(const float *x, int32_t n, V(act) *out) {
  V(v) largest = V(set1)(0);
  for (int32_t i = 0; i < n; i += LANES) largest = V(max)(largest, V(abs)(V(load)(x + i)));
  float top = V(hmax)(largest);
  V(v) factor = V(set1)(top > 0 ? 127 / top : 0);
  for (int32_t i = 0; i < n; i += LANES) V(to_act)(out + i, V(mul)(V(load)(x + i), factor));
  return top / 127;
}

/* One vector of a matrix product: sums x scale + bias. */
INLINE V(v) V(linear)(const int32_t *sums, V(v) scale, const struct matrix *m, int32_t i) {
  V(v) x = V(from_i32_less)(sums + i, m->zero + i);
  return V(fma)(x, V(mul)(scale, V(load)(m->scale + i)), V(load)(m->bias + i));
}

INLINE void V(normalise)(float *x, const float *gain, const float *bias,
                         const struct og_encoder *e) {
  V(v) total = V(set1)(0), squares = V(set1)(0);
  for (int32_t i = 0; i < e->hidden; i += LANES) total = V(add)(total, V(load)(x + i));
  V(v) mean = V(set1)(V(hsum)(total) / e->hidden);
  for (int32_t i = 0; i < e->hidden; i += LANES) {
    V(v) d = V(sub)(V(load)(x + i), mean);
    squares = V(fma)(d, d, squares);
  }
  V(v) inverse = V(set1)(1 / __builtin_sqrtf(V(hsum)(squares) / e->hidden + e->epsilon));
  for (int32_t i = 0; i < e->hidden; i += LANES) {
    V(v) d = V(mul)(V(sub)(V(load)(x + i), mean), inverse);
    V(store)(x + i, V(fma)(d, V(load)(gain + i), V(load)(bias + i)));
  }
}

/* x + product, then layer norm. */
TARGET static void V(add_norm)(float *x, const int32_t *sums, float scale,
                               const struct matrix *m, const float *gain, const float *bias,
                               const struct og_encoder *e) {
  V(v) s = V(set1)(scale);
  for (int32_t i = 0; i < e->hidden; i += LANES)
    V(store)(x + i, V(add)(V(load)(x + i), V(linear)(sums, s, m, i)));
  V(normalise)(x, gain, bias, e);
}

/* x * (1 + erf(x / sqrt 2)) / 2, erf by an odd polynomial on |x| <= 4.2: within 1.1e-4 everywhere,
 * a hundredth of a quantisation step. Fitted by iterated reweighted least squares. */
INLINE V(v) V(gelu)(V(v) x) {
  V(v) c = V(min)(V(max)(x, V(set1)(-4.2f)), V(set1)(4.2f)), z = V(mul)(c, c);
  V(v) p = V(set1)(9.84765056e-11f);
  p = V(fma)(p, z, V(set1)(-9.59133319e-09f));
  p = V(fma)(p, z, V(set1)(4.14495542e-07f));
  p = V(fma)(p, z, V(set1)(-1.05791335e-05f));
  p = V(fma)(p, z, V(set1)(0.000179671929f));
  p = V(fma)(p, z, V(set1)(-0.00217291825f));
  p = V(fma)(p, z, V(set1)(0.019481881f));
  p = V(fma)(p, z, V(set1)(-0.132444154f));
  p = V(fma)(p, z, V(set1)(0.797669157f));
  V(v) half = V(mul)(x, V(set1)(0.5f));
  return V(fma)(half, V(mul)(p, c), half);
}

TARGET static void V(gelu_row)(float *out, const int32_t *sums, float scale,
                               const struct matrix *m) {
  V(v) s = V(set1)(scale);
  for (int32_t i = 0; i < m->outputs; i += LANES)
    V(store)(out + i, V(gelu)(V(linear)(sums, s, m, i)));
}

/* 2^x for x <= 0, within 3e-6 of it; below 2^-126 it stays there. Taylor around the nearest
 * integer. */
INLINE V(v) V(exp2)(V(v) x) {
  x = V(max)(x, V(set1)(-126));
  V(v) n = V(round)(x), f = V(sub)(x, n);
  V(v) p = V(set1)(0.0013333558f);
  p = V(fma)(p, f, V(set1)(0.0096181291f));
  p = V(fma)(p, f, V(set1)(0.0555041087f));
  p = V(fma)(p, f, V(set1)(0.2402265070f));
  p = V(fma)(p, f, V(set1)(0.6931471806f));
  p = V(fma)(p, f, V(set1)(1));
  return V(scale2)(p, n);
}

/* `dim` numbers of one head: the product of one row, and its largest absolute value. */
INLINE float V(head)(const int32_t *sums, float scale, const struct matrix *m, int32_t at,
                     int32_t dim, float *out) {
  V(v) largest = V(set1)(0), s = V(set1)(scale);
  for (int32_t i = 0; i < dim; i += LANES) {
    V(v) x = V(linear)(sums, s, m, at + i);
    V(store)(out + i, x);
    largest = V(max)(largest, V(abs)(x));
  }
  return V(hmax)(largest);
}

INLINE void V(bytes)(const float *x, float top, int32_t dim, int8_t *out) {
  V(v) factor = V(set1)(top > 0 ? 127 / top : 0);
  for (int32_t i = 0; i < dim; i += LANES) V(to_i8)(out + i, V(mul)(V(load)(x + i), factor));
}

/* Queries by row; keys and values packed as the right-hand sides of the products to come. */
TARGET static void V(split_heads)(const struct og_encoder *e, const int32_t *sums, float scale,
                                  const struct matrix *m, int32_t row, struct attention *to) {
  const int32_t hidden = e->hidden, dim = e->head_dim, text = e->text_of_row[row];
  const int32_t key = row - e->offsets[text], padded = padded_length(e, text);
  float x[MAX_HEAD_DIM];
  int8_t bytes[MAX_HEAD_DIM];
  for (int32_t h = 0; h < e->heads; h++) {
    int64_t slot = (int64_t)h * e->capacity + e->padded_start[text];
    float top = V(head)(sums, scale, m, h * dim, dim, x);
    V(v) factor = V(set1)(top > 0 ? 127 / top : 0);
    V(act) *query = (V(act) *)e->queries + (int64_t)row * hidden + h * dim;
    for (int32_t i = 0; i < dim; i += LANES)
      V(to_act)(query + i, V(mul)(V(load)(x + i), factor));
    e->query_scales[(int64_t)row * e->heads + h] = top / 127;

    top = V(head)(sums, scale, m, hidden + h * dim, dim, x);
    V(bytes)(x, top, dim, bytes);
    int8_t *keys = to->keys + slot * dim + (int64_t)(key / 16) * 16 * dim + key % 16 * 4;
    int32_t sum = 0;
    for (int32_t i = 0; i < dim; i += 4) {
      memcpy(keys + i * 16, bytes + i, 4);
      sum += bytes[i] + bytes[i + 1] + bytes[i + 2] + bytes[i + 3];
    }
    to->key_zeros[slot + key] = 128 * sum;
    to->key_scales[slot + key] = top / 127;

    top = V(head)(sums, scale, m, 2 * hidden + h * dim, dim, x);
    V(bytes)(x, top, dim, bytes);
    int8_t *values = to->values + slot * dim + key / 4 * 64 + key % 4;
    for (int32_t i = 0; i < dim; i++)
      values[(int64_t)(i / 16) * 16 * padded + i % 16 * 4] = bytes[i];
    to->value_scales[slot + key] = top / 127;
  }
}

/* Scores of one query -> shares of the values, quantised. Each share is multiplied by its value's
 * scale first, so that the product over them needs one factor only, which is returned. */
TARGET static float V(softmax)(int32_t *scores, float query_scale, int32_t length, int32_t padded,
                               const struct keys *keys, V(act) *shares) {
  float *x = (float *)scores;
  V(v) largest = V(set1)(-3e38f);
  int32_t full = length & -LANES;
  for (int32_t i = 0; i < full; i += LANES) {
    V(v) s = V(mul)(V(from_i32_less)(scores + i, keys->zeros + i), V(load)(keys->scales + i));
    V(store)(x + i, s);
    largest = V(max)(largest, s);
  }
  for (int32_t i = full; i < padded; i += LANES)
    V(store)(x + i, V(mul)(V(from_i32_less)(scores + i, keys->zeros + i),
                           V(load)(keys->scales + i)));
  for (int32_t i = length; i < padded; i++) x[i] = -3e38f;
  for (int32_t i = full; i < padded; i += LANES) largest = V(max)(largest, V(load)(x + i));
  V(v) top = V(set1)(V(hmax)(largest)), factor = V(set1)(query_scale);
  V(v) total = V(set1)(0), heaviest = V(set1)(0);
  for (int32_t i = 0; i < padded; i += LANES) {
    V(v) share = V(exp2)(V(mul)(V(sub)(V(load)(x + i), top), factor));
    total = V(add)(total, share);
    share = V(mul)(share, V(load)(keys->value_scales + i));
    heaviest = V(max)(heaviest, share);
    V(store)(x + i, share);
  }
  float most = V(hmax)(heaviest);
  V(v) step = V(set1)(most > 0 ? SHARE_MAX / most : 0);
  for (int32_t i = 0; i < padded; i += LANES)
    V(to_share)(shares + i, V(mul)(V(load)(x + i), step));
  return most / SHARE_MAX / V(hsum)(total);
}

/* Attention of `n` neighbouring rows of one text, from `row`; out is n x hidden. */
TARGET static void V(attend)(struct og_encoder *e, struct work *w, const struct attention *from,
                             int32_t row, int32_t n, float *out) {
  const int32_t text = e->text_of_row[row], dim = e->head_dim, hidden = e->hidden;
  const int32_t length = e->offsets[text + 1] - e->offsets[text];
  const int32_t padded = padded_length(e, text);
  V(act) *shares = (V(act) *)w->shares;
  int32_t context[TILE_ROWS * MAX_HEAD_DIM];
  for (int32_t h = 0; h < e->heads; h++) {
    int64_t slot = (int64_t)h * e->capacity + e->padded_start[text];
    struct keys keys = {from->key_zeros + slot, from->key_scales + slot,
                        from->value_scales + slot};
    for (int32_t at = 0; at < n; at += TILE_ROWS) {
      int32_t rows = n - at < TILE_ROWS ? n - at : TILE_ROWS;
      const V(act) *query = (V(act) *)e->queries + (int64_t)(row + at) * hidden + h * dim;
      V(products)(query, hidden, rows, from->keys + slot * dim, padded / 16, dim, w->scores,
                  padded);
      float factors[TILE_ROWS];
      for (int32_t r = 0; r < rows; r++) {
        float scale = e->query_scales[(int64_t)(row + at + r) * e->heads + h];
        factors[r] = V(softmax)(w->scores + (int64_t)r * padded, scale * e->score_scale, length,
                                padded, &keys, shares + (int64_t)r * padded);
      }
      V(products)(shares, padded, rows, from->values + slot * dim, dim / 16, padded, context,
                  dim);
      for (int32_t r = 0; r < rows; r++)
        for (int32_t i = 0; i < dim; i += LANES)
          V(store)(out + (int64_t)(at + r) * hidden + h * dim + i,
                   V(mul)(V(from_i32)(context + r * dim + i), V(set1)(factors[r])));
    }
  }
}

/* The rows `rows[0..n)` after attention: out projection, norm, the two dense layers, norm. */
TARGET static void V(finish_rows)(struct og_encoder *e, struct work *w, const struct layer *layer,
                                  const int32_t *rows, int32_t n) {
  const int32_t hidden = e->hidden, inner = e->inner;
  V(act) *acts = (V(act) *)w->acts;
  for (int32_t r = 0; r < n; r++)
    w->scales[r] = V(quantise)(w->floats + (int64_t)r * hidden, hidden, acts + (int64_t)r * hidden);
  V(products)(acts, hidden, n, layer->out.packed, hidden / 16, hidden, w->sums, hidden);
  for (int32_t r = 0; r < n; r++) {
    float *x = e->states + (int64_t)rows[r] * hidden;
    V(add_norm)(x, w->sums + (int64_t)r * hidden, w->scales[r], &layer->out, layer->norm1_gain,
                layer->norm1_bias, e);
    w->scales[r] = V(quantise)(x, hidden, acts + (int64_t)r * hidden);
  }
  V(products)(acts, hidden, n, layer->up.packed, inner / 16, hidden, w->sums, inner);
  for (int32_t r = 0; r < n; r++) {
    V(gelu_row)(w->floats, w->sums + (int64_t)r * inner, w->scales[r], &layer->up);
    w->scales[r] = V(quantise)(w->floats, inner, acts + (int64_t)r * inner);
  }
  V(products)(acts, inner, n, layer->down.packed, hidden / 16, inner, w->sums, hidden);
  for (int32_t r = 0; r < n; r++)
    V(add_norm)(e->states + (int64_t)rows[r] * hidden, w->sums + (int64_t)r * hidden,
                w->scales[r], &layer->down, layer->norm2_gain, layer->norm2_bias, e);
}

TARGET static void V(embed_row)(struct og_encoder *e, int32_t row) {
  const int32_t hidden = e->hidden, id = e->ids[row];
  const int8_t *word = e->words + (int64_t)id * hidden;
  const float *place = e->places + (int64_t)(row - e->offsets[e->text_of_row[row]]) * hidden;
  float *x = e->states + (int64_t)row * hidden;
  V(v) scale = V(set1)(e->word_scales[id]);
  for (int32_t i = 0; i < hidden; i += LANES)
    V(store)(x + i, V(add)(V(fma)(V(from_i8)(word + i), scale, V(load)(place + i)),
                           V(load)(e->types + i)));
  V(normalise)(x, e->norm_gain, e->norm_bias, e);
}

TARGET static void V(project_rows)(struct og_encoder *e, struct work *w,
                                   const struct layer *layer, struct attention *to, int32_t from,
                                   int32_t n) {
  const int32_t hidden = e->hidden;
  V(act) *acts = (V(act) *)w->acts;
  for (int32_t r = 0; r < n; r++)
    w->scales[r] = V(quantise)(e->states + (int64_t)(from + r) * hidden, hidden,
                               acts + (int64_t)r * hidden);
  V(products)(acts, hidden, n, layer->qkv.packed, 3 * hidden / 16, hidden, w->sums, 3 * hidden);
  for (int32_t r = 0; r < n; r++)
    V(split_heads)(e, w->sums + (int64_t)r * 3 * hidden, w->scales[r], &layer->qkv, from + r, to);
}

/* The share of one thread in a batch. Keys and values of two layers are kept in turn, so that one
 * barrier a layer is enough. */
TARGET static void V(run)(struct og_encoder *e, struct work *w) {
  const int32_t from = share_start(e->n_rows, w->index, e->n_threads);
  const int32_t to = share_start(e->n_rows, w->index + 1, e->n_threads);
  for (int32_t row = from; row < to; row++) V(embed_row)(e, row);
  for (int32_t l = 0; l < e->n_layers; l++) {
    const struct layer *layer = &e->layers[l];
    struct attention *attention = &e->attention[l & 1];
    for (int32_t at = from; at < to; at += BLOCK_ROWS)
      V(project_rows)(e, w, layer, attention, at, to - at < BLOCK_ROWS ? to - at : BLOCK_ROWS);
    wait_for_all(e);
    /* Only the first token of a text is read out of the last layer. */
    int is_last = l == e->n_layers - 1 && e->pooling == POOL_FIRST;
    int32_t i = is_last ? share_start(e->n_texts, w->index, e->n_threads) : from;
    int32_t end = is_last ? share_start(e->n_texts, w->index + 1, e->n_threads) : to;
    while (i < end) {
      int32_t n = 0;
      for (; i < end && n < BLOCK_ROWS; i++) w->rows[n++] = is_last ? e->offsets[i] : i;
      for (int32_t r = 0, run; r < n; r += run) {
        for (run = 1; r + run < n && w->rows[r + run] == w->rows[r] + run &&
                      e->text_of_row[w->rows[r + run]] == e->text_of_row[w->rows[r]];)
          run++;
        V(attend)(e, w, attention, w->rows[r], run, w->floats + (int64_t)r * e->hidden);
      }
      V(finish_rows)(e, w, layer, w->rows, n);
    }
  }
}

static const struct encoder_isa V(encoder) = {V(name), V(supported), V(run), sizeof(V(act))};

#undef ISA
#undef TARGET
#undef INLINE
#undef LANES
#undef SHARE_MAX
#undef TILE_ROWS
#undef TILE_PANELS
#undef EACH_TILE
