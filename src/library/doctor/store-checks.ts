import type { Embedder, Fingerprint } from '../../embed/embedder.ts'
import { runCheck, type Check, type CheckResult } from '../../platform/check.ts'
import { formatCount } from '../../platform/text/count.ts'
import { readStoreHealth, vectorIndexes, type StoreHealth } from '../../store/check.ts'
import { minRecall } from '../../store/chunks/vector-index.ts'
import type { Entry } from '../../store/registry.ts'
import { registryFormat } from '../../store/registry-text.ts'
import { remoteBucketOf } from '../../store/remote-bucket.ts'
import { addCommand, replaceCommand } from '../sources/add-command.ts'
import { renderLeftovers, namesRemedy, renderNames } from '../quality/missing-names.ts'
import { embeddedShare, incompleteReason } from '../incomplete.ts'
import { chunkerOf, hasComparableVectors, isBuiltTheSame, precisionOf } from '../recipe.ts'
import type { Chunking } from '../library-context.ts'

/** The current settings. `embedder` throws if they name an unknown model. */
export type BuildSettings = {
  chunking: Chunking
  embedder(): Pick<Embedder, 'fingerprint' | 'arithmetic'> | null
  /** Returns true if queries can use the model of a library that differs from the settings. */
  hasModel(fingerprint: Fingerprint): Promise<boolean>
}

/**
 * Checks that every live library version can be read and searched, and whether the current settings
 * built it. Changes nothing, and creates no missing store.
 */
export async function storeChecks(
  folder: string,
  recipe: BuildSettings,
  options: { isDeep?: boolean } = {},
): Promise<Check[]> {
  const read = { health: null as StoreHealth | null }
  const store = await runCheck('store', async () => {
    read.health = await readStoreHealth(folder, options)
    return storeVerdict(folder, read.health)
  })
  if (read.health === null) return [store]
  const { entries, broken, orphans } = read.health
  return [
    store,
    ...broken.map(brokenCheck),
    ...entries.flatMap(gapCheck),
    ...entries.flatMap(leftoverCheck),
    ...entries.flatMap(namesCheck),
    ...(await recipeChecks(entries, recipe)),
    ...vectorChecks(await vectorIndexes(folder, entries)),
    { name: 'unused data', ...orphanVerdict(entries, orphans) },
  ]
}

function storeVerdict(folder: string, { entries, broken }: StoreHealth): CheckResult {
  const remote = remoteBucketOf(folder)
  const address = remote?.place ?? folder
  const place = `${address}, format ${registryFormat}`
  if (entries.length === 0) {
    const hint = 'og add LIBRARY --source SOURCE'
    return { ok: true, detail: `${address}: nothing is indexed yet`, hint }
  }
  if (broken.length > 0) {
    const detail = `${place}: ${broken.length} of ${entries.length} library versions are damaged`
    return { ok: false, detail }
  }
  const pages = entries.reduce((sum, entry) => sum + entry.live.pages, 0)
  const chunks = entries.reduce((sum, entry) => sum + entry.live.chunks, 0)
  const counts = [
    formatCount(entries.length, 'library version'),
    formatCount(pages, 'page'),
    formatCount(chunks, 'chunk'),
  ].join(', ')
  return { ok: true, detail: `${place}: ${counts}, all readable` }
}

function brokenCheck({ entry, problem }: StoreHealth['broken'][number]): Check {
  return { name: nameOf(entry), ok: false, detail: problem, hint: replaceCommand(entry) }
}

/** Always passes, because an incompletely read source is not a fault of this machine. */
function gapCheck(entry: Entry): Check[] {
  const reason = incompleteReason(entry.live)
  if (reason === null) return []
  const hint = `og update ${entry.library}`
  return [{ name: nameOf(entry), ok: true, detail: `incomplete: ${reason}`, hint }]
}

/** Always passes, because exact search also finds chunks that the index misses. */
export function vectorChecks(indexes: Awaited<ReturnType<typeof vectorIndexes>>): Check[] {
  return indexes.map(({ entry, index }) => {
    const name = `vectors of ${nameOf(entry)}`
    const hint = `og reembed ${entry.library} rebuilds it`
    if (index === null) {
      return { name, ok: true, detail: 'no index: exact search is used, which is slow', hint }
    }
    const share = `its index finds ${(100 * index.recall).toFixed(1)} % of the ten nearest`
    if (index.recall >= minRecall) return { name, ok: true, detail: share }
    const serves = `less than ${100 * minRecall} %: exact search is used, which is slow`
    return { name, ok: true, detail: `${share}, ${serves}`, hint }
  })
}

