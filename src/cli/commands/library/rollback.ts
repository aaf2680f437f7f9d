import { loadConfig } from '../../../config/load.ts'
import { rollback as rollbackOperation } from '../../../operation/library.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { command } from '../../command.ts'
import { fieldOptions, lockOptionForms } from '../../operation-options.ts'
import { waitNotifier } from '../../progress.ts'

const fields = fieldOptions(rollbackOperation.input, {
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  ...lockOptionForms,
})

export const rollback = command({
  name: 'rollback',
  summary: rollbackOperation.summary,
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    ...fields.options,
    json: { type: 'switch', doc: 'print the restored version as a JSON object' },
  },
  examples: ['og rollback fastapi', 'og rollback fastapi -v latest'],
  async run({ env, terminal, openOg }, { library, json, ...typed }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const onWait = (library: string) => waitNotifier(terminal, library)()
    const answer = await rollbackOperation.run({ og, onWait }, { library, ...fields.input(typed) })
    const live = answer.value
    const when = `${live.indexedAt.slice(0, 19).replace('T', ' ')}Z`
    await terminal.write(
      json
        ? jsonText(rollbackOperation.json(answer))
        : `${live.library} ${live.version}: as indexed ${when} ` +
            `(${formatCount(live.pages, 'page')})\n`,
    )
    return 0
  },
})
