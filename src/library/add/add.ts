import type { Reach } from '../../platform/reach.ts'
import { OgError } from '../../platform/error.ts'
import { sharedSandbox } from '../../platform/sandbox/sandbox.ts'
import { resolveSource, sourcePages } from '../../source/pages.ts'
import type { ResolvedSource, SourceEvent } from '../../source/source.ts'
import type { Source } from '../../store/source.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import { loadLance } from '../../store/lance.ts'
import {
  readEntries,
  readLocalEntries,
  type Generation,
  type PublicNames,
} from '../../store/registry.ts'
import {
  updateValidators,
  unchangedEvents,
  type LiveState,
  type IntactState,
} from './live-state.ts'
import { copyChunks, emptyCopyResult, type CopyResult } from './copy.ts'
import {
  embedRemaining,
  lacksOnlyEmbeddings,
  canPublishEarly,
  publishAndEmbed,
} from './publish-early.ts'
import { cutAhead, cutPages, type GenerationRecipe, type PagesCutAhead } from './ingest.ts'
import type { AddRequest, AddResult } from '../library.ts'
import { entryToReplace, withStoredSpelling } from '../lock.ts'
import { checkVersionLabel, libraryKey } from '../name.ts'
import { collectPages, diffPages, noPagesError, skipPlans, type CollectedPages } from './pages.ts'
import { isEmbeddedBy } from '../recipe.ts'
import {
  replaceVersion,
  unchangedState,
  type NextState,
  type VersionRun,
  type RunStart,
  type LockedVersion,
  type GenerationBuild,
} from './replace-version.ts'
import {
  isSameCommit,
  isSameOrigin,
  isUpToDate,
  usablePages,
  withFreeLabel,
  hasSameContent,
} from './up-to-date.ts'
import type { LibraryContext } from '../library-context.ts'
import { summarizeNames, countLeftovers } from '../quality/missing-names.ts'

type LockedAdd = LockedVersion & { resolved: ResolvedSource }
type AddRun = VersionRun<AddRequest, LockedAdd>

/**
 * Adds or updates a library version. Reads, cuts and embeds the pages that may have changed into a
 * new generation, copies the other pages, and finally replaces one registry entry. Publishes a new
 * version as soon as its pages are cut, and again as embeddings are computed. Throws an OgError if
 * the source cannot be read, has no pages, or has lost more than a fifth of them. Pages that could
 * not be read are listed in `failed` and keep their old text.
 */
export async function addLibrary(context: LibraryContext, request: AddRequest): Promise<AddResult> {
  const plan = { turn: lockAdd, current: currentState, write: readAndBuild }
  return (await replaceVersion(context, request, plan)).result
}

async function lockAdd(start: RunStart<AddRequest>): Promise<LockedAdd> {
  const {
    context: { folder, reach },
    request,
    lock,
  } = start
  const { library } = request
  const key = libraryKey(library)
  if (request.version !== null) checkVersionLabel(request.version)
  start.report({})
  // A new library has pages to parse. Start the parser's process while the source is resolved.
  const isNew = !(await readLocalEntries(folder)).some((entry) => entry.key === key)
  if (isNew) sharedSandbox().start()
  if (reach && request.source.kind !== 'git_repo') await checkAgentHost(request.source, reach)
  const first = await settleVersion(start)
  const { follows = false } = first
  const hasWaited = await lock({ library, version: first.version, follows })
  // Resolve again: the branch may have moved, and an older commit must not replace a newer one.
  const second = hasWaited ? await settleVersion(start) : first
  const settled = follows || second.version === first.version ? second : first
  // The label of a version that follows a folder is known only while holding the folder's lock.
  if (follows) await lock({ library, version: settled.version, follows: false })
  const entries = await readEntries(folder)
  const resolved = withFreeLabel(settled, key, entries)
  const { version } = resolved
  const target = withStoredSpelling(entries, { key, library, version, follows: resolved.follows })
  const entry = entryToReplace(entries, target)
  start.progress.version = version
  if (entry === null && request.mustBeIndexed) throw removedMeanwhile(request, resolved)
  return { target, entry, resolved }
}

async function settleVersion({ context, request }: RunStart<AddRequest>): Promise<ResolvedSource> {
  const { version, signal, label } = request
  const resolved = await resolveSource(request.source, {
    version,
    signal,
    today: new Date(),
    reach: context.reach,
  })
  return { ...resolved, version: label ?? resolved.version }
}

