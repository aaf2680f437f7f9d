import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { formatOf, withoutPageExtension } from '../page/formats.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import type { KnownPages, SourceEvent } from './source.ts'

/** The size limit of a licence file; a larger file is taken for something else. */
export const licenseLimitMb = 1

/**
 * The path of the one licence file at the top of a source; null where there is none, or several. A
 * plain name (`LICENSE.md`) wins over others (`LICENSE-MIT`).
 */
export function licenseAmong(paths: readonly string[]): string | null {
  const top = paths.filter((path) => /^(licen[cs]e|copying)([.-][\w.-]+)?$/i.test(path))
  const plain = top.filter(
    (path) =>
      /^(licen[cs]e|copying)$/i.test(withoutPageExtension(path)) && formatOf(path) !== 'html',
  )
  const [first, ...others] = plain.length > 0 ? plain.sort() : top
  return first === undefined || others.length > 0 ? null : first
}

/**
 * The licence text of a folder on this disk; null: it has none, or the folder is gone. Links are
 * not followed: they may lead to private files.
 * @throws what the system refuses, or an Error that says what is wrong with the file
 */
export async function folderLicense(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const name = licenseAmong(entries.filter((it) => it.isFile()).map((it) => it.name))
  return name === null ? null : readTextFile(join(folder, name), { limitMb: licenseLimitMb })
}

/**
 * The event that reports a licence. A missing licence is reported only where pages are known: they
 * may have been stored with one.
 */
export function licenseEvents(text: string | null, before: KnownPages): SourceEvent[] {
  return text === null && before.size === 0 ? [] : [{ type: 'license', text }]
}

/** The text of a licence file; null where there is none, or it is over the size limit. */
export function licenseText(bytes: Uint8Array | null): string | null {
  const isOne = bytes !== null && bytes.length <= licenseLimitMb * 2 ** 20
  return isOne ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : null
}
