import { probedFingerprint } from '../../embed/probe.ts'
import { OgError } from '../../platform/error.ts'
import type { Reach } from '../../platform/reach.ts'
import { resolveSource, sourcePages } from '../../source/pages.ts'
import type { ResolvedSource, SourceEvent } from '../../source/source.ts'
import type { Source } from '../../store/source.ts'
import { Damage } from '../../store/integrity/damage.ts'
import { createGeneration, sweep, type GenerationWriter } from '../../store/generation.ts'
import { remoteOf } from '../../store/remote/attached.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import {
  fresh, keepValidators, openBefore, storedPages, type Before, type Update,
} from './before.ts'
import { calibrated } from './calibrate.ts'
import { copyChunks, nothingCopied, recalled, type Copied } from './copy.ts'
import {
  embedTheRest, lacksEmbeddings, mayFollow, publishAndEmbed, type Publishing,
} from './follow.ts'
import { ingestChunks, type Embedding } from './ingest.ts'
import { noProgress, type AddProgress, type AddRequest, type AddResult } from '../library.ts'
import { publishLive, rowOf, takeTurn, type Target } from '../lock.ts'
import { checkVersion, libraryKey } from '../name.ts'
import { collectPages, diffPages, nothingFound, type Collected } from './pages.ts'
import { chunkerOf, isModelOf } from './recipe.ts'
import {
  isSameCommit, isSamePlace, standsAlready, usablePages, withFreeLabel, wouldBeSame,
} from './standing.ts'
import type { Opened } from '../opened.ts'
import { gapReason } from '../incomplete.ts'
import { checkHealth } from '../quality/health.ts'

type Job = {
  opened: Opened
  request: AddRequest
  /** Its library by the name that was first typed. */
  target: Target
  resolved: ResolvedSource
  progress: AddProgress
  started: number
}

/**
 * Adds a library version, or brings it up to date: pages that may have changed are read, cut,
 * embedded and written beside what is there, the others are copied, and one registry row flips at
 * the end. What was not there is published as soon as it is cut, and again as its embeddings
 * follow. Throws OgError where the source cannot be read, holds nothing, or has lost more than a
 * fifth of its pages; pages that could not be read are in `failed`: their old text stays.
 */
export async function addLibrary(opened: Opened, request: AddRequest): Promise<AddResult> {
  const started = performance.now()
  const key = libraryKey(request.library)
  if (request.version !== null) checkVersion(request.version)
  const progress: AddProgress = { ...noProgress }
  request.onProgress?.(progress)
  const { source, signal } = request
  const { reach } = opened
  // Of a repository the first thing that is asked is whether its host may be.
  if (reach && source.kind !== 'git_repo') await checkAgentHost(source, reach)
  const resolve = async () => {
    const asking = { version: request.version, today: new Date(), signal, reach }
    const resolved = await resolveSource(source, asking)
    return { ...resolved, version: request.label ?? resolved.version }
  }
  const first = await resolve()
  const onWait = () => request.onProgress?.(Object.assign(progress, { phase: 'waiting' }))
  using turn = await takeTurn(opened.folder, first, { ...request, resolve, onWait })
  const entries = await readEntries(opened.folder)
  const resolved = withFreeLabel(turn.resolved, key, entries)
  const { version, follows = false } = resolved
  progress.version = version
  const entry = rowOf(entries, { key, version, follows })
  if (entry === null && request.mustBeIndexed) throw removedMeanwhile(request, resolved)
  const library = entries.find((it) => it.key === key)?.library ?? request.library
  const target = { key, library, version, follows }
  const job = { opened, request, target, resolved, progress, started }
  await sweep(opened.folder)
  // Awaited here: the lock is released when this function returns.
  if (entry !== null && (await standsAlready(job, entry.live))) {
    return await unchanged(job, entry, null)
  }
  using before = await openBefore(opened, entry)
  return await readAndBuild(job, before).catch((error) => {
    // What an earlier version wrote cannot be checked before it is read.
    if (before.kind === 'fresh' || !(error instanceof Damage)) throw error
    return readAndBuild(job, fresh(entry))
  })
}

