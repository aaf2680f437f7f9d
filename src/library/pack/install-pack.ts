import type { GenerationWriter } from '../../store/generation.ts'
import type { Embeddings, ChunkRow } from '../../store/chunks/chunk-table.ts'
import { parseChunker } from '../../store/chunker.ts'
import { findGenerationFault } from '../../store/file-checks.ts'
import type { PageRow, PageState } from '../../store/pages/page-table.ts'
import { readEntries, type Entry, type Generation, type PackOrigin } from '../../store/registry.ts'
import { embeddedTextFormatter } from '../../chunk/embedded-text.ts'
import { chunkKey } from '../add/copy.ts'
import { cutPages, type EmbeddingLookup } from '../add/ingest.ts'
import { contentHashOf, diffPages, pageHash } from '../add/pages.ts'
import { chunkerOf, hasComparableVectors, withParserOf } from '../recipe.ts'
import {
  replaceVersion,
  type NextState,
  type VersionRun,
  type RunStart,
  type LockedVersion,
  type GenerationBuild,
} from '../add/replace-version.ts'
import type { AddResult, RunRequest } from '../library.ts'
import { entryToReplace, withStoredSpelling } from '../lock.ts'
import { libraryKey } from '../name.ts'
import type { LibraryContext } from '../library-context.ts'
import { packError } from './pack-format.ts'
import type { PackedPage } from './packed-pages.ts'
import {
  readPackEmbeddings,
  readPackLicense,
  readPackPages,
  type Pack,
  type KeyedEmbedding,
  toChunkRows,
} from './read-pack.ts'

export type InstallRequest = RunRequest & {
  library: string | null
  place: string
  /** Opens the pack while the lock is held. `entry` is the installed version. */
  open(entry: Entry | null, onShare: (share: number) => void): Promise<Pack & Disposable>
  head: Pick<Pack, 'manifest' | 'sha256'>
}

type PackRun = VersionRun<InstallRequest>

/**
 * Installs a pack as a new generation of a library version, and publishes it by replacing one
 * registry entry. Uses the pack's chunks and embeddings if the current settings would produce the
 * same. Otherwise chunks its pages again, and embeds chunks without a matching embedding. Always
 * builds tables and indexes here.
 * @throws OgError if the pack differs from its manifest; nothing has changed then
 */
export async function installPack(
  context: LibraryContext,
  request: InstallRequest,
): Promise<AddResult> {
  const plan = { turn: lockInstall, current: currentState, write: openAndBuild }
  return (await replaceVersion(context, request, plan)).result
}

async function lockInstall({
  context,
  request,
  progress,
  lock,
}: RunStart<InstallRequest>): Promise<LockedVersion> {
  const { manifest } = request.head
  const { version } = manifest
  const library = request.library ?? manifest.library
  const key = libraryKey(library)
  await lock({ library, version })
  Object.assign(progress, { phase: 'fetching', version })
  const entries = await readEntries(context.folder)
  const target = withStoredSpelling(entries, { key, library, version })
  return { target, entry: entryToReplace(entries, target) }
}

/**
 * Returns the live generation if it has the pack's pages, matches the current settings and is
 * intact. The live generation then stays, even with f32 embeddings, and later updates come from the
 * pack.
 */
async function currentState({ context, request, entry }: PackRun): Promise<Generation | null> {
  const { contentHash } = request.head.manifest
  const live = entry?.live
  if (live?.contentHash !== contentHash || !context.isMadeBySettings(live)) return null
  const isWhole = (await findGenerationFault(context.folder, live.id)) === null
  return isWhole ? { ...live, pack: originOf(request) } : null
}

async function openAndBuild(
  run: PackRun,
  { before, generation }: GenerationBuild,
): Promise<NextState> {
  const { request, entry } = run
  const { manifest, sha256 } = request.head
  using pack = await request.open(entry, (share) =>
    run.report({ pages: Math.round(share * manifest.pages) }),
  )
  if (pack.sha256 !== sha256) throw packError(pack.what, 'it has changed meanwhile')
  const { hashes, ...next } = await build(run, await generation(), pack)
  const states = before.kind === 'update' ? before.states : new Map<string, PageState>()
  return { how: 'written', ...next, diff: diffPages(states, hashes) }
}

type Built = Pick<NextState, 'live' | 'embedded' | 'embedding'> & { hashes: Written['hashes'] }

async function build(run: PackRun, generation: GenerationWriter, pack: Pack): Promise<Built> {
  run.report({})
  await generation.keepLicense(readPackLicense(pack))
  const { fingerprint } = run.context
  const { manifest } = pack
  if (isMadeAsHere(run.context, pack)) {
    const { hashes, chunks } = await writePages(run, generation, { pack, withChunks: true })
    const arithmetic = fingerprint === null ? null : manifest.arithmetic
    const record = recordOf(run, { id: generation.id, chunks, arithmetic, failed: 0 })
    // The pack's calibration is also valid here because the embeddings are the same.
    const isMeasured = fingerprint !== null && manifest.calibration !== null
    const live = isMeasured ? { ...record, calibration: manifest.calibration! } : record
    return { live, embedded: 0, hashes }
  }
  const { hashes, characters } = await writePages(run, generation, { pack, withChunks: false })
  run.progress.phase = 'embedding'
  const recall = hasComparableVectors(manifest, run.context) ? recallOf(pack) : undefined
  const { made, failed, ...cut } = await cutPages(run, generation, { characters, recall })
  if (made.chunks === 0) throw packError(pack.what, 'its pages are empty')
  return { live: recordOf(run, { ...made, failed: failed.length }), ...cut, hashes }
}

