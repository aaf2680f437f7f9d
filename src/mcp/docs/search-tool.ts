import { z } from 'zod'
import { renderIncomplete } from '../../library/incomplete.ts'
import type { Hit } from '../../library/library.ts'
import { kindsOf, type PageFilter } from '../../search/scope/page-filter.ts'
import type { Doubt } from '../../library/search/doubt.ts'
import { confidenceOf, weakSentence } from '../../library/search/sureness.ts'
import { pageKinds } from '../../page/page-kind.ts'
import { tokensOf } from '../../platform/tokens.ts'
import { tool, type ToolContext } from './docs-tool.ts'
import { fittingHits, hitsToFill } from '../../operation/hit-budget.ts'
import { lackOf, missing } from './missing.ts'
import { maxTokensArgument } from './page-part.ts'
import { renderNotIndexed, renderSuggestions, renderWithheld } from './render-doubt.ts'
import { renderHit, renderHits, renderVersionFrom } from './render.ts'
import { pageLink } from './resource-uri.ts'
import { withVersionInName } from '../../version/version-in-name.ts'
import { readsOnly } from '../tool.ts'

export const searchDocuments = tool({
  name: 'search_documents_tool',
  aliases: ['search_documents'],
  title: 'Search documentation',
  description:
    'Search the documentation of libraries that is indexed on this machine, by meaning and by ' +
    'exact words, and get the best passages with their sources. Use it before you answer from ' +
    'memory about an API, option, error message or behaviour of an indexed library. Ask a full ' +
    'question, or name the identifier. Name library_name, and version where the project pins one.',
  input: z.strictObject({
    query: z.string().trim().min(1).max(20_000).describe('a question, or words to look for'),
    library_name: z
      .string()
      .max(1000)
      .optional()
      .describe('search this library only, or LIBRARY@VERSION; several with commas between'),
    version: z
      .string()
      .max(200)
      .optional()
      .describe(
        'its version, or the beginning of one; a range (">=2 <3"), a list ("1.0,2.0") or "all" ' +
          'searches every one that is indexed; without it the highest release',
      ),
    path: z
      .string()
      .max(1000)
      .optional()
      .describe('pages with such a path only: folders, files or globs with commas between; "!" ' +
        'in front leaves out'),
    language: z
      .string()
      .max(100)
      .optional()
      .describe('pages in these languages only, as "de" or "pt-br", with commas between'),
    kind: z
      .string()
      .max(100)
      .optional()
      .describe(`pages of these kinds only, with commas between: ${pageKinds.join(', ')}`),
    limit: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe(`at most so many passages; 5 unless set, ${hitsToFill} with max_tokens`),
    max_tokens: maxTokensArgument('fill so many tokens with the best passages'),
    context: z
      .int()
      .min(0)
      .max(10)
      .optional()
      .describe('so many neighbouring parts of the page on each side of a passage'),
    strict: z
      .boolean()
      .optional()
      .describe('gives no passages where none is clearly about the query'),
  }),
  output: z.object({
    matches: z.int(),
    confidence: z
      .enum(['high', 'weak'])
      .describe('weak: no passage is clearly about the query, these are the nearest'),
    hits: z.array(
      z.object({
        rank: z.int(),
        score: z.number(),
        library: z.string(),
        version: z.string(),
        url: z.string(),
        title: z.string(),
        heading: z.string(),
        text: z.string(),
        start_line: z.int(),
        end_line: z.int(),
        anchor: z.string().nullable().describe('of the heading; null where none is known'),
        versions: z.array(z.string()).describe('indexed versions that say the same'),
        path: z.string(),
        kind: z.enum(pageKinds),
        language: z.string().nullable(),
        resource: z.string(),
      }),
    ),
    omitted: z.int().describe('hits that did not fit into max_tokens'),
    versions_from: z
      .array(
        z.object({
          library: z.string(),
          version: z.string(),
          package: z.string(),
          named: z.string(),
          file: z.string(),
        }),
      )
      .optional()
      .describe('versions that a lock file of the current project settled'),
    not_indexed: z
      .array(
        z.object({
          library: z.string().nullable(),
          version: z.string().nullable(),
          nearest: z.array(z.string()),
        }),
      )
      .optional()
      .describe('of several libraries or versions asked, those that are not there'),
    broken: z
      .array(z.object({ library: z.string(), version: z.string(), problem: z.string() }))
      .optional()
      .describe('of what was asked, those that are damaged and did not answer'),
    incomplete: z
      .array(z.object({
        library: z.string(), version: z.string(), embedded: z.int(), chunks: z.int(),
      }))
      .optional()
      .describe('of what was asked, those of which so many passages are found by meaning so far'),
    message: z.string().optional().describe('why nothing could be asked'),
    reason: z.string().optional().describe('why the answer is weak'),
    nearest: z.array(z.string()).optional(),
    suggest: z
      .array(z.object({ library: z.string(), version: z.string().nullable(), command: z.string() }))
      .optional()
      .describe('libraries that may know; one without a version is not indexed'),
    add_command: z.string().optional().describe('a command that would add what is missing'),
  }),
  annotations: readsOnly,
  async run(context, { query, library_name = null, version: typed = null, ...wish }) {
    const { og, signal } = context
    const { library, version } = withVersionInName({ library: library_name, version: typed })
    const lack = await missing(context, { library, version })
    if (lack !== null) return { text: lack.message, structured: { ...nothing, ...lackOf(lack) } }
    const { max_tokens: maxTokens, context: around } = wish
    const limit = wish.limit ?? (maxTokens === undefined ? context.limit : hitsToFill)
    const project = version === null ? await context.project() : null
    const filter = filterOf(wish)
    const answer = await og.search({
      query, library, version, project, filter, limit, context: around, signal,
      judge: true, refuse: wish.strict ?? false, knownSources: context.knownSources,
    })
    signal.throwIfAborted()
    const { notIndexed, broken, incomplete, unasked } = answer
    const lacks = {
      ...(notIndexed.length > 0 ? { not_indexed: notIndexed } : {}),
      ...(broken.length > 0 ? { broken: [...broken] } : {}),
      ...(incomplete.length > 0 ? { incomplete: [...incomplete] } : {}),
    }
    const lackLines = [
      ...notIndexed.map(renderNotIndexed),
      ...broken.map(({ problem }) => problem),
      ...incomplete.map(renderIncomplete),
      ...(unasked === null ? [] : [unasked]),
    ]
    const { doubt } = answer
    if (doubt !== null && answer.hits.length === 0) {
      return {
        text: renderWithheld(doubt),
        ...noteOf(lackLines),
        structured: { ...nothing, ...doubtOf(doubt), ...lacks },
      }
    }
    const hits = maxTokens === undefined
      ? answer.hits
      : fittingHits(answer.hits, renderHit, { maxTokens, frame: frame + weakTokens(doubt) })
    const omitted = answer.hits.length - hits.length
    const links = await hitLinks(context, hits)
    const settled = answer.versionsFrom
    return {
      text: renderHits(hits, { omitted, isWeak: doubt !== null })
        + renderSuggestions(doubt?.suggest ?? []),
      ...noteOf([...settled.map(renderVersionFrom), ...lackLines]),
      structured: {
        matches: hits.length,
        confidence: confidenceOf(answer),
        hits: hits.map((hit) => ({ ...hitOf(hit), resource: links.get(hit)!.uri })),
        omitted,
        ...(settled.length > 0 ? { versions_from: settled } : {}),
        ...(doubt === null ? {} : doubtOf(doubt)),
        ...lacks,
      },
      links: [...new Map([...links.values()].map((link) => [link.uri, link])).values()],
    }
  },
})

