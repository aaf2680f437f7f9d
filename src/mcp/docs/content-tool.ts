import { z } from 'zod'
import type { FullPage } from '../../library/page.ts'
import type { Og } from '../../open.ts'
import { nearest } from '../../platform/nearest.ts'
import { withVersionInName } from '../../version/version-in-name.ts'
import { tool } from './docs-tool.ts'
import { lackOf, missing } from './missing.ts'
import { maxTokensArgument, partOf, type PagePart } from './page-part.ts'
import { address, inline } from './quote.ts'
import { renderPage } from './render.ts'
import { readsOnly } from '../tool.ts'

export const fullContent = tool({
  name: 'get_full_content_tool',
  aliases: ['get_full_content'],
  title: 'Read a page',
  description:
    'Read the exact text of a documentation page that search_documents_tool named, whole or in ' +
    'part. Use it when a passage is cut off or its surroundings matter. Long pages come in ' +
    'parts: call again with the cursor of the answer, and the other arguments unchanged.',
  input: z.strictObject({
    url: z.string().min(1).max(8_192).describe('address of the page, exactly as a hit names it'),
    version: z.string().min(1).max(200).describe('version, as the hit names it'),
    library_name: z.string().max(200).optional().describe('look in this library only'),
    start_line: z.int().min(1).optional().describe('first line, counted from 1'),
    end_line: z.int().min(1).optional().describe('last line; it belongs to the answer'),
    max_tokens: maxTokensArgument('stop after so many tokens, 20000 unless set'),
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
    const part = partOf(page.text, {
      startLine: wish.start_line ?? 1,
      endLine: wish.end_line ?? null,
      maxTokens: wish.max_tokens ?? defaultPageTokens,
      cursor: wish.cursor ?? null,
    })
    return { text: renderPage(page, part), structured: { found: true, ...pageOf(page, part) } }
  },
})

/** Clients cut tool answers of more than 25,000 tokens. */
const defaultPageTokens = 20_000

function pageOf(page: FullPage, part: PagePart) {
  const { library, version, url, title } = page
  const { content, startLine, endLine, totalLines, cursor } = part
  return {
    library, version, url, title, content,
    start_line: startLine,
    end_line: endLine,
    total_lines: totalLines,
    ...(cursor === null ? {} : { next_cursor: cursor }),
  }
}

async function noPage(
  og: Og,
  { url, version, library }: { url: string; version: string; library: string | null },
) {
  const near = library === null ? [] : nearestPages(url, await og.pages({ library, version }))
  const lines = [`No content found for URL: ${address(url)} (version: ${inline(version)})`]
  if (near.length > 0) lines.push(`Nearest: ${near.map(address).join(' ')}`)
  else lines.push('Addresses are those that search_documents_tool names.')
  const message = lines.join('\n')
  return { text: message, structured: { found: false, message, nearest: near } }
}

const maxCompared = 2_000

/** Pages of the same file name, else those whose address is a few keystrokes away. */
function nearestPages(url: string, pages: ReadonlyMap<string, unknown>): string[] {
  const nameOf = (address: string) =>
    address.split(/[?#]/, 1)[0]!.replace(/\/$/, '').split('/').at(-1)!
  const name = nameOf(url)
  const urls = [...pages.keys()]
  const named = urls.filter((candidate) => nameOf(candidate) === name).slice(0, 3)
  return named.length > 0 ? named : nearest(url, urls.slice(0, maxCompared))
}
