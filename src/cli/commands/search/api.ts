import { loadConfig } from '../../../config/load.ts'
import type { ApiListing } from '../../../library/api-symbols.ts'
import { api as apiOperation } from '../../../operation/api.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { projectPins } from '../../project-version.ts'
import { versionOption } from '../../operation-options.ts'

export const api = command({
  name: 'api',
  summary: apiOperation.summary,
  positionals: {
    library: { doc: 'LIBRARY or LIBRARY@VERSION', suggest: 'library@version' },
    prefix: {
      doc: 'only names that start with it; if none does, names with a part that does; ignores case',
      optional: true,
    },
  },
  options: {
    version: versionOption('this version'),
    json: option.flag('print a JSON object with whole signatures'),
  },
  async run(context, { library, prefix, version, json }) {
    await using og = await context.openOg(await loadConfig(context.env))
    const project = () => projectPins(context, version)
    const answer = await apiOperation.run({ og, project }, { library, prefix, version })
    const text = json ? jsonText(apiOperation.json(answer)) : renderOutline(answer.value)
    await context.terminal.write(text)
    return 0
  },
})

const mostColumns = 100

function renderOutline({ symbols }: ApiListing): string {
  const scopes: string[] = []
  const lines = symbols.map(({ qualifiedName, signature, deprecated }) => {
    while (scopes.length > 0 && !isWithin(qualifiedName, scopes.at(-1)!)) scopes.pop()
    const scope = scopes.at(-1)
    const name = scope === undefined ? qualifiedName : qualifiedName.slice(scope.length)
    const indent = '  '.repeat(scopes.length)
    scopes.push(qualifiedName)
    const first = signature.split('\n', 1)[0]!
    const note = deprecated === null ? '' : '  (deprecated)'
    const line = `${indent}${name}${first === '' ? '' : `  ${first}`}${note}`
    return line.length <= mostColumns ? line : `${line.slice(0, mostColumns - 1)}…`
  })
  return lines.map((line) => `${line}\n`).join('')
}

function isWithin(name: string, scope: string): boolean {
  return name.startsWith(scope) && /^(::|[.#/])/.test(name.slice(scope.length))
}
