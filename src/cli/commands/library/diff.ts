import { loadConfig } from '../../../config/load.ts'
import { parseSide, type LibraryDiff, type PageChange } from '../../../library/diff.ts'
import type { ApiDiff } from '../../../library/api/api-diff.ts'
import {
  diff as diffOperation,
  diffApi,
  apiChangeCounts,
  apiChangeLines,
  sectionStatus,
  sideText,
} from '../../../operation/diff.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'

export const diff = command({
  name: 'diff',
  summary: diffOperation.summary,
  details: [
    'With one library, prints its last change. With two, prints the difference between the ' +
      'first and the second. TEXT selects the pages and sections that mention it.',
    'Pages are matched by path, sections by heading. "+" means added, "-" removed and "~" ' +
      'changed.',
    'With --api the public names of the API references are compared: removed (-), likely renamed ' +
      '(=), with another signature (~, with the parameters that changed), newly deprecated (!) ' +
      'and added (+). --stat prints only the counts.',
  ],
  positionals: {
    library: { doc: 'LIBRARY or LIBRARY@VERSION', suggest: 'library@version' },
    other: {
      doc: '[LIBRARY@VERSION] [TEXT]',
      variadic: true,
      optional: true,
      suggest: 'library@version',
    },
  },
  options: {
    api: { type: 'switch', doc: 'compare public names and signatures' },
    stat: { type: 'switch', doc: 'print only the counts' },
    json: { type: 'switch', doc: 'print a JSON object with the texts of the sections' },
  },
  examples: [
    'og diff fastapi',
    'og diff fastapi@0.114.0 fastapi@0.115.0',
    'og diff fastapi@0.114.0 fastapi@0.115.0 "query parameter" --json',
    'og diff pydantic@2.10 pydantic@2.11 --api',
  ],
  async run({ env, terminal, openOg }, { library, other, api, stat, json }) {
    const input = { from: library, ...secondOf(other) }
    await using og = await openOg(await loadConfig(env))
    if (api) {
      const answer = await diffApi.run(og, input)
      const text = renderApiDiff(answer.value, stat)
      await terminal.write(json ? jsonText(diffApi.json(answer)) : text)
      return 0
    }
    const answer = await diffOperation.run(og, input)
    const text = renderDiff(answer.value, stat)
    await terminal.write(json ? jsonText(diffOperation.json(answer)) : text)
    return 0
  },
})

/** `LIBRARY@VERSION` is the second side; any other word is text, even `@app.get`. */
function secondOf([first = '', ...rest]: readonly string[]): { to: string | null; text: string } {
  const side = first.includes('@') ? parseSide(first) : null
  if (side === null || side.version === null) return { to: null, text: [first, ...rest].join(' ') }
  return { to: first, text: rest.join(' ') }
}

const marks = { added: '+', changed: '~', removed: '-' } as const

function renderDiff({ from, to, pages }: LibraryDiff, isStat: boolean): string {
  const count = (status: PageChange['status']) =>
    `${pages.filter((page) => page.status === status).length} ${status}`
  const total = `${count('added')}, ${count('changed')}, ${count('removed')}`
  const lines = (isStat ? [] : pages).flatMap(({ status, path, title, sections }) => [
    `${marks[status]} ${path}  ${title}`,
    ...sections.map((it) => `    ${marks[sectionStatus(it)]} ${it.heading || '(beginning)'}`),
  ])
  const gap = lines.length > 0 ? '\n' : ''
  return (
    `${sideText(from, to)} → ${sideText(to, from)}: pages ${total}\n${gap}` +
    lines.map((line) => `${line}\n`).join('')
  )
}

function renderApiDiff({ from, to, changes }: ApiDiff, isStat: boolean): string {
  const lines = isStat ? [] : changes.flatMap(apiChangeLines)
  const gap = lines.length > 0 ? '\n' : ''
  return (
    `${sideText(from, to)} → ${sideText(to, from)}: names ${apiChangeCounts(changes)}\n${gap}` +
    lines.map((line) => `${line}\n`).join('')
  )
}