async function checkAgentHost(source: Source, reach: Reach): Promise<void> {
  const { checkHost } = await import('./agent-source.ts')
  await checkHost(source, reach)
}

async function currentState(run: AddRun): Promise<Generation | null> {
  const live = run.entry?.live
  return live && (await isUpToDate(run, live)) ? withSource(run, live) : null
}

async function readAndBuild(
  run: AddRun,
  { before, generation }: GenerationBuild,
): Promise<NextState> {
  run.progress.phase = 'fetching'
  const ahead = before.kind === 'fresh' ? cutAhead(run) : null
  const { source } = run.resolved
  const docsPaths = 'docsPaths' in source ? (source.docsPaths ?? []) : []
  const events = skipPlans(eventsOf(run, before), docsPaths)
  const collected = await collectPages(events, generation, {
    before,
    signal: run.request.signal,
    onRow: ahead?.start,
    onPage(pages) {
      // Load LanceDB and the embedder while the other pages of a new version are parsed. If this
      // fails, the next call reports it.
      if (pages === 1 && before.kind === 'fresh') {
        for (const loading of [loadLance(), run.context.embedding()]) loading.catch(() => {})
      }
      run.report({ pages })
    },
  })
  if (before.kind === 'update') refuseLoss(run, before, collected)
  if (collected.hashes.size === 0) throw noPagesError(run, collected)
  if (before.kind === 'update' && (await isComplete(before, collected))) {
    const names = namesNow(run, before, collected)
    const live = withSource(run, { ...before.entry.live, failed: collected.failed.length, names })
    if (hasSameContent(run, before, collected)) {
      await updateValidators(run.context.folder, before, collected.validators)
      return { ...unchangedState(live), collected }
    }
    if (canEmbedTheRest(run, before)) {
      // A caller that waits until the version is searchable must not wait for an endpoint.
      run.report({ isSearchable: true })
      const embedded = await embedRemaining(run, before, live)
      return { ...unchangedState(live), how: 'published', embedded, collected }
    }
  }
  await collected.flush()
  const writer = await generation()
  await writer.keepLicense(await licenseNow(run, before, collected))
  return await build(run, writer, { collected, before, ahead })
}

async function isComplete(
  { entry: { live }, open, states }: IntactState,
  { contentHash, failed }: CollectedPages,
): Promise<boolean> {
  if (live.contentHash !== contentHash) return false
  // Pages that an earlier run could not cut count as failed and have no chunks.
  if (failed.length >= (live.failed ?? 0)) return true
  const cut = new Set<string>()
  for await (const { url } of open.chunkHeadings()) cut.add(url)
  return cut.size === states.size
}

function withSource({ resolved, request: { incomplete } }: AddRun, live: Generation): Generation {
  const { source, ref, commit, tag } = resolved
  return { ...live, source, ref, commit, tag: tag ?? undefined, incomplete }
}

/** True if the live state lacks only embeddings, so that no page has to be cut. */
function canEmbedTheRest({ context, request }: AddRun, before: IntactState): boolean {
  return typeof request.minHealth !== 'number' && lacksOnlyEmbeddings(context, before)
}

async function licenseNow(
  { resolved }: AddRun,
  before: LiveState,
  { license }: CollectedPages,
): Promise<string | null> {
  if (license !== undefined) return license
  const isKept = before.kind === 'update' && isSameOrigin(before.entry.live.source, resolved.source)
  return isKept ? before.open.license() : null
}

/** Returns the stored names of the same source if its API reference has not changed. */
function namesNow(
  { resolved }: AddRun,
  before: LiveState,
  { coverage }: CollectedPages,
): PublicNames | undefined {
  if (coverage !== undefined) return summarizeNames(coverage)
  const isKept = before.kind === 'update' && isSameOrigin(before.entry.live.source, resolved.source)
  return isKept ? before.entry.live.names : undefined
}

/** Fetches nothing if the commit is the same and only settings differ. */
function eventsOf(run: AddRun, before: LiveState): AsyncIterable<SourceEvent> {
  const { context, resolved, request } = run
  if (before.kind === 'update' && isSameCommit(run, before.entry.live))
    return unchangedEvents(before)
  const pages = before.kind === 'update' ? usablePages(before, resolved.source) : new Map()
  const { pageLanes = 8, reach } = context
  const limits = { lanes: pageLanes }
  return sourcePages(resolved, { signal: request.signal, before: pages, limits, reach })
}

