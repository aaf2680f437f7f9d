import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { openTurns } from '../../platform/concurrency.ts'
import { createTempFolder } from '../../platform/file/files.ts'
import { buildPack, noFigures, type PackBuilding, type PackFigures } from './build-pack.ts'
import { runLimited } from './limited-run.ts'
import type { PackWish } from './pack-list.ts'
import { publishPack } from './publish-pack.ts'

/** What came of a line of the list. */
export type PackOutcome = PackFigures & {
  library: string
  /** As written in the list. */
  asked: string | null
  result: 'published' | 'unchanged' | 'failed'
  /** What is published now, by its path in the registry; null: nothing. */
  path: string | null
  error: OgError | null
  seconds: number
}

export type BuildList = Pick<PackBuilding, 'registry' | 'packs' | 'isMadeAlike'> & {
  /** How to run this program. */
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** The folder that the list's own paths are relative to. */
  cwd: string
  /** Builds side by side; milliseconds and bytes of each. */
  jobs: number
  timeMs: number
  memoryBytes: number
  onOutcome: (outcome: PackOutcome) => void
  signal: AbortSignal
}

/**
 * Builds each library version of a list, and puts those that are new and pass into the folder of
 * the registry, whose index is left to the caller. One that fails stops no other, and leaves what
 * was published.
 * @returns the outcomes in the order of the list
 */
export async function buildList(
  wishes: readonly PackWish[], list: BuildList,
): Promise<PackOutcome[]> {
  const turns = openTurns(list.jobs)
  const ended = await Promise.allSettled(wishes.map((wish) => turns.run(async () => {
    const outcome = await built(wish, list)
    list.onOutcome(outcome)
    return outcome
  })))
  return ended.map((it) => {
    if (it.status === 'fulfilled') return it.value
    throw it.reason
  })
}

async function built(wish: PackWish, list: BuildList): Promise<PackOutcome> {
  const started = performance.now()
  const figures: PackFigures = { ...noFigures, notes: [] }
  const outcome = (result: PackOutcome['result'], path: string | null, error?: OgError) => ({
    library: wish.library, asked: wish.version, ...figures, result, path, error: error ?? null,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  })
  try {
    await using temporary = await createTempFolder('og-ci')
    const { path: folder } = temporary
    const og = (words: readonly string[]) => runOg(words, { list, folder, started })
    const file = await buildPack(wish, { ...list, folder, og }, figures)
    if (file === null) return outcome('unchanged', figures.before)
    const { library } = wish
    const named = { from: file, library, version: figures.version! }
    return outcome('published', await publishPack(list.registry, named))
  } catch (error) {
    list.signal.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    return outcome('failed', figures.before, error)
  }
}

type OgRun = { list: BuildList; folder: string; started: number }

/** With 1 its answer is not whole, which is told by what it prints. */
async function runOg(
  words: readonly string[], { list, folder, started }: OgRun,
): Promise<unknown> {
  const { self, cwd, signal, timeMs, memoryBytes } = list
  const env = {
    ...definedOnly(list.env), OG_DB_PATH: join(folder, 'store'),
    OG_SOURCES__AUTO_ADD_LOCAL: 'false', OG_PROGRESS: '', NO_COLOR: '1',
  }
  const command = [...self, ...words, '--no-input']
  const limits = { deadline: started + timeMs, memoryBytes }
  const { exitCode, stdout, stderr } = await runLimited(command, { cwd, env, signal }, limits)
  if (exitCode <= 1) return JSON.parse(stdout)
  const lines = stderr.split('\n')
  const said = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length)
  throw new OgError(said('error: ') ?? `og ${words[0]} ended with exit code ${exitCode}`, {
    hint: said('hint: '),
  })
}

function definedOnly(env: BuildList['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as
    Record<string, string>
}
