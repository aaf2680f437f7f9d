import { loadConfig } from '../../../config/load.ts'
import { command } from '../../command.ts'
import { counted } from '../../../platform/text/counted.ts'
import { libraryJson } from './list.ts'
import { noteWaiting } from '../../progress.ts'
import { lockTimeout } from './publish-options.ts'
import { jsonText } from '../../../platform/json.ts'

export const rollback = command({
  name: 'rollback',
  summary: 'return to the state of a library before its last change',
  details: [
    'The state before the last "og add" or "og update" is kept. Rolled back once more, the newer ' +
      'one is live again. Without --version it is the only version that has a state before.',
  ],
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'the version to roll back',
      suggest: 'version',
    },
    'lock-timeout': lockTimeout,
    json: { type: 'switch', doc: 'print what is live now as a JSON object' },
  },
  examples: ['og rollback fastapi', 'og rollback fastapi -v latest'],
  async run({ env, terminal, openOg }, { library, version, json, 'lock-timeout': seconds }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const onWait = noteWaiting(terminal, library)
    const live = await og.rollback({ library, version, lockTimeoutMs: seconds * 1000, onWait })
    const when = `${live.indexedAt.slice(0, 19).replace('T', ' ')}Z`
    await terminal.write(
      json
        ? jsonText(libraryJson(live))
        : `${live.library} ${live.version}: as indexed ${when} (${counted(live.pages, 'page')})\n`,
    )
    return 0
  },
})
