import { loadConfig } from '../../../config/load.ts'
import type { StoredVersion } from '../../../library/stored-versions.ts'
import { list as listOperation, type LibraryListing } from '../../../operation/library.ts'
import { command } from '../../command.ts'
import type { Terminal } from '../../terminal.ts'
import { rawPagesHint } from '../../answer/raw-pages-hint.ts'
import { renderLibraries } from '../../answer/library-table.ts'
import { fieldOptions } from '../../operation-options.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { jsonText } from '../../../platform/json.ts'

const fields = fieldOptions(listOperation.input, {
  search_term: { name: 'search', placeholder: 'TEXT' },
})

export const list = command({
  name: 'list',
  aliases: ['ls', 'list-libraries'],
  summary: listOperation.summary,
  options: { ...fields.options, json: { type: 'switch', doc: 'print a JSON array' } },
  hintForWord: (word) =>
    `og list --search ${shellWord(word)} lists the libraries with this name, ` +
    `og get ${shellWord(word)} the pages of one`,
  examples: ['og list', "og list --json | jq -r '.[].library'"],
  async run({ env, terminal, openOg }, { json, ...typed }) {
    const config = await loadConfig(env)
    await using og = await openOg(config)
    const answer = await listOperation.run({ versions: og.holdings }, fields.input(typed))
    const { libraries, indexed } = answer.value
    if (json) await terminal.write(jsonText(listOperation.json(answer)))
    else if (libraries.length > 0) {
      await terminal.write(renderLibraries(libraries, terminal.width()))
      for (const hint of remediesOf(libraries)) terminal.note('hint', hint)
    } else if (indexed.length > 0) noteNoMatch(terminal, answer.value, typed.search ?? '')
    else {
      terminal.note('plain', 'No libraries found.')
      const hint = await rawPagesHint(config)
      terminal.note('hint', hint ?? 'og add LIBRARY --source GIT_URL_OR_FOLDER')
    }
    return 0
  },
})

function noteNoMatch(
  terminal: Pick<Terminal, 'note'>,
  { nearest, indexed }: LibraryListing,
  term: string,
): void {
  terminal.note('plain', `No library has "${term}" in its name.`)
  const names = nearest.length > 0 ? nearest : indexed
  terminal.note('hint', `indexed are: ${names.slice(0, mostNamed).join(', ')}`)
}

const mostNamed = 20

function remediesOf(holdings: readonly StoredVersion[]): string[] {
  const remedies = holdings.flatMap(({ library, stale }) =>
    stale.map(({ remedy }) => ({ remedy, library })),
  )
  const groups = Map.groupBy(remedies, ({ remedy }) => remedy)
  return [...groups].map(([remedy, some]) => {
    const libraries = [...new Set(some.map(({ library }) => library))]
    const all = remedy === 'og update' ? ' --all' : ''
    return `for stale libraries: ${remedy}${libraries.length === 1 ? ` ${libraries[0]}` : all}`
  })
}
