import { loadConfig } from '../../../config/load.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import { OgError } from '../../../platform/error.ts'
import { didYouMean } from '../../../platform/text/nearest.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'
import { confirmed } from '../../confirm.ts'
import { counted } from '../../../platform/text/counted.ts'
import { libraryJson } from './list.ts'
import { noteWaiting } from '../../progress.ts'
import { lockTimeout } from './publish-options.ts'

export const remove = command({
  name: 'remove',
  aliases: ['rm'],
  summary: 'delete one version of a library, or all of them',
  details: ['On a terminal it asks before it deletes; elsewhere --yes is needed.'],
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'the version, exactly as "og list" shows it',
      suggest: 'version',
    },
    all: { type: 'switch', doc: 'every version of the library' },
    yes: { type: 'switch', short: 'y', doc: 'do not ask' },
    'lock-timeout': lockTimeout,
    json: { type: 'switch', doc: 'print what was deleted as a JSON array' },
  },
  examples: ['og remove fastapi -v 0.115.0 -y', 'og remove fastapi --all'],
  async run({ env, terminal, openOg }, { library, version, all, yes, json, ...waiting }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const doomed = chosen(await og.list(), { library, version, all })
    const what = doomed.map(described).join(', ')
    if (!(await confirmed(terminal, { what: `delete ${what}`, yes }))) return 1
    const lockTimeoutMs = waiting['lock-timeout'] * 1000
    for (const it of doomed) {
      const { library, version } = it
      const onWait = noteWaiting(terminal, library)
      await og.remove({ library, version, lockTimeoutMs, onWait })
      terminal.note('plain', `Deleted ${described(it)}.`)
    }
    if (json) await terminal.write(jsonText(doomed.map(libraryJson)))
    return 0
  },
})

function described({ library, version, pages, chunks }: LibraryVersion): string {
  return `${library} ${version} (${counted(pages, 'page')}, ${counted(chunks, 'chunk')})`
}

type Typed = { library: string; version: string | null; all: boolean }

function chosen(indexed: readonly LibraryVersion[], { library, version, all }: Typed) {
  if (version !== null && all) {
    throw new OgError('Cannot delete one version and all of them: name --version or --all')
  }
  if (version !== null) return [findExactly(indexed, { library, version })]
  const mine = ofLibrary(indexed, library)
  if (all) return mine
  throw new OgError('Missing option --version of "og remove"', {
    hint: `"${mine[0]!.library}" has ${versionsOf(mine)}; --all is all of them`,
  })
}

/** Elsewhere `0.115` means the newest 0.115.x; what is deleted has to be named in full. */
function findExactly(
  indexed: readonly LibraryVersion[],
  { library, version }: { library: string; version: string },
): LibraryVersion {
  const mine = ofLibrary(indexed, library)
  const exact = mine.find((it) => it.version === version)
  if (exact) return exact
  throw new OgError(`Library "${library}" has no version "${version}"`, {
    hint:
      didYouMean(
        version,
        mine.map((it) => it.version),
      ) || `it has ${versionsOf(mine)}`,
  })
}

/** Never empty. */
function ofLibrary(indexed: readonly LibraryVersion[], library: string): LibraryVersion[] {
  const mine = indexed.filter((it) => it.library.toLowerCase() === library.toLowerCase())
  if (mine.length > 0) return mine
  const names = indexed.map((it) => it.library)
  const hint = didYouMean(library, names) || '"og list" shows what is there'
  throw new OgError(`Unknown library "${library}"`, { hint })
}

function versionsOf(indexed: readonly LibraryVersion[]): string {
  return indexed
    .slice(0, 10)
    .map((it) => it.version)
    .join(', ')
}
