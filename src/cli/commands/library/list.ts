import { loadConfig } from '../../../config/load.ts'
import type { Holding } from '../../../library/holdings.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import { sourcePlace } from '../../../store/source.ts'
import { command } from '../../command.ts'
import { rawPagesHint } from '../../answer/raw-pages-hint.ts'
import { renderLibraries } from '../../answer/library-table.ts'
import { jsonText } from '../../../platform/json.ts'

export const list = command({
  name: 'list',
  aliases: ['ls', 'list-libraries'],
  summary: 'list the indexed libraries',
  details: [
    'SIZE is what a version takes on disk; the state before it, which "og rollback" returns to, ' +
      'comes on top ("previous_bytes" in JSON); "-" (null) if only an unreachable bucket ' +
      'has it. STALE says what would be made otherwise today, ' +
      'and hints say what mends it: cut by another version of og or other settings, embedded ' +
      'by another model than is set, pages that failed; and "incomplete" where the source was ' +
      'not read whole, for example because its host did not answer.',
    'On a terminal each version has one line: a narrow one leaves out columns and shortens long ' +
      'sources in the middle. A pipe gets the whole table.',
  ],
  positionals: {},
  options: { json: { type: 'switch', doc: 'print a JSON array' } },
  examples: ['og list', "og list --json | jq -r '.[].library'"],
  async run({ env, terminal, openOg }, { json }) {
    const config = await loadConfig(env)
    await using og = await openOg(config)
    const holdings = await og.holdings()
    if (json) await terminal.write(jsonText(holdings.map(holdingJson)))
    else if (holdings.length > 0) {
      await terminal.write(renderLibraries(holdings, terminal.width()))
      for (const hint of remediesOf(holdings)) terminal.note('hint', hint)
    } else {
      terminal.note('plain', 'No libraries found.')
      const hint = await rawPagesHint(config)
      terminal.note('hint', hint ?? 'og add LIBRARY --source GIT_URL_OR_FOLDER')
    }
    return 0
  },
})

/** The object that `--json` promises; names and order are the contract. */
export function libraryJson(one: LibraryVersion) {
  return {
    library: one.library,
    version: one.version,
    pages: one.pages,
    chunks: one.chunks,
    source: sourcePlace(one.source),
    ref: one.ref,
    commit: one.commit,
    indexed_at: one.indexedAt,
  }
}

function holdingJson(holding: Holding) {
  const { bytes, previousBytes, stale, pack, incomplete, tag } = holding
  return {
    ...libraryJson(holding),
    bytes,
    previous_bytes: previousBytes,
    stale,
    pack,
    incomplete,
    tag,
  }
}

/** A line for each command that mends something. */
function remediesOf(holdings: readonly Holding[]): string[] {
  const remedies = holdings.flatMap(({ library, stale }) =>
    stale.map(({ remedy }) => ({ remedy, library })),
  )
  const groups = Map.groupBy(remedies, ({ remedy }) => remedy)
  return [...groups].map(([remedy, some]) => {
    const libraries = [...new Set(some.map(({ library }) => library))]
    const all = remedy === 'og update' ? ' --all' : ''
    return `of what is stale: ${remedy}${libraries.length === 1 ? ` ${libraries[0]}` : all}`
  })
}
