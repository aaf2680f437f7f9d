import { createGeneration, sweep, type GenerationWriter } from '../../store/generation.ts'
import type { Embeddings, ChunkRow } from '../../store/chunks/chunk-table.ts'
import { parseChunker } from '../../store/chunker.ts'
import { generationFault } from '../../store/integrity/wholeness.ts'
import type { PageRow, PageState } from '../../store/pages/page-table.ts'
import { readEntries, type Entry, type Generation, type PackOrigin } from '../../store/registry.ts'
import { openBefore, type Before } from '../add/before.ts'
import { calibrated } from '../add/calibrate.ts'
import { embeddedTexts } from '../../chunk/embedded-text.ts'
import { chunkKey } from '../add/copy.ts'
import { ingestChunks, type Recall } from '../add/ingest.ts'
import { contentHashOf, diffPages, pageHash } from '../add/pages.ts'
import { chunkerOf, isComparable, withParserOf } from '../add/recipe.ts'
import { noProgress, type AddProgress, type AddRequest, type AddResult } from '../library.ts'
import { isSameEntry, lockVersion, publishLive, type Target } from '../lock.ts'
import { libraryKey } from '../name.ts'
import type { Opened } from '../opened.ts'
import { checkHealth } from '../quality/health.ts'
import { gapReason } from '../incomplete.ts'
import { refusedPack } from './pack-format.ts'
import type { PackedPage } from './packed-pages.ts'
import { packedRows } from './packed-rows.ts'
import {
  packedEmbeddings, packedLicense, packedPages, type Pack, type PackedEmbedding,
} from './read-pack.ts'

export type InstallRequest =
  Pick<AddRequest, 'lockTimeoutMs' | 'minHealth' | 'onProgress' | 'signal'> & {
    /** The library's name here; null: as the pack says. */
    library: string | null
    /** Where it came from, as `og list` shows it. */
    place: string
    /** Opens it, when its turn has come; `entry` is what is there now. */
    open(entry: Entry | null, onShare: (share: number) => void): Promise<Pack & Disposable>
    /** Known before it is opened. */
    head: Pick<Pack, 'manifest' | 'sha256'>
  }

type Job = {
  opened: Opened
  request: InstallRequest
  /** Its library by the name that was first typed. */
  target: Target
  progress: AddProgress
  started: number
}
type OpenJob = Job & { pack: Pack }

/**
 * Makes what a pack holds a library version, beside what is there, and publishes it by one row.
 * Where the pack was cut and embedded as it would be here, its chunks and embeddings are taken;
 * else its pages are cut anew, and embedded as far as no embedding of the pack fits. Tables and
 * indexes are always written here.
 * @throws OgError where the pack is not what it says; then nothing has changed
 */
export async function installPack(opened: Opened, request: InstallRequest): Promise<AddResult> {
  const started = performance.now()
  const { manifest, sha256 } = request.head
  const library = request.library ?? manifest.library
  const key = libraryKey(library)
  const { version } = manifest
  const progress: AddProgress = { ...noProgress, phase: 'fetching', version }
  using _lock = await lockVersion(opened.folder, {
    ...request, library, version,
    onWait: () => request.onProgress?.(Object.assign(progress, { phase: 'waiting' })),
  })
  await sweep(opened.folder)
  const entries = await readEntries(opened.folder)
  const entry = entries.find((it) => isSameEntry(it, { key, version })) ?? null
  const named = entries.find((it) => it.key === key)?.library ?? library
  const target = { key, library: named, version }
  const job = { opened, request, target, progress, started }
  if (entry !== null && (await standsAlready(job, entry))) return await unchanged(job, entry)
  using pack = await request.open(entry, (share) => {
    const pages = Math.round(share * manifest.pages)
    request.onProgress?.(Object.assign(progress, { pages }))
  })
  if (pack.sha256 !== sha256) throw refusedPack(pack.what, 'it has changed meanwhile')
  using before = await openBefore(opened, entry)
  try {
    return await build({ ...job, pack }, before)
  } finally {
    // Whatever ended this run matters more than a failed sweep: the next writer sweeps again.
    await sweep(opened.folder).catch(() => [])
  }
}

/** The same pages, cut and embedded as by the settings, whole to the last byte. */
async function standsAlready({ opened, request }: Job, { live }: Entry): Promise<boolean> {
  const { contentHash } = request.head.manifest
  const isSame = live.contentHash === contentHash && opened.isMadeBySettings(live)
  return isSame && (await generationFault(opened.folder, live.id)) === null
}

