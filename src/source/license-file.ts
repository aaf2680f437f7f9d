import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { formatOf, withoutPageExtension } from '../formats/formats.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import type { KnownPages, SourceEvent } from './source.ts'

/** Size limit for a licence file. A larger file is not a licence. */
export const licenseLimitMb = 1

/**
 * Returns the path of the only licence file at the top of a source. Returns null if there is none
 * or more than one. A plain name (`LICENSE.md`) takes precedence over others (`LICENSE-MIT`).
 */
export function findLicensePath(paths: readonly string[]): string | null {
  const top = paths.filter((path) => /^(licen[cs]e|copying)([.-][\w.-]+)?$/i.test(path))
  const plain = top.filter(
    (path) =>
      /^(licen[cs]e|copying)$/i.test(withoutPageExtension(path)) && formatOf(path) !== 'html',
  )
  const [first, ...others] = plain.length > 0 ? plain.sort() : top
  return first === undefined || others.length > 0 ? null : first
}

/**
 * Returns the licence text in a local folder, or null if the licence or the folder is missing. Does
 * not follow links because they may point to private files.
 * @throws the system's error, or an Error that describes the problem with the file
 */
export async function readFolderLicense(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const name = findLicensePath(entries.filter((it) => it.isFile()).map((it) => it.name))
  return name === null ? null : readTextFile(join(folder, name), { limitMb: licenseLimitMb })
}

/**
 * Returns the event for a licence. Reports a missing licence only if there are known pages, because
 * they may have been stored with one.
 */
export function licenseEvents(text: string | null, before: KnownPages): SourceEvent[] {
  return text === null && before.size === 0 ? [] : [{ type: 'license', text }]
}

export function decodeLicense(bytes: Uint8Array | null): string | null {
  const isOne = bytes !== null && bytes.length <= licenseLimitMb * 2 ** 20
  return isOne ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : null
}
