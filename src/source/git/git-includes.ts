import { decodeText } from '../../page/decode.ts'
import type { FormatName } from '../../page/formats.ts'
import type { IncludedFiles } from '../../page/include/include.ts'
import type { TreeEntry } from './git.ts'
import type { Blobs } from './git-blobs.ts'
import { parseIncludes, parsing } from '../page-parser.ts'

type Repository = { entries: Map<string, TreeEntry>; blobs: Blobs }
type Reading = Repository & { signal?: AbortSignal | undefined }
type Fetching = Reading & { fetch(paths: string[]): Promise<void> }

/** The files that a page may include: regular files of its repository. */
export function gitIncludes(path: string, { entries, blobs }: Repository): IncludedFiles {
  return { from: path, read: async (other) => fileText(other, { entries, blobs }) }
}

/**
 * Fetches the files that the pages at `paths` include, and the files that those include, with one
 * request per level.
 */
export async function fetchIncludes(
  paths: string[],
  { fetch, ...repository }: Fetching,
): Promise<void> {
  const seen = new Set(paths)
  let at = new Map<string, FormatName | null>(paths.map((path) => [path, null]))
  for (let round = 0; at.size > 0 && round < roundLimit; round++) {
    const next = new Map<string, FormatName | null>()
    const included = ([path, dialect]: [string, FormatName | null]) =>
      includedBy(path, { ...repository, dialect })
    for await (const includes of parsing(at, included)) {
      for (const [path, as] of includes) if (!seen.has(path)) next.set(path, as)
    }
    at = next
    for (const path of at.keys()) seen.add(path)
    await fetch([...at.keys()])
  }
}

/** Deepest nesting of includes that is resolved. */
const roundLimit = 8

/**
 * The files that a file includes, each with the dialect to read it in. `dialect` is the dialect of
 * the including page; null if the file is itself a page.
 */
async function includedBy(
  path: string,
  { dialect, signal, ...repository }: Reading & { dialect: FormatName | null },
): Promise<[string, FormatName][]> {
  const text = await fileText(path, repository)
  if (text === null) return []
  const { as, candidates } = await parseIncludes({ text, path, dialect }, signal)
  return candidates.flatMap((names) => {
    const name = names.find((name) => isFile(name, repository))
    return name === undefined ? [] : [[name, as]]
  })
}

function isFile(path: string, { entries }: Repository): boolean {
  return entries.get(path)?.mode.startsWith('100') ?? false
}

/** The text of a file; null if it is missing or not text. */
async function fileText(path: string, repository: Repository): Promise<string | null> {
  const entry = repository.entries.get(path)
  if (!entry || !isFile(path, repository)) return null
  const blob = await repository.blobs.read(entry.objectId)
  return blob?.bytes ? textOf(blob.bytes, path) : null
}

function textOf(bytes: Uint8Array, path: string): string | null {
  try {
    return decodeText(bytes, path)
  } catch {
    return null
  }
}
