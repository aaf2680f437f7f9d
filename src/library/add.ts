import { OgError } from '../platform/error.ts'
import { resolveSource, sourcePages } from '../source/pages.ts'
import type { ResolvedSource, Source } from '../source/source.ts'
import {
  createGeneration,
  hasGeneration,
  sweep,
  type GenerationWriter,
} from '../store/generation.ts'
import { changeEntries, readEntries, type Entry, type Generation } from '../store/registry.ts'
import { keepOpen } from './entries.ts'
import { ingestChunks, type Embedding } from './ingest.ts'
import type { AddProgress, AddRequest, AddResult } from './library.ts'
import { lockVersion } from './lock.ts'
import { checkVersion, libraryKey } from './name.ts'
import { collectPages, diffPages, type Collected } from './pages.ts'
import { chunkerName } from './recipe.ts'
import type { Opened } from './opened.ts'
import { isLocalDate } from './version.ts'

type Job = {
  opened: Opened
  request: AddRequest
  key: string
  /** The library's name as it was first typed. */
  named: string
  resolved: ResolvedSource
  before: Entry | null
  progress: AddProgress
  started: number
}

/**
 * Adds a library version, or replaces it: pages are read, cut, embedded and written beside what is
 * there, and one registry row flips at the end. Throws OgError where the source cannot be read or
 * holds nothing; pages that could not be read are in `failed`, and the rest is published.
 */
export async function addLibrary(opened: Opened, request: AddRequest): Promise<AddResult> {
  const started = performance.now()
  const key = libraryKey(request.library)
  if (request.version !== null) checkVersion(request.version)
  const progress: AddProgress = { phase: 'resolving', pages: 0, chunks: 0, toEmbed: 0, embedded: 0 }
  request.onProgress?.(progress)
  const { source, version, signal } = request
  const resolved = await resolveSource(source, { version, today: new Date(), signal })
  using _lock = await lockVersion(opened.folder, {
    ...request,
    version: resolved.version,
    onWait: () => request.onProgress?.(Object.assign(progress, { phase: 'waiting' })),
  })
  const entries = await readEntries(opened.folder)
  const before = entries.find((entry) => isSameEntry(entry, key, resolved.version)) ?? null
  const named = entries.find((entry) => entry.key === key)?.library ?? request.library
  const job = { opened, request, key, named, resolved, before, progress, started }
  // Awaited here: the lock is released when this function returns.
  if (isSameCommit(job)) return await unchanged(job, null)
  await sweep(opened.folder)
  return await readAndBuild(job)
}

async function readAndBuild(job: Job): Promise<AddResult> {
  const { opened, request, progress } = job
  let writer: GenerationWriter | null = null
  const generation = async () => (writer ??= await createGeneration(opened.folder))
  progress.phase = 'fetching'
  try {
    const events = sourcePages(job.resolved, { signal: request.signal })
    const collected = await collectPages(events, generation, {
      signal: request.signal,
      onPage: (pages) => request.onProgress?.(Object.assign(progress, { pages })),
    })
    if (collected.hashes.size === 0) throw nothingFound(job, collected)
    const isSame = job.before?.live.contentHash === collected.contentHash
    if (isSame && standsAsIs(job)) return await unchanged(job, collected)
    await collected.flush()
    return await build(job, await generation(), collected)
  } finally {
    ;(writer as GenerationWriter | null)?.[Symbol.dispose]()
    // Whatever ended this run matters more than a failed sweep: the next writer sweeps again.
    await sweep(opened.folder).catch(() => [])
  }
}

async function build(
  job: Job,
  generation: GenerationWriter,
  collected: Collected,
): Promise<AddResult> {
  const { opened, request, progress } = job
  const embedding: Embedding = await opened.embedding()
  progress.phase = 'embedding'
  const { chunks, embedded } = await ingestChunks(generation, embedding, {
    ...opened.chunking,
    maxTokens: embedding?.embedder.maxTokens ?? 512,
    countTokens: await opened.countTokens(),
    characters: collected.characters,
    onProgress: (done) => request.onProgress?.(Object.assign(progress, done)),
    signal: request.signal,
  })
  if (chunks === 0) throw nothingFound(job, collected)
  progress.phase = 'indexing'
  request.onProgress?.(progress)
  await generation.finish()
  embedding?.cache.prune()
  const diff = diffPages(await hashesBefore(job), collected.hashes)
  const live = generationRecord(job, { id: generation.id, chunks, collected, embedding })
  request.signal?.throwIfAborted()
  await publish(job, live)
  return result(job, collected, {
    status: job.before === null ? 'added' : 'updated',
    pages: live.pages,
    chunks,
    embedded,
    diff,
  })
}

