import { oneLine } from '../../platform/text/trim.ts'
import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import { messageOf } from '../../platform/error.ts'
import { notTextError, unreadableError } from '../decode.ts'
import { linesOfPage, type PdfLine } from './pdf-lines.ts'
import { linesToMarkdown, type OutlineEntry } from './pdf-text.ts'

const limits = { pages: 2000, characters: 4_000_000, outlineEntries: 3000 }

/**
 * Converts a PDF file to Markdown: headings by outline or font size, paragraphs, lists, tables and
 * code.
 * @throws OgError with `path` if the file is not a PDF, is encrypted or damaged, or has no text
 */
export async function parsePdf(
  bytes: Uint8Array,
  path: string,
): Promise<{ title: string | null; text: string }> {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  if (!start.includes('%PDF-')) throw notTextError(path, 'not a PDF file')
  const document = await openDocument(bytes, path)
  try {
    const nPages = document.numPages
    if (nPages > limits.pages) {
      throw unreadableError(path, `it has ${nPages} pages, the limit is ${limits.pages}`)
    }
    const pages = await linesOf(document, path)
    const outline = await outlineOf(document, pages.length)
    const { title, text } = linesToMarkdown(pages, outline)
    if (!/[\p{L}\p{N}]/u.test(text)) {
      throw notTextError(path, 'a PDF without text, such as a scan')
    }
    return { title: (await statedTitle(document)) ?? title, text }
  } finally {
    await document.loadingTask.destroy()
  }
}

async function openDocument(bytes: Uint8Array, path: string): Promise<PDFDocumentProxy> {
  const { getDocument } = await import('unpdf/pdfjs')
  const options = {
    // pdf.js does not accept a Buffer and detaches its input, so it gets a copy.
    data: new Uint8Array(bytes),
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    maxImageSize: 0,
  }
  return getDocument(options).promise.catch((error: unknown) => {
    throw unreadableError(path, reasonOf(error))
  })
}

function reasonOf(error: unknown): string {
  const { name } = error as Error
  if (name === 'PasswordException') return 'the PDF is encrypted with a password'
  return `the PDF is damaged: ${messageOf(error).split('\n')[0]!.slice(0, 200)}`
}

async function linesOf(document: PDFDocumentProxy, path: string): Promise<PdfLine[][]> {
  const pages: PdfLine[][] = []
  let left = limits.characters
  for (let number = 1; number <= document.numPages; number++) {
    let page: PDFPageProxy
    try {
      page = await document.getPage(number)
      const { items, styles } = await page.getTextContent()
      const { transform } = page.getViewport({ scale: 1 })
      const lines = linesOfPage({ items, styles, transform })
      for (const { runs } of lines) for (const { text } of runs) left -= text.length
      pages.push(lines)
    } catch (error) {
      throw unreadableError(path, `page ${number}: ${reasonOf(error)}`)
    }
    page.cleanup()
    if (left < 0) throw unreadableError(path, 'it has more than 4 MB of text')
  }
  return pages
}

type OutlineNode = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number]

/** Returns the outline in reading order; empty if it is missing or damaged. */
async function outlineOf(document: PDFDocumentProxy, nPages: number): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = []
  const visit = async (nodes: OutlineNode[], level: number): Promise<void> => {
    for (const { title, dest, items } of nodes) {
      if (entries.length >= limits.outlineEntries) return
      const page = await pageOf(document, dest)
      const text = oneLine(title)
      if (page !== null && page < nPages && text !== '') entries.push({ title: text, level, page })
      if (level < 6) await visit(items, level + 1)
    }
  }
  try {
    await visit((await document.getOutline()) ?? [], 1)
  } catch {
    return []
  }
  return entries
}

async function pageOf(
  document: PDFDocumentProxy,
  dest: OutlineNode['dest'],
): Promise<number | null> {
  try {
    const [page] = (typeof dest === 'string' ? await document.getDestination(dest) : dest) ?? []
    if (typeof page === 'number') return page
    return page ? await document.getPageIndex(page) : null
  } catch {
    return null // The target is missing.
  }
}

/** Returns the title in the metadata, unless it is a file name. */
async function statedTitle(document: PDFDocumentProxy): Promise<string | null> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }))
  const { Title: title } = info as { Title?: unknown }
  if (typeof title !== 'string') return null
  const text = oneLine(title).slice(0, 300)
  const isFileName = /^(?:microsoft (?:word|powerpoint)\b|untitled\b)|\.[a-z]{2,5}$/i.test(text)
  return isFileName || !/\p{L}/u.test(text) ? null : text
}
