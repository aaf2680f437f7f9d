import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { readProjectPins } from '../version/project.ts'
import { sourceNames, type SourcesPlaces } from '../library/sources/source-list.ts'
import type { OgView } from '../open.ts'
import type { HostLookup } from '../platform/web/address-rule.ts'
import type { Reach } from '../platform/reach.ts'
import {
  type Documentation,
  type ToolContext,
  defineTool,
  structuredArgument,
} from './docs/docs-tool.ts'
import { searchDocumentsTool } from './docs/search-tool.ts'
import { ingestTools } from './ingest/ingest-tools.ts'
import { openJobs } from './ingest/job.ts'
import { bindTools, type Tool, readOnlyAnnotations } from './tool.ts'
import type { Face } from './server.ts'
import { recordToolCall, type ToolCalls } from '../library/stats.ts'
import { z } from 'zod'
import type { LibraryVersion } from '../library/library.ts'
import { latestRelease, versionsByLibrary } from '../library/list.ts'
import { list, type LibraryListing } from '../operation/library.ts'
import { noteSentence, type Answer } from '../operation/note.ts'
import { operationArguments, textsOf } from './arguments.ts'
import { escapeInline, escapeUrl, fenceText } from './docs/quote.ts'
import { get, type PageAnswer } from '../operation/get.ts'
import { splitVersion } from '../version/package-name.ts'
import { missingFields, explainMissing } from './docs/missing.ts'
import { renderOutline, renderPage } from './docs/render.ts'
import type { Observer } from './served-call.ts'
import type { ApiChange } from '../api/compare.ts'
import { apiChangeCounts, apiChangeLines, diffApi, sideText } from '../operation/diff.ts'
import { onceEvery } from '../platform/concurrency.ts'
import { estimateTokens } from '../platform/tokens.ts'

const args = operationArguments(get.input, {
  library: { name: 'library_name' },
  url: {
    isSeveral: true,
    doc:
      'page name or address, from a hit; #heading selects a section; or an API name ' +
      '(fastapi.FastAPI.get); or a library, which lists its pages; an array reads several',
  },
})

export const fullContentTool = defineTool({
  name: 'get_full_content_tool',
  aliases: ['get_full_content'],
  title: 'Read a page',
  description:
    'Read the exact text of pages or symbols, if a passage of search_documents_tool is cut off ' +
    'or needs its context. A long page returns its opening and an outline with sizes: call ' +
    'again with #heading after the address, or with the cursor of the answer to continue.',
  input: args.schema.extend({ structured: structuredArgument }),
  programArguments: ['structured'],
  isTextFirst: true,
  output: z.looseObject({
    found: z.boolean(),
    url: z.string().optional(),
    start_line: z.int().optional(),
    end_line: z.int().optional(),
    total_lines: z.int().optional(),
    next_cursor: z.string().optional(),
    nearest: z.array(z.string()).optional(),
  }),
  annotations: readOnlyAnnotations,
  async run(context, values) {
    const input = args.input(values)
    const unmet = await explainMissing(context, splitVersion(input))
    if (unmet !== null)
      return { text: unmet.message, structured: { found: false, ...missingFields(unmet) } }
    const reading = {
      og: context.og,
      project: context.project,
      maxTokens: 4_000,
      condensesApi: true,
      renderOutline,
    }
    const urls = textsOf(values['url'])
    const answers = await Promise.all(urls.map((url) => get.run(reading, { ...input, url })))
    const parts = answers.map((answer, i) => {
      const { value } = answer
      if (value.part === null) {
        const text = missingPageText(value, { ...input, url: urls[i]! })
        return { text, structured: { ...get.json(answer), message: text } }
      }
      const text = renderPage(value.page, { ...value.part, outline: value.outline })
      return { text, structured: structuredOf(answer, values.structured === 'full') }
    })
    const pages = parts.map(({ structured }) => structured)
    const notes = answers.flatMap((it) => it.notes.map((note) => noteSentence(note, escapeInline)))
    return {
      text: parts.map(({ text }) => text).join('\n'),
      ...(notes.length > 0 && { note: [...new Set(notes)].join('\n') }),
      structured:
        pages.length === 1 ? pages[0]! : { found: pages.every(({ found }) => found), pages },
    }
  },
})

/** Returns the page as JSON. The text is optional, because the text content repeats it. */
function structuredOf(answer: Answer<PageAnswer>, isFull: boolean) {
  const json = get.json(answer)
  if (isFull || !json.found) return json
  const { text: _, ...places } = json
  return places
}

