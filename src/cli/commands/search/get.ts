import { loadConfig } from '../../../config/load.ts'
import type { Og } from '../../../open.ts'
import { get, type PageAnswer } from '../../../operation/get.ts'
import { indexLines } from '../../../chunk/line.ts'
import { OgError } from '../../../platform/error.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { fieldOptions } from '../../operation-options.ts'
import { pageRows } from '../../screen/markdown-rows.ts'
import { maxProseColumns } from '../../screen/hit-view.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { parseLineRange, linesInRange, type LineRange } from '../../arguments.ts'
import { noteError, printNotes } from '../../answer/notes.ts'
import { projectPins } from '../../project-version.ts'
import { nothingIndexedError } from '../../../version/unknown-version.ts'
import { splitVersion } from '../../../version/package-name.ts'
import type { Answer, Note } from '../../../operation/note.ts'
import { isApiPagePath } from '../../../api/api-path.ts'
import { sectionLine } from '../../../mcp/docs/quote.ts'
import type { FullPage } from '../../../library/library.ts'

const fields = fieldOptions(get.input, {
  library: { short: 'l', placeholder: 'LIBRARY', suggest: 'library' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
})

export const getCommand = command({
  name: 'get',
  summary: get.summary,
  positionals: {
    url: { doc: 'addresses of pages, names of the API reference, or a library', variadic: true },
  },
  options: {
    ...fields.options,
    lines: option.text(
      'A-B',
      'print only lines A to B; "A-" means to the end, "A" one line; "1-" prints an API page ' +
        'in full, whose members are shortened in a pipe',
    ),
    json: option.flag('print a JSON object; for several URLs, an array of objects'),
    ...pageScreenOptions,
  },
  async run(context, { url, lines, json, ...options }) {
    const { env, terminal, openOg } = context
    const input = { ...fields.input(options), ...wholePage }
    const range = lines === null ? null : { typed: lines, ...parseLineRange(lines) }
    await using og = await openOg(await loadConfig(env))
    const project = await projectPins(context, splitVersion(input).version)
    const screen = json ? null : selectScreen(terminal, options.format)
    const reading = {
      og,
      project: async () => project,
      maxTokens: Infinity,
      condensesApi: !json && screen === null && lines === null,
      renderOutline: () => '',
    }
    const urls = [...new Set(url)]
    const isOne = urls.length === 1
    const parts: PartRead[] = []
    for (const one of urls) {
      const answer = await get.run(reading, { ...input, url: one })
      const part = await readPart(og, answer, { ...input, url: one, range })
      if (isOne && part.problem !== null) throw part.problem
      if (part.problem !== null) noteError(terminal, part.problem)
      parts.push(part)
    }
    const found = distinctParts(parts)
    printNotes(
      terminal,
      found.flatMap(({ notes }) => notes),
    )
    const pages = found.map((part) => (isOne ? part : withHeading(part)))
    if (json) await terminal.write(jsonText(isOne ? parts[0]!.json : parts.map((it) => it.json)))
    else if (screen === null) await terminal.write(pages.map(({ text }) => text).join('\n'))
    else {
      const width = Math.min(maxProseColumns, screen.columns)
      const rows = pages.map((page) => [...pageRows(page, width).map(({ spans }) => spans), []])
      await terminal.show(rows.flat().slice(0, -1), { isPaged: !options['no-pager'] })
    }
    return parts.every(({ problem }) => problem === null) ? 0 : 1
  },
})

const wholePage = { start_line: null, end_line: null, max_tokens: null, cursor: null }

/** The part of a page that a URL selects, or the reason why it is missing. */
type PartRead = { json: object } & ({ problem: OgError } | ({ problem: null } & FoundPart))

type FoundPart = FullPage & { asked: string; startLine: number; notes: readonly Note[] }

type PartRequest = {
  url: string
  library: string | null
  version: string | null
  range: (LineRange & { typed: string }) | null
}

async function readPart(
  og: Og,
  answer: Answer<PageAnswer>,
  { url, range, ...scope }: PartRequest,
): Promise<PartRead> {
  const { value, notes } = answer
  const missing = (nearest: string[]) => ({ found: false, url, nearest })
  if (value.part === null) {
    const { page, nearest } = value
    const problem =
      page === null
        ? await noPage(og, { url, ...splitVersion(scope) }, nearest)
        : noSection(page, nearest)
    return { problem, json: missing(nearest) }
  }
  const { page, section, part } = value
  const text = range === null ? part.content : linesInRange(part.content, range)
  if (text === null) {
    const what = section === null ? 'page' : 'section'
    const problem = new OgError(`No lines ${range!.typed}: the ${what} ends before`, {
      exitCode: 1,
    })
    return { problem, json: missing([]) }
  }
  const json = linesJson(answer, { text, range })
  return { problem: null, json, ...page, asked: url, startLine: part.startLine, text, notes }
}

/** Keeps one of several equal parts. */
function distinctParts(parts: readonly PartRead[]): FoundPart[] {
  const found = parts.flatMap((part) => (part.problem === null ? [part] : []))
  const placeOf = ({ library, version, url, startLine }: FoundPart) =>
    [library, version, url, startLine].join(' ')
  return [...new Map(found.map((part) => [placeOf(part), part])).values()]
}

/** Puts the URL above a part, unless the part begins with the name of a symbol. */
function withHeading(part: FoundPart): FoundPart {
  const isNamed = isApiPagePath(part.url) && part.text.startsWith('#')
  return { ...part, text: `${isNamed ? '' : sectionLine(part.asked)}${part.text.trimEnd()}\n` }
}

function linesJson(
  answer: Answer<PageAnswer>,
  { text, range }: { text: string; range: LineRange | null },
) {
  const json = get.json(answer)
  if (range === null || !json.found) return json
  const first = json.start_line + range.first - 1
  return { ...json, text, start_line: first, end_line: first + indexLines(text).count - 1 }
}

async function noPage(
  og: Og,
  { url, library, version }: { url: string; library: string | null; version: string | null },
  near: string[],
): Promise<OgError> {
  const listed = await og.list()
  if (listed.length === 0) throw nothingIndexedError()
  return new OgError(`No page has the address "${url}"${locationText(library, version)}`, {
    hint: nearHint(near, library),
    exitCode: 1,
  })
}

function nearHint(near: string[], library: string | null): string {
  if (near.length === 0) return `og get ${shellWord(library ?? 'LIBRARY')} lists the pages`
  return `the nearest: ${near.join(' ')}`
}

function noSection({ url, anchor }: FullPage, near: string[]): OgError {
  return new OgError(`No heading "${anchor}" in ${url}`, {
    hint: near.length > 0 ? nearHint(near, null) : 'without # the whole page is printed',
    exitCode: 1,
  })
}

function locationText(library: string | null, version: string | null): string {
  const places = [library && `library "${library}"`, version && `version "${version}"`]
  const parts = places.filter((part) => part)
  return parts.length > 0 ? ` in ${parts.join(', ')}` : ''
}