/** What is there stays, embeddings of f32 too; from now on it follows the pack. */
async function unchanged(job: Job, entry: Entry): Promise<AddResult> {
  const { opened, target, request: { minHealth } } = job
  const live = { ...entry.live, pack: originOf(job) }
  await checkHealth(opened, target, { live, minHealth, doing: 'publish' })
  if (!Bun.deepEquals(live, entry.live)) await publishLive(opened.folder, target, { live })
  const diff = { added: 0, modified: 0, deleted: 0, unchanged: live.pages }
  return result(job, live, { status: 'unchanged', embedded: 0, diff })
}

async function build(job: OpenJob, before: Before): Promise<AddResult> {
  const { opened, request, target, pack, progress } = job
  using generation = await createGeneration(opened.folder)
  request.onProgress?.(progress)
  await generation.keepLicense(packedLicense(pack))
  const isAsHere = isMadeAsHere(opened, pack)
  const written = await writePages(job, generation, { withChunks: isAsHere })
  const cut = isAsHere ? null : await cutAnew(job, generation, written)
  request.onProgress?.(Object.assign(progress, { phase: 'indexing' }))
  await generation.finish()
  const chunks = cut?.chunks ?? written.chunks
  const record = recordOf(job, { id: generation.id, chunks, failed: cut?.failed ?? 0 })
  const live = await measured(opened, record, { isAsHere, pack })
  await checkHealth(opened, target, { live, minHealth: request.minHealth, doing: 'publish' })
  request.signal?.throwIfAborted()
  const isDamaged = before.kind === 'fresh' || before.rest === 'damaged'
  await publishLive(opened.folder, target, { live, isDamaged })
  const states = before.kind === 'update' ? before.states : new Map<string, PageState>()
  return result(job, live, {
    status: before.entry === null ? 'added' : 'updated',
    embedded: cut?.embedded ?? 0,
    diff: diffPages(states, written.hashes),
  })
}

/** Cut in the same places, and either embedded alike or not to be embedded. */
function isMadeAsHere({ chunking, fingerprint }: Opened, { manifest }: Pack): boolean {
  const [here, there] = [chunkerOf(chunking), parseChunker(manifest.chunker)]
  if ('written' in here || 'written' in there) return false
  const isCutAlike = here.chunks === there.chunks && here.chunkChars === there.chunkChars
    && here.overlapChars === there.overlapChars
  const isUsable = manifest.vectors !== 'none' && isComparable(manifest, { fingerprint })
  return isCutAlike && (fingerprint === null || isUsable)
}

type Written = { hashes: Map<string, string>; chunks: number; characters: number }

/** Rows written at a time: one LanceDB fragment each. The first limit that is reached ends one. */
const batch = { pageCharacters: 6 * 2 ** 20, chunkCharacters: 16 * 2 ** 20, chunks: 2048 }

async function writePages(
  { opened, request, pack, progress }: OpenJob,
  generation: GenerationWriter,
  { withChunks }: { withChunks: boolean },
): Promise<Written> {
  const written: Written = { hashes: new Map(), chunks: 0, characters: 0 }
  const chunks = withChunks ? chunkWriter(opened, pack, generation) : null
  let [held, heldNow]: [PageRow[], number] = [[], 0]
  const flush = async () => {
    if (held.length > 0) await generation.appendPages(held)
    ;[held, heldNow] = [[], 0]
  }
  for (const packed of packedPages(pack)) {
    request.signal?.throwIfAborted()
    const row = { ...packed.page, hash: pageHash(packed.page) }
    written.hashes.set(row.url, row.hash)
    written.characters += row.text.length
    held.push(row)
    heldNow += sizeOf(row)
    written.chunks += (await chunks?.add(packed)) ?? 0
    if (heldNow > batch.pageCharacters) await flush()
    request.onProgress?.(Object.assign(progress, {
      pages: written.hashes.size, chunks: written.chunks,
    }))
  }
  await flush()
  written.chunks += (await chunks?.flush()) ?? 0
  const isSame = contentHashOf(written.hashes) === pack.manifest.contentHash
  if (!isSame) throw refusedPack(pack.what, 'its pages are not those that it says')
  if (withChunks && written.chunks !== pack.manifest.chunks) {
    throw refusedPack(pack.what, `it has ${written.chunks} chunks, and says otherwise`)
  }
  return written
}

/** Writes chunks as the pack has them; each function returns how many it wrote. */
function chunkWriter(opened: Opened, pack: Pack, generation: GenerationWriter) {
  const dimensions = opened.fingerprint?.dimensions ?? null
  const embeddings = packedEmbeddings(pack)
  let [held, heldNow]: [ChunkRow[], number] = [[], 0]
  const flush = async (): Promise<number> => {
    const rows = held
    ;[held, heldNow] = [[], 0]
    if (rows.length === 0) return 0
    const block = dimensions === null ? null : blockOf(rows, embeddings, { dimensions, pack })
    await generation.appendChunks(rows, block)
    return rows.length
  }
  return {
    async add(packed: PackedPage): Promise<number> {
      let count = 0
      for (const row of packedRows(pack, packed)) {
        held.push(row)
        heldNow += sizeOf(row)
        const isFull = held.length >= batch.chunks || heldNow > batch.chunkCharacters
        if (isFull) count += await flush()
      }
      return count
    },
    flush,
  }
}