/** Rejects an update that lost too many pages. A changed request may select fewer pages. */
function refuseLoss(
  { request, target, resolved }: AddRun,
  { entry, states }: IntactState,
  { hashes, kept, failed }: CollectedPages,
): void {
  const read = hashes.size - kept
  if (request.force || (states.size - read) * 5 <= states.size) return
  if (!Bun.deepEquals(entry.live.source, resolved.source)) return
  throw new OgError(
    `Cannot update library "${target.library}" version "${resolved.version}": it had ` +
      `${states.size} pages, and the source now has only ${read} (${failed.length} failed); ` +
      'nothing was changed',
    {
      hint: failed[0]
        ? `the first that failed: ${failed[0].url}: ${failed[0].reason}; --force publishes the rest`
        : 'with --force it is still published; "og rollback" undoes that',
    },
  )
}

type Reading = { collected: CollectedPages; before: LiveState; ahead: PagesCutAhead | null }

async function build(
  run: AddRun,
  generation: GenerationWriter,
  { collected, before, ahead }: Reading,
): Promise<NextState> {
  const { hashes, lengths } = collected
  const copied = await reuseChunks(run, generation, { collected, before })
  let characters = 0
  for (const [url, n] of lengths) if (!copied.urls.has(url)) characters += n
  const isDeferred = canPublishEarly(run, characters)
  run.progress.phase = isDeferred ? 'cutting' : 'embedding'
  const { urls, recall } = copied
  // Count leftovers while the sandbox cuts pages.
  const [cut, leftovers] = await Promise.all([
    cutPages(run, generation, { isDeferred, characters, copied: urls, recall, ahead }),
    countLeftovers(generation.pages()),
  ])
  collected.failed.push(...cut.failed)
  const { embedding } = cut
  const chunks = copied.chunks + cut.made.chunks
  if (chunks === 0) throw noPagesError(run, collected)
  const made = generationRecord(run, { ...cut.made, chunks }, collected)
  const names = namesNow(run, before, collected)
  const record = { ...made, leftovers: leftovers ?? undefined, names }
  const diff = diffPages(before.kind === 'update' ? before.states : new Map(), hashes)
  // Free about 50 MB per 200,000 pages before the indexes are written.
  for (const noted of [hashes, lengths]) noted.clear()
  if (isDeferred) {
    const { missing } = cut
    const embeddable = { embedding: embedding!, record, missing }
    const embedded = await publishAndEmbed(run, generation, embeddable)
    return { how: 'published', live: record, embedded, diff, collected }
  }
  // Keep the previous calibration if most chunks were copied.
  const last = copied.chunks * 5 >= chunks * 4 ? before.entry?.live.calibration : undefined
  const live = last && embedding ? { ...record, calibration: last } : record
  return { how: 'written', live, embedded: cut.embedded, diff, collected, embedding }
}

async function reuseChunks(
  { context, request }: AddRun,
  generation: GenerationWriter,
  { collected, before }: Omit<Reading, 'ahead'>,
): Promise<CopyResult> {
  if (before.kind === 'fresh' || !context.isMadeBySettings(before.entry.live))
    return emptyCopyResult
  const embedder = (await context.embedding())?.embedder ?? null
  const isAlike = await isEmbeddedBy(before.entry.live, embedder, request.signal)
  if (!isAlike || before.rest === 'damaged') return emptyCopyResult
  return copyChunks(generation, before, collected.hashes)
}

function generationRecord(
  { resolved, request }: AddRun,
  made: GenerationRecipe,
  { hashes, contentHash, failed }: CollectedPages,
): Generation {
  return {
    id: made.id,
    pages: hashes.size,
    chunks: made.chunks,
    source: resolved.source,
    ref: resolved.ref,
    commit: resolved.commit,
    tag: resolved.tag ?? undefined,
    indexedAt: new Date().toISOString(),
    fingerprint: made.fingerprint,
    arithmetic: made.arithmetic,
    chunker: made.chunker,
    contentHash,
    failed: failed.length,
    incomplete: request.incomplete,
  }
}

function removedMeanwhile({ library }: AddRequest, { version }: ResolvedSource): OgError {
  const what = `library "${library}" version "${version}"`
  return new OgError(`Cannot update ${what}: it was removed in the meantime`, {
    hint: 'og add indexes it again',
  })
}
