import { z } from 'zod'
import type { FullPage } from '../../library/page.ts'
import { headingsOf, sectionNamed, type PageHeading } from '../../library/page-section.ts'
import type { OgView } from '../../open.ts'
import { tokensOf } from '../../platform/tokens.ts'
import { withVersionInName } from '../../version/version-in-name.ts'
import { tool } from './docs-tool.ts'
import { lackOf, missing } from './missing.ts'
import { maxTokensArgument, partOf, type PagePart, type PartWish } from '../../operation/page-part.ts'
import { address, inline } from './quote.ts'
import { renderOutline } from './render-outline.ts'
import { renderPage } from './render.ts'
import { readsOnly } from '../tool.ts'

export const fullContent = tool({
  name: 'get_full_content_tool',
  aliases: ['get_full_content'],
  title: 'Read a page',
  description:
    'Read the exact text of a documentation page that search_documents_tool named, whole or in ' +
    'part. Use it when a passage is cut off or its surroundings matter. Long pages come in ' +
    'parts, the first with an outline: call again with the cursor of the answer and the other ' +
    'arguments unchanged, with the lines of a heading, or with #anchor behind the address.',
  input: z.strictObject({
    url: z.string().min(1).max(8_192)
      .describe('address of the page as a hit names it; #anchor: only the section of that heading'),
    version: z.string().min(1).max(200).describe('version, as the hit names it'),
    library_name: z.string().max(200).optional().describe('look in this library only'),
    start_line: z.int().min(1).optional().describe('first line, counted from 1'),
    end_line: z.int().min(1).optional().describe('last line; it belongs to the answer'),
    max_tokens: maxTokensArgument('stop after so many tokens, 4000 unless set'),
    cursor: z.string().max(100).optional().describe('goes on where the answer before stopped'),
  }),
  output: z.object({
    found: z.boolean(),
    library: z.string().optional(),
    version: z.string().optional(),
    url: z.string().optional(),
    title: z.string().optional(),
    content: z.string().optional(),
    start_line: z.int().optional(),
    end_line: z.int().optional(),
    total_lines: z.int().optional(),
    outline: z.array(z.object({ line: z.int(), level: z.int(), title: z.string() })).optional()
      .describe('headings of a page that is not given whole'),
    next_cursor: z.string().optional().describe('where the rest begins; absent at the end'),
    message: z.string().optional().describe('why there is no page'),
    nearest: z.array(z.string()).optional(),
    add_command: z.string().optional().describe('a command that would add what is missing'),
  }),
  annotations: readsOnly,
  async run(context, { url, version, library_name = null, ...wish }) {
    const { library } = withVersionInName({ library: library_name, version })
    const lack = await missing(context, { library, version })
    if (lack !== null) return { text: lack.message, structured: { found: false, ...lackOf(lack) } }
    const page = await context.og.page({ url, library, version })
    if (page === null) return await noPage(context.og, { url, version, library })
    const section = page.anchor === null ? null : sectionNamed(page, page.anchor)
    if (section !== null && 'nearest' in section) return noSection(page, section.nearest)
    const shown = firstPart(page, {
      startLine: wish.start_line ?? section?.startLine ?? 1,
      endLine: wish.end_line ?? section?.endLine ?? null,
      maxTokens: wish.max_tokens ?? defaultPageTokens,
      cursor: wish.cursor ?? null,
    })
    return { text: renderPage(page, shown), structured: { found: true, ...pageOf(page, shown) } }
  },
})

/** What an agent reads in one go; the rest of a long page is seldom what it is after. */
const defaultPageTokens = 4_000

type Shown = PagePart & { outline: PageHeading[] }

/** Who has not asked for some lines, and does not get the whole page, gets its outline too. */
function firstPart(page: FullPage, wish: PartWish): Shown {
  const part = partOf(page.text, wish)
  const isAsked = wish.cursor !== null || wish.startLine > 1 || wish.endLine !== null
  if (part.cursor === null || isAsked) return { ...part, outline: [] }
  const maxTokens = Math.floor(wish.maxTokens / 4)
  const outline = fittingOutline(headingsOf(page), maxTokens)
  const rest = wish.maxTokens - tokensOf(renderOutline(outline))
  return { ...partOf(page.text, { ...wish, maxTokens: rest }), outline }
}

/** The deepest headings are left out until the others fit; then the last ones. */
function fittingOutline(headings: PageHeading[], maxTokens: number): PageHeading[] {
  const fits = (some: PageHeading[]) => tokensOf(renderOutline(some)) <= maxTokens
  let kept = headings
  for (let deepest = 6; deepest > 1 && !fits(kept); deepest--) {
    kept = kept.filter(({ level }) => level < deepest)
  }
  while (kept.length > 0 && !fits(kept)) kept = kept.slice(0, Math.floor(kept.length * 0.8))
  return kept
}

function noSection(page: FullPage, anchors: string[]) {
  const near = anchors.map((anchor) => `${page.url}#${anchor}`)
  const lines = [`No heading "${inline(page.anchor!)}" in ${address(page.url)}`]
  if (near.length > 0) lines.push(`Nearest: ${near.map(address).join(' ')}`)
  const message = lines.join('\n')
  return { text: message, structured: { found: false, message, nearest: near } }
}

function pageOf(page: FullPage, part: Shown) {
  const { library, version, url, title } = page
  const { content, startLine, endLine, totalLines, cursor } = part
  return {
    library, version, url, title, content,
    start_line: startLine,
    end_line: endLine,
    total_lines: totalLines,
    ...(part.outline.length === 0 ? {} : { outline: part.outline }),
    ...(cursor === null ? {} : { next_cursor: cursor }),
  }
}

async function noPage(
  og: OgView,
  { url, version, library }: { url: string; version: string; library: string | null },
) {
  const near = await og.pagesNear({ url, library, version })
  const lines = [`No content found for URL: ${address(url)} (version: ${inline(version)})`]
  if (near.length > 0) lines.push(`Nearest: ${near.map(address).join(' ')}`)
  else lines.push('Addresses are those that search_documents_tool names.')
  const message = lines.join('\n')
  return { text: message, structured: { found: false, message, nearest: near } }
}
