import { loadConfig } from '../../../config/load.ts'
import type { FullPage } from '../../../library/page.ts'
import { sectionNamed, type PageSection } from '../../../library/page-section.ts'
import { OgError } from '../../../platform/error.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'
import { pageRows } from '../../screen/page-rows.ts'
import { mostColumns } from '../../screen/shown-hit.ts'
import { pageScreenOptions, screenDetails, wishedScreen } from '../../screen/screen-options.ts'
import { parseLineRange, linesIn, type LineRange } from '../../line-range.ts'
import { printNotes } from '../../answer/notes.ts'
import { projectPins } from '../../project-version.ts'
import { nothingIndexed } from '../../../version/unknown.ts'
import { withVersionInName } from '../../../version/version-in-name.ts'
import { jsonOption } from '../json.ts'

export const pageText = command({
  name: 'get',
  summary: 'print the exact text of a page',
  details: [
    'URL is the address that a hit of "og query" names, or that a browser shows; a path in the ' +
      'source, or its end, will do. With #ANCHOR or #HEADING the section under that heading is ' +
      'printed, with lines counted from its first. The exit code is 1 where there is no such ' +
      'page, section or line; the nearest are then named.',
    'On a terminal Markdown is drawn: headings, tables, code. A pipe gets the exact text.',
    screenDetails,
  ],
  positionals: { url: { doc: 'address of the page' } },
  options: {
    library: {
      type: 'text',
      short: 'l',
      placeholder: 'LIBRARY',
      doc: 'look in this library only, or LIBRARY@VERSION',
      suggest: 'library',
    },
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'look in this version only',
      suggest: 'version',
    },
    lines: {
      type: 'text',
      placeholder: 'A-B',
      doc: 'print lines A to B only, counted from 1; "A-" is to the end, "A" is one line',
    },
    json: jsonOption,
    ...pageScreenOptions,
  },
  examples: [
    'og get tutorial/cors.md#use-corsmiddleware -l fastapi',
    'og get https://github.com/fastapi/fastapi/blob/0.115.0/docs/en/docs/index.md',
    'og get URL -l fastapi -v 0.115.0 --lines 20-60',
  ],
  async run(context, { url, lines, json, ...typed }) {
    const { env, terminal, openOg } = context
    const { library, version } = withVersionInName(typed)
    const range = lines === null ? null : parseLineRange(lines)
    await using og = await openOg(await loadConfig(env))
    const project = await projectPins(context, version)
    const page = await og.page({ url, library, version, project })
    if (page === null) {
      const listed = await og.list()
      if (listed.length === 0) throw nothingIndexed()
      const isLibrary = listed.some((one) => one.library.toLowerCase() === url.toLowerCase())
      throw new OgError(`No page has the address "${url}"${within(library, version)}`, {
        hint: isLibrary
          ? `that is a library: og query "…" -l ${shellWord(url)} finds its pages`
          : nearHint(await og.pagesNear({ url, library, version, project })),
        exitCode: 1,
      })
    }
    const section = page.anchor === null ? null : sectionOf(page, page.anchor)
    const whole = section === null ? page.text : linesIn(page.text, section)!
    const text = range === null ? whole : linesIn(whole, range)
    if (text === null) {
      const what = section === null ? 'page' : 'section'
      throw new OgError(`No lines ${lines}: the ${what} ends before`, { exitCode: 1 })
    }
    if (page.versionFrom) printNotes(terminal, [{ kind: 'version-chosen', ...page.versionFrom }])
    const { library: name, title } = page
    const place = section && { heading: section.heading, anchor: section.anchor }
    const answer = { library: name, version: page.version, url: page.url, title, ...place, text }
    const screen = json ? null : wishedScreen(terminal, typed.format)
    if (screen === null) await terminal.write(json ? jsonText(answer) : text)
    else {
      const rows = pageRows({ ...page, text }, Math.min(mostColumns, screen.columns))
      await terminal.show(rows.map(({ spans }) => spans), { isPaged: !typed['no-pager'] })
    }
    return 0
  },
})

function nearHint(near: string[]): string {
  if (near.length === 0) return 'addresses are those that "og query" prints'
  return `the nearest: ${near.join(' ')}`
}

function sectionOf(page: FullPage, anchor: string): PageSection & LineRange {
  const section = sectionNamed(page, anchor)
  if (!('nearest' in section)) {
    return { ...section, first: section.startLine, last: section.endLine }
  }
  const near = section.nearest.map((name) => `${page.url}#${name}`)
  throw new OgError(`No heading "${anchor}" in ${page.url}`, {
    hint: near.length > 0 ? nearHint(near) : 'without # the whole page is printed',
    exitCode: 1,
  })
}

function within(library: string | null, version: string | null): string {
  const named = [library && `library "${library}"`, version && `version "${version}"`]
  const parts = named.filter((part) => part)
  return parts.length > 0 ? ` in ${parts.join(', ')}` : ''
}
