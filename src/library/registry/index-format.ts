import { hasControls, OgError } from '../../platform/error.ts'
import { jsonText, parseJsonOr } from '../../platform/json.ts'
import { isIsoDate, isPastDate } from '../../platform/text/iso-date.ts'
import type { PackManifest } from '../pack/pack-format.ts'
import {
  findShapeFault,
  isCount,
  isText,
  listOf,
  object,
  orNull,
  rule,
} from '../../store/json-rules.ts'

/** A registry's index: its packs, and the date until which the list is valid. */
export type RegistryIndex = {
  format: number
  /** Increases with every change. A client rejects an index with a lower serial as old. */
  serial: number
  time: string
  expires: string
  packs: RegistryPack[]
}

export type RegistryPack = Pick<
  PackManifest,
  'library' | 'version' | 'title' | 'license' | 'indexedAt' | 'pages' | 'chunks'
> & {
  path: string
  size: number
  sha256: string
  manifest: string
  /** The model of the embeddings; null if the pack has none. */
  model: string | null
  /** True if clients must not choose the pack any more. Installed copies stay valid. */
  yanked: boolean
}

export const indexName = 'index.json'
export const signatureName = 'index.json.minisig'
/** Far more than thousands of libraries need. */
export const indexLimitMb = 64

const format = 1

export function indexText(index: Omit<RegistryIndex, 'format'>): string {
  return jsonText({ format, ...index }, 1)
}

export function registryError(what: string, why: string, hint?: string): OgError {
  return new OgError(`Cannot use registry ${what}: ${why}`, { reason: why, hint })
}

export function parseIndex(bytes: Uint8Array, what: string): RegistryIndex {
  const index = parseJsonOr(bytes, (why) =>
    registryError(what, `its index is not JSON: ${why}`),
  ) as RegistryIndex
  const version = (index as Partial<RegistryIndex> | null)?.format
  if (typeof version === 'number' && version > format) {
    throw registryError(
      what,
      `its format is ${version}, this og knows ${format}`,
      'install a newer og',
    )
  }
  const why = findShapeFault(index, indexRule, 'its index')
  if (why !== null) throw registryError(what, why)
  return index
}

const short = rule(
  'a text of one line',
  (it) => isText(it) && !hasControls(it as string) && (it as string).length <= 500,
)
const count = rule('a count', isCount)
const hash = rule('a SHA-256', (it) => isText(it) && /^[0-9a-f]{64}$/.test(it as string))
const date = rule('a date in UTC (ISO 8601)', isIsoDate)
const pastDate = rule('a date in UTC that is not in the future (ISO 8601)', isPastDate)
const flag = rule('true or false', (it) => typeof it === 'boolean')
/** A path must not lead out of the registry, whatever program reads it. */
const path = rule('a path of a pack', (it) => isText(it) && isPackPath(it as string))

export function isPackPath(text: string): boolean {
  const parts = text.split('/')
  return (
    text.length <= 300 &&
    text.endsWith('.ogpack') &&
    parts.every((part) => /^[\w+@-][\w.+@-]*$/.test(part))
  )
}

const indexRule = object({
  format: rule(String(format), (it) => it === format),
  serial: count,
  time: date,
  expires: date,
  packs: listOf(
    object({
      library: short,
      version: short,
      title: short,
      license: orNull(short),
      path,
      size: count,
      sha256: hash,
      manifest: hash,
      indexedAt: pastDate,
      pages: count,
      chunks: count,
      model: orNull(short),
      yanked: flag,
    }),
  ),
})
