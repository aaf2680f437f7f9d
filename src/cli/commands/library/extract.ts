import { loadConfig, type Overrides } from '../../../config/load.ts'
import { userHome } from '../../../config/paths.ts'
import type { ExtractResult } from '../../../library/add/extract.ts'
import { noProgress } from '../../../library/library.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { detectSource } from '../../../source/detect.ts'
import type { Source } from '../../../store/source.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { showProgress } from '../../progress.ts'
import { lockTimeoutOption } from '../../operation-options.ts'

const json = { type: 'switch', doc: 'print the result as a JSON object' } as const

const libraryOption = {
  type: 'text',
  short: 'l',
  placeholder: 'LIBRARY',
  doc: 'name of the library (default: openground_docs)',
  suggest: 'library',
} as const

const extractGit = command({
  name: 'extract-git',
  summary: 'fetch pages of a git repository as raw JSON, without indexing them',
  options: {
    'repo-url': {
      type: 'text',
      short: 'r',
      placeholder: 'URL',
      doc: 'the repository',
      required: true,
    },
    'docs-path': {
      type: 'texts',
      short: 'd',
      placeholder: 'DOCS_PATH',
      doc: 'folder, file or glob in the repository; "/" is the whole repository',
    },
    library: libraryOption,
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'tag or branch (default: latest)',
    },
    'lock-timeout': lockTimeoutOption,
    json,
  },
  examples: ['og extract-git -r https://github.com/fastapi/typer -d docs -l typer'],
  async run(context, values) {
    const typed = values['repo-url']
    const docsPaths = [...values['docs-path']]
    if (docsPaths.length === 0) {
      throw new OgError('Missing option --docs-path of "og extract-git"', {
        hint: '-d / selects the whole repository',
      })
    }
    const { source } = detectSource(typed, { docsPaths: [], ...here(context) })
    if (source.kind !== 'git_repo') {
      throw new OgError(`Cannot extract ${JSON.stringify(typed)}: it is not a git repository`, {
        hint: 'for the repository in a folder, write file:///PATH',
      })
    }
    const detected = detectSource(typed, { docsPaths, ...here(context) })
    const { library, version } = values
    return await extract(context, detected.source, { ...values, library, version })
  },
})

const extractSitemap = command({
  name: 'extract-sitemap',
  summary: 'fetch the pages that a sitemap lists as raw JSON, without indexing them',
  options: {
    'sitemap-url': {
      type: 'text',
      short: 's',
      placeholder: 'URL',
      doc: 'the sitemap (default: https://docs.openground.ai/sitemap.xml)',
    },
    library: libraryOption,
    'filter-keyword': {
      type: 'texts',
      short: 'f',
      placeholder: 'WORD',
      doc: 'keep pages whose path contains this text',
    },
    'concurrency-limit': {
      type: 'whole',
      short: 'c',
      placeholder: 'N',
      doc: 'number of pages to fetch at the same time',
      min: 1,
      max: 256,
      shown: 'extraction.concurrency_limit, which is 8',
    },
    'trim-query-params': { type: 'switch', doc: 'remove the query ("?…") from URLs' },
    'lock-timeout': lockTimeoutOption,
    json,
  },
  examples: ['og extract-sitemap -s https://docs.example.org/sitemap.xml -l example -f /guide/'],
  async run(context, values) {
    const typed = values['sitemap-url'] ?? 'https://docs.openground.ai/sitemap.xml'
    const filter = {
      filterKeywords: [...values['filter-keyword']],
      exclude: [],
      languages: [],
      trimQueryParams: values['trim-query-params'],
    }
    const detected = detectSource(typed, { docsPaths: [], filter, ...here(context) }).source
    // The user says that it is a sitemap, whatever its file name is.
    const isUntold = detected.kind === 'web_page' || detected.kind === 'site'
    const source: Source = isUntold ? { ...filter, kind: 'sitemap', url: detected.url } : detected
    if (source.kind === 'git_repo') {
      throw new OgError(`Cannot extract ${JSON.stringify(typed)}: it is not a sitemap`, {
        hint: 'use og extract-git for a repository',
      })
    }
    const overrides = { 'extraction.concurrency_limit': values['concurrency-limit'] }
    return await extract(context, source, { ...values, version: 'latest', overrides })
  },
})

/** The commands `og extract-sitemap` and `og extract-git`. */
export const extractCommands = [extractSitemap, extractGit]

function here({ env }: Context) {
  return { cwd: process.cwd(), home: userHome(env) }
}

type ExtractOptions = {
  library: string | null
  version: string | null
  json: boolean
  'lock-timeout': number
  overrides?: Overrides
}

async function extract(context: Context, source: Source, wish: ExtractOptions): Promise<number> {
  const library = wish.library ?? 'openground_docs'
  await using og = await context.openOg(await loadConfig(context.env, wish.overrides))
  using progress = showProgress(context.terminal, { label: library })
  const result = await og.extract({
    library,
    version: wish.version,
    source,
    lockTimeoutMs: wish['lock-timeout'] * 1000,
    onPage: (pages) => progress.report({ ...noProgress, phase: 'fetching', pages }),
    onWait: () => progress.report({ ...noProgress, phase: 'waiting' }),
    signal: context.interruption(),
  })
  progress[Symbol.dispose]()
  const text = jsonText(result)
  await context.terminal.write(wish.json ? text : renderExtracted(result))
  return result.failed.length > 0 ? 1 : 0
}

function renderExtracted({
  library,
  version,
  path,
  pages,
  skipped,
  failed,
}: ExtractResult): string {
  const lost = failed.map(({ url, reason }) => `Failed: ${url}: ${reason}\n`).join('')
  const counts = `${formatCount(pages, 'page')}, ${skipped.length} skipped, ${failed.length} failed`
  return `${library} ${version}: ${counts}\n  in ${path}\n${lost}`
}
