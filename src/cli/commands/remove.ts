import { loadConfig } from '../../config/load.ts'
import type { LibraryVersion } from '../../library/library.ts'
import { OgError } from '../../platform/error.ts'
import { command } from '../command.ts'
import { counted } from '../counted.ts'
import { didYouMean } from '../nearest.ts'

export const remove = command({
  name: 'remove',
  aliases: ['rm'],
  summary: 'delete a version of a library',
  details: ['On a terminal it asks before it deletes; elsewhere --yes is needed.'],
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'the version, exactly as "og list" shows it',
      required: true,
      suggest: 'version',
    },
    yes: { type: 'switch', short: 'y', doc: 'do not ask' },
    'lock-timeout': {
      type: 'whole',
      placeholder: 'SECONDS',
      doc: 'wait that long for another og that writes this version',
      min: 0,
      max: 86_400,
      default: 600,
    },
  },
  examples: ['og remove fastapi -v 0.115.0 -y'],
  async run({ env, terminal, openOg }, { library, version, yes, 'lock-timeout': seconds }) {
    await using og = await openOg(await loadConfig(env))
    const found = findExactly(await og.list(), { library, version })
    const size = `${counted(found.pages, 'page')}, ${counted(found.chunks, 'chunk')}`
    const what = `${found.library} ${found.version} (${size})`
    if (!yes && !terminal.canAsk) {
      throw new OgError(`Cannot ask whether to delete ${what}: this is no terminal`, {
        hint: 'pass --yes',
      })
    }
    if (!yes && !(await terminal.ask(`Delete ${what}?`))) {
      terminal.note('plain', 'Nothing was deleted.')
      return 1
    }
    const lockTimeoutMs = seconds * 1000
    await og.remove({ library: found.library, version: found.version, lockTimeoutMs })
    terminal.note('plain', `Deleted ${what}.`)
    return 0
  },
})

/** Elsewhere `0.115` means the newest 0.115.x; what is deleted has to be named in full. */
function findExactly(
  found: readonly LibraryVersion[],
  { library, version }: { library: string; version: string },
): LibraryVersion {
  const mine = found.filter((it) => it.library.toLowerCase() === library.toLowerCase())
  const exact = mine.find((it) => it.version === version)
  if (exact) return exact
  if (mine.length === 0) {
    const names = found.map((it) => it.library)
    const hint = didYouMean(library, names) || '"og list" shows what is there'
    throw new OgError(`Unknown library "${library}"`, { hint })
  }
  const versions = mine.map((it) => it.version)
  throw new OgError(`Library "${library}" has no version "${version}"`, {
    hint: didYouMean(version, versions) || `it has ${versions.slice(0, 10).join(', ')}`,
  })
}
