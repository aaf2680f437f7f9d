import { atExit } from './file/cleanup.ts'
import { OgError } from './error.ts'

export type SpawnOptions = {
  cwd: string
  /** The whole environment; nothing is inherited beside it. */
  env: Record<string, string>
  signal?: AbortSignal
}

/** A program that was started without a shell, in a session of its own: it has no terminal. */
export type Child = AsyncDisposable & {
  pid: number
  stdin: Bun.FileSink
  stdout: ReadableStream<Uint8Array>
  /** Settles when the program has ended; `stderr` is its end, at most 64 KB. */
  ended: Promise<{ exitCode: number; stderr: string }>
  /** Ends the program and all that it started. */
  kill(): void
}

export type Ran = { exitCode: number; stdout: Uint8Array; stderr: string; timedOut: boolean }

/**
 * Runs a program to its end and collects what it wrote. When `timeoutMs` is over, when `signal`
 * aborts (then its reason is thrown) and when this process ends, the whole process group ends.
 * @throws OgError when the program is not there, or writes more than `maxStdoutBytes`.
 */
export async function run(
  command: string[],
  options: SpawnOptions & {
    stdin?: string | Uint8Array
    timeoutMs?: number
    maxStdoutBytes?: number
  },
): Promise<Ran> {
  await using child = start(command, options)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill()
  }, options.timeoutMs ?? 2 ** 31 - 1)
  try {
    feed(child, options.stdin)
    const stdout = await collect(child, options.maxStdoutBytes ?? 256 * 2 ** 20)
    if (stdout === null) throw new OgError(`"${command[0]}" wrote more than expected and was ended`)
    const { exitCode, stderr } = await child.ended
    options.signal?.throwIfAborted()
    return { exitCode, stdout, stderr, timedOut }
  } finally {
    clearTimeout(timer)
  }
}

/** Starts a program to talk to; `await using` ends it. @throws OgError when it is not there. */
export function start(command: string[], options: SpawnOptions): Child {
  options.signal?.throwIfAborted()
  const child = spawn(command, options)
  let running = true
  const kill = () => {
    if (running) killGroup(child.pid)
  }
  const forget = atExit(kill)
  options.signal?.addEventListener('abort', kill, { once: true })
  const stderr = tailOf(child.stderr)
  const exited = child.exited.finally(() => {
    running = false
    forget()
    options.signal?.removeEventListener('abort', kill)
  })
  const ended = exited.then(async (exitCode) => ({ exitCode, stderr: await stderr }))
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      await exited
    },
  }
}

function spawn(command: string[], { cwd, env }: SpawnOptions) {
  try {
    // Detached: a session of its own has no terminal to ask for passwords on, and one signal
    // reaches the helpers that the program started.
    return Bun.spawn(command, {
      cwd, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', detached: true, windowsHide: true,
    })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    throw new OgError(`Cannot run "${command[0]}": program not found`, {
      hint: `install ${command[0]} or add its folder to PATH`,
      cause: error,
    })
  }
}

/** The group may have ended by itself a moment ago; that is what was wanted. */
function killGroup(pid: number): void {
  try {
    if (process.platform === 'win32') Bun.spawnSync(['taskkill', '/T', '/F', '/PID', `${pid}`])
    else process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

/** A program may end without reading its input; its exit code tells, not the broken pipe. */
function feed(child: Child, input: string | Uint8Array | undefined): void {
  const finish = async () => {
    if (input !== undefined) await child.stdin.write(input)
    await child.stdin.end()
  }
  finish().catch(() => {})
}

async function collect(child: Child, maxBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of child.stdout) {
    size += part.length
    if (size > maxBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  let tail = Buffer.alloc(0)
  for await (const part of stream) tail = Buffer.concat([tail, part]).subarray(-65536)
  return tail.toString('utf8')
}
