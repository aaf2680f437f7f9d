const releases = new Set<() => void>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the synchronous `release` when this process exits or is ended by SIGINT, SIGTERM or SIGHUP,
 * unless the returned function was called before. If other code also listens to the signal, that
 * code decides what happens. If no other code listens, the signal ends the process after the
 * releases.
 */
export function atExit(release: () => void): () => void {
  if (releases.size === 0) listen()
  releases.add(release)
  return () => {
    if (releases.delete(release) && releases.size === 0) unlisten()
  }
}

function listen(): void {
  process.on('exit', releaseAll)
  for (const signal of signals) process.on(signal, endBySignal)
}

function unlisten(): void {
  process.off('exit', releaseAll)
  for (const signal of signals) process.off(signal, endBySignal)
}

function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  releaseAll()
  unlisten()
  process.kill(process.pid, signal)
}

/** Runs all releases, the latest first, even if one of them fails. */
function releaseAll(): void {
  for (const release of [...releases].reverse()) {
    releases.delete(release)
    try {
      release()
    } catch (error) {
      process.stderr.write(`og: clean-up at exit failed: ${String(error)}\n`)
    }
  }
}
