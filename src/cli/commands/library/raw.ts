import { noteError } from '../../answer/notes.ts'
import { loadConfig, type Overrides } from '../../../config/load.ts'
import { expandPath, userHome } from '../../../config/paths.ts'
import { type AddResult, type LibraryVersion, noProgress } from '../../../library/library.ts'
import type { RawVersion, ExtractResult } from '../../../library/add/extract.ts'
import { isLocalDate } from '../../../version/version.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import { lockTimeoutOption, jsonOption } from '../../operation-options.ts'
import { showProgress } from '../../progress.ts'
import { renderSummary } from '../../answer/summary.ts'
import { detectSource } from '../../../source/detect.ts'
import type { Source } from '../../../store/source.ts'
import { formatCount } from '../../../platform/text/count.ts'

const json = option.flag('print the result as JSON')

const listRawLibraries = command({
  name: 'list-raw-libraries',
  summary: 'list the libraries that have raw pages',
  options: { json: option.flag('print a JSON array') },
  async run({ env, terminal }, { json }) {
    const { rawDataPath } = await loadConfig(env)
    const { listRaw } = await import('../../../library/add/extract.ts')
    const list = await listRaw(rawDataPath)
    if (json) {
      await terminal.write(jsonText(list))
      return 0
    }
    if (list.length === 0) {
      terminal.note('plain', `No libraries found in raw_data.`)
      terminal.note('hint', `looked in ${rawDataPath}`)
      return 0
    }
    const byName = Map.groupBy(list, ({ library }) => library)
    const lines = [...byName].map(
      ([library, versions]) => `${library}: ${versions.map(({ version }) => version).join(', ')}\n`,
    )
    await terminal.write(`Available libraries in raw_data:\n${lines.join('')}`)
    return 0
  },
})

const embed = command({
  name: 'embed',
  summary: 'index raw pages of an earlier extraction',
  positionals: { library: { doc: 'name of the library' } },
  options: {
    version: option.text('-v VERSION', 'the version (default: latest)'),
    'lock-timeout': lockTimeoutOption,
    json,
  },
  async run(context, { library, version, ...wish }) {
    const config = await loadConfig(context.env)
    const query = { library, version: version ?? 'latest' }
    const raw = await rawOf(config.rawDataPath, query)
    await using og = await context.openOg(config, { needsBucket: true })
    const result = await index(context, og, { raw, ...wish })
    await print(context, result, wish.json)
    return result.incomplete === null ? 0 : 1
  },
})

const importRaw = command({
  name: 'import-raw',
  summary: 'index the raw pages of openground without network access',
  positionals: { library: { doc: 'name of the library', optional: true } },
  options: {
    version: option.text('-v VERSION', 'only this version'),
    folder: option.text('PATH', 'raw_data folder (default: the one in the settings)'),
    'lock-timeout': lockTimeoutOption,
    json,
  },
  async run(context, { library, version, folder, ...wish }) {
    const config = await loadConfig(context.env)
    const root = folder === null ? config.rawDataPath : expandPath(folder, context.env)
    await using og = await context.openOg(config, { needsBucket: true })
    const query = { root, library, version }
    const newest = newestDates(await chooseVersions(context, og, query))
    const results: AddResult[] = []
    for (const raw of newest) {
      const result = await index(context, og, { raw, ...wish }).catch(printOrThrow(context))
      if (result === null) continue
      if (!wish.json) await print(context, result, false)
      results.push(result)
    }
    if (wish.json) await context.terminal.write(jsonText(results))
    if (results.length === 0 && newest.length > 0) return 2
    const hasAll = results.length === newest.length
    const isWhole = hasAll && results.every((it) => it.incomplete === null)
    return isWhole ? 0 : 1
  },
})

async function rawOf(
  root: string,
  query: { library: string; version: string | null },
): Promise<RawVersion> {
  const { findRaw } = await import('../../../library/add/extract.ts')
  const [raw] = await findRaw(root, query)
  if (raw !== undefined) return raw
  const { library, version } = query
  throw new OgError(`Library "${library}" version "${version}" has no raw pages in ${root}`, {
    hint: 'og list-raw-libraries lists the raw pages',
  })
}

type RawQuery = { root: string; library: string | null; version: string | null }

async function chooseVersions(context: Context, og: Og, { root, ...query }: RawQuery) {
  const { findRaw, listRaw } = await import('../../../library/add/extract.ts')
  const { library, version } = query
  const all = library === null ? await listRaw(root) : await findRaw(root, { library, version })
  const matches = all.filter((raw) => version === null || raw.version === version)
  if (matches.length === 0) {
    throw new OgError(`Cannot import: ${root} has no such raw pages`, {
      hint: 'og list-raw-libraries lists the raw pages',
    })
  }
  if (library !== null) return matches
  const indexed = await og.list()
  return matches.filter((raw) => {
    const other = indexed.find((it) => isSame(it, raw) && it.source.kind !== 'raw_pages')
    if (other === undefined) return true
    const what = `${other.library} ${other.version}`
    context.terminal.note('warning', `${what} is indexed from another source; it was not changed`)
    return false
  })
}

