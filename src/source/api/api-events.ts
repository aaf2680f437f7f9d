import { emptyOutline } from '../../api/merge-outline.ts'
import { posix, join, sep } from 'node:path'
import { apiPagePath } from '../../api/api-path.ts'
import { compareWithPages, type ApiCoverage } from '../../api/coverage.ts'
import { languages, type LanguageName } from '../../api/language.ts'
import type { Requirement } from '../../api/link/dependency.ts'
import type { ApiModule } from '../../api/link/link.ts'
import { apiPages, type ApiPage, type ApiStyle } from '../../api/render.ts'
import { countMentions, shortenDocumentation } from '../../api/shorten.ts'
import type { FileOutline } from '../../api/symbol.ts'
import { OgError, reasonOf } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import type { Page } from '../../page/page.ts'
import { displaySource, type Source } from '../../store/source.ts'
import { apiValidatorPrefix } from '../known-pages.ts'
import { parseOutline, parseInOrder } from '../page-parser.ts'
import type { KnownPages, SourceEvent } from '../source.ts'
import { openBorrower, type BorrowingSource } from './borrow.ts'
import { exportedAside, findPackages, type ApiPackage } from './packages.ts'
import { readFile, realpath, stat } from 'node:fs/promises'
import { sizeLimitBytes } from '../select/select.ts'

/** The files of a source in which og looks for packages. */
export type SourceTree = {
  paths: readonly string[]
  addressOf(path: string): string
  /** Further packages in the tree that cannot be read, with reasons. */
  unread?: readonly { path: string; reason: string }[]
  /** Returns a string that changes with the file. If undefined, the bytes are compared. */
  idOf?(path: string): string
  /** Called with all files before they are read. */
  prepare?(paths: readonly string[]): Promise<void>
  /** Returns the bytes of a file, or null if it is unreadable or too large. */
  read(path: string): Promise<Uint8Array | null>
  /**
   * Returns the files of a package from which this one takes names, or null if it is optional and
   * missing.
   * @throws OgError if it cannot be read
   */
  dependency?(requirement: Requirement, language: LanguageName): Promise<SourceTree | null>
}

type ApiOptions = { source: Source; before: KnownPages; signal: AbortSignal | undefined }

/**
 * If a source has more tokens than this, documentation is shortened, unless the user requests the
 * API reference. Names and signatures may exceed it.
 */
const apiTokens = 500_000
/** Tokens of documentation that a source always keeps, in addition to first sentences. */
const leastDocumentation = 150_000
/** Maximum number of tokens in all pages. */
const mostTokens = 5_000_000
/** Limits for the guides in which og counts how often a name occurs. */
const mostGuides = { files: 200, bytes: 4 * 2 ** 20 }
const mostFiles = 20_000
const mostBytes = 64 * 2 ** 20
/** Size limit for a file whose text is the documentation of a symbol. */
const mostIncluded = 256 * 1024

/** Changes when the same files produce different pages. */
const version = '20'

/**
 * Yields the API reference of the packages in a tree. If none of their files has changed, reports
 * the known pages as unchanged and parses nothing.
 */
