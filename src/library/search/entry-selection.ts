import { meantEntries, ofKey, type EntryLabel, type VersionQuery } from '../../version/pick.ts'
import {
  nearestLibraries,
  nearestVersions,
  unknownLibrary,
  unknownVersion,
} from '../../version/unknown.ts'
import { asksForSeveral, matchingVersions } from '../../version/version.ts'
import { versionParts } from '../../version/version-shape.ts'

/** A library or version that was asked and is not indexed, where others that were asked are. */
export type NotIndexed = {
  /** Null where the version is in none of the libraries asked. */
  library: string | null
  /** As it was typed; null where the library is not there at all. */
  version: string | null
  /** What is indexed and nearest to it. */
  nearest: string[]
}

export type EntrySelection<E extends EntryLabel> = { entries: E[]; notIndexed: NotIndexed[] }

const mostNearest = 3

/**
 * The entries that a search asks: those of several libraries where commas stand between their
 * names, and each version that a range, a list or `all` means; a library's newest version first.
 * Who asks for several gets those that are there, and is told which are not. Throws OgError naming
 * the nearest where there is none.
 */
export function selectEntries<E extends EntryLabel>(
  entries: E[],
  query: VersionQuery,
): EntrySelection<E> {
  const { library, version } = query
  const names = [...new Set(namesIn(library))]
  const indexed = names.filter((name) => ofKey(entries, name).length > 0)
  if (library !== null && indexed.length === 0) throw unknownLibrary(entries, names[0] ?? library)
  const mine = names.length === 0 ? entries : indexed.flatMap((name) => ofKey(entries, name))
  const groups = [...Map.groupBy(mine, ({ key }) => key).values()]
  const meant = groups.flatMap((group) => meantEntries(group, query))
  if (meant.length === 0) {
    const isNothingToAsk = entries.length === 0 && (version === null || asksForSeveral(version))
    if (isNothingToAsk) return { entries: [], notIndexed: [] }
    throw unknownVersion(mine, indexed, version!)
  }
  const unknown = names.filter((name) => !indexed.includes(name))
  return {
    entries: meant,
    notIndexed: [
      ...unknown.map((name) => ({
        library: name,
        version: null,
        nearest: few(nearestLibraries(entries, name)),
      })),
      ...(version === null ? [] : versionsNotIndexed({ mine, indexed, meant }, version)),
    ],
  }
}

type Split = {
  mine: readonly EntryLabel[]
  indexed: readonly string[]
  meant: readonly EntryLabel[]
}

/** Libraries that were named and have no such version, and parts of a list that none has. */
function versionsNotIndexed({ mine, indexed, meant }: Split, version: string): NotIndexed[] {
  const near = (entries: readonly EntryLabel[], typed: string) =>
    few(
      nearestVersions(
        typed,
        entries.map((entry) => entry.version),
      ),
    )
  const without = indexed.filter((name) => ofKey(meant, name).length === 0)
  const labels = [...Map.groupBy(mine, ({ key }) => key).values()].map((group) =>
    group.map((entry) => entry.version),
  )
  const parts = versionParts(version, labels.flat()).filter((part) =>
    labels.every((versions) => matchingVersions(part, versions).length === 0),
  )
  return [
    ...without.map((library) => ({
      library,
      version,
      nearest: near(ofKey(mine, library), version),
    })),
    ...parts.map((part) => ({
      library: indexed.length === 1 ? indexed[0]! : null,
      version: part,
      nearest: near(mine, part),
    })),
  ]
}

function namesIn(library: string | null): string[] {
  return (
    library
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '') ?? []
  )
}

function few(names: readonly string[]): string[] {
  return names.slice(0, mostNearest)
}