function isSame(indexed: LibraryVersion, raw: RawVersion): boolean {
  return (
    indexed.library.toLowerCase() === raw.library.toLowerCase() && indexed.version === raw.version
  )
}

/** Keeps the newest dated version of each library. Upstream creates one per day. */
function newestDates(all: readonly RawVersion[]): RawVersion[] {
  const isOlder = (raw: RawVersion) =>
    isLocalDate(raw.version) &&
    all.some(
      (it) => it.library === raw.library && isLocalDate(it.version) && it.version > raw.version,
    )
  return all.filter((raw) => !isOlder(raw))
}

type IndexOptions = { raw: RawVersion; 'lock-timeout': number }

async function index(context: Context, og: Og, indexing: IndexOptions): Promise<AddResult> {
  const { library, version, path } = indexing.raw
  using progress = showProgress(context.terminal, { label: library })
  return await og.add({
    library,
    version,
    source: { kind: 'raw_pages', path },
    // The user chose these files, so missing pages are not checked.
    force: true,
    lockTimeoutMs: indexing['lock-timeout'] * 1000,
    onProgress: progress.report,
    signal: context.interruption(),
  })
}

async function print({ terminal }: Context, result: AddResult, asJson: boolean): Promise<void> {
  const text = jsonText(result)
  await terminal.write(asJson ? text : renderSummary(result))
}

function printOrThrow({ terminal, interruption }: Context) {
  return (error: unknown): null => {
    if (interruption().aborted || !(error instanceof OgError)) throw error
    noteError(terminal, error)
    return null
  }
}

const extractOptions = {
  library: option.text('-l LIBRARY', 'name of the library (default: openground_docs)', {
    suggest: 'library',
  }),
  'lock-timeout': lockTimeoutOption,
  json: jsonOption,
}

const extractGit = command({
  name: 'extract-git',
  summary: 'fetch pages of a git repository as raw JSON, without indexing them',
  options: {
    'repo-url': option.text('-r URL', 'the repository', { required: true }),
    'docs-path': option.texts(
      '-d DOCS_PATH',
      'folder, file or glob in the repository; "/" is the whole repository',
    ),
    version: option.text('-v VERSION', 'tag or branch (default: latest)'),
    ...extractOptions,
  },
  async run(context, values) {
    const address = values['repo-url']
    const docsPaths = [...values['docs-path']]
    if (docsPaths.length === 0) {
      throw new OgError('Missing option --docs-path of "og extract-git"', {
        hint: '-d / selects the whole repository',
      })
    }
    const { source } = detectSource(address, { docsPaths: [], ...here(context) })
    if (source.kind !== 'git_repo') {
      throw new OgError(`Cannot extract ${JSON.stringify(address)}: it is not a git repository`, {
        hint: 'for the repository in a folder, write file:///PATH',
      })
    }
    const detected = detectSource(address, { docsPaths, ...here(context) })
    const { library, version } = values
    return await extract(context, detected.source, { ...values, library, version })
  },
})

const extractSitemap = command({
  name: 'extract-sitemap',
  summary: 'fetch the pages that a sitemap lists as raw JSON, without indexing them',
  options: {
    'sitemap-url': option.text(
      '-s URL',
      'the sitemap (default: https://docs.openground.ai/sitemap.xml)',
    ),
    'filter-keyword': option.texts('-f WORD', 'keep pages whose path contains this text'),
    'concurrency-limit': option.whole('-c N', 'number of pages to fetch at the same time', {
      min: 1,
      max: 256,
      defaultText: 'extraction.concurrency_limit, which is 8',
    }),
    'trim-query-params': option.flag('remove the query ("?…") from URLs'),
    ...extractOptions,
  },
  async run(context, values) {
    const address = values['sitemap-url'] ?? 'https://docs.openground.ai/sitemap.xml'
    const filter = {
      filterKeywords: [...values['filter-keyword']],
      exclude: [],
      languages: [],
      trimQueryParams: values['trim-query-params'],
    }
    const detected = detectSource(address, { docsPaths: [], filter, ...here(context) }).source
    // The command treats the URL as a sitemap, whatever its file name is.
    const isUntold = detected.kind === 'web_page' || detected.kind === 'site'
    const source: Source = isUntold ? { ...filter, kind: 'sitemap', url: detected.url } : detected
    if (source.kind === 'git_repo') {
      throw new OgError(`Cannot extract ${JSON.stringify(address)}: it is not a sitemap`, {
        hint: 'use og extract-git for a repository',
      })
    }
    const overrides = { 'extraction.concurrency_limit': values['concurrency-limit'] }
    return await extract(context, source, { ...values, version: 'latest', overrides })
  },
})

function here({ env }: Context) {
  return { cwd: process.cwd(), home: userHome(env) }
}

type ExtractOptions = OptionValues<typeof extractOptions> & {
  version: string | null
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

export const rawPagesCommands = [extractSitemap, extractGit, embed, listRawLibraries, importRaw]
