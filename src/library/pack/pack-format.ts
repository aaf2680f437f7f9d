import type { Fingerprint } from '../../embed/embedder.ts'
import { hasControls, messageOf, OgError } from '../../platform/error.ts'
import { jsonText, parseJsonOr } from '../../platform/json.ts'
import { isPastDate } from '../../platform/text/iso-date.ts'
import { fingerprintRule, namesRule, sourceRule } from '../../store/registry-schema.ts'
import type { Generation } from '../../store/registry.ts'
import {
  optional,
  findShapeFault,
  isCount,
  isText,
  listOf,
  object,
  orNull,
  rule,
  type ShapeRule,
} from '../../store/json-rules.ts'
import { checkVersionLabel, libraryKey } from '../name.ts'
import { bytesPerEmbedding, vectorFormats, type VectorFormat } from './packed-embeddings.ts'

/** docs/reference/pack-format.md describes these fields for authors of other programs. */
export type PackManifest = Omit<
  Generation,
  'id' | 'failed' | 'embedded' | 'calibration' | 'leftovers' | 'pack'
> & {
  format: number
  library: string
  version: string
  /** Title of the first page, for searches in a registry. */
  title: string
  /** SPDX name; null if no licence was recognised. */
  license: string | null
  /** Number of pages that could not be read during the build. */
  failed: number
  calibration: { own: number; foreign: number } | null
  vectors: VectorFormat
  /** LanceDB's version in the og that made the pack. Readers do not need it. */
  lancedb: string
  members: PackMember[]
}

export type PackMember = {
  kind: 'license' | 'pages' | 'embeddings'
  /** Hash of the content, which is also part of the member's name. */
  sha256: string
  /** Size in bytes, before and after compression with zstd. */
  size: number
  packed: number
  /** Number of pages or embeddings. */
  rows: number
}

export const packFormat = 1
export const manifestName = 'manifest.json'

/** In bytes, except the counts and `ratio`. Far more than documentation needs. */
export const packLimits = {
  manifest: 64 * 2 ** 20,
  member: 64 * 2 ** 20,
  all: 16 * 2 ** 30,
  members: 200_000,
  /**
   * With these limits, a pack of the smallest possible pages needs less than 700 MB of memory
   * (docs/internals/security.md).
   */
  pages: 200_000,
  chunks: 2_000_000,
  /** Maximum ratio of unpacked to packed size, if the contents exceed one member. */
  ratio: 200,
}

/** Returns an error that describes a pack's fault in one line. */
export function packError(what: string, why: string, hint?: string): OgError {
  return new OgError(`Cannot use pack ${what}: ${why}`, { reason: why, hint })
}

export function manifestText(manifest: PackManifest): string {
  return jsonText(manifest, 0)
}

/** @throws OgError if the manifest is invalid or its format is newer */
export function parseManifest(bytes: Uint8Array, what: string): PackManifest {
  const manifest = parseJsonOr(bytes, (why) =>
    packError(what, `its manifest is not JSON: ${why}`),
  ) as PackManifest
  const { format } = (manifest ?? {}) as Partial<PackManifest>
  if (typeof format === 'number' && format > packFormat) {
    throw packError(
      what,
      `its format is ${format}, this og knows ${packFormat}`,
      'install a newer og, or build from the source: og add NAME --source SOURCE',
    )
  }
  const why =
    findShapeFault(manifest, manifestRule, 'its manifest') ??
    lineFault(manifest) ??
    nameFault(manifest) ??
    memberFault(manifest)
  if (why !== null) throw packError(what, why)
  return manifest
}

/** Returns the offset of each member's header, followed by the archive's end. */
export function memberOffsets({ members }: PackManifest, manifestBytes: number): number[] {
  let at = blocks(manifestBytes)
  return [...members, { packed: 0 }].map(({ packed }) => {
    const place = at
    at += blocks(packed)
    return place
  })
}

export function memberName({ sha256 }: PackMember): string {
  return `${sha256}.zst`
}

/** Returns a member's size in the archive: one header, and the content in 512-byte blocks. */
function blocks(size: number): number {
  return 512 + Math.ceil(size / 512) * 512
}

const isLine = (it: unknown) => isText(it) && !hasControls(it as string)
const text = rule('a text', isText)
const count = rule('a count', isCount)
const cosine = rule('a cosine', (it) => typeof it === 'number' && it >= -1 && it <= 1)
const hash = rule('a SHA-256', (it) => isText(it) && /^[0-9a-f]{64}$/.test(it as string))
const oneOf = (values: readonly string[]) =>
  rule(`one of ${values.join(', ')}`, (it) => values.includes(it as string))
