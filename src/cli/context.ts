import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { Og, OpenOptions } from '../open.ts'
import { OgError } from '../platform/error.ts'
import { allowBlocked, guardSignals, keepAlive } from '../platform/aside/signal-guard.ts'
import type { Natives } from '../platform/native/load.ts'
import { closedStdout, isClosed, isClosedPipe } from './stdout.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/** Everything a command may touch. */
export type Context = {
  env: Environment
  terminal: Terminal
  /** Loads LanceDB and the rest on first use; `await using` releases it. */
  openOg(config: Config, options?: Pick<OpenOptions, 'needsBucket'>): Promise<Og>
  /** For commands that open memory alone; `openOg` does the same. */
  guardSignals(): Promise<void>
  /** Aborted by the first Ctrl-C. Who asks for it must end by itself; who does not is ended. */
  interruption(): AbortSignal
  /**
   * As `interruption`, for a server that ends by itself within `limitMs` of the first signal. Until
   * then it survives a busy machine and further SIGTERMs, because supervisors repeat that signal.
   */
  gracefulStop(limitMs: number): AbortSignal
}

/**
 * The context of this process: its environment, streams and signals. The heavy part of the program
 * is loaded when a command asks for it, so that `og --help` does not wait for it.
 */
export function openContext(): Context {
  const { env, stdin, stderr } = process
  const stdout = isClosed(1) ? closedStdout : process.stdout
  leaveOnClosedPipe()
  const { holdInterrupts, ...signals } = listenForSignals()
  const terminal = openTerminal({ stdin, stdout, stderr, holdInterrupts }, env)
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
 * `og list | head -1`: the reader has what it wanted. There is nothing to say, and nobody to. What
 * else keeps stdout from being written is told by who wrote.
 */
function leaveOnClosedPipe(): void {
  process.stdout.on('error', (error) => void (isClosedPipe(error) && process.exit(0)))
  process.stderr.on('error', () => {})
}

/** After its limit a server closes its store and model, which takes time on a busy machine. */
const spareMs = 5_000

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/**
 * The first signal aborts where a command has asked for the abort signal, and ends the process
 * where none has. The second one ends it; a server that stops gracefully is only ended by Ctrl-C.
 * All files are written so that they survive that.
 */
function listenForSignals() {
  const controller = new AbortController()
  let isAwaited = false
  let isGraceful = false
  let holders = 0
  for (const [name, exitCode] of Object.entries(exitCodes)) {
    process.on(name, () => {
      keepAlive()
      // Ctrl-C goes to every program at the terminal, and means the pager.
      if (name === 'SIGINT' && holders > 0) return
      if (isGraceful && controller.signal.aborted && name !== 'SIGINT') return
      if (!isAwaited || controller.signal.aborted) process.exit(exitCode)
      controller.abort(
        new OgError('Interrupted', {
          exitCode,
          hint: 'nothing is lost: the same command goes on where this one stopped',
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
      allowBlocked(limitMs + spareMs)
      return interruption()
    },
    holdInterrupts(): Disposable {
      holders++
      return { [Symbol.dispose]: () => void holders-- }
    },
  }
}
