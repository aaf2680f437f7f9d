import { loadConfig } from '../../../config/load.ts'
import { parseSide, type LibraryDiff, type PageChange } from '../../../library/diff.ts'
import type { ApiDiff } from '../../../library/api-symbols.ts'
import {
  diff as diffOperation,
  diffApi,
  apiChangeCounts,
  apiChangeLines,
  sectionStatus,
  sideText,
} from '../../../operation/diff.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { styledLine, type Line } from '../../span.ts'
import { wrapLine } from '../../screen/layout.ts'
import type { Terminal } from '../../terminal.ts'

export const diff = command({
  name: 'diff',
  summary: diffOperation.summary,
  positionals: {
    library: { doc: 'LIBRARY or LIBRARY@VERSION', suggest: 'library@version' },
    other: {
      doc: '[LIBRARY@VERSION] [TEXT], or [VERSION VERSION] [TEXT]',
      variadic: true,
      optional: true,
      suggest: 'library@version',
    },
  },
  options: {
    api: option.flag('compare public names and signatures'),
    stat: option.flag('print counts instead of sections or names'),
    json: option.flag('print a JSON object with the texts of the sections'),
    ...pageScreenOptions,
  },
  async run({ env, terminal, openOg }, { library, other, api, stat, json, ...options }) {
    const input = comparisonOf(library, other)
    await using og = await openOg(await loadConfig(env))
    if (api) {
      const answer = await diffApi.run(og, input)
      if (json) await terminal.write(jsonText(diffApi.json(answer)))
      else await print(terminal, options, renderApiDiff(answer.value, stat))
      return 0
    }
    const answer = await diffOperation.run(og, input)
    if (json) await terminal.write(jsonText(diffOperation.json(answer)))
    else await print(terminal, options, renderDiff(answer.value, stat))
    return 0
  },
})

/** Prints the counts first. A terminal highlights the counts and the changed pages. */
async function print(
  terminal: Terminal,
  { format, 'no-pager': noPager }: { format: string | null; 'no-pager': boolean },
  text: string,
): Promise<void> {
  const screen = selectScreen(terminal, format)
  if (screen === null) return await terminal.write(text)
  const lines = text.trimEnd().split('\n')
  const rows = lines.flatMap((line, i) => {
    const indent = styledLine(line.startsWith(' ') ? '      ' : '    ')
    const [mark, rest] = [line.slice(0, 2), line.slice(2)]
    const spans: Line =
      i === 0
        ? styledLine(line, 'title')
        : line.startsWith(' ')
          ? styledLine(line)
          : [...styledLine(mark, 'found'), ...styledLine(rest, 'strong')]
    return wrapLine(spans, screen.columns, indent)
  })
  await terminal.show(rows, { isPaged: !noPager })
}

type Comparison = { from: string; to: string | null; text: string }

/**
 * Parses the words after LIBRARY. `LIBRARY@VERSION` is the second side. Plain versions belong to
 * the first library: two after LIBRARY, or one after LIBRARY@VERSION. Any other word is text, even
 * `@app.get`.
 */
function comparisonOf(library: string, words: readonly string[]): Comparison {
  const [first = ''] = words
  const side = first.includes('@') ? parseSide(first) : null
  if (side !== null && side.version !== null) {
    return { from: library, to: first, text: words.slice(1).join(' ') }
  }
  const from = parseSide(library)
  const count = from?.version == null ? 2 : 1
  const versions = words.slice(0, count)
  if (from === null || versions.length < count || !versions.every(isVersion)) {
    return { from: library, to: null, text: words.join(' ') }
  }
  const sides = versions.map((version) => `${from.library}@${version}`)
  const text = words.slice(count).join(' ')
  return { from: count === 1 ? library : sides[0]!, to: sides.at(-1)!, text }
}

function isVersion(word: string): boolean {
  return /^v?\d[\w.+-]*$/.test(word)
}

const marks = { added: '+', changed: '~', removed: '-' } as const

function renderDiff({ from, to, pages }: LibraryDiff, isStat: boolean): string {
  const count = (status: PageChange['status']) =>
    `${pages.filter((page) => page.status === status).length} ${status}`
  const total = `${count('added')}, ${count('changed')}, ${count('removed')}`
  const lines = pages.flatMap(({ status, path, title, sections }) =>
    isStat
      ? [[marks[status], path, ...sectionCounts(sections)].join(' ')]
      : [
          `${marks[status]} ${path}  ${title}`,
          ...sections.map((it) => `    ${marks[sectionStatus(it)]} ${it.heading || '(beginning)'}`),
        ],
  )
  const gap = lines.length > 0 ? '\n' : ''
  return (
    `${sideText(from, to)} → ${sideText(to, from)}: pages ${total}\n${gap}` +
    lines.map((line) => `${line}\n`).join('')
  )
}

function sectionCounts(sections: PageChange['sections']): string[] {
  const counts = Object.entries(marks).map(([status, mark]) => ({
    mark,
    count: sections.filter((it) => sectionStatus(it) === status).length,
  }))
  return counts.filter(({ count }) => count > 0).map(({ mark, count }) => `${mark}${count}`)
}

function renderApiDiff({ from, to, changes }: ApiDiff, isStat: boolean): string {
  const lines = isStat ? [] : changes.flatMap(apiChangeLines)
  const gap = lines.length > 0 ? '\n' : ''
  return (
    `${sideText(from, to)} → ${sideText(to, from)}: names ${apiChangeCounts(changes)}\n${gap}` +
    lines.map((line) => `${line}\n`).join('')
  )
}