function missingPageText(
  { page, nearest }: Extract<PageAnswer, { part: null }>,
  { url, version }: { url: string; version: string | null },
): string {
  const first =
    page === null
      ? `No content found for URL: ${escapeUrl(url)} (version: ${escapeInline(version ?? 'any')})`
      : `No heading "${escapeInline(page.anchor!)}" in ${escapeUrl(page.url)}`
  if (nearest.length > 0) return `${first}\nNearest: ${nearest.map(escapeUrl).join(' ')}`
  return page === null ? `${first}\nThe name of a library as url lists its pages.` : first
}

const listInput = operationArguments(list.input, {
  search_term: { doc: 'list only names that contain this, in any case' },
})

const details = z
  .boolean()
  .optional()
  .describe(
    'return objects with pages, source, commit, size and stale parts instead of version names',
  )

export const listLibrariesTool = defineTool({
  name: 'list_libraries_tool',
  aliases: ['list_libraries'],
  title: 'List libraries',
  description:
    'List the libraries indexed on this machine, as a JSON object from name to versions.',
  input: listInput.schema.extend({ details }),
  output: z.record(
    z.string(),
    z.array(z.union([z.string(), z.looseObject({ version: z.string() })])),
  ),
  annotations: readOnlyAnnotations,
  async run({ og }, values) {
    const input = listInput.input(values)
    const answer = values['details']
      ? await list.run({ versions: og.holdings }, input)
      : await list.run({ versions: og.list }, input)
    const { libraries } = answer.value
    const structured = values['details']
      ? Object.fromEntries(Map.groupBy(list.json(answer), ({ library }) => library))
      : versionsByLibrary(libraries)
    const text = JSON.stringify(structured)
    const gaps = answer.notes.map((note) => noteSentence(note, escapeInline))
    const notes =
      libraries.length > 0
        ? [...latestNote(libraries), ...gaps]
        : [emptyNote(answer.value, input.search_term ?? '')]
    return { text, structured, ...(notes.length > 0 && { note: notes.join('\n') }) }
  },
})

function emptyNote({ nearest, indexed }: LibraryListing, term: string): string {
  if (indexed.length === 0) {
    return 'No libraries are indexed. To add one, run: og add LIBRARY --source GIT_URL_OR_FOLDER'
  }
  const near = nearest.map((name) => `'${name}'`).join(', ')
  const others = near === '' ? `Indexed: ${indexed.join(', ')}.` : `Nearest: ${near}.`
  return `No library name contains '${escapeInline(term)}'. ${others}`
}

/**
 * Returns a note with the tag or commit of each `latest`. The JSON has a fixed shape without a
 * field for it.
 */
function latestNote(all: readonly LibraryVersion[]): string[] {
  const states = all.flatMap((one) => {
    const state = latestRelease(one)
    return state === null ? [] : [`${one.library} ${state}`]
  })
  return states.length === 0 ? [] : [`"latest" is: ${states.map(escapeInline).join('; ')}.`]
}

const diffArguments = operationArguments(diffApi.input)

const diffApiTool = defineTool({
  name: 'diff_api_tool',
  aliases: ['diff_api'],
  title: 'Compare the API of two versions',
  description:
    'List the public names of a library that were removed, renamed, changed in signature, ' +
    'deprecated or added between two indexed versions. Use it before upgrading a dependency.',
  input: diffArguments.schema,
  output: z.looseObject({
    changes: z.array(z.looseObject({ status: z.string(), name: z.string() })),
    omitted: z.int(),
  }),
  annotations: readOnlyAnnotations,
  async run({ og }, values) {
    const answer = await diffApi.run(og, diffArguments.input(values))
    const { from, to, changes } = answer.value
    const firstPart = firstChanges(changes)
    const omitted = changes.length - firstPart.length
    const head = `${sideText(from, to)} → ${sideText(to, from)}: ${apiChangeCounts(changes)}`
    const lines = firstPart.flatMap(apiChangeLines)
    const list = lines.length === 0 ? '' : `\n${fenceText(lines.join('\n'))}`
    return {
      text: `${escapeInline(head)}${list}`,
      structured: {
        ...diffApi.json({ ...answer, value: { from, to, changes: firstPart } }),
        omitted,
      },
      ...(omitted > 0 && { note: `${omitted} more changes; name some with the argument text.` }),
    }
  },
})

const mostTokens = 4_000