const limited = (limit: number) =>
  rule(`a count of at most ${limit}`, (it) => isCount(it) && (it as number) <= limit)
const short = rule('a text of one line', (it) => isLine(it) && (it as string).length <= 500)
const chunkerRule = rule('a chunker', (it) => isLine(it) && (it as string).length <= 200)

const manifestRule: ShapeRule = object({
  format: rule(String(packFormat), (it) => it === packFormat),
  library: text,
  version: text,
  title: short,
  source: sourceRule,
  ref: orNull(short),
  commit: orNull(short),
  tag: optional(short),
  indexedAt: rule('a date in UTC that is not in the future (ISO 8601)', isPastDate),
  license: orNull(short),
  pages: count,
  chunks: count,
  failed: count,
  incomplete: optional(
    object({ reason: short, host: orNull(short), intended: optional(sourceRule) }),
  ),
  names: optional(namesRule),
  contentHash: hash,
  chunker: chunkerRule,
  fingerprint: orNull(fingerprintRule),
  arithmetic: orNull(short),
  calibration: orNull(object({ own: cosine, foreign: cosine })),
  vectors: oneOf(vectorFormats),
  lancedb: short,
  members: listOf(
    object({
      kind: oneOf(['license', 'pages', 'embeddings']),
      sha256: hash,
      size: limited(packLimits.member),
      packed: limited(packLimits.member),
      rows: count,
    }),
  ),
})

/** Rejects control characters, except in query prefixes, because manifests are printed. */
function lineFault({ source, fingerprint, names }: PackManifest): string | null {
  const { queryPrefix: _, ...model } = fingerprint ?? {}
  const missing = names?.groups.flatMap(({ from, names: all }) => [from, ...all]) ?? []
  const texts = { ...source, ...model, names: [...missing, ...(names?.shortened?.modules ?? [])] }
  const odd = Object.entries(texts).find(([, value]) =>
    [value].flat().some((it) => isText(it) && !isLine(it)),
  )
  return odd === undefined ? null : `${odd[0]} in its manifest contains control characters`
}

function nameFault({ library, version }: PackManifest): string | null {
  try {
    libraryKey(library)
    checkVersionLabel(version)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** Checks the counts before anything else, because they decide how much memory is reserved. */
function memberFault(manifest: PackManifest): string | null {
  const { members, pages, chunks, vectors, fingerprint } = manifest
  if (members.length > packLimits.members) {
    return `it has ${members.length} members, limit is ${packLimits.members}`
  }
  if (pages > packLimits.pages) return `it has ${pages} pages, limit is ${packLimits.pages}`
  if (chunks > packLimits.chunks) return `it has ${chunks} chunks, limit is ${packLimits.chunks}`
  const sum = (field: 'size' | 'packed' | 'rows', kind?: PackMember['kind']) =>
    members.reduce(
      (total, it) => total + (kind === undefined || it.kind === kind ? it[field] : 0),
      0,
    )
  const [size, packed] = [sum('size'), sum('packed')]
  const roomBytes = Math.max(packLimits.member, packed * packLimits.ratio)
  if (size > Math.min(packLimits.all, roomBytes)) {
    return (
      `${packed} bytes of it would become ${size}, limit is ` +
      `${Math.min(packLimits.all, roomBytes)}`
    )
  }
  if (pages === 0 || chunks === 0) return 'it contains no pages'
  if (sum('rows', 'pages') !== pages) return 'its members have a different number of pages'
  if (sum('rows', 'license') > 1) return 'it has more than one licence'
  if (vectors === 'none') {
    return sum('rows', 'embeddings') === 0 ? null : 'it has embeddings, but says that it has none'
  }
  if (sum('rows', 'embeddings') !== chunks)
    return 'its members have a different number of embeddings'
  if (fingerprint === null) return 'it does not say which model made its embeddings'
  return vectorFault(manifest, fingerprint)
}

function vectorFault({ members, vectors }: PackManifest, { dimensions }: Fingerprint) {
  if (dimensions < 1 || dimensions > 8192) return `its embeddings have ${dimensions} dimensions`
  const bytes = bytesPerEmbedding(vectors, dimensions)
  const other = members.find((it) => it.kind === 'embeddings' && it.size !== it.rows * bytes)
  return other === undefined
    ? null
    : 'its embeddings have a different length than the manifest says'
}
