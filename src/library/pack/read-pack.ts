import { statSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { messageOf } from '../../platform/error.ts'
import { whyNotRegularFile } from '../../platform/file/read-file.ts'
import { sha256 } from '../../platform/hash.ts'
import { openArchiveFile, type ArchiveBytes } from '../../platform/archive/archive-bytes.ts'
import {
  manifestName,
  memberName,
  memberOffsets,
  packLimits,
  parseManifest,
  packError,
  type PackManifest,
  type PackMember,
} from './pack-format.ts'
import { unpackEmbeddings } from './packed-embeddings.ts'
import { unpackPages, type PackedPage } from './packed-pages.ts'
import { readTarHeader } from './tar.ts'
import { lineAt, indexLines } from '../../chunk/line.ts'
import { termsOfChunk } from '../../chunk/terms.ts'
import { analyserVersion, parseChunker } from '../../store/chunker.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'

/** A pack, possibly from a stranger. All content is checked before use. */
export type Pack = {
  what: string
  manifest: PackManifest
  /** Hash of the manifest, which contains the hashes of all members. */
  sha256: string
  /**
   * Returns the content of a member.
   * @throws OgError if the content differs from the manifest
   */
  content(member: PackMember): Buffer
}

/** The manifest and its size, which must be read before anything else. */
export type PackHead = { manifest: PackManifest; sha256: string; manifestBytes: number }

export function openPackFile(path: string): Pack & Disposable {
  const what = `"${path}"`
  using stack = new DisposableStack()
  const bytes = stack.use(openFile(path, what))
  const head = readPackHead(bytes, what)
  const places = memberOffsets(head.manifest, head.manifestBytes)
  if (bytes.length < places.at(-1)!) throw packError(what, 'it is cut off', cutHint)
  const at = new Map(head.manifest.members.map((member, i) => [member, places[i]!]))
  const resources = stack.move()
  return {
    what,
    manifest: head.manifest,
    sha256: head.sha256,
    content: (member) => memberContent(bytes, { member, at: at.get(member)!, what }),
    [Symbol.dispose]: () => resources.dispose(),
  }
}

function openFile(path: string, what: string): ArchiveBytes & Disposable {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw packError(what, 'no such file')
  const why = whyNotRegularFile(stats)
  if (why !== null) throw packError(what, why)
  return withPackName(what, () => openArchiveFile(path))
}

/** Reads the first member, which is the manifest. */
export function readPackHead(bytes: ArchiveBytes, what: string): PackHead {
  const { name, size } = withPackName(what, () => readTarHeader(bytes.read(0, 512)))
  if (name !== manifestName) throw packError(what, `it does not begin with ${manifestName}`)
  if (size > packLimits.manifest) {
    throw packError(what, `its manifest is ${size} bytes, limit is ${packLimits.manifest}`)
  }
  const text = bytes.read(512, size)
  if (text.length < size) throw packError(what, 'it is cut off', cutHint)
  return { manifest: parseManifest(text, what), sha256: sha256(text), manifestBytes: size }
}

const cutHint = 'fetch or copy it again'

export function memberContent(
  bytes: ArchiveBytes,
  { member, at, what }: { member: PackMember; at: number; what: string },
): Buffer {
  const header = withPackName(what, () => readTarHeader(bytes.read(at, 512)))
  if (header.name !== memberName(member) || header.size !== member.packed) {
    throw packError(what, 'a member is not the one that its manifest names')
  }
  return decompressMember(bytes.read(at + 512, member.packed), { member, what })
}

function decompressMember(
  packed: Uint8Array,
  { member, what }: { member: PackMember; what: string },
): Buffer {
  // zlib interprets 0 as "no limit", but content is never empty.
  const limit = { maxOutputLength: Math.max(1, member.size) }
  const content = withPackName(what, () => zstdDecompressSync(packed, limit), 'a member is damaged')
  // zlib returns the available part of a truncated member. Only the hash reveals that the rest is
  // missing.
  if (content.length !== member.size || sha256(content) !== member.sha256) {
    throw packError(what, 'a member is not what its manifest says', cutHint)
  }
  return content
}

export function* readPackPages(pack: Pack): Generator<PackedPage> {
  const { what, manifest } = pack
  let last = ''
  for (const member of membersOf(pack, 'pages')) {
    const pages = unpackPages(pack.content(member))
    let rows = 0
    for (;;) {
      const next = withPackName(what, () => pages.next())
      if (next.done) break
      if (++rows > member.rows) break
      const { url } = next.value.page
      if (url <= last) throw packError(what, 'its pages are not in the order of their addresses')
      last = url
      yield next.value
    }
    if (rows !== member.rows) throw packError(what, 'a member has other pages')
  }
  if (manifest.pages > 0 && last === '') throw packError(what, 'it contains no pages')
}

export type KeyedEmbedding = { key: string; embedding: Float32Array }

/** Yields the embeddings in the order of the chunks, or nothing if the pack has none. */
export function* readPackEmbeddings(pack: Pack): Generator<KeyedEmbedding> {
  const {
    what,
    manifest: { vectors: kind, fingerprint },
  } = pack
  if (kind === 'none' || fingerprint === null) return
  const { dimensions } = fingerprint
  for (const member of membersOf(pack, 'embeddings')) {
    const { rows } = member
    const unpacked = withPackName(what, () =>
      unpackEmbeddings(pack.content(member), { kind, rows, dimensions }),
    )
    for (const [row, key] of unpacked.keys.entries()) {
      yield { key, embedding: unpacked.block.subarray(row * dimensions, (row + 1) * dimensions) }
    }
  }
}

export function readPackLicense(pack: Pack): string | null {
  const [member] = membersOf(pack, 'license')
  return member === undefined ? null : pack.content(member).toString()
}

function membersOf({ manifest }: Pack, kind: PackMember['kind']): PackMember[] {
  return manifest.members.filter((it) => it.kind === kind)
}

function withPackName<T>(what: string, read: () => T, why?: string): T {
  try {
    return read()
  } catch (error) {
    throw packError(what, why ?? messageOf(error))
  }
}

/**
 * Yields the chunks of a page as table rows, one at a time. Always computes index terms here, so
 * that a pack cannot be found by words that its pages do not contain.
 * @throws OgError if the pack was made by the same analyser but has different terms
 */
export function* toChunkRows(pack: Pack, { page, chunks }: PackedPage): Generator<ChunkRow> {
  const { url, title, text } = page
  const isAnalysedAlike = parseChunker(pack.manifest.chunker)?.terms === analyserVersion
  const lines = indexLines(text)
  for (const [index, chunk] of chunks.entries()) {
    const { start_offset: start, end_offset: end } = chunk
    let last = end - 1
    while (last > start && text[last] === '\n') last--
    const content = text.slice(start, end)
    const terms = termsOfChunk(page, { heading: chunk.heading, content })
    if (isAnalysedAlike && terms !== chunk.terms) {
      throw packError(pack.what, 'the index terms of a chunk are not those of its text')
    }
    yield {
      ...chunk,
      url,
      title,
      content,
      terms,
      chunk_index: index,
      start_line: lineAt(lines, start) + 1,
      end_line: lineAt(lines, last) + 1,
    }
  }
}
