import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readTextFile } from '../platform/file/read-file.ts'
import type { KnownPages, SourceEvent } from './source.ts'

/** Of a licence's file; what is longer is something else. */
export const licenseLimitMb = 1

/**
 * The name of the one file at the top of a source that holds its licence; of several that stand
 * side by side none does.
 */
export function licenseAmong(paths: readonly string[]): string | null {
  const top = paths.filter((path) => /^(licen[cs]e|copying)([.-][\w.-]+)?$/i.test(path))
  const plain = top.filter((path) => /^(licen[cs]e|copying)(\.(md|txt|rst))?$/i.test(path))
  const [first, ...others] = plain.length > 0 ? plain.sort() : top
  return first === undefined || others.length > 0 ? null : first
}

/**
 * The text of the licence in a folder of this disk; null: it has none. A folder that is gone has
 * none, and a link may lead to what is nobody else's.
 * @throws what the system refuses, or an Error that says what is wrong with the file
 */
export async function folderLicense(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const name = licenseAmong(entries.filter((it) => it.isFile()).map((it) => it.name))
  return name === null ? null : readTextFile(join(folder, name), { limitMb: licenseLimitMb })
}

/** What a source says of it; pages of the state `before` may have come with one. */
export function licenseEvents(text: string | null, before: KnownPages): SourceEvent[] {
  return text === null && before.size === 0 ? [] : [{ type: 'license', text }]
}

/** The text of a licence's file; null where it is too long for one. */
export function licenseText(bytes: Uint8Array | null): string | null {
  const isOne = bytes !== null && bytes.length <= licenseLimitMb * 2 ** 20
  return isOne ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : null
}
