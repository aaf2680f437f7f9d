import { lastPart } from '../../api/page-symbols.ts'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiChange } from '../../api/compare.ts'

export type PackageChanges = { package: string; changes: readonly ApiChange[] }

/** `places` are the lines of the project that contain the name, such as `src/app.py:12`. */
export type UsedChange = ApiChange & { places: string[] }

const languages = /\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|rs|go|java|kt|scala)$/
const foreign = /^(?:\..*|node_modules|site-packages|venv|target|dist|build|vendor|__pycache__)$/
const mostFiles = 20_000
const mostBytes = 2 ** 20
const mostPlaces = 5

/**
 * Finds, for each package, its removed, renamed, changed and deprecated names that occur in source
 * files of the folder. A file counts if it mentions the package. A member counts only after a dot.
 * Types are not resolved, so a found name may belong to another package.
 */
export async function findUsedChanges(
  folder: string,
  packages: readonly PackageChanges[],
): Promise<UsedChange[][]> {
  const finders = packages.map(openFinder)
  for await (const path of sourceFiles(folder)) {
    const text = await readFile(join(folder, path), 'utf8').catch(() => '')
    for (const finder of finders) finder.read(path, text)
  }
  return finders.map((finder) => finder.used())
}

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  const waiting = ['']
  let filesLeft = mostFiles
  for (let next = waiting.pop(); next !== undefined && filesLeft > 0; next = waiting.pop()) {
    const entries = await readdir(join(folder, next), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = next === '' ? entry.name : `${next}/${entry.name}`
      if (entry.isDirectory() && !foreign.test(entry.name)) waiting.push(path)
      if (!entry.isFile() || !languages.test(entry.name) || filesLeft-- <= 0) continue
      const size = await stat(join(folder, path)).then(
        (it) => it.size,
        () => Infinity,
      )
      if (size <= mostBytes) yield path
    }
  }
}

function openFinder({ package: name, changes }: PackageChanges) {
  const used: UsedChange[] = changes
    .filter(({ status }) => status !== 'added')
    .map((change) => ({ ...change, places: [] }))
  const byWord = Map.groupBy(used, ({ name: qualified }) => lastPart(qualified))
  const mentions = new Set([name, ...used.flatMap(({ name: it }) => firstPart(it) ?? [])])
  return {
    read(path: string, text: string): void {
      if (![...mentions].some((it) => text.includes(it))) return
      for (const [at, line] of text.split('\n').entries()) {
        for (const { 0: word, index } of line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
          const isBehindDot = /[.:>]/.test(line[index - 1] ?? '')
          for (const change of byWord.get(word) ?? []) {
            const place = `${path}:${at + 1}`
            const fits = isBehindDot || !isMember(change.name)
            if (!fits || change.places.length >= mostPlaces) continue
            if (change.places.at(-1) !== place) change.places.push(place)
          }
        }
      }
    },
    used: () => used.filter(({ places }) => places.length > 0),
  }
}

/** Returns the package of `httpx.Client.get`; null for a name without a package. */
function firstPart(qualified: string): string | null {
  return /^([\w@-]+)[.:/#]/.exec(qualified)?.[1] ?? null
}

function isMember(qualified: string): boolean {
  return /(?:^|[.:/])\p{Lu}[^.:/#]*[.:#]+[^.:/#]+$/u.test(qualified)
}
