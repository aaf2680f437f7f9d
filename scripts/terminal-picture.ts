/**
 * Renders commands and the output that they print on a terminal as an HTML page for a screenshot.
 */
import { spawnSync } from 'node:child_process'

type Printed = { command: string; output: string }

/** Runs a command line on a terminal of 100 columns; returns its output with its colours. */
export function runOnTerminal(command: string, env: Record<string, string>, cwd: string): Printed {
  const line = `stty cols 100 rows 40; ${command}`
  const shown = spawnSync('script', ['-qec', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color' },
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (shown.status !== 0) throw new Error(`${command}: exit ${shown.status}: ${shown.stdout}`)
  return { command, output: withoutProgress(shown.stdout) }
}

/** Keeps the last state of a line that the command rewrote. */
function withoutProgress(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').split('\n')
  return lines
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replaceAll('\x1b[K', ''))
    .join('\n')
}

/** Returns the page with the first lines of the output. */
export function terminalPage({ command, output }: Printed, maxLines: number): string {
  const lines = output.trimEnd().split('\n').slice(0, maxLines)
  const typed = `<b class="s36">$</b> <b>${Bun.escapeHTML(command)}</b>`
  const body = [typed, ...lines.map(toHtml)].join('\n')
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><pre>${body}</pre>`
}

const colours: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}

const style = [
  'body { margin: 0; background: #0d1117; color: #e6edf3 }',
  'pre { margin: 0; padding: 20px; font: 14px/1.4 "DejaVu Sans Mono", monospace }',
  '.s1 { font-weight: bold } .s2 { opacity: .65 } .s3 { font-style: italic }',
  '.s4 { text-decoration: underline } .s7 { color: #0d1117; background: #e6edf3 }',
  ...Object.entries(colours).map(([code, colour]) => `.s${code} { color: ${colour} }`),
].join('\n')

/** Turns the colours of a line into spans. og ends each coloured piece with a reset. */
function toHtml(line: string): string {
  return Bun.escapeHTML(line).replace(/\x1b\[([\d;]+)m(.*?)\x1b\[0m/g, (_, codes, text) => {
    const names = String(codes)
      .split(';')
      .map((code) => `s${code}`)
    return `<span class="${names.join(' ')}">${text}</span>`
  })
}
