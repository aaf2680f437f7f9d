/**
 * Writes the tables of figures in README.md and docs/, between `<!-- figures: NAME -->` and
 * `<!-- /figures -->`: `npm run docs -- --figures FILE…`. Each FILE is the output of `npm run
 * bench` or `npm run eval`. The heading of a table's first column says where and when it was
 * measured.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { OgError } from '../../src/platform/error.ts'
import { table } from './docs-table.ts'
import { figureTables } from './figure-tables.ts'
import type { Result } from './result.ts'

const marked = /(?<=<!-- figures: ([\w-]+) -->\n)[\s\S]*?(?=<!-- \/figures -->)/g

/** Returns the document with the tables of these results replaced; other tables are unchanged. */
export function withFigures(text: string, results: readonly Result[]): string {
  return text.replace(marked, (whole, name: string) => {
    const spec = figureTables[name]
    const result = results.find((it) => it.name === spec?.result)
    if (spec === undefined || result === undefined) return whole
    const { columns, rows } = spec.make(result.figures)
    return `${table([provenance(result), ...columns], rows)}\n`
  })
}

/** Returns the heading, such as `24 November 2026, AMD EPYC, 2 threads, load 0.1, 24dfea4f`. */
function provenance({ date, processor, threads, load, commit }: Result): string {
  const day = new Date(date).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return [day, processor, `${threads} threads`, `load ${load}`, commit].join(', ')
}

/** Parses the result in the output of a command; it follows the lines that npm prints. */
export function parseResult(text: string, path: string): Result {
  const start = text.search(/^\{/m)
  const result = start < 0 ? null : (JSON.parse(text.slice(start)) as Partial<Result>)
  const isKnown = Object.values(figureTables).some((spec) => spec.result === result?.name)
  if (!isKnown || result?.figures === undefined) {
    const names = [...new Set(Object.values(figureTables).map((spec) => spec.result))].join(', ')
    throw new OgError(`Cannot write figures: ${path} has no result with a table in docs/`, {
      hint: `it has to be the output of npm run bench or npm run eval for one of ${names}`,
    })
  }
  return result as Result
}

/** Writes the results in these files to their tables in README.md and docs/. */
export function writeFigures(paths: readonly string[]): void {
  const root = join(import.meta.dirname, '../..')
  const results = paths.map((path) => parseResult(readFileSync(path, 'utf8'), path))
  for (const name of ['README.md', ...new Glob('docs/**/*.md').scanSync(root)]) {
    const text = readFileSync(join(root, name), 'utf8')
    const written = withFigures(text, results)
    if (written === text) continue
    writeFileSync(join(root, name), written)
    process.stderr.write(`${name}: figures written\n`)
  }
}
