import { loadConfig } from '../../../config/load.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { command } from '../../command.ts'
import { parseLineRange, linesIn } from '../../line-range.ts'
import { noteVersion, projectPins } from '../../project-version.ts'
import { nothingIndexed } from '../../../version/unknown.ts'
import { withVersionInName } from '../../../version/version-in-name.ts'
import { jsonOption } from '../json.ts'

export const pageText = command({
  name: 'get',
  summary: 'print the exact text of a page',
  details: [
    'URL is the address that a hit of "og query" names. The exit code is 1 where no page has it.',
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
  },
  examples: [
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
      if ((await og.list()).length === 0) throw nothingIndexed()
      throw new OgError(`No page has the address "${url}"${within(library, version)}`, {
        hint: 'addresses are those that "og query" prints',
        exitCode: 1,
      })
    }
    const text = range === null ? page.text : linesIn(page.text, range)
    if (text === null) {
      throw new OgError(`No lines ${lines}: the page ends before`, { exitCode: 1 })
    }
    if (page.versionFrom) noteVersion(terminal, page.versionFrom)
    const { library: name, title } = page
    const answer = { library: name, version: page.version, url: page.url, title, text }
    await terminal.write(json ? jsonText(answer) : text)
    return 0
  },
})

function within(library: string | null, version: string | null): string {
  const named = [library && `library "${library}"`, version && `version "${version}"`]
  const parts = named.filter((part) => part)
  return parts.length > 0 ? ` in ${parts.join(', ')}` : ''
}
