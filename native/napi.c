/* The functions of this library as a Node-API addon, for processes in which bun:ffi does not work:
 * it generates machine code for each function, which systemd's MemoryDenyWriteExecute forbids. As
 * with bun:ffi, an argument is a number, or a typed array for a pointer to data in C.
 *
 * Only on Linux, where services may be locked down in this way. The declarations are copied from
 * <node_api.h>, which may be missing at build time. They are weak, because programs other than Bun
 * load this library too. */
#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

#include "encoder.h"
#include "kernels.h"
#include "signals.h"

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_info;
typedef napi_value (*napi_callback)(napi_env env, napi_info info);

#define NAPI extern __attribute__((weak)) int
NAPI napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
NAPI napi_set_named_property(napi_env, napi_value, const char *, napi_value);
NAPI napi_get_cb_info(napi_env, napi_info, size_t *, napi_value *, napi_value *, void **);
NAPI napi_get_value_double(napi_env, napi_value, double *);
NAPI napi_get_typedarray_info(napi_env, napi_value, int *, size_t *, void **, napi_value *,
                              size_t *);
NAPI napi_create_double(napi_env, double, napi_value *);
NAPI napi_create_string_utf8(napi_env, const char *, size_t, napi_value *);

enum { MAX_ARGUMENTS = 8 };

/* The arguments of a call; an argument that is missing or has another type is 0 or NULL. */
typedef struct {
  napi_env env;
  napi_value values[MAX_ARGUMENTS];
} call;

static call arguments_of(napi_env env, napi_info info) {
  call given = {.env = env};
  size_t count = MAX_ARGUMENTS;
  napi_get_cb_info(env, info, &count, given.values, NULL, NULL);
  return given;
}

static double number(const call *given, int i) {
  double value = 0;
  napi_get_value_double(given->env, given->values[i], &value);
  return value;
}

static int32_t int32(const call *given, int i) { return (int32_t)number(given, i); }

static int64_t int64(const call *given, int i) { return (int64_t)number(given, i); }

static void *data(const call *given, int i) {
  void *bytes = NULL;
  napi_get_typedarray_info(given->env, given->values[i], NULL, NULL, &bytes, NULL, NULL);
  return bytes;
}

/* Addresses have fewer bits than the 53 that a JavaScript number represents exactly. */
static og_encoder *encoder(const call *given) { return (og_encoder *)(uintptr_t)int64(given, 0); }

static napi_value numeric(napi_env env, double value) {
  napi_value result = NULL;
  napi_create_double(env, value, &result);
  return result;
}

static napi_value textual(napi_env env, const char *text) {
  napi_value result = NULL;
  napi_create_string_utf8(env, text, SIZE_MAX, &result);
  return result;
}

#define FUNCTION(name) static napi_value call_##name(napi_env env, napi_info info)
#define GIVEN call given = arguments_of(env, info)

FUNCTION(og_kernel_abi_version) {
  (void)info;
  return numeric(env, og_kernel_abi_version());
}

FUNCTION(og_kernel_isa) {
  (void)info;
  return textual(env, og_kernel_isa());
}

FUNCTION(og_force_isa) {
  GIVEN;
  return numeric(env, og_force_isa(data(&given, 0)));
}

FUNCTION(og_topk) {
  GIVEN;
  return numeric(env, og_topk(data(&given, 0), data(&given, 1), int64(&given, 2), int32(&given, 3),
                              int32(&given, 4), data(&given, 5), data(&given, 6)));
}

FUNCTION(og_compress) {
  GIVEN;
  return numeric(env, og_compress(data(&given, 0), int64(&given, 1), int32(&given, 2),
                                  data(&given, 3)));
}

FUNCTION(og_topk_compressed) {
  GIVEN;
  return numeric(env, og_topk_compressed(data(&given, 0), data(&given, 1), data(&given, 2),
                                         int64(&given, 3), int32(&given, 4), int32(&given, 5),
                                         data(&given, 6), data(&given, 7)));
}

FUNCTION(og_normalise) {
  GIVEN;
  og_normalise(data(&given, 0), int64(&given, 1), int32(&given, 2));
  return NULL;
}

FUNCTION(og_pairwise) {
  GIVEN;
  og_pairwise(data(&given, 0), int64(&given, 1), int32(&given, 2), data(&given, 3));
  return NULL;
}

FUNCTION(og_encoder_open) {
  GIVEN;
  og_encoder *opened = og_encoder_open(data(&given, 0), int32(&given, 1), int32(&given, 2),
                                       data(&given, 3), data(&given, 4), int32(&given, 5));
  return numeric(env, (double)(uintptr_t)opened);
}

FUNCTION(og_encoder_close) {
  GIVEN;
  og_encoder_close(encoder(&given));
  return NULL;
}

FUNCTION(og_encoder_isa) {
  GIVEN;
  return textual(env, og_encoder_isa(encoder(&given)));
}

FUNCTION(og_encoder_dimensions) {
  GIVEN;
  return numeric(env, og_encoder_dimensions(encoder(&given)));
}

FUNCTION(og_encoder_max_tokens) {
  GIVEN;
  return numeric(env, og_encoder_max_tokens(encoder(&given)));
}

FUNCTION(og_encoder_batch_tokens) {
  GIVEN;
  return numeric(env, og_encoder_batch_tokens(encoder(&given)));
}

FUNCTION(og_encoder_run) {
  GIVEN;
  return numeric(env, og_encoder_run(encoder(&given), data(&given, 1), data(&given, 2),
                                     int32(&given, 3), data(&given, 4), data(&given, 5)));
}

FUNCTION(og_signals_guard) {
  GIVEN;
  return numeric(env, og_signals_guard(int32(&given, 0)));
}

FUNCTION(og_signals_alive) {
  (void)env, (void)info;
  og_signals_alive();
  return NULL;
}

#define ENTRY(name) {#name, call_##name}

static const struct {
  const char *name;
  napi_callback callback;
} functions[] = {
    ENTRY(og_kernel_abi_version), ENTRY(og_kernel_isa),          ENTRY(og_force_isa),
    ENTRY(og_topk),               ENTRY(og_compress),            ENTRY(og_topk_compressed),
    ENTRY(og_normalise),          ENTRY(og_pairwise),
    ENTRY(og_encoder_open),       ENTRY(og_encoder_close),       ENTRY(og_encoder_isa),
    ENTRY(og_encoder_dimensions), ENTRY(og_encoder_max_tokens),  ENTRY(og_encoder_batch_tokens),
    ENTRY(og_encoder_run),        ENTRY(og_signals_guard),       ENTRY(og_signals_alive),
};

/* Node-API calls these by name when the library is loaded as an addon. */
OG_EXPORT int32_t node_api_module_get_api_version_v1(void) { return 8; }

OG_EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function = NULL;
    napi_create_function(env, functions[i].name, SIZE_MAX, functions[i].callback, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}

#endif