export async function* apiEvents(
  tree: SourceTree,
  { source, before, signal }: ApiOptions,
): AsyncGenerator<SourceEvent> {
  if (source.api === 'none') return
  const packages = await withExportedAside(findPackages(tree.paths, namesOf(source)), tree)
  const paths = packages.flatMap((it) => [it.manifest ?? [], it.files].flat())
  const files = [...new Set(paths)]
  if (files.length === 0) return
  if (files.length > mostFiles) {
    const from = `${files.length} source files`
    const reason = `an API reference is made of at most ${mostFiles.toLocaleString('en')} files`
    yield { type: 'skipped', path: from, reason }
    const missing = packages.map(({ name }) => ({
      name: `${name}.*`,
      reason: 'limit' as const,
      from,
    }))
    return yield { type: 'coverage', declared: missing.length, missing }
  }
  const validatorFor = (ids: Iterable<string>) =>
    `${apiValidatorPrefix}${sha256(Buffer.from([version, source.api ?? '', ...ids].join('\n')))}`
  const { idOf } = tree
  const early = idOf === undefined ? null : validatorFor(files.map((path) => path + idOf(path)))
  const unread = early === null ? [] : unchangedPages(before, early)
  if (unread.length > 0) return yield* unread
  for (const it of tree.unread ?? []) yield { type: 'skipped', ...it }
  await tree.prepare?.(files)
  const texts = await readTexts(tree, files, mostBytes)
  const hashes = [...texts].map(([path, bytes]) => path + sha256(bytes))
  const validator = early ?? validatorFor(hashes)
  const unparsed = unchangedPages(before, validator)
  if (unparsed.length > 0) return yield* unparsed
  const references: ApiReference[] = []
  const addresses = new Map<string, string>()
  for (const it of packages) {
    const place = placeOf(it, texts)
    const outlines = new Map<string, FileOutline>()
    const { link, style, include } = languages[it.language]
    const parsing = { place, texts, outlines, tree, addresses, signal }
    for await (const [path, outline] of parsedFiles(it, parsing)) {
      signal?.throwIfAborted()
      if (typeof outline === 'string') {
        yield { type: 'skipped', path, reason: outline }
        outlines.set(path.slice(it.root.length), {
          ...emptyOutline(),
          modules: [],
          failure: outline,
        })
      } else if (outline !== null) {
        const whole = include?.(outline, (other) => textBeside(texts, path, other)) ?? outline
        outlines.set(path.slice(it.root.length), whole)
      }
    }
    const modules = link(outlines, place, style)
    references.push({ modules, pages: apiPages(modules, style), style })
  }
  const limit = source.api === undefined ? apiTokens : mostTokens
  const shortened = tokensOf(references) > limit ? await shorten(references, tree, limit) : []
  const addressOf = (path: string) => addresses.get(path) ?? tree.addressOf(path)
  yield* pageEvents(references, { tree: { ...tree, addressOf }, validator, shortened })
}

type ApiReference = { modules: ApiModule[]; pages: ApiPage[]; style: ApiStyle }

