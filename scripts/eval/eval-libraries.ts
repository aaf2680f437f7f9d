/**
 * Compares queries over 300 libraries with queries in one of them: `npm run eval -- libraries`.
 * Each library is a single Markdown file of an installed package. Reports the CPU time of `og
 * query` in a new process, in milliseconds: without a library, for the library by name, and the
 * ratio of the two. A second argument is another executable, which is measured alternately. The
 * store is kept in build/libraries.
 */
import { copyFileSync, globSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadConfig } from '../../src/config/load.ts'
import { openOg } from '../../src/open.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries } from '../../src/store/registry.ts'

const root = join(import.meta.dir, '../..')
const nLibraries = 300
const sizes = { least: 1_000, most: 20_000 }

/**
 * Each question is about the library. If the answer were weak, the other libraries would be
 * searched for suggestions.
 */
const questions = [
  ['parse JavaScript into an AST with acorn.parse', 'acorn-README'],
  ['walk an AST with simple and ancestor visitors', 'acorn-walk-README'],
  ['configure CORS origin and preflight', 'cors-README'],
  ['limit repeated requests with a rate limiter', 'express-rate-limit-readme'],
  ['create an express app and listen on a port', 'express-Readme'],
] as const

const runs = 3
const og = join(root, 'dist', 'og')
const store = join(root, 'build', 'libraries')

export async function measureLibraries(against: string | undefined) {
  await addPackages()
  const entries = await readEntries(store)
  const all: Record<string, Record<'all' | 'one', number[]>> = {}
  for (let run = 0; run <= runs; run++) {
    for (const [question, library] of questions) {
      for (const executable of against === undefined ? [og] : [against, og]) {
        const figures = (all[executable] ??= { all: [], one: [] })
        const [over, one] = [
          await cpuMs(executable, [question]),
          await cpuMs(executable, [question, '-l', library]),
        ]
        // The first round reads files from disk and fills caches.
        if (run === 0) continue
        figures.all.push(over)
        figures.one.push(one)
      }
    }
  }
  return Object.fromEntries(
    Object.entries(all).map(([executable, figures]) => {
      const [over, one] = [median(figures.all), median(figures.one)]
      const ratio = Math.round((100 * over) / one) / 100
      return [basename(executable), { libraries: entries.length, all: over, one, ratio }]
    }),
  )
}

/** Adds the packages that are missing in the store. */
async function addPackages(): Promise<void> {
  mkdirSync(store, { recursive: true })
  const indexed = new Set((await readEntries(store)).map(({ library }) => library))
  const files = globSync('node_modules/**/*.md', { cwd: root }).sort()
  const suitable = files.filter((file) => {
    const { size } = statSync(join(root, file))
    return size >= sizes.least && size <= sizes.most
  })
  const config = await loadConfig({ ...process.env, OG_DB_PATH: store })
  await using og = openOg(config, (line) => process.stderr.write(`${line}\n`))
  await using temp = await createTempFolder('og-libraries')
  for (const file of suitable.slice(0, nLibraries)) {
    const library = file.replace(/^node_modules\/@?|\.md$/g, '').replace(/[^\w.-]+/g, '-')
    if (indexed.has(library)) continue
    const path = join(temp.path, library)
    mkdirSync(path)
    // A file whose name looks like a licence is not treated as documentation.
    copyFileSync(join(root, file), join(path, 'readme.md'))
    const source = { kind: 'local_path' as const, path, baseUrl: 'bench:/' }
    await og.add({ library, version: '1', source, lockTimeoutMs: 60_000 })
  }
}

async function cpuMs(og: string, words: string[]): Promise<number> {
  const env = { ...process.env, OG_DB_PATH: store }
  const child = Bun.spawn([og, 'query', ...words], { env, stdout: 'ignore', stderr: 'ignore' })
  if ((await child.exited) !== 0) throw new Error(`${og} query ${words.join(' ')} failed`)
  return Number(child.resourceUsage()!.cpuTime.total) / 1000
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]!)
}