function generationRecord(
  job: Job,
  made: { id: string; chunks: number; collected: Collected; embedding: Embedding },
): Generation {
  return {
    id: made.id,
    pages: made.collected.hashes.size,
    chunks: made.chunks,
    source: job.resolved.source,
    ref: job.resolved.ref,
    commit: job.resolved.commit,
    indexedAt: new Date().toISOString(),
    fingerprint: made.embedding?.embedder.fingerprint ?? null,
    arithmetic: made.embedding?.embedder.arithmetic ?? null,
    chunker: chunkerName(job.opened.chunking),
    contentHash: made.collected.contentHash,
  }
}

/** The one moment at which readers change over. */
async function publish(job: Job, live: Generation): Promise<void> {
  const { key, resolved, request } = job
  await changeEntries(job.opened.folder, (entries) => {
    const known = entries.find((entry) => entry.key === key)
    const mine = entries.find((entry) => isSameEntry(entry, key, resolved.version))
    const replaces = mine !== undefined && mine.live.id !== live.id
    const canReturn = replaces && hasGeneration(job.opened.folder, mine.live.id)
    const entry: Entry = {
      key,
      library: known?.library ?? request.library,
      version: resolved.version,
      live,
      previous: canReturn ? mine.live : (mine?.previous ?? null),
    }
    return [...entries.filter((it) => it !== mine), entry]
  })
}

/** Nothing to build. The row still learns a new date label, commit or spelling of the source. */
async function unchanged(job: Job, collected: Collected | null): Promise<AddResult> {
  const { version, source, ref, commit } = job.resolved
  const entry = job.before as Entry
  const live = { ...entry.live, source, ref, commit }
  const isNews = JSON.stringify(live) !== JSON.stringify(entry.live) || entry.version !== version
  if (isNews) await publish(job, live)
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
  return {
    library: job.named,
    version: job.resolved.version,
    ...counts,
    skipped: collected?.skipped ?? [],
    failed: collected?.failed ?? [],
    seconds: (performance.now() - job.started) / 1000,
  }
}

/** A git commit that is indexed already, from the same paths and made alike, needs no clone. */
function isSameCommit(job: Job): boolean {
  const { before, resolved } = job
  const live = before?.live
  if (live === undefined || resolved.commit === null) return false
  const isSame = live.commit === resolved.commit && Bun.deepEquals(live.source, resolved.source)
  return isSame && standsAsIs(job)
}

/** Whether what is there would be built alike today, and is there: a lost folder is built again. */
function standsAsIs({ before, opened }: Job): boolean {
  const live = before!.live
  return opened.isMadeBySettings(live) && hasGeneration(opened.folder, live.id)
}

/** A folder has one dated version: on another day it is the same entry (W-13). */
function isSameEntry(entry: Entry, key: string, version: string): boolean {
  if (entry.key !== key) return false
  return entry.version === version || (isLocalDate(entry.version) && isLocalDate(version))
}

async function hashesBefore({ before, opened, key }: Job): Promise<Map<string, string>> {
  if (before === null) return new Map()
  const pick = (entries: Entry[]) =>
    entries.filter((it) => it.key === key && it.version === before.version)
  using entries = keepOpen(opened.folder, opened.kernels)
  const hashes = entries(pick).then(([found]) => found!.open.pageHashes())
  // The counts are for the summary: what cannot be read any more is replaced all the same.
  return await hashes.catch(() => new Map<string, string>())
}

function nothingFound(job: Job, { hashes, skipped, failed }: Collected): OgError {
  const what = hashes.size > 0 ? 'its pages are empty' : 'no documentation pages'
  const counts = `${skipped.length} files skipped, ${failed.length} failed`
  const first = failed[0] ?? skipped[0]
  return new OgError(
    `Cannot add library "${job.request.library}": ${what} in ${sourceName(job.resolved.source)} ` +
      `(${counts}); nothing was changed`,
    {
      hint: first
        ? `the first: ${'url' in first ? first.url : first.path}: ${first.reason}`
        : 'og reads .md .mdx .rst .txt .ipynb .html and .htm files',
    },
  )
}

function sourceName(source: Source): string {
  return source.kind === 'git_repo' ? source.url : source.path
}
