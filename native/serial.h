/* Plain C for every CPU. Eight lanes, so that the compiler can vectorise for the baseline
 * instruction set. */

static int serial_supported(void) { return 1; }

static float serial_dot(const float *a, const float *b, int32_t dims) {
  float lanes[8] = {0};
  int32_t i = 0;
  for (; i + 8 <= dims; i += 8)
    for (int32_t lane = 0; lane < 8; lane++) lanes[lane] += a[i + lane] * b[i + lane];
  for (int32_t lane = 0; i < dims; i++, lane++) lanes[lane] += a[i] * b[i];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

static void serial_dots(const float *query, const float *block, int64_t rows, int32_t dims,
                        float *out) {
  for (int64_t row = 0; row < rows; row++) out[row] = serial_dot(query, block + row * dims, dims);
}

static double serial_sum_squares(const float *row, int32_t dims) {
  double lanes[4] = {0};
  int32_t i = 0;
  for (; i + 4 <= dims; i += 4)
    for (int32_t lane = 0; lane < 4; lane++)
      lanes[lane] += (double)row[i + lane] * (double)row[i + lane];
  for (int32_t lane = 0; i < dims; i++, lane++) lanes[lane] += (double)row[i] * (double)row[i];
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

static void serial_scale(float *row, int32_t dims, double factor) {
  for (int32_t i = 0; i < dims; i++) row[i] = (float)(row[i] * factor);
}

static int32_t serial_byte_dot(const int16_t *query, const int8_t *row, int32_t from,
                               int32_t dims) {
  int32_t sum = 0;
  for (int32_t i = from; i < dims; i++) sum += query[i] * row[i];
  return sum;
}

static void serial_byte_dots(const int16_t *query, const int8_t *block, int64_t rows, int32_t dims,
                             int32_t *out) {
  for (int64_t row = 0; row < rows; row++)
    out[row] = serial_byte_dot(query, block + row * dims, 0, dims);
}

static const struct isa serial_isa = {"serial", serial_supported, serial_dots, serial_sum_squares,
                                      serial_scale, serial_byte_dots};
