import { chunkPage, embeddedText } from '../../../src/chunk/chunk.ts'
import { chunkTerms } from '../../../src/chunk/terms.ts'
import { splitSections } from '../../../src/page/diff.ts'
import { toAbsoluteLinks } from '../../../src/formats/markdown/markdown-links.ts'
import type { Page } from '../../../src/page/page.ts'
import { parsePage } from '../../../src/page/parse.ts'
import { OgError } from '../../../src/platform/error.ts'
import { widenToExcerpt } from '../../../src/search/excerpt/excerpt.ts'
import { excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { isNearCopy } from '../../../src/search/excerpt/near-copy.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'
import { countWords } from '../count-words.ts'

/** Runs every step from the file of a page to its display. A step may reject the page. */
export async function runPage(text: string, extension: string): Promise<void> {
  const page = await parsed(text, extension)
  if (page === null) return
  const chunks = chunkPage(page, { countTokens: countWords })
  for (const chunk of chunks) {
    embeddedText(page, chunk)
    const heading = chunk.headings.join(' ')
    chunkTerms({ title: page.title, heading, path: page.path, body: chunk.text })
  }
  toAbsoluteLinks(page.text, { base: page.url, page: page.url })
  splitSections(page)
  const outline = outlinePage(page)
  for (const at of [0, chunks.length >> 1, chunks.length - 1]) {
    const chunk = chunks[at]
    if (chunk === undefined) continue
    excerptText(outline, widenToExcerpt(outline, chunk))
    isNearCopy(chunk.text, chunks[0]!.text)
  }
}

async function parsed(text: string, extension: string): Promise<Page | null> {
  const path = `docs/page.${extension}`
  try {
    return await parsePage({ bytes: Buffer.from(text), path, url: `https://docs.test/${path}` })
  } catch (error) {
    if (error instanceof OgError) return null
    throw error
  }
}
