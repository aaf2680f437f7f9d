import { oneLine } from '../../platform/text/trim.ts'
import { decodeEntities } from '../../document/inline.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { notTextError } from '../decode.ts'
import { parseHtml } from '../html/html.ts'
import { openZipped, type ZippedFiles } from './zipped.ts'

/** A chapter as a page. The first page lists the chapters. */
type Chapter = { id: string; title: string; description: string | null; text: string }

const chapterLimit = 2000

/**
 * Returns the pages of an EPUB file: a title page with all chapters, and one page per chapter in
 * reading order. @throws OgError with `path` if the file is not an EPUB file
 */
export async function epubPages(
  bytes: Uint8Array,
  path: string,
): Promise<{ pages: Chapter[]; language: string | null }> {
  const files = openZipped(bytes, path)
  const container = (await files.text('META-INF/container.xml')) ?? ''
  const packagePath = parseAttributes(/<rootfile\b([^<>]*)>/.exec(container)?.[1] ?? '').get(
    'full-path',
  )
  const book = packagePath === undefined ? null : await files.text(packagePath)
  if (book === null) throw notTextError(path, 'an EPUB without its list of chapters')
  const folder = packagePath!.includes('/') ? packagePath!.replace(/[^/]*$/, '') : ''
  const chapters = await chaptersOf(files, { book, folder })
  const title = elementText(book, 'title') ?? 'Book'
  const description = elementText(book, 'description')
  const list = chapters.map((chapter) => `- ${chapter.title}`).join('\n')
  const text = `# ${title}\n\n${description === null ? '' : `${description}\n\n`}${list}\n`
  const overview: Chapter = { id: '', title, description, text }
  return { pages: [overview, ...chapters], language: elementText(book, 'language') }
}

async function chaptersOf(
  files: ZippedFiles,
  { book, folder }: { book: string; folder: string },
): Promise<Chapter[]> {
  const items = new Map<string, Map<string, string>>()
  for (const [, tag = ''] of book.matchAll(/<(?:\w+:)?item\s([^<>]*)>/g)) {
    const attributes = parseAttributes(tag)
    items.set(attributes.get('id') ?? '', attributes)
  }
  const chapters: Chapter[] = []
  const seen = new Set<string>()
  const spine = Array.from(book.matchAll(/<(?:\w+:)?itemref\s([^<>]*)>/g)).slice(0, chapterLimit)
  for (const [, sourceText = ''] of spine) {
    const item = items.get(parseAttributes(sourceText).get('idref') ?? '')
    const href = item?.get('href') ?? ''
    // The table of contents repeats the titles on the first page.
    if (href === '' || /\bnav\b/.test(item?.get('properties') ?? '')) continue
    if (seen.has(href)) continue
    seen.add(href)
    const source = await files.text(folder + decoded(href))
    const chapter = source === null ? null : chapterOf(source, href)
    if (chapter !== null) chapters.push(chapter)
  }
  return chapters
}

function chapterOf(source: string, href: string): Chapter | null {
  try {
    const { title, description, text } = parseHtml(source.replace(/^\s*<\?xml[^>]*>/, ''), href)
    const heading = /^#{1,6} (.+)$/m.exec(text)?.[1] ?? null
    return { id: href, title: heading ?? title ?? href, description, text }
  } catch {
    return null // A cover without text.
  }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

/** Returns the text of a Dublin Core element, such as `<dc:title>`. */
function elementText(book: string, name: string): string | null {
  const start = new RegExp(`<dc:${name}\\b[^>]*>`).exec(book)
  if (start === null) return null
  const from = start.index + start[0].length
  const end = book.indexOf(`</dc:${name}>`, from)
  const source = end < 0 ? '' : book.slice(from, Math.min(end, from + 4000))
  const text = decodeEntities(source.replace(/<[^<>]*>/g, ' ')).replace(/<[^<>]*>/g, ' ')
  return oneLine(text) || null
}
