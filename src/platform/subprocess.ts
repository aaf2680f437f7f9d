import { atExit } from './file/files.ts'
import { messageOf, OgError } from './error.ts'

export type SpawnOptions = {
  cwd: string
  /** All environment variables of the program. It inherits no others. */
  env: Record<string, string>
  signal?: AbortSignal
}

export type Child = AsyncDisposable & {
  pid: number
  stdin: Bun.FileSink
  stdout: ReadableStream<Uint8Array>
  /** Resolves when the program has ended. `stderr` contains the last 64 KB of its stderr output. */
  ended: Promise<{ exitCode: number; stderr: string }>
  kill(): void
}

export type RunResult = { exitCode: number; stdout: Uint8Array; stderr: string; timedOut: boolean }

/**
 * Runs a program to its end and collects its output. Kills the whole process group after
 * `timeoutMs`, when this process ends, or if `signal` aborts (throwing its reason).
 * @throws OgError if the program is not found or writes more than `maxStdoutBytes`
 */
export async function runProgram(
  command: string[],
  options: SpawnOptions & {
    stdin?: string | Uint8Array
    timeoutMs?: number
    maxStdoutBytes?: number
  },
): Promise<RunResult> {
  await using child = startProgram(command, options)
  let timedOut = false
  const timer = setTimeout(
    () => {
      timedOut = true
      child.kill()
    },
    options.timeoutMs ?? 2 ** 31 - 1,
  )
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

/** Starts a program that `await using` kills. @throws OgError if the program is not found */
export function startProgram(command: string[], options: SpawnOptions): Child {
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
    // In its own session, the program has no terminal to ask for passwords, and one signal reaches
    // all processes that it started.
    return Bun.spawn(command, {
      cwd,
      env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
      windowsHide: true,
    })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT') {
      const reason = code === 'ENOEXEC' ? 'it is not a program for this system' : messageOf(error)
      throw new OgError(`Cannot run "${command[0]}": ${reason}`, { cause: error })
    }
    throw new OgError(`Cannot run "${command[0]}": program not found`, {
      hint: `install ${command[0]} or add its folder to PATH`,
      cause: error,
    })
  }
}

function killGroup(pid: number): void {
  if (process.platform === 'win32') Bun.spawnSync(['taskkill', '/T', '/F', '/PID', `${pid}`])
  else signalProcess(-pid, 'SIGKILL')
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Writes a program's input. Ignores a broken pipe, because a program may end early. */
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
