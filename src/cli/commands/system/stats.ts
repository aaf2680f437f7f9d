import { loadConfig } from '../../../config/load.ts'
import { userPaths } from '../../../config/paths.ts'
import { command, option } from '../../command.ts'
import { confirm } from '../../terminal.ts'
import { jsonOption } from '../../operation-options.ts'
import { jsonText } from '../../../platform/json.ts'

const show = command({
  name: 'stats show',
  summary: 'print the size of the index and the number of tool calls',
  options: { json: option.flag('print a JSON object') },
  async run({ env, terminal, openOg }, { json }) {
    await using og = await openOg(await loadConfig(env))
    const { readStats } = await import('../../../library/stats.ts')
    const versions = await og.list()
    const { toolCalls, problem } = await readStats(userPaths(env).stats())
    if (problem) terminal.note('warning', problem.message)
    const libraries = new Set(versions.map((it) => it.library)).size
    const chunks = versions.reduce((sum, it) => sum + it.chunks, 0)
    const calls = Object.entries(toolCalls).sort(([a], [b]) => (a < b ? -1 : 1))
    const counts = { libraries, versions: versions.length, chunks }
    if (json) {
      const all = { ...counts, tool_calls: Object.fromEntries(calls) }
      await terminal.write(jsonText(all))
    } else await terminal.write(renderStats(counts, calls))
    return 0
  },
})

const reset = command({
  name: 'stats reset',
  summary: 'set the counts of tool calls to zero',
  options: { yes: option.flag('do not ask', { short: 'y' }), json: jsonOption },
  async run({ env, terminal }, { yes, json }) {
    const path = userPaths(env).stats()
    if (!(await confirm(terminal, { what: `set the counts in ${path} to zero`, yes }))) return 1
    const { resetStats } = await import('../../../library/stats.ts')
    await resetStats(path)
    terminal.note('plain', 'Statistics cleared. Tool call counts reset to zero.')
    if (json) await terminal.write(jsonText({ path, tool_calls: {} }))
    return 0
  },
})

export const statsCommands = [show, reset]

type Counts = { libraries: number; chunks: number }

function renderStats(counts: Counts, calls: readonly (readonly [string, number])[]): string {
  return [
    'Openground Statistics',
    '='.repeat(50),
    `Libraries: ${counts.libraries}`,
    `Total chunks: ${counts.chunks}`,
    'Tool calls:',
    ...calls.map(([name, count]) => `  ${name}: ${count}`),
    '',
  ].join('\n')
}
