import { randomBytes, createHash } from 'node:crypto'
import { closeSync, openSync, writeSync, createReadStream, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join, basename } from 'node:path'
import { constants, zstdCompressSync, createGzip } from 'node:zlib'
import { dependencies } from '../../../package.json'
import { messageOf, OgError } from '../../platform/error.ts'
import { createTempFolder, syncFolder } from '../../platform/file/files.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import { sha256, sha256OfFile } from '../../platform/hash.ts'
import { openArchiveFile } from '../../platform/archive/archive-bytes.ts'
import type { ChunkWithEmbedding } from '../../store/by-address.ts'
import type { Entry } from '../../store/registry.ts'
import { chunkKey } from '../add/copy.ts'
import {
  manifestName,
  manifestText,
  memberName,
  packFormat,
  type PackManifest,
  type PackMember,
} from './pack-format.ts'
import { packEmbeddings, type VectorFormat } from './packed-embeddings.ts'
import { packPages, packedPageFault, type PackedPage } from './packed-pages.ts'
import { hasPortableNotes, publicSource } from './packed-source.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'
import { pipeline } from 'node:stream/promises'
import { pack as tarPack, type Pack as TarPack } from 'tar-stream'
import installer from '../../../data/install-bundle.txt'
import type { OpenGeneration } from '../../store/open-generation.ts'

/** `id` is the SPDX name, or null if the licence was not recognised. */
export type License = { id: string | null; text: string }

export type PackOptions = {
  vectors: VectorFormat
  license: License | null
  /** Compresses faster and less, for temporary packs. */
  isHasty?: boolean
  signal?: AbortSignal | undefined
}

export type WrittenPack = { manifest: PackManifest; bytes: number }

/**
 * Writes the live generation of a library version to a file, which appears complete or not at all.
 * The same generation always produces the same bytes.
 * @throws OgError if the file cannot be written
 */
export async function writePack(
  { entry, open: generation }: { entry: Entry; open: OpenGeneration },
  path: string,
  options: PackOptions,
): Promise<WrittenPack> {
  const temporary = join(dirname(path), `.og-pack-${randomBytes(6).toString('hex')}`)
  try {
    await using folder = await createTempFolder('og-pack')
    const members = await writeMembers(generation, join(folder.path, 'members'), options)
    const manifest = manifestOf(entry, { members, options })
    const bytes = await assemble(manifest, { from: join(folder.path, 'members'), to: temporary })
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return { manifest, bytes }
  } catch (error) {
    // If the folder is not writable, there is no file to delete.
    await rm(temporary, { force: true }).catch(() => {})
    if (error instanceof OgError) throw error
    const refused = explainDiskError(error, 'TMPDIR')
    const why = refused?.why ?? messageOf(error)
    throw new OgError(`Cannot write pack "${path}": ${why}`, { hint: refused?.hint, cause: error })
  }
}

function manifestOf(
  { library, version, live }: Entry,
  { members, options }: { members: Members; options: PackOptions },
): PackManifest {
  const { source, ref, commit, tag, indexedAt, contentHash, calibration, fingerprint } = live
  const vectors = fingerprint === null ? 'none' : options.vectors
  return {
    format: packFormat,
    library,
    version,
    title: members.title,
    source: publicSource(source),
    ref,
    commit,
    tag,
    indexedAt,
    license: options.license?.id ?? null,
    pages: live.pages,
    chunks: live.chunks,
    failed: live.failed ?? 0,
    incomplete: live.incomplete,
    names: live.names,
    contentHash,
    chunker: live.chunker,
    fingerprint,
    arithmetic: live.arithmetic,
    calibration: calibration ?? null,
    vectors,
    lancedb: dependencies['@lancedb/lancedb'],
    members: members.all,
  }
}

type Members = { all: PackMember[]; title: string }

