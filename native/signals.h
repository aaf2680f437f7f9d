/* Ends the program when it was asked to end and its main thread does nothing any more. Part of the
 * library of the kernels; README.md beside this file says more. */
#ifndef OG_SIGNALS_H
#define OG_SIGNALS_H

#include "kernels.h"

/* From now on: SIGINT, SIGTERM and SIGHUP, where somebody listens to them, reach whoever listens,
 * and end the program with 128 plus their number `limit_ms` later, unless `og_signals_alive` puts
 * that off. Returns how many are guarded; again is no fault. 0 on systems without POSIX signals. */
OG_EXPORT int32_t og_signals_guard(int32_t limit_ms);

/* The main thread still runs: another `limit_ms`. Nothing before a signal came. */
OG_EXPORT void og_signals_alive(void);

#endif