function tokensOf(references: readonly ApiReference[]): number {
  return references.flatMap(({ pages }) => pages).reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Renders the references again within the limit, and returns the names that were shortened. */
async function shorten(
  references: ApiReference[],
  tree: SourceTree,
  limit: number,
): Promise<string[]> {
  const modules = references.flatMap((it) => it.modules)
  const mentions = countMentions(await guideTexts(tree))
  const without = shortenDocumentation(modules, { tokens: 0, mentions }).modules
  const render = (all: readonly ApiModule[]) => {
    let from = 0
    for (const reference of references) {
      reference.modules = all.slice(from, (from += reference.modules.length))
      reference.pages = apiPages(reference.modules, reference.style)
    }
  }
  render(without)
  const tokens = Math.max(leastDocumentation, limit - tokensOf(references))
  const { modules: chosen, names } = shortenDocumentation(modules, { tokens, mentions })
  render(chosen)
  return names
}

/** Returns READMEs and guides, short paths first. */
async function guideTexts(tree: SourceTree): Promise<string[]> {
  const depth = (path: string) => path.split('/').length
  const paths = tree.paths
    .filter((path) => /\.mdx?$/.test(path) && !/(?:^|\/)(?:CHANGELOG|node_modules)\b/i.test(path))
    .toSorted((a, b) => depth(a) - depth(b))
    .slice(0, mostGuides.files)
  await tree.prepare?.(paths)
  const texts = await readTexts(tree, paths, mostGuides.bytes)
  return [...texts.values()].map((bytes) => new TextDecoder().decode(bytes))
}

/** Adds files in other folders to the packages whose package.json refers to them. */
async function withExportedAside(packages: ApiPackage[], tree: SourceTree): Promise<ApiPackage[]> {
  const isPart = ({ aside = [], manifest }: ApiPackage) => aside.length > 0 && manifest !== null
  const manifests = packages.filter(isPart).map(({ manifest }) => manifest!)
  if (manifests.length === 0) return packages
  await tree.prepare?.(manifests)
  return Promise.all(
    packages.map(async (it) => {
      const bytes = isPart(it) ? await tree.read(it.manifest!) : null
      if (bytes === null) return it
      const more = exportedAside(it, new TextDecoder().decode(bytes))
      return { ...it, files: [...it.files, ...more] }
    }),
  )
}

type Texts = Map<string, Uint8Array>

/** Returns the text of a file relative to another file, or null if it is missing or large. */
function textBeside(texts: Texts, path: string, other: string): string | null {
  const bytes = texts.get(posix.join(posix.dirname(path), other))
  return bytes === undefined || bytes.length > mostIncluded ? null : new TextDecoder().decode(bytes)
}

function placeOf(
  { name, root, folder = '', files, manifest }: ApiPackage,
  texts: Texts,
): BorrowingSource {
  const bytes = manifest === null ? undefined : texts.get(manifest)
  return {
    name,
    folder,
    manifest: bytes === undefined ? null : new TextDecoder().decode(bytes),
    paths: new Set(files.map((path) => path.slice(root.length))),
    dependencies: new Map(),
    pathOf: (path) => root + path,
    textOf(path) {
      const text = texts.get(root + path)
      return text === undefined ? null : new TextDecoder().decode(text)
    },
  }
}

/** If `outline` is a string, it is the reason why the file cannot be used. */
type Outcome = [path: string, outline: FileOutline | string | null]
type Parsing = {
  place: BorrowingSource
  texts: Texts
  tree: SourceTree
  addresses: Map<string, string>
  /** The outlines so far. The caller adds to them. */
  outlines: ReadonlyMap<string, FileOutline>
  signal: AbortSignal | undefined
}

/**
 * Yields the outlines of a package's files. If packages in its language list the files that users
 * import, parses only these files and those from which they take names. A file that needs text from
 * another file is parsed again with that text.
 */
async function* parsedFiles(
  { language, root, files }: ApiPackage,
  { place, texts, outlines, signal, ...others }: Parsing,
): AsyncGenerator<Outcome> {
  const { reach } = languages[language]
  const borrower = openBorrower({ language, root, place, texts, ...others })
  // If a separate package describes the types, the scripts are not parsed.
  const described = await borrower.next(outlines)
  const entries = reach ? [...reach.entries(place)].map((path) => root + path) : files
  const seen = new Set([...entries, ...described.files])
  const added = new Map<string, string>()
  const parse = async (path: string) =>
    outlineOf(path, withText(texts.get(path), added.get(path)), signal)
  for (const [name, reason] of described.failures) yield [name, reason]
  for (let [wave, isDone] = [[...seen], false]; !isDone; ) {
    const next: string[] = []
    for await (const outcome of parseInOrder(wave, parse)) {
      yield outcome
      const [path, outline] = outcome
      const isOwn = !borrower.has(path)
      if (!reach || !isOwn || outline === null || typeof outline === 'string') continue
      const others = reach.references(path.slice(root.length), outline, place)
      next.push(...others.map((it) => root + it).filter((it) => !seen.has(it)))
      for (const it of next) seen.add(it)
    }
    wave = [...new Set(next)]
    if (wave.length === 0 && added.size === 0) {
      for (const [path, text] of reach?.additions?.(outlines) ?? []) added.set(root + path, text)
      wave = [...added.keys()]
    }
    if (wave.length > 0) continue
    const { files: borrowed, failures } = await borrower.next(outlines)
    for (const [name, reason] of failures) yield [name, reason]
    wave = borrowed.filter((path) => !seen.has(path))
    isDone = wave.length === 0
    for (const path of wave) seen.add(path)
  }
}

function withText(bytes: Uint8Array | undefined, text: string | undefined): Uint8Array | undefined {
  return bytes && text ? Buffer.concat([bytes, Buffer.from(text)]) : bytes
}

function namesOf(source: Source): string[] {
  const place = displaySource(source).replace(/\/+$/, '')
  const last = place.slice(place.lastIndexOf('/') + 1).replace(/\.git$/, '')
  const packaged = source.package?.replace(/^[a-z]+:/, '')
  if (packaged === undefined) return [last]
  return [packaged, packaged.slice(packaged.lastIndexOf('/') + 1), last]
}

function unchangedPages(before: KnownPages, validator: string): SourceEvent[] {
  return [...before]
    .filter(([, earlier]) => earlier === validator)
    .map(([url]) => ({ type: 'unchanged' as const, url }))
}

const unread =
  'it cannot be read or is too large for an API reference, whose files take at most ' +
  `${mostBytes / 2 ** 20} MiB together`

async function readTexts(tree: SourceTree, files: string[], limit: number): Promise<Texts> {
  const texts: Texts = new Map()
  let left = limit
  for (const path of files) {
    const bytes = left > 0 ? await tree.read(path) : null
    left -= bytes?.length ?? 0
    if (bytes !== null && left >= 0) texts.set(path, bytes)
  }
  return texts
}

async function outlineOf(
  path: string,
  bytes: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  if (bytes === undefined) return [path, unread]
  const outline = await parseOutline({ path, bytes }, signal).catch((error: unknown) => {
    signal?.throwIfAborted()
    if (error instanceof OgError || error instanceof Error) return reasonOf(error)
    throw error
  })
  return [path, outline]
}

function* pageEvents(
  references: ApiReference[],
  { tree, validator, shortened }: { tree: SourceTree; validator: string; shortened: string[] },
): Generator<SourceEvent> {
  const counts = new Map<string, number>()
  let left = mostTokens
  const tooMuch = `it is over the limit of ${mostTokens.toLocaleString('en')} tokens`
  const coverage: ApiCoverage = { declared: 0, missing: [] }
  for (const { modules, pages, style } of references) {
    const { separator } = style
    const [separate, dropped]: [ApiPage[], ApiPage[]] = [[], []]
    for (const page of pages) {
      left -= page.tokens
      ;(left < 0 ? dropped : separate).push(page)
      if (left < 0) yield { type: 'skipped', path: page.title, reason: tooMuch }
      else yield { type: 'page', page: placed(page, tree, counts), validator }
    }
    const { declared, missing } = compareWithPages(modules, { separator, kept: separate, dropped })
    coverage.declared += declared
    coverage.missing.push(...missing)
  }
  yield { type: 'coverage', ...coverage, ...(shortened.length > 0 && { shortened }) }
}

/** `taken` counts the pages by path and line because several symbols may be on one line. */
function placed(
  { title, description, text, ...at }: ApiPage,
  tree: SourceTree,
  counts: Map<string, number>,
): Page {
  const first = apiPagePath(at.path, at.line)
  const nth = counts.get(first)
  counts.set(first, (nth ?? 0) + 1)
  const path = nth === undefined ? first : apiPagePath(at.path, at.line, nth)
  const url = tree.addressOf(at.path) + path.slice(at.path.length)
  return { url, path, title, description, text, markup: 'markdown', lastModified: null }
}

type FolderPlace = { real: string; addressOf(path: string): string }

/**
 * Returns the files of a folder as a tree for finding packages. Cannot read a link that leaves the
 * folder, or a file that is too large for a source file.
 */
export function folderTree(paths: readonly string[], { real, addressOf }: FolderPlace): SourceTree {
  return {
    paths,
    addressOf,
    async read(path) {
      const file = await realpath(join(real, path)).catch(() => null)
      if (file === null || !file.startsWith(real + sep)) return null
      const stats = await stat(file).catch(() => null)
      if (!stats?.isFile() || stats.size > sizeLimitBytes) return null
      return await readFile(file).catch(() => null)
    },
  }
}
