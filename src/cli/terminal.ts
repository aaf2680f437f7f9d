import { escapeControls, OgError } from '../platform/error.ts'
import { renderLines, countScreenRows, type Line } from './span.ts'
import { accessSync, constants, statSync, existsSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Environment } from '../config/paths.ts'

/** The three standard streams. Data is written to stdout, everything else to stderr. */
export type Terminal = {
  /**
   * Writes text with escaped control characters, because text from pages, packs and websites could
   * control the terminal. Rejects with an OgError if stdout fails. `Streams` handles closed pipes.
   */
  write(text: string): Promise<void>
  show(lines: readonly Line[], options?: { isPaged: boolean }): Promise<void>
  /** The size of the terminal. Null if a program reads stdout, unless colours are forced. */
  screen(): Screen | null
  width(): number | null
  /**
   * Prints a line to stderr. Its prefix is `error: `, `hint: ` or `warning: `; `plain` has none.
   */
  note(kind: NoteKind, message: string): void
  /** Rewrites the status line on stderr. Empty text removes it. Does nothing without a terminal. */
  showStatus(line: string): void
  isLive: boolean
  wantsJsonProgress: boolean
  columns(): number
  canAsk: boolean
  /** Asks a question on stderr. Returns true for y or yes. */
  ask(question: string): Promise<boolean>
  askText(question: string): Promise<string>
  lines(): AsyncIterable<string>
  input(): Promise<string>
  adjust(wishes: TerminalOptions): void
  flush(): Promise<void>
}

export type TerminalOptions = {
  quiet?: boolean
  noInput?: boolean
  colour?: 'auto' | 'always' | 'never'
}

/** `rows` is Infinity if output cannot scroll off the screen. */
export type Screen = { columns: number; rows: number }

type NoteKind = 'error' | 'hint' | 'warning' | 'plain'

type Output = {
  isTTY?: boolean
  columns?: number
  rows?: number
  write(text: string, callback: (error?: Error | null) => void): unknown
}

type Streams = {
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean }
  /** Ignores keyboard signals until the result is disposed. */
  holdInterrupts?(): Disposable
  stdout: Output
  stderr: Output
}

export function openTerminal(streams: Streams, env: Environment): Terminal {
  const { stdin, stdout, stderr } = streams
  const wantsJsonProgress = env.OG_PROGRESS === 'json'
  const isLive = stderr.isTTY === true && !wantsJsonProgress
  let wished: TerminalOptions = {}
  let lastKind: NoteKind = 'plain'
  const pending = new Set<Promise<void>>()
  const send = (stream: Output, text: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.write(text, (error) => {
      // An error of stderr cannot be reported, and a closed pipe is not an error.
      if (!error || stream === stderr || isClosedPipe(error)) resolve()
      else reject(outputError(error))
    })
    const completion = promise.catch(() => {}).finally(() => pending.delete(completion))
    pending.add(completion)
    return promise
  }
  let status = ''
  const showStatus = async (line: string) => {
    if (!isLive || wished.quiet || (line === '' && status === '')) return
    status = line
    await send(stderr, `\r\x1b[K${escapeControls(line)}`)
  }
  // The status line is removed first, because the text would continue that line.
  const sendData = async (text: string) => {
    while (stdout.isTTY && status !== '') await showStatus('')
    await send(stdout, text)
  }
  const lines = () => linesOf(stdin)
  return {
    write: (text) => sendData(escapeControls(text)),
    ...openSheet(streams, { env, wishes: () => wished, send: sendData }),
    note(kind, message) {
      const isAside = kind === 'plain' || (kind === 'hint' && lastKind !== 'error')
      lastKind = kind
      if (wished.quiet && isAside) return
      const above = status
      void showStatus('')
      const paint = hasColour({ env, isLive, wish: wished.colour })
      void send(stderr, `${prefix(kind, paint)}${escapeControls(message)}\n`)
      void showStatus(above)
    },
    showStatus: (line) => void showStatus(line),
    isLive,
    wantsJsonProgress,
    columns: () => stderr.columns || 80,
    get canAsk() {
      return isLive && stdin.isTTY === true && !wished.noInput
    },
    async ask(question) {
      await send(stderr, `${escapeControls(question)} [y/N] `)
      for await (const line of lines()) return /^\s*y(es)?\s*$/i.test(line)
      return false
    },
    async askText(question) {
      await send(stderr, `${escapeControls(question)} `)
      for await (const line of lines()) return line.trim()
      return ''
    },
    lines,
    input: () => textOf(stdin),
    adjust(wishes) {
      wished = { ...wished, ...wishes }
    },
    async flush() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
type SheetOptions = {
  env: Environment
  wishes: () => TerminalOptions
  send: (text: string) => Promise<void>
}

function openSheet(
  { stdout, holdInterrupts }: Streams,
  { env, wishes, send }: SheetOptions,
): Pick<Terminal, 'show' | 'screen' | 'width'> {
  const isColoured = () => hasColour({ env, isLive: stdout.isTTY === true, wish: wishes().colour })
  const screen = () => screenOf(stdout, env, wishes())
  return {
    async show(lines, { isPaged } = { isPaged: false }) {
      const text = renderLines(lines, { isColoured: isColoured() })
      const { columns, rows } = screen() ?? { columns: 80, rows: Infinity }
      const isLong = countScreenRows(lines, columns) >= rows
      const isRead =
        isPaged &&
        isLong &&
        stdout.isTTY === true &&
        !wishes().noInput &&
        (await showInPager(text, env, holdInterrupts))
      if (!isRead) await send(text)
    },
    screen,
    width: () => screen()?.columns ?? null,
  }
}

function screenOf(stdout: Output, env: Environment, { colour }: TerminalOptions): Screen | null {
  if (!stdout.isTTY && colour !== 'always') return null
  const columns = stdout.columns || Number(env.COLUMNS) || 80
  return { columns, rows: stdout.isTTY ? stdout.rows || 24 : Infinity }
}

const colours = { error: 31, hint: 36, warning: 33 }

function prefix(kind: NoteKind, paint: boolean): string {
  if (kind === 'plain') return ''
  return paint ? `\x1b[${colours[kind]}m${kind}:\x1b[0m ` : `${kind}: `
}

type Colouring = { env: Environment; isLive: boolean; wish: TerminalOptions['colour'] }

/** FORCE_COLOR overrides NO_COLOR, because it is more specific. */
function hasColour({ env, isLive, wish = 'auto' }: Colouring): boolean {
  if (wish !== 'auto') return wish === 'always'
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return isLive && !env.NO_COLOR && env.TERM !== 'dumb'
}

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const bytes of stream) parts.push(Buffer.from(bytes as Uint8Array))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    throw new OgError('Cannot read stdin: it is not UTF-8 text', { cause })
  }
}

