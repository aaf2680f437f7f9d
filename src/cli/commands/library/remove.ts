import { loadConfig } from '../../../config/load.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import { remove as removeOperation } from '../../../operation/library.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { command } from '../../command.ts'
import { confirm } from '../../confirm.ts'
import { fieldOptions } from '../../operation-options.ts'
import { waitNotifier } from '../../progress.ts'
import { lockOptionForms } from './publish-options.ts'

const fields = fieldOptions(removeOperation.input, {
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  all: {},
  ...lockOptionForms,
})

export const remove = command({
  name: 'remove',
  aliases: ['rm'],
  summary: removeOperation.summary,
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    ...fields.options,
    yes: { type: 'switch', short: 'y', doc: 'do not ask' },
    json: { type: 'switch', doc: 'print the deleted versions as a JSON array' },
  },
  examples: ['og remove fastapi -v 0.115.0 -y', 'og remove fastapi --all'],
  async run({ env, terminal, openOg }, { library, yes, json, ...typed }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const context = {
      og,
      confirm: (doomed: readonly LibraryVersion[]) =>
        confirm(terminal, { what: `delete ${doomed.map(describeVersion).join(', ')}`, yes }),
      onWait: (library: string) => waitNotifier(terminal, library)(),
      onRemoved: (one: LibraryVersion) =>
        terminal.note('plain', `Deleted ${describeVersion(one)}.`),
    }
    const answer = await removeOperation.run(context, { library, ...fields.input(typed) })
    if (answer.value === null) return 1
    if (json) await terminal.write(jsonText(removeOperation.json(answer)))
    return 0
  },
})

function describeVersion({ library, version, pages, chunks }: LibraryVersion): string {
  return `${library} ${version} (${formatCount(pages, 'page')}, ${formatCount(chunks, 'chunk')})`
}
