import { loadConfig } from '../../../config/load.ts'
import type { Og } from '../../../open.ts'
import { get, type PageAnswer } from '../../../operation/get.ts'
import { indexLines } from '../../../chunk/line.ts'
import { OgError } from '../../../platform/error.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { fieldOptions, jsonOption } from '../../operation-options.ts'
import { pageRows } from '../../screen/markdown-rows.ts'
import { maxProseColumns } from '../../screen/hit-view.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { parseLineRange, linesInRange, type LineRange } from '../../arguments.ts'
import { printNotes } from '../../answer/notes.ts'
import { projectPins } from '../../project-version.ts'
import { nothingIndexedError } from '../../../version/unknown-version.ts'
import { splitVersion } from '../../../version/package-name.ts'
import type { Answer } from '../../../operation/note.ts'
import type { FullPage } from '../../../library/library.ts'

const fields = fieldOptions(get.input, {
  library: { short: 'l', placeholder: 'LIBRARY', suggest: 'library' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
})

export const getCommand = command({
  name: 'get',
  summary: get.summary,
  positionals: { url: { doc: 'address of the page, a name of the API reference, or a library' } },
  options: {
    ...fields.options,
    lines: option.text(
      'A-B',
      'print only lines A to B; "A-" means to the end, "A" one line; "1-" prints an API page ' +
        'in full, whose members are shortened in a pipe',
    ),
    json: jsonOption,
    ...pageScreenOptions,
  },
  examples: [
    'og get fastapi',
    'og get tutorial/cors.md#use-corsmiddleware -l fastapi',
    'og get https://github.com/fastapi/fastapi/blob/0.115.0/docs/en/docs/index.md',
    'og get URL -l fastapi -v 0.115.0 --lines 20-60',
  ],
  async run(context, { url, lines, json, ...options }) {
    const { env, terminal, openOg } = context
    const input = { ...fields.input(options), url, ...wholePage }
    const { library, version } = splitVersion(input)
    const range = lines === null ? null : parseLineRange(lines)
    await using og = await openOg(await loadConfig(env))
    const project = await projectPins(context, version)
    const screen = json ? null : selectScreen(terminal, options.format)
    const reading = {
      og,
      project: async () => project,
      maxTokens: Infinity,
      condensesApi: !json && screen === null && lines === null,
      renderOutline: () => '',
    }
    const answer = await get.run(reading, input)
    const { value, notes } = answer
    if (value.part === null) {
      throw value.page === null
        ? await noPage(og, { url, library, version }, value.nearest)
        : noSection(value.page, value.nearest)
    }
    const { page, section, part } = value
    const text = range === null ? part.content : linesInRange(part.content, range)
    if (text === null) {
      const what = section === null ? 'page' : 'section'
      throw new OgError(`No lines ${lines}: the ${what} ends before`, { exitCode: 1 })
    }
    printNotes(terminal, notes)
    if (screen === null) {
      await terminal.write(json ? jsonText(linesJson(answer, { text, range })) : text)
    } else {
      const rows = pageRows({ ...page, text }, Math.min(maxProseColumns, screen.columns))
      await terminal.show(
        rows.map(({ spans }) => spans),
        { isPaged: !options['no-pager'] },
      )
    }
    return 0
  },
})

const wholePage = { start_line: null, end_line: null, max_tokens: null, cursor: null }

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
  if (listed.length === 0) return nothingIndexedError()
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
