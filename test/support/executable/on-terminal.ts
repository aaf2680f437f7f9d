import { afterAll } from 'bun:test'
import type { World } from '../e2e.ts'
import { until } from '../until.ts'

export type Shown = {
  exitCode: number | null
  /** Everything the terminal received, with line endings as the program wrote them. */
  raw: string
  /** The same text without colours and a terminal's line endings. */
  text: string
}

export type Terminal = {
  pid: number
  /** The output so far, without colours. */
  text(): string
  type(keys: string): void
  /** Waits until the terminal shows a text. */
  shows(text: string): Promise<void>
  ended: Promise<Shown>
}

export type TerminalOptions = {
  columns?: number
  rows?: number
  env?: Record<string, string | undefined>
  /** A program and arguments that run the executable. */
  prefix?: string[]
  cwd?: string
}

const open = new Set<Bun.Subprocess>()
afterAll(() => open.forEach((child) => child.kill('SIGKILL')))

/** Runs dist/og with its own terminal for all three streams. */
export function startOnTerminal(
  { folder, executable, env }: World,
  args: string[],
  { columns = 80, rows = 24, prefix = [], cwd, ...more }: TerminalOptions = {},
): Terminal {
  const bytes: Uint8Array[] = []
  const raw = () => Buffer.concat(bytes).toString('utf8')
  const wanted = { ...env, TERM: 'xterm-256color', ...more.env }
  const child = Bun.spawn([...prefix, executable, ...args], {
    cwd: cwd ?? `${folder}/cwd`,
    env: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
    terminal: { cols: columns, rows, data: (_, piece) => void bytes.push(piece.slice()) },
  })
  open.add(child)
  const ended = child.exited.then(async (exitCode) => {
    open.delete(child)
    // Waits for output that has not arrived yet.
    await child.terminal![Symbol.asyncDispose]()
    return { exitCode: child.signalCode === null ? exitCode : null, raw: raw(), text: plain(raw()) }
  })
  return {
    pid: child.pid,
    text: () => plain(raw()),
    type: (keys) => void child.terminal!.write(keys),
    shows: (text) =>
      until(`the terminal shows ${JSON.stringify(text)}`, () => plain(raw()).includes(text)),
    ended,
  }
}

export function onTerminal(
  world: World,
  args: string[],
  options?: TerminalOptions,
): Promise<Shown> {
  return startOnTerminal(world, args, options).ended
}

/** Removes colours and other control sequences. */
export function plain(raw: string): string {
  return raw.replace(/\x1b\[[?0-9;]*[A-Za-z]/g, '').replaceAll('\r', '')
}
