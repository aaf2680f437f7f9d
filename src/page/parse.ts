import { openApiLookup } from '../references/api-lookup.ts'
import { decodeText, unreadableError } from '../formats/decode.ts'
import { firstProse } from './description.ts'
import type { ParsedText, PageSite } from '../formats/parsed-text.ts'
import { formatOf, formats, hasPageExtension } from '../formats/formats.ts'
import { parseFrontMatter, type FrontMatter } from '../formats/front-matter.ts'
import type { MarkupPage } from '../sites/generator.ts'
import { generatorOfSite } from '../sites/generators.ts'
import { ChargedValues, growthLimitFor, type GrowthLimit } from '../document/growth.ts'
import { expandIncludes, type IncludedFiles } from '../references/include.ts'
import { sharedText } from '../references/shared-page.ts'
import { hasOnlyHeadings } from './leftover.ts'
import type { Page } from './page.ts'
import { addMissedTitles, referenceTitlesOf } from '../references/references.ts'
import { toctreeOf } from '../references/toctree.ts'
import { titleFromHeadings, titleFromPath } from '../document/title.ts'
import { headings } from '../document/headings.ts'

/** A file in a source. `path` is `/`-separated and relative to the source. */
export type PageFile = {
  bytes: Uint8Array
  path: string
  url: string
  /** An HTTP date or ISO date from the source. */
  lastModified?: string | null
  /** The site that shows the page, if a known generator builds it. */
  site?: PageSite | undefined
}

/**
 * Parses a file by its extension into a page. Removes front matter, expands includes that
 * `includes` can read, and converts the generator's syntax.
 * @throws OgError with a one-line reason if the file is not a page
 */
export async function parsePage(file: PageFile, includes?: IncludedFiles): Promise<Page> {
  return (await parsePages(file, includes))[0]!
}

/**
 * Returns the pages in a file. Usually there is one. A file with several pages has an overview and
 * parts, and a part's URL is the file's URL with the part's id as fragment.
 */
export async function parsePages(file: PageFile, includes?: IncludedFiles): Promise<Page[]> {
  const { path, url } = file
  const { parsed, front, toctree = '' } = await parsedFile(file, includes)
  const first = pageOf(file, { parsed, front, toctree })
  const { parts = [] } = parsed
  const { toctree: _, ...shared } = first
  return [
    first,
    ...parts.map(({ id, title, description, text }) => ({
      ...shared,
      url: `${url}#${encodeURI(id)}`,
      path: `${path}#${id}`,
      title,
      description: description ?? '',
      text,
    })),
  ]
}

type ParsedFile = { parsed: ParsedText; front: FrontMatter; toctree?: string }

async function parsedFile(
  file: PageFile,
  includes: IncludedFiles | undefined,
): Promise<ParsedFile> {
  const { path, url, site } = file
  if (!hasPageExtension(path)) throw unreadableError(path, 'not a page by extension')
  const { parseBytes, hasNoFrontMatter } = formats[formatOf(path, '')!]
  if (parseBytes) return { parsed: await parseBytes(file.bytes, { path, url }), front: noFront('') }
  const whole = decodeText(file.bytes, path)
  const front = hasNoFrontMatter ? noFront(whole) : parseFrontMatter(whole)
  const dialect = formatOf(path, front.text)!
  const text = (await sharedText(front, includes)) ?? front.text
  const growth = growthLimitFor(text.length)
  const expanded = includes
    ? await expandIncludes(text, { files: includes, dialect, growth, site })
    : text
  // Checked again before the longer text is scanned.
  refuseGrown(path, growth)
  const lookup = includes && openApiLookup(includes, site?.bases ?? [])
  const { variables } = site ?? {}
  const from = includes?.from ?? site?.path ?? path
  const references = { path: from, dialect, site }
  const titles = await referenceTitlesOf(expanded, references, includes?.titles)
  const values = await inheritedValues(file, { text: expanded, front: front.values, includes })
  const parse = async () => {
    const own = growth.copy()
    const markdown = site
      ? withMarkupOfSite(expanded, { path, site, lookup, titles, growth: own, front: values })
      : expanded
    refuseGrown(path, own)
    const showsCodeMarks = site !== undefined && !generatorOfSite(site).removesCodeMarks
    const file = { path, url, growth: own, variables, lookup, titles, showsCodeMarks }
    const parsed = await formats[dialect].parse!(markdown, file)
    refuseGrown(path, own)
    return parsed
  }
  let parsed = await parse()
  // Objects may refer to further objects, as in a module's docstring.
  for (let round = 0; round < lookupRounds && (await lookup?.resolve()); round++) {
    parsed = await parse()
    if (await addMissedTitles(titles, references, includes?.titles)) parsed = await parse()
  }
  return {
    parsed,
    front,
    toctree:
      parsed.markup === 'text'
        ? ''
        : toctreeOf(expanded, { path, isRst: dialect === 'rst', root: rootOf(file) }),
  }
}

