import { otherVersionCommand } from '../../library/sources/add-command.ts'
import type { LibraryVersion } from '../../library/library.ts'
import { matchingVersions } from '../../version/version.ts'
import { nearest } from '../../platform/text/nearest.ts'
import { escapeInline } from './quote.ts'
import type { ToolContext } from './docs-tool.ts'

/**
 * The reason why a library or version cannot be searched, and a remedy. The message starts with
 * upstream's sentence.
 */
export type Missing = { message: string; nearest: string[]; addCommand: string | null }

const anySource = '--source GIT_URL_OR_FOLDER'
const packageHint =
  'To add a package by its name, run: og add npm:NAME, pypi:NAME, crates:NAME or go:MODULE'

/**
 * Returns the reason why a library or version cannot be searched; null if it can.
 * @throws OgError if the version is ambiguous
 */
export async function explainMissing(
  { og, knownSources }: Pick<ToolContext, 'og' | 'knownSources'>,
  { library, version }: { library: string | null; version: string | null },
): Promise<Missing | null> {
  const libraries = await og.list()
  const names =
    library
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? []
  const isIndexed = (name: string) => libraries.some((it) => isSame(it.library, name))
  // If any requested library is indexed, the call is answered, and a note lists the missing
  // libraries.
  if (names.length > 0 && !names.some(isIndexed)) {
    return missingLibrary(libraries, names[0]!, await knownSources())
  }
  const matches = libraries.filter(
    (it) => names.length === 0 || names.some((name) => isSame(it.library, name)),
  )
  if (libraries.length === 0) return emptyStore()
  if (version === null) return null
  const groups = Map.groupBy(matches, (it) => it.library)
  const isFound = [...groups.values()].some(
    (group) =>
      matchingVersions(
        version,
        group.map((it) => it.version),
      ).length > 0,
  )
  return isFound ? null : missingVersion(matches, library, version)
}

export function missingFields(missing: Missing) {
  const { message, addCommand } = missing
  return { message, nearest: missing.nearest, ...(addCommand ? { add_command: addCommand } : {}) }
}

function emptyStore(): Missing {
  const message = 'Nothing is indexed on this machine, so there is nothing to search.'
  return withRemedy({ message, nearest: [], addCommand: `og add LIBRARY ${anySource}` })
}

function missingLibrary(
  libraries: readonly LibraryVersion[],
  library: string,
  sources: readonly string[],
): Missing {
  const names = [...new Set(libraries.map((it) => it.library))]
  const available =
    names.length > 0
      ? `Available libraries: ${names.join(', ')}`
      : 'No libraries are currently available in the database.'
  return withRemedy({
    message: `Library '${escapeInline(library)}' not found. ${available}`,
    nearest: nearest(library, names),
    addCommand: libraryCommand(
      library,
      sources.filter((one) => !names.some((name) => isSame(name, one))),
    ),
  })
}

/** The command needs no source if a source list contains this library or a similar name. */
function libraryCommand(library: string, sources: readonly string[]): string {
  const same = sources.find((name) => isSame(name, library)) ?? nearest(library, sources)[0]
  if (same !== undefined) return `og add ${same}`
  const word = /^[\w@./-]+$/.test(library) ? library : 'LIBRARY'
  return `og add ${word} ${anySource}`
}

function missingVersion(
  matches: readonly LibraryVersion[],
  library: string | null,
  version: string,
): Missing {
  const labels = [...new Set(matches.map((it) => it.version))]
  const sibling = matches.at(-1)
  const whose = library === null ? 'any library' : `library '${escapeInline(library)}'`
  return withRemedy({
    message:
      `Version '${escapeInline(version)}' not found for ${whose}. ` +
      `Available versions: ${labels.map(escapeInline).join(', ') || 'none'}`,
    nearest: nearest(version, labels),
    addCommand:
      library === null || !sibling
        ? null
        : otherVersionCommand({
            library: sibling.library,
            version,
            live: { source: sibling.source },
          }),
  })
}

function withRemedy(missing: Missing): Missing {
  const near = missing.nearest.map((name) => `'${escapeInline(name)}'`)
  const lines = [missing.message]
  if (near.length > 0) lines.push(`Did you mean ${near.join(' or ')}?`)
  if (missing.addCommand !== null) lines.push(`To add it, run: ${missing.addCommand}`)
  if (missing.addCommand?.endsWith(anySource)) lines.push(packageHint)
  return { ...missing, message: lines.join('\n') }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