/** What knows addresses is loaded when an agent asks. */
async function checkAgentHost(source: Source, reach: Reach): Promise<void> {
  const { checkHost } = await import('./agent-source.ts')
  await checkHost(source, reach)
}

async function readAndBuild(job: Job, before: Before): Promise<AddResult> {
  const { opened, request, progress } = job
  let writer: GenerationWriter | null = null
  const generation = async () => (writer ??= await createGeneration(opened.folder))
  progress.phase = 'fetching'
  try {
    const collected = await collectPages(eventsOf(job, before), generation, {
      before,
      signal: request.signal,
      onPage: (pages) => request.onProgress?.(Object.assign(progress, { pages })),
    })
    if (before.kind === 'update') refuseLoss(job, before, collected)
    if (collected.hashes.size === 0) throw nothingFound(job, collected)
    if (before.kind === 'update' && wouldBeSame(job, before, collected)) {
      await keepValidators(opened.folder, before, collected.validators)
      return await unchanged(job, before.entry, collected)
    }
    if (before.kind === 'update' && mayGoOn(job, before, collected)) {
      return await goOn(job, before, collected)
    }
    await collected.flush()
    await (await generation()).keepLicense(await licenseNow(job, before, collected))
    return await build(job, await generation(), { collected, before })
  } finally {
    ;(writer as GenerationWriter | null)?.[Symbol.dispose]()
    // Whatever ended this run matters more than a failed sweep: the next writer sweeps again.
    await sweep(opened.folder).catch(() => [])
  }
}

/** A source that says nothing of its licence has the one that it had; another has none. */
async function licenseNow(
  { resolved }: Job, before: Before, { license }: Collected,
): Promise<string | null> {
  if (license !== undefined) return license
  const isKept = before.kind === 'update' && isSamePlace(before.entry.live.source, resolved.source)
  return isKept ? before.open.license() : null
}

/** Where the commit is the same and only the settings differ, nothing is fetched. */
function eventsOf(job: Job, before: Before): AsyncIterable<SourceEvent> {
  const { resolved, request } = job
  if (before.kind === 'update' && isSameCommit(job, before.entry.live)) return storedPages(before)
  const pages = before.kind === 'update' ? usablePages(before, resolved.source) : new Map()
  const { pageLanes = 8, reach } = job.opened
  const limits = { lanes: pageLanes }
  return sourcePages(resolved, { signal: request.signal, before: pages, limits, reach })
}

/** One that was asked for otherwise has not lost what it no longer names. */
function refuseLoss(job: Job, before: Update, { hashes, kept, failed }: Collected): void {
  const { request, resolved } = job
  const { entry, states } = before
  const read = hashes.size - kept
  if (request.force || (states.size - read) * 5 <= states.size) return
  if (!Bun.deepEquals(entry.live.source, resolved.source)) return
  throw new OgError(
    `Cannot update library "${job.target.library}" version "${resolved.version}": it had ` +
      `${states.size} pages, of which the source now holds ${read} (${failed.length} failed); ` +
      'nothing was changed',
    {
      hint: failed[0]
        ? `the first that failed: ${failed[0].url}: ${failed[0].reason}; --force publishes the rest`
        : '--force publishes it all the same; "og rollback" undoes that',
    },
  )
}

type Built = { collected: Collected; before: Before }

