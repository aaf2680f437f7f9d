/* Ends the program if it was asked to end and its main thread is stuck. Part of the kernel library;
 * README.md in this folder has more details. */
#ifndef OG_SIGNALS_H
#define OG_SIGNALS_H

#include "kernels.h"

/* Guards SIGINT, SIGTERM and SIGHUP if they have a handler: the handler still runs, and `limit_ms`
 * later the program exits with 128 plus the signal's number, unless `og_signals_alive` postpones
 * it. Returns the number of guarded signals, 0 without POSIX signals. It may be called again. */
OG_EXPORT int32_t og_signals_guard(int32_t limit_ms);

/* Reports that the main thread is still running, which postpones the exit by another `limit_ms`.
 * Does nothing before the first signal. */
OG_EXPORT void og_signals_alive(void);

#endif
