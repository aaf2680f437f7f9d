import { decodeTextOrNull } from '../../page/decode.ts'
import type { IncludedFiles } from '../../page/include/include-file.ts'
import { foldersOf, listingOf } from '../folders.ts'
import type { Archive, ArchiveFile } from '../../platform/archive/archive-bytes.ts'

/**
 * The size limit of all included files together. They are kept in memory, because an archive has no
 * random access.
 */
const maxBytes = 64 * 2 ** 20
const maxFileBytes = 2 ** 20

/**
 * The files that the pages of an archive may include. `files` maps paths from the archive's top to
 * entries. All are read in one pass when the first page includes a file.
 */
export function archiveIncludes(
  archive: Archive,
  files: ReadonlyMap<string, ArchiveFile>,
): (from: string) => IncludedFiles {
  let texts: Promise<Map<string, Buffer>> | null = null
  let folders: ReadonlySet<string> | null = null
  const read = async (path: string) => {
    if (path.endsWith('/')) return (folders ??= foldersOf(files.keys())).has(path) ? '' : null
    const listing = listingOf(path, files.keys())
    if (listing !== undefined) return listing
    const file = files.get(path)
    if (file === undefined) return null
    texts ??= readSmall(archive, files)
    const bytes = (await texts).get(file.path)
    return bytes === undefined ? null : decodeTextOrNull(bytes, path)
  }
  return (from) => ({ from, read })
}

async function readSmall(
  archive: Archive,
  files: ReadonlyMap<string, ArchiveFile>,
): Promise<Map<string, Buffer>> {
  let left = maxBytes
  const small = [...files.values()].filter(({ path, sizeBytes, refusal: refused }) => {
    if (refused !== null || sizeBytes > maxFileBytes || noText.test(path)) return false
    left -= sizeBytes
    return left >= 0
  })
  const texts = new Map<string, Buffer>()
  for await (const content of archive.contents(new Set(small.map(({ path }) => path)))) {
    if ('bytes' in content) texts.set(content.path, content.bytes)
  }
  return texts
}

const noText = /\.(png|jpe?g|gif|svg|webp|avif|ico|pdf|woff2?|ttf|otf|mp[34]|webm|zip|gz|jar|whl)$/i