async function build(
  job: Job,
  generation: GenerationWriter,
  { collected, before }: Built,
): Promise<AddResult> {
  const { opened, request, progress } = job
  const { hashes, lengths } = collected
  const embedding: Embedding = await opened.embedding()
  const copied = before.kind === 'update' && opened.isMadeBySettings(before.entry.live)
    && (await isModelOf(before.entry.live, embedding?.embedder ?? null, request.signal))
    ? await reused(generation, before, hashes)
    : nothingCopied
  let characters = 0
  for (const [url, n] of lengths) if (!copied.urls.has(url)) characters += n
  // Each step that is published is all of it once more, which a bucket would be sent.
  const isOneStep = embedding === null || remoteOf(opened.folder) !== null
  const isDeferred = !isOneStep && mayFollow(request, before.entry, characters)
  progress.phase = isDeferred ? 'cutting' : 'embedding'
  const cut = await ingestChunks(generation, embedding, {
    isDeferred,
    ...opened.chunking,
    maxTokens: embedding?.embedder.maxTokens ?? 512,
    countTokens: await opened.countTokens(),
    characters,
    copied: copied.urls,
    recall: copied.recall,
    onProgress: (done) => request.onProgress?.(Object.assign(progress, done)),
    signal: request.signal,
  })
  collected.failed.push(...cut.failed)
  const chunks = copied.chunks + cut.chunks
  if (chunks === 0) throw nothingFound(job, collected)
  // Words do not wait for an endpoint; who embeds later notes by what.
  const embedder = embedding?.embedder ?? null
  const fingerprint = isDeferred || embedder === null ? embedder?.fingerprint ?? null
    : await probedFingerprint(embedder, request.signal)
  const arithmetic = embedder?.arithmetic ?? null
  const made = { id: generation.id, chunks, collected, fingerprint, arithmetic }
  const record = generationRecord(job, made)
  const diff = diffPages(before.kind === 'update' ? before.states : new Map(), hashes)
  // Emptied before the indexes are written: of 200,000 pages they hold some 50 MB.
  for (const noted of [hashes, lengths]) noted.clear()
  const following = { record, before: before.entry, ...publishingOf(job) }
  const embedded = isDeferred
    ? await publishAndEmbed(opened, generation, { embedding, ...following })
    : await finish(job, { generation, record, before, embedding }, copied).then(() => cut.embedded)
  return result(job, collected, {
    status: before.entry === null ? 'added' : 'updated',
    pages: record.pages,
    chunks,
    embedded,
    diff,
  })
}

type Written = {
  generation: GenerationWriter
  record: Generation
  before: Before
  embedding: Embedding
}

/** Indexes and publishes what is written, embeddings and all. */
async function finish(
  job: Job,
  { generation, record, before, embedding }: Written,
  copied: Copied,
): Promise<void> {
  const { opened, request, progress } = job
  progress.phase = 'indexing'
  request.onProgress?.(progress)
  await generation.finish()
  embedding?.cache.prune()
  const live = await measured(job, record, { before, embedding, copied: copied.chunks })
  request.signal?.throwIfAborted()
  const isDamaged = before.kind === 'fresh' || before.rest === 'damaged'
  await publishLive(opened.folder, job.target, { live, isDamaged })
}

function mayGoOn(job: Job, before: Update, { contentHash }: Collected): boolean {
  if (typeof job.request.minHealth === 'number') return false
  return before.entry.live.contentHash === contentHash && lacksEmbeddings(job.opened, before)
}

/** Nothing is cut again: what is there lacks embeddings alone. */
async function goOn(job: Job, before: Update, collected: Collected): Promise<AddResult> {
  const { live } = before.entry
  const { source, ref, commit, tag } = job.resolved
  const { incomplete } = job.request
  // Who waits for that need not wait for an endpoint.
  job.request.onProgress?.(Object.assign(job.progress, { isSearchable: true }))
  const embedded = await embedTheRest(job.opened, before, {
    record: {
      ...live, source, ref, commit, tag: tag ?? undefined, failed: collected.failed.length,
      incomplete,
    },
    ...publishingOf(job),
  })
  const { pages, chunks } = live
  const diff = { added: 0, modified: 0, deleted: 0, unchanged: pages }
  return result(job, collected, { status: 'updated', pages, chunks, embedded, diff })
}

