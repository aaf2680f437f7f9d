import { appendLines } from '../document/block-lines.ts'
import { fenceAfter, type Fence } from '../document/fence.ts'
import { growthLimitFor, type GrowthLimit } from '../document/growth.ts'
import { formats, includedFormatOf, type FormatName } from '../formats/formats.ts'
import { generatorOfSite } from '../sites/generators.ts'
import { resolveInFolder } from '../sites/site-path.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { hasMdxImport } from '../formats/include/include-mdx.ts'
import { missingFileLine, missingPartLine } from '../document/not-found.ts'
import type { FindTitles } from '../document/reference-key.ts'
import type { PageSite } from '../formats/parsed-text.ts'

/** Maximum nesting of includes. */
const depthLimit = 8

type Expansion = IncludeOptions & { growth: GrowthLimit; within: string[] }

type IncludeOptions = {
  files: IncludedFiles
  dialect: FormatName
  site?: PageSite | undefined
  growth?: GrowthLimit
}

/**
 * Replaces resolvable includes with the included text. On a known site's pages, replaces other
 * includes with a line that contains the file name; elsewhere keeps them. After the first include
 * that exceeds `growth`, keeps all includes.
 */
export async function expandIncludes(
  text: string,
  { growth = growthLimitFor(text.length), ...options }: IncludeOptions,
): Promise<string> {
  return expand(text, { ...options, growth, within: [] })
}

/** Returns each include's possible paths, most likely first. Ignores nested includes. */
export async function includeCandidates(
  text: string,
  { from, dialect, site }: { from: string; dialect: FormatName; site?: PageSite | undefined },
): Promise<string[][]> {
  const lists: string[][] = []
  const find = await formats[dialect].includes?.()
  for (const include of includes(text.split('\n'), { find, site })) {
    for (const { target } of [include, ...(include.also ?? [])])
      lists.push(candidates(target, { from, site }))
    if (lists.length > candidateLimit) break
  }
  return lists
}

/** Maximum number of includes with listed paths on a page. */
const candidateLimit = 20_000

async function expand(text: string, state: Expansion): Promise<string> {
  const lines = text.split('\n')
  const parts: string[] = []
  let at = 0
  const { dialect, site } = state
  const all = includes(lines, { find: await formats[dialect].includes?.(), site })
  for await (const { include, files } of readAhead(all, state)) {
    const contents: (string[] | Missing)[] = []
    // One at a time, because git answers one request at a time.
    const targets = [include, ...(include.also ?? [])]
    for (const file of targets) contents.push(await contentOf(file, { ...state, files }))
    if (include.isByName && missingOf(contents, include.isAnyOf) === 'file')
      for (const file of await filesByName(targets, files))
        contents.push(await contentOf(file, { ...state, files }))
    if (state.growth.refusal() !== null) break
    const missing = missingOf(contents, include.isAnyOf)
    if (missing !== null && state.site === undefined) continue
    appendLines(parts, lines.slice(at, include.from))
    const lineFor = missing === 'part' ? missingPartLine : missingFileLine
    if (missing !== null) parts.push(indentOf(lines, include) + lineFor(include.target))
    else
      for (const content of contents) appendLines(parts, typeof content === 'string' ? [] : content)
    at = include.to
  }
  if (at === 0) return text
  appendLines(parts, lines.slice(at))
  return parts.join('\n')
}

