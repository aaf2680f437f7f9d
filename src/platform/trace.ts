const isTracing = process.env.OG_DEBUG === '1'

const lineStart = '[og '

type Details = Readonly<Record<string, string | number | undefined>>

/**
 * With OG_DEBUG=1, writes a line to stderr about a finished step, with the milliseconds since this
 * process started: `[og 12.3 ms] load config path=/home/…`. The details must not contain
 * credentials or the text of notes because people paste traces into bug reports.
 */
export function trace(step: string, details: Details = {}): void {
  if (!isTracing) return
  const values = Object.entries(details).filter(([, value]) => value !== undefined)
  const words = [step, ...values.map(([name, value]) => `${name}=${value}`)].join(' ')
  // Removes the current progress line. The next step draws it again.
  const clear = process.stderr.isTTY ? '\r\x1b[K' : ''
  const line = `${lineStart}${performance.now().toFixed(1).padStart(8)} ms] ${oneLine(words)}\n`
  process.stderr.write(clear + line)
}

export function isTraceLine(line: string): boolean {
  return line.startsWith(lineStart)
}

function oneLine(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]+/g, ' ')
}
