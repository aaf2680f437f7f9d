import { loadConfig } from '../../../config/load.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import { sourcePlace } from '../../../store/source.ts'
import { command } from '../../command.ts'
import { renderTable } from '../../answer/table.ts'
import { jsonText } from '../../../platform/json.ts'

export const list = command({
  name: 'list',
  aliases: ['ls', 'list-libraries'],
  summary: 'list the indexed libraries',
  positionals: {},
  options: { json: { type: 'switch', doc: 'print a JSON array' } },
  examples: ['og list', "og list --json | jq -r '.[].library'"],
  async run({ env, terminal, openOg }, { json }) {
    await using og = await openOg(await loadConfig(env))
    const found = await og.list()
    if (json) await terminal.write(jsonText(found.map(libraryJson)))
    else if (found.length > 0) await terminal.write(renderLibraries(found, terminal.width()))
    else {
      terminal.note('plain', 'No libraries found.')
      terminal.note('hint', 'og add LIBRARY --source GIT_URL_OR_FOLDER')
    }
    return 0
  },
})

/** The object that `--json` promises; names and order are the contract. */
export function libraryJson(found: LibraryVersion) {
  return {
    library: found.library,
    version: found.version,
    pages: found.pages,
    chunks: found.chunks,
    source: sourcePlace(found.source),
    ref: found.ref,
    commit: found.commit,
    indexed_at: found.indexedAt,
  }
}

function renderLibraries(found: readonly LibraryVersion[], width: number | null): string {
  const rows = found.map((it) => [
    it.library,
    it.version,
    String(it.pages),
    String(it.chunks),
    `${it.indexedAt.slice(0, 16).replace('T', ' ')}Z`,
    sourcePlace(it.source),
  ])
  const head = ['LIBRARY', 'VERSION', 'PAGES', 'CHUNKS', 'INDEXED', 'SOURCE']
  return renderTable([head, ...rows], width)
}