/** Writes the contents of all members to one file, before the manifest is known. */
async function writeMembers(
  generation: OpenGeneration,
  path: string,
  options: PackOptions,
): Promise<Members> {
  const file = openSync(path, 'wx', 0o600)
  const all: PackMember[] = []
  const embeddings: PackMember[] = []
  const keep = (kind: PackMember['kind'], content: Buffer, rows: number) => {
    options.signal?.throwIfAborted()
    const packed = zstdCompressSync(content, {
      params: { [constants.ZSTD_c_compressionLevel]: levelOf(kind, options) },
    })
    for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at)
    const [size, hash] = [content.length, sha256(content)]
    all.push({ kind, sha256: hash, size, packed: packed.length, rows })
  }
  try {
    if (options.license !== null) keep('license', Buffer.from(options.license.text), 1)
    const title = await writeGroups(generation, keep, options)
    return { all: [...all, ...embeddings], title }
  } finally {
    closeSync(file)
  }
}

/** Embeddings look random, so higher levels hardly compress them better. */
function levelOf(kind: PackMember['kind'], { isHasty = false }: PackOptions): number {
  return isHasty ? 1 : kind === 'embeddings' ? 5 : 19
}

type Keep = (kind: PackMember['kind'], content: Buffer, rows: number) => void

/** Writes the pages in groups by URL, each before its embeddings. Returns the pack's title. */
async function writeGroups(
  { generation, pagesByUrl, chunksByPlace }: OpenGeneration,
  keep: Keep,
  options: PackOptions,
): Promise<string> {
  const groups = packGroups(generation)
  const rows = rowGroups(groups, keep, generation.fingerprint === null ? 'none' : options.vectors)
  const chunks = chunksByPlace()
  let next = await chunks.next()
  let title = { rank: Infinity, text: '' }
  let [pages, characters]: [PackedPage[], number] = [[], 0]
  const endPages = () => {
    if (pages.length > 0) keep('pages', packPages(pages), pages.length)
    ;[pages, characters] = [[], 0]
  }
  const isPortable = hasPortableNotes(generation.source)
  for await (const { hash: _, ...page } of pagesByUrl()) {
    const own: ChunkWithEmbedding[] = []
    while (!next.done && next.value.row.url === page.url) {
      own.push(next.value)
      rows.add(next.value)
      next = await chunks.next()
    }
    const rank = titleRank(page)
    if (rank < title.rank) title = { rank, text: page.title }
    const validator = isPortable ? page.validator : ''
    const packed = { page: { ...page, validator }, chunks: own.map(({ row }) => row) }
    const why = packedPageFault(packed)
    if (why !== null) throw new Error(`${why}: ${page.url}`)
    pages.push(packed)
    characters += page.text.length
    const count = pages.length
    if (characters >= maxMemberText || endsPagesMember(groups, { url: page.url, count })) endPages()
  }
  endPages()
  rows.end()
  return title.text.replace(/[\u0000-\u001f\u007f]/g, ' ').slice(0, 200)
}

/** Ranks a page as the title of the pack, lowest first: pages high in the tree and index pages. */
function titleRank({ path, title }: { path: string; title: string }): number {
  if (title === '') return Infinity
  const parts = path.split('/')
  return 2 * parts.length + (/^(?:index|readme)\b/i.test(parts.at(-1)!) ? 0 : 3)
}

function rowGroups(groups: PackGroups, keep: Keep, kind: VectorFormat) {
  let held: { key: string; embedding: Float32Array }[] = []
  const end = () => {
    if (kind === 'none' || held.length === 0) return
    const dimensions = held[0]!.embedding.length
    const block = new Float32Array(held.length * dimensions)
    held.forEach(({ embedding }, row) => block.set(embedding, row * dimensions))
    keep(
      'embeddings',
      packEmbeddings(
        held.map(({ key }) => key),
        block,
        kind,
      ),
      held.length,
    )
    held = []
  }
  return {
    add({ row, embedding }: ChunkWithEmbedding) {
      if (kind === 'none' || embedding === null) return
      const key = chunkKey(row).slice(0, 16)
      held.push({ key, embedding })
      if (endsEmbeddingsMember(groups, { key, count: held.length })) end()
    },
    end,
  }
}

async function assemble(
  manifest: PackManifest,
  { from, to }: { from: string; to: string },
): Promise<number> {
  using members = openArchiveFile(from)
  await using file = await open(to, 'wx', 0o644)
  const head = Buffer.from(manifestText(manifest))
  let size = 0
  const put = async (...pieces: Buffer[]) => {
    const joined = Buffer.concat(pieces)
    await file.writeFile(joined)
    size += joined.length
  }
  await put(tarHeader(manifestName, head.length), head, tarPadding(head.length))
  let at = 0
  for (const member of manifest.members) {
    const { packed } = member
    const content = members.read(at, packed)
    await put(tarHeader(memberName(member), packed), content, tarPadding(packed))
    at += packed
  }
  await put(tarEnd)
  await file.sync()
  return size
}