/** Always passes, because unknown syntax in pages is not a fault of this machine. */
function leftoverCheck(entry: Entry): Check[] {
  const { leftovers } = entry.live
  if (leftovers === undefined) return []
  const name = `pages of ${nameOf(entry)}`
  return [{ name, ok: true, detail: `left over: ${renderLeftovers(leftovers)}` }]
}

/** Always passes, because names that the index lacks are not a fault of this machine. */
function namesCheck(entry: Entry): Check[] {
  const { names } = entry.live
  if (!names?.missing && !names?.shortened) return []
  const name = `names of ${nameOf(entry)}`
  const hint = namesRemedy(entry)
  return [{ name, ok: true, detail: renderNames(names), ...(hint === null ? {} : { hint }) }]
}

async function recipeChecks(entries: Entry[], recipe: BuildSettings): Promise<Check[]> {
  const checks = { differing: [] as Check[] }
  const summary = await runCheck('made by these settings', async () => {
    const own = recipe.embedder()
    const differing = entries.filter((entry) => !isBuiltTheSame(entry.live, recipe.chunking, own))
    for (const entry of differing) {
      const { fingerprint } = entry.live
      const isServed = fingerprint !== null && (await recipe.hasModel(fingerprint))
      const verdict = difference(entry, { chunking: recipe.chunking, own, isServed })
      checks.differing.push({ name: nameOf(entry), ...verdict })
    }
    const alike = entries.length - checks.differing.length
    const refused = checks.differing.filter((check) => !check.ok).length
    const refusal = refused === 0 ? '' : `; ${refused} cannot be searched`
    if (entries.length === 0) return { ok: true, detail: 'nothing is indexed yet' }
    return { ok: refused === 0, detail: `${alike} of ${entries.length}${refusal}` }
  })
  return [summary, ...checks.differing]
}

type Own = ReturnType<BuildSettings['embedder']>

/** Only incomparable embeddings are a fault. Other differences matter at the next update. */
function difference(
  { live, ...entry }: Entry,
  { chunking, own, isServed }: { chunking: Chunking; own: Own; isServed: boolean },
): CheckResult {
  if (live.embedded !== undefined) {
    const detail = `${embeddedShare(live)} of its passages are embedded; full-text search finds all`
    return { ok: true, detail, hint: `og add --resume ${entry.library}` }
  }
  const hint = addCommand({ ...entry, live })
  if (live.fingerprint !== null && own !== null && !hasComparableVectors(live, own)) {
    const [was, is] = [live.fingerprint, own.fingerprint].map((fingerprint) =>
      [
        fingerprint.model,
        `${fingerprint.dimensions} dimensions`,
        `${fingerprint.pooling} pooling`,
        `query prefix ${JSON.stringify(fingerprint.queryPrefix)}`,
      ].join(', '),
    )
    const again = `og reembed ${entry.library}`
    const detail = `embedded by ${was}; the settings name ${is}`
    if (isServed) return { ok: true, detail: `queried with its own model: ${detail}`, hint: again }
    return { ok: false, detail: `cannot be compared: ${detail}`, hint: again }
  }
  const differences: string[] = []
  const chunker = chunkerOf(chunking)
  if (live.chunker !== chunker) differences.push(`chunker ${live.chunker}, now ${chunker}`)
  const [precision, now] = [live.arithmetic, own?.arithmetic ?? null].map(precisionOf)
  if (precision !== now) differences.push(`${precision ?? noneMade}, now ${now ?? noneMade}`)
  return {
    ok: true,
    detail: `usable as it is, but built differently: ${differences.join('; ')}`,
    hint,
  }
}

const noneMade = 'no embeddings'

function orphanVerdict(entries: Entry[], orphans: string[]): CheckResult {
  if (orphans.length === 0) return { ok: true, detail: 'none' }
  const detail = `${orphans.length} folders below generations/ that no library version names`
  const sweeping = 'left by runs that were ended, or being written now; og add deletes the former'
  if (entries.length > 0) return { ok: true, detail, hint: sweeping }
  const lost = 'if libraries were indexed here, put registry.json back before that'
  return { ok: true, detail, hint: `${sweeping}; ${lost}` }
}

function nameOf(entry: Entry): string {
  return `${entry.library} ${entry.version}`
}
