import { dirname, resolve } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { bundledSources } from './bundled-sources.ts'
import { parseSourceEntry, type ListedSource } from './source-entry.ts'
import {
  isSameFolder,
  projectSources,
  readSourcesFile,
  userSources,
  type SourcesFile,
} from './sources-file.ts'

export type SourcesPlaces = {
  named: string | null
  /** True if the user gave `named` as an option; the file must then be readable. */
  isTyped?: boolean
  cwd: string
  home: string
  lists: string
}

type Listing = { files: SourcesFile[]; problems: OgError[] }

/**
 * Reads the files in order of precedence: the file in the settings, the file of the current folder,
 * the user's file, and the bundled list. Skips and reports files that cannot be read.
 * @throws OgError if the user gave a file as an option and it cannot be read
 */
export async function readSourcesFiles(places: SourcesPlaces): Promise<Listing> {
  const { named, isTyped = false, cwd, home, lists } = places
  const listing: Listing = { files: [], problems: [] }
  const add = async (origin: SourcesFile['origin'], path: string) => {
    const read = await readSourcesFile(path)
    if (read === null && origin === 'named') {
      listing.problems.push(new OgError(`Cannot read sources file "${path}": no such file`))
    }
    if (read instanceof OgError) listing.problems.push(read)
    else if (read) {
      const folder = origin === 'user' ? home : folderOf(path)
      listing.files.push({ origin, path, folder, entries: read })
    }
  }
  if (named !== null) await add('named', resolve(cwd, named))
  if (isTyped && listing.problems.length > 0) throw listing.problems[0]
  // The home folder is no project; its file may be the user's own file.
  if (!(await isSameFolder(cwd, home))) await add('project', projectSources(cwd))
  await add('user', userSources(lists))
  const entries = bundledSources()
  listing.files.push({ origin: 'bundled', path: 'the bundled list', folder: home, entries })
  return listing
}

export async function sourceNames(places: SourcesPlaces): Promise<string[]> {
  const { files } = await readSourcesFiles(places)
  return [...new Set(files.flatMap(({ entries }) => [...entries.keys()]))]
}

export type SourcesFileEntry = { file: SourcesFile; name: string; entry: unknown }

/**
 * Returns the entry of a library from the first file that contains it. First compares names
 * exactly, then without case, `-`, `_` and `.`. Does not merge entries from several files.
 */
export function findSource(
  files: readonly SourcesFile[],
  library: string,
): SourcesFileEntry | null {
  for (const file of files) {
    const name = file.entries.has(library) ? library : likeNamed(file, library)
    if (name !== undefined) return { file, name, entry: file.entries.get(name) }
  }
  return null
}

export function toSource({ file, name, entry }: SourcesFileEntry, home: string): ListedSource {
  const what = `${JSON.stringify(name)} in ${file.path}`
  return parseSourceEntry(entry, { what, folder: file.folder, home })
}

function likeNamed(file: SourcesFile, library: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-')
  return [...file.entries.keys()].find((name) => plain(name) === plain(library))
}

function folderOf(path: string): string {
  const folder = dirname(path)
  return folder.endsWith('.openground') ? dirname(folder) : folder
}