function publishingOf(job: Job): Publishing {
  const { request: { onProgress, signal }, progress } = job
  return {
    signal,
    async publish(live) {
      await publishLive(job.opened.folder, job.target, { live })
      progress.isSearchable = true
    },
    onProgress: (done) => onProgress?.(Object.assign(progress, done)),
  }
}

async function reused(
  generation: GenerationWriter,
  before: Update,
  hashes: Collected['hashes'],
): Promise<Copied> {
  if (before.rest === 'damaged') return nothingCopied
  if (before.rest === 'unchecked') return recalled(before)
  return copyChunks(generation, before, hashes)
}

function generationRecord(
  job: Job,
  made: Pick<Generation, 'id' | 'chunks' | 'fingerprint' | 'arithmetic'>
    & { collected: Collected },
): Generation {
  return {
    id: made.id,
    pages: made.collected.hashes.size,
    chunks: made.chunks,
    source: job.resolved.source,
    ref: job.resolved.ref,
    commit: job.resolved.commit,
    tag: job.resolved.tag ?? undefined,
    indexedAt: new Date().toISOString(),
    fingerprint: made.fingerprint,
    arithmetic: made.arithmetic,
    chunker: chunkerOf(job.opened.chunking),
    contentHash: made.collected.contentHash,
    failed: made.collected.failed.length,
    incomplete: job.request.incomplete,
  }
}

/** With its calibration; that of the state before serves where most of it has stayed. */
async function measured(
  job: Job,
  live: Generation,
  { before, embedding, copied }: { before: Before; embedding: Embedding; copied: number },
): Promise<Generation> {
  const { opened, target, request: { minHealth } } = job
  await checkHealth(opened, target, { live, minHealth, doing: 'publish' })
  if (embedding === null) return live
  const last = copied * 5 >= live.chunks * 4 ? before.entry?.live.calibration : undefined
  return last ? { ...live, calibration: last } : await calibrated(job.opened, live, embedding)
}

/**
 * Nothing to build. The row still learns a new date label, commit or spelling of the source. Who
 * asks for health wants to know of what is served, whether or not this run has made it.
 */
async function unchanged(
  job: Job,
  entry: Entry,
  collected: Collected | null,
): Promise<AddResult> {
  const { version, source, ref, commit, tag } = job.resolved
  const { opened, target, request: { minHealth, incomplete } } = job
  await checkHealth(opened, target, { live: entry.live, minHealth, doing: 'accept' })
  const failed = collected?.failed.length ?? entry.live.failed
  const live = {
    ...entry.live, source, ref, commit, tag: tag ?? undefined, failed, incomplete,
  }
  const isNews = JSON.stringify(live) !== JSON.stringify(entry.live) || entry.version !== version
  if (isNews) await publishLive(opened.folder, target, { live })
  const { pages, chunks } = live
  return result(job, collected, {
    status: 'unchanged',
    pages,
    chunks,
    embedded: 0,
    diff: { added: 0, modified: 0, deleted: 0, unchanged: pages },
  })
}

function result(
  job: Job,
  collected: Collected | null,
  counts: Pick<AddResult, 'status' | 'pages' | 'chunks' | 'embedded' | 'diff'>,
): AddResult {
  const { incomplete } = job.request
  const { skipped = [], failed = [], kept = 0 } = collected ?? {}
  return {
    library: job.target.library,
    version: job.target.version,
    ...counts,
    skipped,
    failed,
    kept,
    incomplete: gapReason({ incomplete, failed: failed.length }),
    ...(job.resolved.changes ? { uncommitted: job.resolved.changes } : {}),
    seconds: (performance.now() - job.started) / 1000,
  }
}

function removedMeanwhile({ library }: AddRequest, { version }: ResolvedSource): OgError {
  const what = `library "${library}" version "${version}"`
  return new OgError(`Cannot update ${what}: it was removed meanwhile`, {
    hint: 'og add indexes it again',
  })
}
