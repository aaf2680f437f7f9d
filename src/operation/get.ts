import { field, type InputOf } from './field.ts'
import {
  headingsOf,
  findSection,
  type PageHeading,
  type PageSection,
} from '../library/page-lookup.ts'
import type { OgView } from '../open.ts'
import { isApiPagePath } from '../api/api-path.ts'
import { condenseMembers } from '../api/render.ts'
import { estimateTokens, cutToTokens, lengthWithinTokens } from '../platform/tokens.ts'
import type { ProjectPins } from '../version/project.ts'
import { splitVersion } from '../version/package-name.ts'
import { notesJson, type Note, type Answer } from './note.ts'
import { operation } from './operation.ts'
import { createHash } from 'node:crypto'
import { OgError } from '../platform/error.ts'
import type { FullPage } from '../library/library.ts'

export type GetContext = {
  og: Pick<OgView, 'page' | 'pagesNear'>
  project(): Promise<ProjectPins | null>
  /** Number of tokens per part if the caller gives none. Infinity returns the whole page. */
  maxTokens: number
  /** If true, long API pages list only the first sentence of each member. */
  condensesApi: boolean
  /** Renders the outline as it will be printed, because it counts towards the part's tokens. */
  renderOutline(headings: readonly PageHeading[]): string
}

export type PageAnswer =
  | { page: FullPage; section: PageSection | null; part: PagePart; outline: PageHeading[] }
  | { page: FullPage | null; part: null; nearest: string[] }

export const get = operation({
  name: 'get',
  summary: 'print the exact text of a page',
  input: {
    url: field.text(
      'name or address of a page, from a hit; #anchor or #heading selects a section; or a name ' +
        'of the API reference (fastapi.FastAPI.get); or a library, which lists its pages',
      { maxLength: 8_192, required: true },
    ),
    version: field.text('version of the page', { maxLength: 200 }),
    library: field.text('library of the page, or LIBRARY@VERSION', { maxLength: 200 }),
    start_line: field.whole('first line, from 1', { min: 1, max: 1_000_000_000 }),
    end_line: field.whole('last line', { min: 1, max: 1_000_000_000 }),
    max_tokens: field.whole(
      'stop after N tokens of 3 bytes; by default, a page above 4000 is outlined',
      { min: 200, max: 200_000 },
    ),
    cursor: field.text('continue where the previous answer stopped', { maxLength: 100 }),
  },
  async run(context: GetContext, input): Promise<Answer<PageAnswer>> {
    const { url } = input
    const { library, version } = splitVersion(input)
    const project = version === null ? await context.project() : null
    const request = { url, library, version, project }
    const page = await context.og.page(request)
    if (page === null) {
      const nearest = await context.og.pagesNear(request)
      return { value: { page, part: null, nearest }, notes: [] }
    }
    const section = page.anchor === null ? null : findSection(page, page.anchor)
    if (section !== null && 'nearest' in section) {
      const end = `#${page.anchor}`
      const name = url.endsWith(end) ? url.slice(0, -end.length) : page.url
      const nearest = section.nearest.map((anchor) => `${name}#${anchor}`)
      return { value: { page, part: null, nearest }, notes: [] }
    }
    return {
      value: { page, section, ...partOfPage(context, page, { input, section }) },
      notes: versionNotes(page),
    }
  },
  json: pageJson,
})

function versionNotes({ library, version, versionFrom, otherVersions: others }: FullPage): Note[] {
  if (versionFrom !== null) return [{ kind: 'version-chosen', ...versionFrom }]
  return others.length === 0 ? [] : [{ kind: 'version-default', library, version, others }]
}

/**
 * Answers with the outline and the opening if a page or section exceeds the budget. The outline
 * leads to the right section, so the opening is short unless the caller set the budget. A request
 * for lines or for the next part gets no outline.
 */
