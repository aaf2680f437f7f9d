import { expandPath, sourcesPlaces, userPaths } from '../../../config/paths.ts'
import { loadConfig } from '../../../config/load.ts'
import { addressFields } from '../../../library/sources/save-source.ts'
import { trustProject } from '../../../library/sources/source-trust.ts'
import { findSource, readSourcesFiles } from '../../../library/sources/source-list.ts'
import type { SourcesFile } from '../../../library/sources/sources-file.ts'
import { OgError } from '../../../platform/error.ts'
import { didYouMean } from '../../../platform/text/nearest.ts'
import { isRecord, jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { renderTable, tableLines, wrapLine } from '../../screen/layout.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { styledLine, type Line } from '../../span.ts'
import { jsonOption } from '../../operation-options.ts'

const trust = command({
  name: 'sources trust',
  summary: "let a project's sources.json name private hosts and folders outside it",
  positionals: { dir: { doc: 'folder that contains .openground' } },
  options: { revoke: option.flag('withdraw the trust'), json: jsonOption },
  async run({ env, terminal }, { dir, revoke, json }) {
    const folder = await trustProject(userPaths(env).lists(), expandPath(dir, env), { revoke })
    terminal.note('plain', revoke ? `Trust withdrawn: ${folder}` : `Trusted: ${folder}`)
    if (json) await terminal.write(jsonText({ folder, trusted: !revoke }))
    return 0
  },
})

const show = command({
  name: 'sources',
  summary: 'list the sources that "og add NAME" knows, or show one',
  positionals: {
    library: { doc: 'show the entry of this library', optional: true, suggest: 'source' },
  },
  options: {
    'sources-file': option.text('PATH', 'sources.json to search first'),
    json: option.flag('print JSON'),
    ...pageScreenOptions,
  },
  async run({ env, terminal }, { library, 'sources-file': file, json, ...options }) {
    const { sources } = await loadConfig(env)
    const path = file === null ? sources.filePath : expandPath(file, env)
    const places = { ...sourcesPlaces(env, path), isTyped: file !== null }
    const { files, problems } = await readSourcesFiles(places)
    for (const { message } of problems) terminal.note('warning', message)
    const listed = library === null ? allEntries(files) : [oneEntry(files, library)]
    const result = library === null ? listed : listed[0]
    const screen = json ? null : selectScreen(terminal, options.format)
    if (json) await terminal.write(jsonText(result))
    else if (library !== null) {
      await terminal.write(renderOne(listed[0]!, screen?.columns ?? null))
    } else if (screen === null) await terminal.write(renderList(listed))
    else {
      terminal.note('hint', 'og add LIBRARY indexes one; og sources LIBRARY shows its entry')
      await terminal.show(listLines(listed, { files, columns: screen.columns }), {
        isPaged: !options['no-pager'],
      })
    }
    return 0
  },
})

/** `sources trust` comes first, so that `trust` is not parsed as a library. */
export const sourcesCommands = [trust, show]

type SourceRow = { library: string; file: string; entry: unknown }

function allEntries(files: readonly SourcesFile[]): SourceRow[] {
  const listed = new Map<string, SourceRow>()
  for (const { path, entries } of files) {
    for (const [library, entry] of entries) {
      if (!listed.has(library)) listed.set(library, { library, file: path, entry })
    }
  }
  const byName = new Intl.Collator('en', { numeric: true }).compare
  return [...listed.values()].sort((a, b) => byName(a.library, b.library))
}

function oneEntry(files: readonly SourcesFile[], library: string): SourceRow {
  const entry = findSource(files, library)
  if (entry) return { library: entry.name, file: entry.file.path, entry: entry.entry }
  const names = files.flatMap(({ entries }) => [...entries.keys()])
  throw new OgError(`No list has a source for "${library}"`, {
    hint: didYouMean(library, names) || '"og sources" lists all sources',
    exitCode: 1,
  })
}

function renderList(listed: readonly SourceRow[]): string {
  const rows = listed.map(({ library, file, entry }) => [library, placeOf(entry), file])
  return renderTable([['LIBRARY', 'SOURCE', 'FROM'], ...rows], null)
}

/** Lists the sources per file in search order. Each path has its own row. */
function listLines(
  listed: readonly SourceRow[],
  { files, columns }: { files: readonly SourcesFile[]; columns: number },
): Line[] {
  const groups = files
    .map(({ path }) => ({ path, rows: listed.filter(({ file }) => file === path) }))
    .filter(({ rows }) => rows.length > 0)
  return groups.flatMap(({ path, rows }, i) => {
    const cells = rows.map(({ library, entry }) => [
      styledLine(library, 'strong'),
      styledLine(placeOf(entry)),
    ])
    const gap: Line[] = i === 0 ? [] : [[]]
    const head = wrapLine(styledLine(path, 'title'), columns)
    const heads = [styledLine('LIBRARY', 'aside'), styledLine('SOURCE', 'aside')]
    return [...gap, ...head, ...tableLines([heads, ...cells], columns)]
  })
}

function renderOne({ library, file, entry }: SourceRow, width: number | null): string {
  const fields = isRecord(entry) ? Object.entries(entry) : []
  const rows = fields.map(([name, value]) => [name, [value].flat().join(', ')])
  return `${library} (${file})\n${renderTable(rows, width && width - 2).replace(/^(?=.)/gm, '  ')}`
}

function placeOf(entry: unknown): string {
  if (!isRecord(entry)) return ''
  const [place] = addressFields.slice(1).flatMap((name) => entry[name] ?? [])
  return typeof place === 'string' ? place : ''
}