async function* linesOf(stream: AsyncIterable<Uint8Array | string>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    rest += typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

/**
 * Shows text in PAGER or less. Splits PAGER into words instead of using a shell, and searches only
 * absolute folders in PATH, so that a file in the current folder cannot run. The pager receives
 * Ctrl-C.
 * @returns false if the pager could not show the text; the caller then writes it
 */
export async function showInPager(
  text: string,
  env: Environment,
  holdInterrupts?: () => Disposable,
): Promise<boolean> {
  const words = (env.PAGER ?? 'less').split(/\s+/).filter((word) => word !== '')
  const path = (env.PATH ?? '').split(':').filter(isAbsolute)
  const program = programAt(words[0] ?? '', path)
  if (program === null || basename(program) === 'cat') return false
  const isLess = basename(program) === 'less'
  const args = isLess ? ['-R', ...words.slice(1)] : words.slice(1)
  const less = env.LESS === undefined ? { LESS: 'FRX' } : {}
  using _held = holdInterrupts?.()
  return await runPager([program, ...args], text, { ...env, ...less, PATH: path.join(':') })
}

function programAt(name: string, path: readonly string[]): string | null {
  if (name.includes('/')) return isAbsolute(name) && isProgram(name) ? name : null
  return path.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** If the user quits the pager early, the closed pipe is not an error. */
async function runPager(
  [program, ...args]: [string, ...string[]],
  text: string,
  env: Environment,
): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  // spawn throws if the kernel cannot run the file, for example a script without `#!`.
  const child = await Promise.try(() =>
    spawn(program, args, { env, stdio: ['pipe', 'inherit', 'inherit'] }),
  ).catch(() => null)
  if (child === null) return false
  const end = () => void child.kill()
  process.once('exit', end)
  child.on('error', () => resolve(false))
  child.on('close', (code) => resolve(code === 0))
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  return promise.finally(() => process.off('exit', end))
}

export function isClosedPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE'
}

export function outputError(cause: Error): OgError {
  const { code = '' } = cause as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'your quota is used up',
    EBADF: 'it is closed',
    EFBIG: 'the file would be larger than this process may write',
  }
  return new OgError(`Cannot write to stdout: ${reasons[code] ?? cause.message}`, { cause })
}

/**
 * Detects a closed stdout (`og list >&-`). Bun replaces it with /dev/null, so that writes seem to
 * succeed. Bun opens that device with O_CLOEXEC, a flag that inherited streams never have.
 */
export function isClosedDescriptor(descriptor: number): boolean {
  const path = `/proc/self/fdinfo/${descriptor}`
  const said = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const flags = /^flags:\s*([0-7]+)$/m.exec(said)?.[1] ?? '0'
  return (parseInt(flags, 8) & closeOnExec) !== 0
}

const closeOnExec = 0o2000000

export const failingStdout = {
  write: (_text: string, callback: (error: Error) => void) =>
    callback(Object.assign(new Error('EBADF'), { code: 'EBADF' })),
}

export async function confirm(
  terminal: Terminal,
  question: { what: string; yes: boolean },
): Promise<boolean> {
  const { what, yes } = question
  if (yes) return true
  if (!terminal.canAsk) {
    throw new OgError(`Cannot ask whether to ${what}: this is not a terminal`, {
      hint: 'pass --yes',
    })
  }
  if (await terminal.ask(`${what.charAt(0).toUpperCase()}${what.slice(1)}?`)) return true
  terminal.note('plain', 'Nothing was changed.')
  return false
}
