/** A piece of a line in one font. `x` and `end` are in points. */
type PdfRun = {
  text: string
  font: string
  size: number
  x: number
  end: number
  isMonospace: boolean
}

/**
 * A line on a page. `y` is the distance of its baseline from the top, and `size` the font size of
 * its longest run.
 */
export type PdfLine = { runs: PdfRun[]; y: number; size: number }

type Matrix = readonly number[]

/** The text of a page from pdf.js. Other items are marks without text. */
type PageText = {
  items: readonly (TextItem | { type: string })[]
  styles: Record<string, { fontFamily: string }>
  /** Converts coordinates in the file to points from the top left corner of the page. */
  transform: Matrix
}

type TextItem = { str: string; width: number; transform: Matrix; fontName: string }

/** Returns the lines of a page in content order. Ignores vertical text. */
export function linesOfPage({ items, styles, transform }: PageText): PdfLine[] {
  const lines: PdfLine[] = []
  let line: PdfLine | null = null
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue
    const at = multiply(transform, item.transform)
    const isUpright = at[0]! > 0 && Math.abs(at[1]!) <= Math.abs(at[0]!)
    if (!isUpright) continue
    const [x, y] = [at[4]!, at[5]!]
    const size = Math.hypot(at[2]!, at[3]!) || 1
    const text = item.str.replace(/[\u0000-\u001f\u007f]/g, ' ')
    const isMonospace = styles[item.fontName]?.fontFamily === 'monospace'
    const run = { text, font: item.fontName, size, x, end: x + item.width, isMonospace }
    if (line === null || !isSameLine(line, run, y)) {
      line = { runs: [], y, size }
      lines.push(line)
    }
    line.runs.push(run)
  }
  for (const it of lines) {
    it.size = it.runs.reduce((a, b) => (b.text.length > a.text.length ? b : a)).size
  }
  return lines
}

/** Marks runs in monospaced fonts by their widths, because many files do not declare such fonts. */
export function markMonospace(pages: readonly PdfLine[][]): void {
  const fonts = new Map<string, { least: number; most: number; texts: Set<string> }>()
  const runs = pages.flatMap((lines) => lines.flatMap((line) => line.runs))
  for (const { font, text, size, x, end } of runs) {
    if (text.length < 2) continue
    const width = (end - x) / size / text.length
    const usage = fonts.get(font) ?? { least: width, most: width, texts: new Set() }
    usage.least = Math.min(usage.least, width)
    usage.most = Math.max(usage.most, width)
    if (usage.texts.size < 8) usage.texts.add(text)
    fonts.set(font, usage)
  }
  for (const run of runs) {
    const { least = 0, most = 1, texts } = fonts.get(run.font) ?? {}
    if (most - least < 0.004 && texts!.size === 8) run.isMonospace = true
  }
}

function isSameLine(line: PdfLine, { size, x }: PdfRun, y: number): boolean {
  const last = line.runs.at(-1)!
  const height = Math.max(size, last.size)
  return Math.abs(y - line.y) < height / 2 && x > last.end - height
}

function multiply(a: Matrix, b: Matrix): number[] {
  const [a0 = 1, a1 = 0, a2 = 0, a3 = 1, a4 = 0, a5 = 0] = a
  const [b0 = 1, b1 = 0, b2 = 0, b3 = 1, b4 = 0, b5 = 0] = b
  return [
    a0 * b0 + a2 * b1,
    a1 * b0 + a3 * b1,
    a0 * b2 + a2 * b3,
    a1 * b2 + a3 * b3,
    a0 * b4 + a2 * b5 + a4,
    a1 * b4 + a3 * b5 + a5,
  ]
}