function noteOf(lines: readonly string[]): { note?: string } {
  return lines.length > 0 ? { note: lines.join('\n') } : {}
}

type FilterWish = { path?: string; language?: string; kind?: string }

function filterOf({ path, language, kind }: FilterWish): PageFilter {
  return { paths: globsOf(path), languages: namesOf(language), kinds: kindsOf(namesOf(kind)) }
}

/** Commas between braces belong to the glob: `docs/{de,en}/**`. */
function globsOf(list = ''): string[] {
  return namesOf(list, /,(?![^{]*\})/)
}

function namesOf(list = '', separator: RegExp = /,/): string[] {
  return list.split(separator).map((name) => name.trim()).filter((name) => name !== '')
}

/** Tokens of what stands before and after the hits. */
const frame = tokensOf('Found 00 matches.\n00 more did not fit into max_tokens.\n')

function weakTokens(doubt: Doubt | null): number {
  return doubt === null ? 0 : tokensOf(weakSentence + renderSuggestions(doubt.suggest))
}

const nothing = { matches: 0, confidence: 'weak' as const, hits: [], omitted: 0 }

function doubtOf({ reason, nearest, suggest }: Doubt) {
  const headings = nearest.map(({ heading, title, url }) => `${heading || title} (${url})`)
  return { reason, nearest: headings, suggest }
}

function hitOf(hit: Hit) {
  const { rank, score, library, version, url, title, heading, text } = hit
  const { startLine: start_line, endLine: end_line, anchor, versions, path, kind, language } = hit
  return {
    rank, score, library, version, url, title, heading, text, start_line, end_line,
    anchor, versions, path, kind, language,
  }
}

async function hitLinks({ og }: ToolContext, hits: readonly Hit[]) {
  const byVersion = new Map<string, ReturnType<typeof og.pages>>()
  const links = hits.map(async (hit) => {
    const { library, version, url } = hit
    const key = `${library}@${version}`
    const pages = byVersion.get(key) ?? og.pages({ library, version })
    byVersion.set(key, pages)
    const head = (await pages).get(url)
    // Gone where the version was replaced since; its address is understood in place of its path.
    const page = head ?? { path: url, title: hit.title, markup: 'markdown' }
    return [hit, pageLink({ library, version, ...page })] as const
  })
  return new Map(await Promise.all(links))
}
