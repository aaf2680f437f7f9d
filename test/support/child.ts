import { join } from 'node:path'

export type Child = AsyncDisposable & {
  pid: number
  /** Returns the next line on its stdout, without the line end; null once it has ended. */
  line(): Promise<string | null>
  /** Writes to its stdin. */
  write(text: string): void
  /** Sends SIGKILL, or the given signal, and waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<void>
  exited: Promise<number>
}

/**
 * Starts a script of this folder in another process. With `obeyModes`, file modes apply to the
 * process even if the tests run as root.
 */
export function startScript(
  name: string,
  args: string[],
  options: { env?: Record<string, string>; obeyModes?: true } = {},
): Child {
  const isRoot = process.getuid?.() === 0
  const drop = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
  const prefix = options.obeyModes && isRoot ? drop : []
  const program = join(import.meta.dir, 'programs', name)
  const child = Bun.spawn([...prefix, process.execPath, program, ...args], {
    env: { ...process.env, ...options.env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = linesOf(child.stdout)
  async function kill(signal: NodeJS.Signals = 'SIGKILL') {
    child.kill(signal)
    await child.exited
  }
  return {
    pid: child.pid,
    line: async () => (await lines.next()).value ?? null,
    write(text) {
      child.stdin.write(text)
      child.stdin.flush()
    },
    kill,
    exited: child.exited,
    [Symbol.asyncDispose]: kill,
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() as string
    yield* lines
  }
}