/**
 * Pages and chunks decide where a member ends: on average after every `pages` URLs, and after every
 * `rows` keys. An added, changed or deleted page thus changes only its own member, and consecutive
 * packs share the other members.
 */
type PackGroups = { pages: number; rows: number }

/** The usual number of members. Each is then a small part of the pack with a cheap header. */
const usual = 256
const smallest = { pages: 2, rows: 16 }
const longest = 2
const maxMemberText = 2 ** 20

export function packGroups({ pages, chunks }: { pages: number; chunks: number }): PackGroups {
  return {
    pages: Math.max(smallest.pages, powerAbove(pages / usual)),
    rows: Math.max(smallest.rows, powerAbove(chunks / usual)),
  }
}

export function endsPagesMember(
  groups: PackGroups,
  { url, count }: { url: string; count: number },
): boolean {
  if (count >= groups.pages * longest) return true
  return createHash('sha256').update(url).digest().readUInt32BE(0) % groups.pages === 0
}

export function endsEmbeddingsMember(
  groups: PackGroups,
  { key, count }: { key: string; count: number },
): boolean {
  if (count >= groups.rows * longest) return true
  return parseInt(key.slice(0, 8), 16) % groups.rows === 0
}

/** Rounds up to a power of two, so that a growing library rarely changes its members. */
function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)))
}

type BundleParts = {
  executable: string
  packs: readonly string[]
  /** Text of config.json, or null if the bundle has none. */
  config: string | null
  signal?: AbortSignal | undefined
}

/**
 * Writes a tar.gz that installs og and documentation on a machine without network access: the
 * executable, packs, settings and an installation script. The file appears complete or not at all.
 * @returns its size in bytes
 * @throws OgError if it cannot be written
 */
export async function writeBundle(path: string, parts: BundleParts): Promise<number> {
  const temporary = join(dirname(path), `.og-bundle-${randomBytes(6).toString('hex')}`)
  const archive = tarPack()
  let why: unknown
  try {
    // Create the file before any content, so that no late write can create it again after an error.
    await using file = await open(temporary, 'wx')
    const filled = fill(archive, parts).catch((error) => {
      why = error
      archive.destroy(error)
    })
    const write = async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) await file.writeFile(piece)
    }
    await pipeline(archive, createGzip({ level: 4 }), write, { signal: parts.signal })
    await filled
    await file.sync()
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return statSync(path).size
  } catch (ended) {
    const error = why ?? ended
    await rm(temporary, { force: true }).catch(() => {})
    parts.signal?.throwIfAborted()
    if (error instanceof OgError) throw error
    const refused = explainDiskError(error, '--output')
    throw new OgError(`Cannot write bundle "${path}": ${refused?.why ?? messageOf(error)}`, {
      hint: refused?.hint,
      cause: error,
    })
  }
}

/** Puts everything into one folder. SHA256SUMS reveals a damaged copy. */
async function fill(archive: TarPack, { executable, packs, config }: BundleParts): Promise<void> {
  const sums: string[] = []
  const text = (name: string, content: string, mode = 0o644) => {
    sums.push(`${sha256(content)}  ${name}`)
    archive.entry({ name: `${folder}/${name}`, mode }, content)
  }
  const file = async (name: string, path: string, mode = 0o644) => {
    sums.push(`${await sha256OfFile(path)}  ${name}`)
    const { size } = statSync(path)
    await pipeline(createReadStream(path), archive.entry({ name: `${folder}/${name}`, mode, size }))
  }
  text('install.sh', installer, 0o755)
  if (config !== null) text('config.json', config)
  await file('og', executable, 0o755)
  for (const path of packs) await file(`packs/${basename(path)}`, path)
  archive.entry({ name: `${folder}/SHA256SUMS`, mode: 0o644 }, `${sums.join('\n')}\n`)
  archive.finalize()
}

const folder = 'og-bundle'
