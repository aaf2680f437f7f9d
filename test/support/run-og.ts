import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../src/cli/context.ts'
import { run } from '../../src/cli/run.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { openOg } from '../../src/open.ts'

export type Ran = { code: number; stdout: string; stderr: string }

/** A temporary home in which commands run as in their own process; removed by `using`. */
export type TempHome = Disposable & {
  path: string
  run(argv: string[], options?: RunOptions): Promise<Ran>
}

export type RunOptions = {
  stdin?: string
  tty?: boolean
  env?: Record<string, string>
  /** The error that opening the store throws. */
  fault?: Error
  signal?: AbortSignal
  /** Called after each write to stdout. */
  onStdout?: () => void
}

/** Uses full-text search only, so that no model is loaded. */
export function openHome(): TempHome {
  const path = mkdtempSync(join(tmpdir(), 'og-test-'))
  const base = {
    HOME: path,
    OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none',
    OG_SOURCES__AUTO_ADD_LOCAL: 'false',
  }
  return {
    path,
    run: (argv, options = {}) => runInProcess({ ...base, ...options.env }, argv, options),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Runs a command in this process with only these variables. */
export async function runInProcess(
  env: Record<string, string>,
  argv: string[],
  { stdin = '', tty = false, fault, signal, onStdout }: RunOptions = {},
): Promise<Ran> {
  const out = sink(tty, onStdout)
  const err = sink(tty)
  const input = Object.assign(chunks(stdin), { isTTY: tty })
  const terminal = openTerminal({ stdin: input, stdout: out, stderr: err }, env)
  const context: Context = {
    env,
    terminal,
    async guardSignals() {},
    async openOg(config, options) {
      if (fault) throw fault
      return openOg(config, (line) => terminal.note('warning', line), options)
    },
    interruption: () => signal ?? new AbortController().signal,
    gracefulStop: () => signal ?? new AbortController().signal,
  }
  const code = await run(argv, context)
  return { code, stdout: out.text(), stderr: err.text() }
}

/** A stream that records its text. */
export function sink(isTTY = false, onWrite = () => {}) {
  let text = ''
  return {
    isTTY,
    columns: 100,
    write(more: string, written: () => void) {
      text += more
      written()
      onWrite()
    },
    text: () => text,
  }
}

/** Yields text in small pieces, cut even inside characters. */
export async function* chunks(text: string): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += 3) yield bytes.slice(at, at + 3)
}
