import { loadConfig } from '../../../config/load.ts'
import type { FreeResult } from '../../../library/free.ts'
import { formatBytes } from '../../../platform/file/size.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { command } from '../../command.ts'
import { jsonOption } from '../json.ts'

export const gc = command({
  name: 'gc',
  summary: 'delete unused data',
  options: {
    'dry-run': { type: 'switch', doc: 'print the unused data without deleting it' },
    json: jsonOption,
  },
  examples: ['og gc --dry-run', 'og gc'],
  async run({ env, terminal, openOg }, { 'dry-run': isDry, json }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const all: FreeResult[] = []
    for await (const freed of og.free({ isDry })) all.push(freed)
    for (const { kind, inUse } of all) {
      const what = kind === 'embeddings' ? 'the cache of embeddings' : names[kind](inUse)
      if (inUse > 0) terminal.note('plain', `In use for now: ${what}`)
    }
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
    const kinds = all.filter(({ count }) => count > 0)
    const lines = kinds.map(
      ({ kind, count, bytes: its }) => `  ${names[kind](count)}: ${formatBytes(its)}\n`,
    )
    const head = isDry ? 'Would free' : 'Freed'
    if (json) await terminal.write(jsonText({ dry_run: isDry, bytes, freed: all.map(freedJson) }))
    else if (kinds.length === 0) terminal.note('plain', 'Nothing to free.')
    else await terminal.write(`${head} ${formatBytes(bytes)}:\n${lines.join('')}`)
    return 0
  },
})

const names: Readonly<Record<FreeResult['kind'], (count: number) => string>> = {
  states: (count) => `${formatCount(count, 'state')} of no library version`,
  natives: (count) => `${formatCount(count, 'folder')} of natives of other versions of og`,
  embeddings: (count) => `${formatCount(count, 'cached embedding')} of no library version`,
}

function freedJson({ kind, count, bytes, inUse }: FreeResult) {
  return { kind, count, bytes, in_use: inUse }
}