function partOfPage(
  { maxTokens: usual, renderOutline, condensesApi }: GetContext,
  page: FullPage,
  { input, section }: { input: InputOf<(typeof get)['input']>; section: PageSection | null },
): { part: PagePart; outline: PageHeading[] } {
  const asksForLines = [input.cursor, input.start_line, input.end_line].some((it) => it !== null)
  const asksForPart = section !== null || asksForLines || input.max_tokens !== null
  const short = condensesApi && !asksForPart ? condensedPart(page) : null
  if (short !== null && estimateTokens(short.content) <= usual) return { part: short, outline: [] }
  const request: PartRequest = {
    startLine: input.start_line ?? section?.startLine ?? 1,
    endLine: input.end_line ?? section?.endLine ?? null,
    maxTokens: input.max_tokens ?? usual,
    cursor: input.cursor,
  }
  const part = cutPagePart(page.text, request)
  if (part.cursor === null || asksForLines) return { part, outline: [] }
  const { startLine, endLine, maxTokens } = request
  const fits = (some: PageHeading[]) => estimateTokens(renderOutline(some)) <= maxTokens / 4
  const isInside = ({ line }: PageHeading) => startLine <= line && line <= (endLine ?? Infinity)
  const outline = fittingOutline(headingsOf(page).filter(isInside), fits)
  if (outline.length < 2) return { part, outline: [] }
  const rest = maxTokens - estimateTokens(renderOutline(outline))
  const most = input.max_tokens === null ? Math.min(rest, maxTokens / 4) : rest
  return { part: cutPagePart(page.text, { ...request, maxTokens: Math.floor(most) }), outline }
}

/** Returns an API page with shortened members, or null if that saves less than a third. */
function condensedPart({ url, text }: FullPage): PagePart | null {
  if (!isApiPagePath(url) || estimateTokens(text) <= maxFullApiTokens) return null
  const content = condenseMembers(text)
  if (content.length > (text.length * 2) / 3) return null
  const totalLines = lineStarts(text).length
  return { content, startLine: 1, endLine: totalLines, totalLines, cursor: null }
}

const maxFullApiTokens = 800

/** Drops the deepest headings until the rest fits, and then headings from the end. */
function fittingOutline(
  headings: PageHeading[],
  fits: (some: PageHeading[]) => boolean,
): PageHeading[] {
  let fitting = headings
  for (let deepest = 6; deepest > 1 && !fits(fitting); deepest--) {
    fitting = fitting.filter(({ level }) => level < deepest)
  }
  while (fitting.length > 0 && !fits(fitting))
    fitting = fitting.slice(0, Math.floor(fitting.length * 0.8))
  return fitting
}

function pageJson({ value, notes }: Answer<PageAnswer>) {
  if (value.part === null) return { found: false as const, nearest: value.nearest }
  const {
    page: { library, version, url, title },
    section,
    part,
    outline,
  } = value
  return {
    found: true as const,
    library,
    version,
    url,
    title,
    ...(section && { heading: section.heading, anchor: section.anchor }),
    text: part.content,
    start_line: part.startLine,
    end_line: part.endLine,
    total_lines: part.totalLines,
    ...(outline.length > 0 && { outline }),
    ...(part.cursor !== null && { next_cursor: part.cursor }),
    ...(notes.length > 0 && { notes: notesJson(notes) }),
  }
}

export type PagePart = {
  content: string
  /** Line numbers in the page, 1-based and inclusive. */
  startLine: number
  endLine: number
  totalLines: number
  /** The position after this part, or null if nothing more was requested. */
  cursor: string | null
}

type PartRequest = {
  startLine: number
  endLine: number | null
  maxTokens: number
  cursor: string | null
}

export function cutPagePart(text: string, request: PartRequest): PagePart {
  const starts = lineStarts(text)
  const { startLine, cursor } = request
  const last = Math.min(request.endLine ?? starts.length, starts.length)
  if (startLine > starts.length || startLine > last) {
    const range = request.endLine === null ? `${startLine}` : `${startLine}-${request.endLine}`
    throw new OgError(`No lines ${range}: the page has ${starts.length}`)
  }
  const from = cursor === null ? starts[startLine - 1]! : offsetOf(cursor, text)
  const rest = text.slice(from, starts[last])
  // A word longer than the budget is cut because the cursor has to advance.
  const content =
    cutToTokens(rest, request.maxTokens) ||
    rest.slice(0, lengthWithinTokens(rest, request.maxTokens))
  const to = from + content.length
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1
  return {
    content,
    startLine: lineAt(from),
    endLine: lineAt(Math.max(from, to - 1)),
    totalLines: starts.length,
    cursor: content.length < rest.length ? `${to}-${hashOf(text)}` : null,
  }
}

function offsetOf(cursor: string, text: string): number {
  const [, offset, hash] = /^(\d{1,9})-([0-9a-f]{8})$/.exec(cursor) ?? []
  if (hash === hashOf(text) && Number(offset) < text.length) return Number(offset)
  throw new OgError(
    'Invalid cursor: it belongs to another page or to an older version of this page',
    { hint: 'omit cursor to start again' },
  )
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Returns the offsets of the line starts. The last line may lack a line break. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop()
  return starts
}
