#include "signals.h"

#if defined(_WIN32)

int32_t og_signals_guard(int32_t limit_ms) {
  (void)limit_ms;
  return 0;
}

void og_signals_alive(void) {}

#else

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const int guarded[] = {SIGINT, SIGTERM, SIGHUP};
enum { GUARDED = sizeof guarded / sizeof *guarded };

/* The handlers that were installed before ours; they still run. */
static struct sigaction before[GUARDED];
static volatile sig_atomic_t came;
static int32_t limit;

/* POSIX does not list setitimer as async-signal-safe, as it does alarm. On Linux and macOS it is
 * nothing but a system call, and alarm is limited to whole seconds. */
static void arm(void) {
  struct itimerval in = {{0, 0}, {limit / 1000, (limit % 1000) * 1000}};
  setitimer(ITIMER_REAL, &in, NULL);
}

static void on_alarm(int number) {
  (void)number;
  if (came != 0) _exit(128 + (int)came);
}

static void on_signal(int number, siginfo_t *details, void *context) {
  int saved = errno;
  if (came == 0) {
    came = number;
    arm();
  }
  for (int i = 0; i < GUARDED; i++) {
    if (guarded[i] != number) continue;
    if (before[i].sa_flags & SA_SIGINFO) before[i].sa_sigaction(number, details, context);
    else before[i].sa_handler(number);
  }
  errno = saved;
}

int32_t og_signals_guard(int32_t limit_ms) {
  struct sigaction alarm_action, action, found;
  int32_t count = 0;
  limit = limit_ms;
  memset(&alarm_action, 0, sizeof alarm_action);
  alarm_action.sa_handler = on_alarm;
  sigaction(SIGALRM, &alarm_action, NULL);
  for (int i = 0; i < GUARDED; i++) {
    if (sigaction(guarded[i], NULL, &found) != 0) continue;
    int is_ours = (found.sa_flags & SA_SIGINFO) && found.sa_sigaction == on_signal;
    int is_heard = (found.sa_flags & SA_SIGINFO) ||
                   (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
    if (!is_heard) continue;
    count++;
    if (is_ours) continue;
    before[i] = found;
    action = found;
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = on_signal;
    sigaction(guarded[i], &action, NULL);
  }
  return count;
}

void og_signals_alive(void) {
  if (came != 0) arm();
}

#endif
