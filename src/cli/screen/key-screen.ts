import { writeSync } from 'node:fs'
import { hardWrap } from './wrap.ts'
import { renderLines, type Line } from './span.ts'

/** A full-screen view with keyboard input. Disposal restores the terminal. */
export type KeyScreen = Disposable & {
  size(): { columns: number; rows: number }
  /** Redraws all rows; content beyond the edges of the screen is cut off. */
  draw(lines: readonly Line[]): void
  /**
   * Waits for the next key. `resize` means that the window size has changed, `end` that the input
   * has ended.
   */
  key(): Promise<PressedKey>
}

export type PressedKey =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'first'
  | 'last'
  | 'enter'
  | 'escape'
  | 'quit'
  | 'interrupt'
  | 'resize'
  | 'end'
  | 'other'

/**
 * Escape sequences that switch to the alternate screen, without cursor or line wrapping, and back.
 */
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l'

/**
 * Takes over the terminal. It is restored after a signal or an error too, because `exit` listeners
 * run then.
 */
export function openKeyScreen(isColoured: boolean): KeyScreen {
  const { stdin, stdout } = process
  const waiting: ((key: PressedKey) => void)[] = []
  const keys: PressedKey[] = []
  const press = (key: PressedKey) => {
    const next = waiting.shift()
    if (next) next(key)
    else keys.push(key)
  }
  const read = (bytes: Buffer) => parsePressedKeys(bytes.toString('latin1')).forEach(press)
  const resized = () => press('resize')
  const ended = () => press('end')
  const restore = () => {
    stdin.setRawMode(false)
    writeSync(1, leave)
  }
  // If the terminal is gone, restoring fails, but the process ends anyway.
  const restoreAtExit = () => {
    try {
      restore()
    } catch {}
  }
  process.once('exit', restoreAtExit)
  stdin.setRawMode(true)
  stdin.on('data', read).on('end', ended).resume()
  stdout.on('resize', resized)
  writeSync(1, enter)
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw(lines) {
      const { columns, rows } = this.size()
      const shown = lines.slice(0, rows).map((one) => hardWrap(one, columns)[0]!)
      const text = renderLines(shown, { isColoured }).trimEnd().split('\n').join('\x1b[K\r\n')
      stdout.write(`\x1b[H${text}\x1b[K\x1b[J`)
    },
    key: () =>
      new Promise((resolve) => {
        const ready = keys.shift()
        if (ready) resolve(ready)
        else waiting.push(resolve)
      }),
    [Symbol.dispose]() {
      process.off('exit', restoreAtExit)
      stdin.off('data', read).off('end', ended).pause()
      stdout.off('resize', resized)
      restore()
    },
  }
}

const names: Readonly<Record<string, PressedKey>> = {
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
  q: 'quit',
  g: 'first',
  G: 'last',
  b: 'page-up',
  ' ': 'page-down',
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'interrupt',
  '\x1b': 'escape',
  '\x10': 'up',
  '\x0e': 'down',
  '\x04': 'page-down',
  '\x15': 'page-up',
  '\x7f': 'left',
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'first',
  F: 'last',
  '5~': 'page-up',
  '6~': 'page-down',
  '1~': 'first',
  '4~': 'last',
}

/**
 * Returns the keys in one read, which may contain several. ESC [ and ESC O start the sequence of a
 * named key.
 */
export function parsePressedKeys(typed: string): PressedKey[] {
  return [...typed.matchAll(/\x1b[[O]([0-9;]*[A-Za-z~])|[^]/g)].map(([whole, code]) => {
    const isLetter = code === undefined && /^[A-Z]$/.test(whole) && whole !== 'G'
    return isLetter ? 'other' : (names[code ?? whole] ?? 'other')
  })
}