/** Characters of all texts of a row. */
function sizeOf(row: object): number {
  return Object.values(row).reduce<number>(
    (sum, it) => sum + (typeof it === 'string' ? it.length : 0), 0)
}

/** Each chunk comes with the embedding of its own text, or with none at all. */
function blockOf(
  rows: readonly ChunkRow[],
  embeddings: Iterator<PackedEmbedding>,
  { dimensions, pack }: { dimensions: number; pack: Pack },
): Embeddings {
  const block = new Float32Array(rows.length * dimensions)
  rows.forEach((row, i) => {
    const next = embeddings.next()
    if (next.done || next.value.key !== chunkKey(row).slice(0, 16)) {
      throw refusedPack(pack.what, 'an embedding is of another text than its chunk')
    }
    block.set(next.value.embedding, i * dimensions)
  })
  return { block, dimensions }
}

async function cutAnew(
  { opened, pack, request, progress }: OpenJob,
  generation: GenerationWriter,
  { characters }: Written,
): Promise<{ chunks: number; embedded: number; failed: number }> {
  const embedding = await opened.embedding()
  const cut = await ingestChunks(generation, embedding, {
    ...opened.chunking,
    maxTokens: embedding?.embedder.maxTokens ?? 512,
    countTokens: await opened.countTokens(),
    characters,
    ...(isComparable(pack.manifest, opened) ? { recall: recallOf(pack) } : {}),
    onProgress: (done) =>
      request.onProgress?.(Object.assign(progress, done, { phase: 'embedding' })),
    signal: request.signal,
  })
  embedding?.cache.prune()
  if (cut.chunks === 0) throw refusedPack(pack.what, 'its pages are empty')
  return { ...cut, failed: cut.failed.length }
}

/**
 * Finds embeddings of the pack by the chunks that they are of; all are read when first asked. Of
 * chunks that are not embedded as they stand, the pack does not say what was.
 */
function recallOf(pack: Pack): Recall {
  let reading: Map<string, Float32Array> | null = null
  return async (prepared) => {
    reading ??= firstOfEach(packedEmbeddings(pack))
    const plainText = embeddedTexts(new Map())
    return prepared.map(({ row, text }) =>
      plainText(row) === text ? reading!.get(chunkKey(row).slice(0, 16)) ?? null : null)
  }
}

/** Of chunks that are alike the first is embedded as it stands. */
function firstOfEach(embeddings: Iterable<PackedEmbedding>): Map<string, Float32Array> {
  const byKey = new Map<string, Float32Array>()
  for (const { key, embedding } of embeddings) if (!byKey.has(key)) byKey.set(key, embedding)
  return byKey
}

function recordOf(
  job: Job, made: { id: string; chunks: number; failed: number },
): Generation {
  const { manifest } = job.request.head
  const { chunking, fingerprint } = job.opened
  return {
    id: made.id,
    pages: manifest.pages,
    chunks: made.chunks,
    source: manifest.source,
    ref: manifest.ref,
    commit: manifest.commit,
    tag: manifest.tag,
    indexedAt: manifest.indexedAt,
    fingerprint,
    arithmetic: fingerprint === null ? null : manifest.arithmetic,
    chunker: withParserOf(chunkerOf(chunking), parseChunker(manifest.chunker)),
    contentHash: manifest.contentHash,
    failed: manifest.failed + made.failed,
    incomplete: manifest.incomplete,
    pack: originOf(job),
  }
}

function originOf({ request: { place, head } }: Job): PackOrigin {
  return { place, sha256: head.sha256 }
}

/** What was measured where the pack was made holds for the same embeddings. */
async function measured(
  opened: Opened, live: Generation, { isAsHere, pack }: { isAsHere: boolean; pack: Pack },
): Promise<Generation> {
  if (live.fingerprint === null) return live
  const { calibration } = pack.manifest
  if (isAsHere) return calibration === null ? live : { ...live, calibration }
  const embedding = await opened.embedding()
  if (embedding === null) return live
  const { arithmetic } = embedding.embedder
  return calibrated(opened, { ...live, arithmetic }, embedding)
}

function result(
  { target: { library, version }, started }: Job,
  live: Generation,
  made: Pick<AddResult, 'status' | 'embedded' | 'diff'>,
): AddResult {
  const seconds = (performance.now() - started) / 1000
  const { pages, chunks } = live
  return {
    library, version, pages, chunks, ...made, skipped: [], failed: [], kept: 0,
    incomplete: gapReason(live), seconds,
  }
}
