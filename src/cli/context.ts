import type { Config } from '../config/config.ts'
import type { Og, OpenOptions } from '../open.ts'
import { OgError } from '../platform/error.ts'
import { setBlockedLimit, guardSignals, keepAlive } from '../platform/sandbox/signal-guard.ts'
import { onSlowLock } from '../platform/lock.ts'
import type { Natives } from '../platform/native/load.ts'
import {
  failingStdout,
  isClosedDescriptor,
  isClosedPipe,
  openTerminal,
  type Terminal,
} from './terminal.ts'
import type { Environment } from '../config/paths.ts'

export type Context = {
  env: Environment
  terminal: Terminal
  /** Opens the libraries. The first call loads LanceDB. Release the result with `await using`. */
  openOg(config: Config, options?: Pick<OpenOptions, 'needsBucket'>): Promise<Og>
  /**
   * Handles signals during native calls. `openOg` does this too, so only commands that just open a
   * memory need it.
   */
  guardSignals(): Promise<void>
  /**
   * A signal that the first Ctrl-C aborts. A command that calls this must stop by itself. For all
   * other commands, Ctrl-C ends the process.
   */
  interruption(): AbortSignal
  /**
   * Like `interruption`, for a server that stops within `limitMs` after the first signal. Until
   * then, further SIGTERMs are ignored, because supervisors repeat them.
   */
  gracefulStop(limitMs: number): AbortSignal
}

/**
 * Opens the context of this process: environment, streams and signals. Loads heavy modules at first
 * use, so that `og --help` is fast.
 */
export function openContext(): Context {
  const { env, stdin, stderr } = process
  const stdout = isClosedDescriptor(1) ? failingStdout : process.stdout
  leaveOnClosedPipe()
  const { holdInterrupts, ...signals } = listenForSignals()
  const terminal = openTerminal({ stdin, stdout, stderr, holdInterrupts }, env)
  onSlowLock((what) => terminal.note('plain', `waiting for another og that uses ${what}`))
  return {
    env,
    terminal,
    async openOg(config, { needsBucket = false } = {}) {
      const { openOg } = await import('../open.ts')
      const warn = (line: string) => terminal.note('warning', line)
      const onNatives = ({ kernels }: Natives) => guardSignals(kernels)
      return openOg(config, warn, { needsBucket, onNatives })
    },
    async guardSignals() {
      const { kernelsPath } = await import('../open-memory.ts')
      guardSignals(await kernelsPath(env))
    },
    ...signals,
  }
}

/**
 * Exits quietly if the reader of stdout closes the pipe, as in `og list | head -1`. The writer
 * reports all other errors.
 */
function leaveOnClosedPipe(): void {
  process.stdout.on('error', (error) => void (isClosedPipe(error) && process.exit(0)))
  process.stderr.on('error', () => {})
}

/** Extra time for a server on a busy machine to close its store and model. */
const spareMs = 5_000

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/**
 * The first signal aborts the abort signal if a command uses it; otherwise it ends the process. The
 * second signal always ends the process, except for a SIGTERM to a server that is stopping. og
 * writes files in a way that survives this.
 */
function listenForSignals() {
  const controller = new AbortController()
  let isAwaited = false
  let isGraceful = false
  let holders = 0
  for (const [name, exitCode] of Object.entries(exitCodes)) {
    process.on(name, () => {
      keepAlive()
      // The terminal sends Ctrl-C to all its programs, but it is meant for the pager.
      if (name === 'SIGINT' && holders > 0) return
      if (isGraceful && controller.signal.aborted && name !== 'SIGINT') return
      if (!isAwaited || controller.signal.aborted) process.exit(exitCode)
      controller.abort(
        new OgError('Interrupted', {
          exitCode,
          hint: 'nothing is lost; run the same command again to continue',
        }),
      )
    })
  }
  const interruption = (): AbortSignal => {
    isAwaited = true
    return controller.signal
  }
  return {
    interruption,
    gracefulStop(limitMs: number): AbortSignal {
      isGraceful = true
      setBlockedLimit(limitMs + spareMs)
      return interruption()
    },
    holdInterrupts(): Disposable {
      holders++
      return { [Symbol.dispose]: () => void holders-- }
    },
  }
}