/** Finds targets by file name. Ignores names that several files in the source have. */
async function filesByName(targets: readonly Include[], files: IncludedFiles): Promise<Include[]> {
  const byName = new Map(targets.map((one) => [one.target.replace(/^.*\//s, ''), one]))
  const found: Include[] = []
  for (const [name, one] of byName) {
    const list = (await files.read(`*${name.slice(name.lastIndexOf('.'))}`)) ?? ''
    const paths = list.split('\n').filter((path) => `/${path}`.endsWith(`/${name}`))
    if (paths.length === 1) found.push({ ...one, target: `/${paths[0]}` })
  }
  return found
}

/** Number of includes per read request. */
const aheadIncludes = 32

/** Yields includes with their files. Reads the files of many includes at once. */
async function* readAhead(
  all: Iterable<Include>,
  { files, site, within }: Expansion,
): AsyncGenerator<{ include: Include; files: IncludedFiles }> {
  const { from, read, readFirst } = files
  for (const batch of batchesOf(all, readFirst === undefined ? 1 : aheadIncludes)) {
    const lists = batch
      .flatMap((include) => [include, ...(include.also ?? [])])
      .map(({ target }) => candidates(target, { from, site }).filter((it) => !within.includes(it)))
    const known = new Map(await readFirst?.(lists))
    const readKnown = async (path: string) => {
      const text = known.get(path)
      return text === undefined ? read(path) : text
    }
    for (const include of batch) yield { include, files: { ...files, read: readKnown } }
  }
}

function* batchesOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length === size) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** The missing piece of an include: a file, or a part of a file. */
type Missing = 'file' | 'part'

function missingOf(contents: readonly (string[] | Missing)[], isAnyOf = false): Missing | null {
  const missing = contents.filter((content) => typeof content === 'string')
  const suffices = isAnyOf ? missing.length < contents.length : missing.length === 0
  return suffices ? null : missing.includes('part') ? 'part' : 'file'
}

function indentOf(lines: readonly string[], { from }: Include): string {
  return /^\s*/.exec(lines[from] ?? '')![0]
}

function* includes(
  lines: readonly string[],
  { find, site }: { find: IncludeFinder | undefined; site: PageSite | undefined },
): Generator<Include> {
  const own = site && generatorOfSite(site)
  const mayInclude = (line: string) =>
    sign.test(line) || hasMdxImport(line) || own?.sign?.test(line)
  if (find === undefined || !lines.some(mayInclude)) return
  let fence: Fence | null = null
  let opening = ''
  for (let line = 0; line < lines.length; ) {
    const at = { line, fence, opening, formatOf: includedFormatOf, site }
    const include = own?.includes?.(lines, at) ?? find(lines, at)
    if (include) yield include
    if (!include) {
      const before: Fence | null = fence
      // MkDocs tabs and admonitions indent their fences by any number of levels.
      fence = fenceAfter((lines[line] ?? '').replace(/^(?: {4})+/, ''), before)
      if (fence === null || before === null) opening = fence === null ? '' : (lines[line] ?? '')
    }
    line = include?.to ?? line + 1
  }
}

/** A fast test for text that may contain an include. */
const sign = /@Code\(|\{[*!]|-8<-|<<<|<include|@include|include::|include\}/

async function contentOf(include: Include, state: Expansion): Promise<string[] | Missing> {
  for (const path of candidates(include.target, { from: state.files.from, site: state.site })) {
    if (state.within.includes(path)) continue
    if (!state.growth.takeFile()) return 'file'
    const text = await state.files.read(path)
    if (text === null) continue
    if (!state.growth.takeText(text.length)) return 'part'
    const content = include.render(text, state.growth.left())
    const length = content?.reduce((sum, line) => sum + line.length + 1, 0) ?? 0
    if (content === null || !state.growth.take(length)) return 'part'
    return include.isMarkup ? await expandNested(content, { path, state }) : content
  }
  return 'file'
}

async function expandNested(
  content: string[],
  { path, state }: { path: string; state: Expansion },
): Promise<string[]> {
  if (state.within.length >= depthLimit) return content
  const inner: Expansion = {
    ...state,
    files: { ...state.files, from: path },
    within: [...state.within, path],
  }
  return (await expand(content.join('\n'), inner)).split('\n')
}

/**
 * Returns the possible paths of `target`: relative to the page's folder, to the bases of its site,
 * or to any folder above the page, because an unread configuration file may set the base.
 */
function candidates(
  target: string,
  { from, site }: { from: string; site: PageSite | undefined },
): string[] {
  const relative = target.replace(/^(?:[@~]?\/|\{[^}]*\}\/)+/, '')
  if (/^[a-z][a-z+]+:\/\//i.test(relative) || /[\0\\*]/.test(relative)) return []
  if (relative.length > pathLimit) return []
  // A bundler's alias, as in `@parts/x.mdx`, usually has the name of its folder.
  const [, alias, rest] = /^@([\w-]+)\/(.+)$/.exec(relative) ?? []
  const names =
    alias === undefined ? [relative] : [relative, `_${alias}/${rest}`, `${alias}/${rest}`]
  const paths = new Set<string>()
  const folders = from.split('/').slice(0, -1)
  const above = folders.map((_, depth) => folders.slice(0, depth).join('/')).reverse()
  for (const folder of [folders.join('/'), ...(site?.bases ?? []), ...above]) {
    for (const name of names) {
      const path = resolveInFolder(folder, name)
      if (path !== null && path !== from) paths.add(path)
    }
  }
  return [...paths]
}

const pathLimit = 4096

/** Reads the files that a page can include. */
export type IncludedFiles = {
  /** The page's `/`-separated path, relative to the root of readable files. */
  from: string
  /**
   * Returns the text of a file at a path relative to that root, or null if it is missing or
   * unreadable. For a folder (a path with a trailing `/`), the text is ''. For a pattern such as
   * `src/*.jl`, returns the files below the folder, one per line. Never called with a path outside
   * the root.
   */
  read(path: string): Promise<string | null>
  /** Reads the first existing file of each list at once. Returns each tried path with its text. */
  readFirst?(lists: readonly string[][]): Promise<(readonly [path: string, text: string | null])[]>
  /** Finds titles of pages and sections. Without it, references keep their labels. */
  titles?: FindTitles | undefined
}