/** Returns the front matter with the values that the page inherits on its site. */
async function inheritedValues(
  { site }: PageFile,
  {
    text,
    front,
    includes,
  }: { text: string; front: ReadonlyMap<string, string>; includes: IncludedFiles | undefined },
): Promise<ReadonlyMap<string, string>> {
  const { inheritValues } = site ? generatorOfSite(site) : {}
  if (!site || !includes || !inheritValues) return front
  const { from, read } = includes
  const { root, variables } = site
  return inheritValues({ text, front, from, root, variables }, read)
}

/** Returns the root of the page's site, relative to the source; '' if it is outside. */
function rootOf({ path, site }: PageFile): string {
  if (site === undefined || !site.path.endsWith(path)) return ''
  const above = site.path.slice(0, site.path.length - path.length)
  return site.root.startsWith(above) ? site.root.slice(above.length) : ''
}

const lookupRounds = 4

function withMarkupOfSite(
  text: string,
  { site, growth, ...page }: MarkupPage & { growth: GrowthLimit },
): string {
  const { toMarkup } = generatorOfSite(site)
  if (toMarkup === undefined) return text
  const variables = new ChargedValues(site.variables, growth)
  const front = new ChargedValues(page.front ?? [], growth)
  return toMarkup(text, { ...page, site: { ...site, variables }, front, growth })
}

function noFront(text: string): FrontMatter {
  return { title: null, description: null, language: null, values: new Map(), text }
}

function pageOf(file: PageFile, { parsed, front, toctree = '' }: ParsedFile): Page {
  const { path, url, site } = file
  const { markup = 'markdown', fallback } = parsed
  // A page without text, such as a section, shows its description instead.
  const summary = parsed.description ?? front.description ?? ''
  const isBare = summary !== '' && hasOnlyHeadings(parsed.text)
  const text = isBare ? `${parsed.text}\n${summary}\n`.trimStart() : joinWords(parsed.text)
  const { source = text } = parsed
  const list = headings(text, markup)
  const language = parsed.language ?? front.language
  return {
    url,
    path,
    title:
      parsed.title ??
      front.title ??
      (site?.isShared ? null : site?.title) ??
      titleFromHeadings(list, text, path) ??
      fallback?.title ??
      site?.title ??
      titleFromPath(path),
    description:
      parsed.description ??
      front.description ??
      fallback?.description ??
      firstProse(source, { markup, headings: headings(source, markup) }),
    text,
    markup,
    ...(toctree === '' ? {} : { toctree }),
    ...(language ? { language } : {}),
    lastModified: file.lastModified ?? null,
  }
}

/**
 * Removes soft hyphens and invisible joiners in words. Keeps U+200B, which separates words in Thai,
 * Lao, Burmese and Khmer.
 */
function joinWords(text: string): string {
  return text.replace(
    /[\u00ad\u2060\ufeff]|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b/g,
    '',
  )
}

function refuseGrown(path: string, growth: GrowthLimit): void {
  const refusal = growth.refusal()
  if (refusal !== null) throw unreadableError(path, refusal)
}
