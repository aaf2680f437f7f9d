import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { OgError } from '../../platform/error.ts'
import { printableUrl } from '../../platform/web/http.ts'
import { sitemapLines } from './robots-rules.ts'

/** A sitemap entry as written. `loc` may be relative. */
export type SitemapEntry = {
  type: 'page' | 'sitemap'
  loc: string
  lastmod: string | null
  language: string | null
  english: string | null
}

/**
 * Parses a sitemap in any or no namespace, or a plain list of URLs, and yields entries as they
 * arrive. Refuses documents that declare entities, expands only XML's five predefined entities, and
 * fetches nothing. Tolerates the same errors as browsers, except a missing end, because the missing
 * pages would count as deleted.
 * @throws OgError if the text is not a sitemap, or is cut off
 */
export async function* sitemapEntries(
  pieces: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<SitemapEntry> {
  const texts = decodedTexts(pieces)
  const head = (await texts.next()).value ?? ''
  if (head.trim() === '') throw broken(url, 'it is empty')
  const rest = (async function* () {
    yield head
    yield* texts
  })()
  if (isRobotsFile(url)) yield* robotsEntries(rest)
  else yield* /^\s*</.test(head) ? xmlEntries(rest, url) : lineEntries(rest, url)
}

/** True if a URL points to a robots.txt, which represents all sitemaps listed in it. */
function isRobotsFile(url: string): boolean {
  return new URL(url).pathname.endsWith('/robots.txt')
}

async function* robotsEntries(texts: AsyncIterable<string>): AsyncGenerator<SitemapEntry> {
  let text = ''
  for await (const piece of texts) text = (text + piece).slice(0, maxRobotsCharacters)
  for (const loc of sitemapLines(text)) {
    yield { type: 'sitemap', loc, lastmod: null, language: null, english: null }
  }
}

const maxRobotsCharacters = 500 * 1024

/** A sitemap nests four levels deep. Deeper nesting is an attempt to exhaust memory. */
const maxDepth = 32
const maxTagCharacters = 2 ** 20
const maxFieldCharacters = 8192

async function* xmlEntries(
  texts: AsyncIterable<string>,
  url: string,
): AsyncGenerator<SitemapEntry> {
  const entryParser = openEntryParser(url)
  for await (const text of plainAmpersands(texts)) {
    yield* entryParser.write(text)
  }
  yield* entryParser.close()
}

/** Matches the end of text that may begin an entity, `<![CDATA[` or `]]>`. */
const openEnd = /(?:&#?\w{0,8}|<[![CDAT]{0,7}|\]{1,2})$/
const bareAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/gi

/**
 * Escapes each ampersand that does not begin a predefined XML entity, because the parser would read
 * the text up to the next semicolon as an entity name. CDATA stays unchanged.
 */
async function* plainAmpersands(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let isCdata = false
  const spelt = (text: string) =>
    text
      .split(/(<!\[CDATA\[|\]\]>)/)
      .map((part) => {
        if (part === '<![CDATA[' || part === ']]>') isCdata = part !== ']]>'
        return isCdata ? part : part.replace(bareAmpersand, '&amp;')
      })
      .join('')
  for await (const text of texts) {
    const whole = rest + text
    rest = openEnd.exec(whole)?.[0] ?? ''
    yield spelt(whole.slice(0, whole.length - rest.length))
  }
  yield spelt(rest)
}

/** An incremental parser. Both functions return the entries completed since the last call. */
type EntryParser = { write(text: string): SitemapEntry[]; close(): SitemapEntry[] }

function openEntryParser(url: string): EntryParser {
  const parser = new SaxesParser({ xmlns: false, position: false })
  const names: string[] = []
  const ended: SitemapEntry[] = []
  let entry = emptyEntry()
  let field: string | null = null
  let nEntries = 0
  let sinceTag = 0
  let isClosed = false

  function open({ name, attributes }: SaxesTagPlain): void {
    sinceTag = 0
    const local = name.slice(name.indexOf(':') + 1).toLowerCase()
    if (names.length === 0) checkRoot(local, url)
    if (names.length >= maxDepth) throw broken(url, `its elements nest over ${maxDepth} deep`)
    names.push(local)
    field = null
    if (names.length === 2) entry = emptyEntry()
    if (names.length !== 3) return
    if (local === 'loc' || local === 'lastmod') field = ''
    if (local === 'link') entry.alternates.push(attributes as Record<string, string>)
  }
  function close(): void {
    sinceTag = 0
    const local = names.pop()
    if (names.length === 2 && field !== null) entry[local as 'loc' | 'lastmod'] = field.trim()
    if (names.length === 1 && entry.loc !== '') ended.push(toEntry(entry, names[0]!))
    if (names.length === 0) isClosed = true
    field = null
  }
  function take(): SitemapEntry[] {
    nEntries += ended.length
    return ended.splice(0)
  }
  const append = (text: string) => {
    if (field !== null) field = (field + text).slice(0, maxFieldCharacters)
  }
  parser.on('opentag', open)
  parser.on('closetag', close)
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('doctype', (text) => {
    throw doctypeError(text, url)
  })
  parser.on('error', () => {}) // Tolerates a blank line before `<?xml`, and unclosed tags.
  return {
    write(text) {
      const doctype = names.length > 0 ? null : /<!DOCTYPE([^>]{0,200})/i.exec(text)
      if (doctype) throw doctypeError(doctype[1]!, url)
      sinceTag += text.length
      parser.write(text)
      if (sinceTag > maxTagCharacters + text.length) throw broken(url, 'a tag in it has no end')
      return take()
    },
    close() {
      if (!isClosed) throw broken(url, `it ends early, after ${nEntries} addresses`)
      parser.close()
      return take()
    },
  }
}

type Draft = { loc: string; lastmod: string; alternates: Record<string, string>[] }

function emptyEntry(): Draft {
  return { loc: '', lastmod: '', alternates: [] }
}

function toEntry({ loc, lastmod, alternates }: Draft, root: string): SitemapEntry {
  const own = alternates.find(({ rel = 'alternate', href }) => rel === 'alternate' && href === loc)
  const language = own?.hreflang ?? ''
  const english = /^en\b/i.test(language) ? undefined : language && englishAlternate(alternates)
  return {
    type: root === 'sitemapindex' ? 'sitemap' : 'page',
    // Copied, because a slice would keep the whole source text in memory.
    loc: copyText(loc),
    lastmod: copyText(lastmod) || null,
    language: language === 'x-default' ? null : copyText(language) || null,
    english: copyText(english || '') || null,
  }
}

function englishAlternate(alternates: Draft['alternates']): string | undefined {
  return alternates.find(({ hreflang = '' }) => /^en\b/i.test(hreflang))?.href
}

function copyText(text: string): string {
  return Buffer.from(text).toString()
}

function checkRoot(name: string, url: string): void {
  if (name === 'urlset' || name === 'sitemapindex') return
  if (name === 'html') throw webPage(url)
  throw broken(url, `its root is <${name.slice(0, 40)}>, not <urlset> or <sitemapindex>`)
}

function doctypeError(doctype: string, url: string): OgError {
  if (/^\s*html\b/i.test(doctype)) return webPage(url)
  return broken(url, 'it declares a document type, which could hold entities')
}

async function* lineEntries(
  texts: AsyncIterable<string>,
  url: string,
): AsyncGenerator<SitemapEntry> {
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop()!
    if (rest.length > maxFieldCharacters) throw broken(url, 'it is neither XML nor a list')
    yield* lines.flatMap((line) => lineEntry(line, url))
  }
  yield* lineEntry(rest, url)
}

function lineEntry(line: string, url: string): SitemapEntry[] {
  const loc = line.trim()
  if (loc === '') return []
  if (!/^https?:\/\/\S+$/i.test(loc)) throw broken(url, 'it is neither XML nor a list of addresses')
  return [{ type: 'page', loc: copyText(loc), lastmod: null, language: null, english: null }]
}

/** Decodes as XML requires: by the byte order mark, the declared encoding, or UTF-8. */
async function* decodedTexts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let head = new Uint8Array(0)
  for await (const piece of pieces) {
    head = decoder ? piece.slice() : Buffer.concat([head, piece])
    if (decoder === null && head.length < 200) continue
    decoder ??= decoderOf(head)
    yield decoder.decode(head, { stream: true })
  }
  yield decoder ? decoder.decode() : decoderOf(head).decode(head)
}

function decoderOf(head: Uint8Array): InstanceType<typeof TextDecoder> {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be')
  const start = Buffer.from(head.subarray(0, 200)).toString('latin1')
  const label = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1] ?? 'utf-8'
  return new TextDecoder(knownCharsets.has(label.toLowerCase()) ? (label as 'utf-8') : 'utf-8')
}

const knownCharsets = new Set(['iso-8859-1', 'windows-1252', 'us-ascii', 'shift_jis', 'gbk'])

function webPage(url: string): OgError {
  return broken(url, 'it is a web page', 'see the Sitemap: line of the robots.txt of the site')
}

function broken(url: string, reason: string, hint?: string): OgError {
  return new OgError(`Cannot read sitemap "${printableUrl(url)}": ${reason}`, { hint })
}