/** Returns as many changes as fit into an answer, starting with removed names. */
function firstChanges(changes: readonly ApiChange[]): ApiChange[] {
  let left = mostTokens
  const end = changes.findIndex((it) => {
    left -= estimateTokens(apiChangeLines(it).join('\n'))
    return left < 0
  })
  return changes.slice(0, end < 0 ? changes.length : end)
}

export type FaceOptions = {
  /** True if the tools for indexing are listed. */
  allowIngest: boolean
  allowedHosts?: readonly string[]
  lookup?: HostLookup
  /**
   * True if the caller may see a library; by default, all are visible. `og` itself must be filtered
   * too.
   */
  canSee?: (library: string) => boolean
  /** Default number of hits. */
  limit: number
  answerShape: 'og' | 'openground'
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Path of upstream's statistics file. */
  statsPath: string
  places: SourcesPlaces
  observe?: Observer
  isInProject: boolean
  warn(line: string): void
}

export const docsTools: readonly Tool<ToolContext>[] = [
  searchDocumentsTool,
  listLibrariesTool,
  fullContentTool,
  diffApiTool,
]

export function openFace(og: OgView, options: FaceOptions): Face & AsyncDisposable {
  const {
    allowIngest,
    limit,
    answerShape,
    self,
    env,
    statsPath,
    isInProject,
    warn,
    places,
    lookup,
  } = options
  const { allowedHosts: hosts = [], canSee } = options
  const reach: Reach = { hosts, folder: isInProject ? projectFolder(places) : null }
  const counter = openCallCounter(statsPath, { warn })
  // Dependency lock files can be long, so pins are read at most every 5 seconds.
  const readPins = onceEvery(5_000, () => readProjectPins(places.cwd, places.home))
  const project = isInProject ? readPins : async () => null
  const store = async () => (await og.places()).dbPath
  const documentation: Documentation = {
    og,
    limit,
    answerShape,
    jobs: openJobs({ self, env: { ...env, OG_REACH: JSON.stringify(reach) }, store }),
    async resolveSource(name, docsPaths) {
      const { parseAgentSource } = await import('../library/add/agent-source.ts')
      return parseAgentSource(name, { ...places, docsPaths, reach, lookup })
    },
    knownSources: async () => {
      const names = await sourceNames(places)
      return canSee === undefined ? names : names.filter(canSee)
    },
    canSee: canSee ?? null,
    project,
  }
  return {
    og,
    memory: null,
    project,
    tools: bindTools([...docsTools, ...(allowIngest ? ingestTools : [])], documentation),
    countCall: counter.count,
    ...(options.observe && { observe: options.observe }),
    [Symbol.asyncDispose]: counter[Symbol.asyncDispose],
  }
}

/** Returns the server's start folder; null for the home folder and its parents. */
function projectFolder({ cwd, home }: SourcesPlaces): string | null {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  const below = relative(real(cwd), real(home))
  const isElsewhere = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
  return isElsewhere ? cwd : null
}

type CounterOptions = {
  /** Interval between writes, because each write takes a lock and an fsync. */
  everyMs?: number
  /**
   * Receives the reason why calls cannot be counted. Called once, because the cause usually
   * persists.
   */
  warn(line: string): void
}

/**
 * Writes counts to upstream's statistics file in the background, so that answers do not wait for
 * it. After a failed write, the next write includes its counts.
 */
export function openCallCounter(
  path: string,
  { everyMs = 1_000, warn }: CounterOptions,
): AsyncDisposable & { count(tool: string): void } {
  let calls: ToolCalls = {}
  let timer: Timer | null = null
  let hasWarned = false
  let lastWrite = Promise.resolve()
  const add = (tool: string, count: number) => void (calls[tool] = (calls[tool] ?? 0) + count)
  const writeCalls = async () => {
    const pending = calls
    calls = {}
    if (Object.keys(pending).length === 0) return
    const problem = await recordToolCall(path, pending)
    if (problem === null) return
    for (const [tool, count] of Object.entries(pending)) add(tool, count)
    if (!hasWarned) warn(problem.message)
    hasWarned = true
  }
  /**
   * Writes are sequential, because parallel writes would compete for the lock and time out on a
   * slow disk.
   */
  const write = () => {
    timer = null
    return (lastWrite = lastWrite.then(writeCalls))
  }
  return {
    count(tool) {
      add(tool, 1)
      timer ??= setTimeout(write, everyMs).unref()
    },
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearTimeout(timer)
      await write()
    },
  }
}