/**
 * True if the pack matches the settings. It must be chunked in the same way and, if the settings
 * need embeddings, embedded by the same model.
 */
function isMadeAsHere({ chunking, fingerprint }: LibraryContext, { manifest }: Pack): boolean {
  const [here, there] = [chunkerOf(chunking), manifest.chunker].map(parseChunker)
  const isCutAlike =
    here &&
    there &&
    here.chunks === there.chunks &&
    here.chunkChars === there.chunkChars &&
    here.overlapChars === there.overlapChars
  const isUsable = manifest.vectors !== 'none' && hasComparableVectors(manifest, { fingerprint })
  return Boolean(isCutAlike) && (fingerprint === null || isUsable)
}

type Written = { hashes: Map<string, string>; chunks: number; characters: number }

/** Limits for one write, which creates a LanceDB fragment and ends at the first limit. */
const batch = { pageCharacters: 6 * 2 ** 20, chunkCharacters: 16 * 2 ** 20, chunks: 2048 }

async function writePages(
  { context, request, report }: PackRun,
  generation: GenerationWriter,
  { pack, withChunks }: { pack: Pack; withChunks: boolean },
): Promise<Written> {
  const totals: Written = { hashes: new Map(), chunks: 0, characters: 0 }
  const chunks = withChunks ? chunkWriter(context, pack, generation) : null
  let [held, heldNow]: [PageRow[], number] = [[], 0]
  const flush = async () => {
    if (held.length > 0) await generation.appendPages(held)
    ;[held, heldNow] = [[], 0]
  }
  for (const packed of readPackPages(pack)) {
    request.signal?.throwIfAborted()
    const row = { ...packed.page, hash: pageHash(packed.page) }
    totals.hashes.set(row.url, row.hash)
    totals.characters += row.text.length
    held.push(row)
    heldNow += sizeOf(row)
    totals.chunks += (await chunks?.add(packed)) ?? 0
    if (heldNow > batch.pageCharacters) await flush()
    report({ pages: totals.hashes.size, chunks: totals.chunks })
  }
  await flush()
  totals.chunks += (await chunks?.flush()) ?? 0
  const isSame = contentHashOf(totals.hashes) === pack.manifest.contentHash
  if (!isSame) throw packError(pack.what, 'its pages differ from its manifest')
  if (withChunks && totals.chunks !== pack.manifest.chunks) {
    throw packError(pack.what, `it has ${totals.chunks} chunks, unlike its manifest`)
  }
  return totals
}

/** Returns functions that write the pack's chunks. Each returns the number of chunks written. */
function chunkWriter(context: LibraryContext, pack: Pack, generation: GenerationWriter) {
  const dimensions = context.fingerprint?.dimensions ?? null
  const embeddings = readPackEmbeddings(pack)
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
      for (const row of toChunkRows(pack, packed)) {
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

function sizeOf(row: object): number {
  return Object.values(row).reduce<number>(
    (sum, it) => sum + (typeof it === 'string' ? it.length : 0),
    0,
  )
}

/** Collects the embeddings of chunks into one block. Every embedding must match its text. */
function blockOf(
  rows: readonly ChunkRow[],
  embeddings: Iterator<KeyedEmbedding>,
  { dimensions, pack }: { dimensions: number; pack: Pack },
): Embeddings {
  const block = new Float32Array(rows.length * dimensions)
  rows.forEach((row, i) => {
    const next = embeddings.next()
    if (next.done || next.value.key !== chunkKey(row).slice(0, 16)) {
      throw packError(pack.what, 'an embedding does not belong to the text of its chunk')
    }
    block.set(next.value.embedding, i * dimensions)
  })
  return { block, dimensions }
}

/**
 * Returns a function that looks up an embedding in the pack by a chunk's text. The first call reads
 * all embeddings. The function cannot find texts that were changed before embedding because the
 * pack does not contain them.
 */
function recallOf(pack: Pack): EmbeddingLookup {
  let reading: Map<string, Float32Array> | null = null
  return async (prepared) => {
    reading ??= firstOfEach(readPackEmbeddings(pack))
    const plainText = embeddedTextFormatter(new Map())
    return prepared.map(({ row, text }) =>
      plainText(row) === text ? (reading!.get(chunkKey(row).slice(0, 16)) ?? null) : null,
    )
  }
}

/** Maps each key to its first embedding. Later equal texts may have another text's embedding. */
function firstOfEach(embeddings: Iterable<KeyedEmbedding>): Map<string, Float32Array> {
  const byKey = new Map<string, Float32Array>()
  for (const { key, embedding } of embeddings) if (!byKey.has(key)) byKey.set(key, embedding)
  return byKey
}

function recordOf(
  { request, context }: PackRun,
  made: Pick<Generation, 'id' | 'chunks' | 'arithmetic'> & { failed: number },
): Generation {
  const { manifest } = request.head
  return {
    id: made.id,
    pages: manifest.pages,
    chunks: made.chunks,
    source: manifest.source,
    ref: manifest.ref,
    commit: manifest.commit,
    tag: manifest.tag,
    indexedAt: manifest.indexedAt,
    fingerprint: context.fingerprint,
    arithmetic: made.arithmetic,
    chunker: withParserOf(chunkerOf(context.chunking), manifest.chunker),
    contentHash: manifest.contentHash,
    failed: manifest.failed + made.failed,
    incomplete: manifest.incomplete,
    names: manifest.names,
    pack: originOf(request),
  }
}

function originOf({ place, head }: InstallRequest): PackOrigin {
  return { place, sha256: head.sha256 }
}
