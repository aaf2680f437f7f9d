import type { FormatName } from '../formats/formats.ts'
import { doxygenReference } from '../formats/doxygen.ts'
import { generatorOfSite } from '../sites/generators.ts'
import { parentFolder, resolveInFolder } from '../sites/site-path.ts'
import {
  labelKey,
  referenceKey,
  type FindTitles,
  type ReferenceKind,
  type ReferenceTitles,
} from '../document/reference-key.ts'
import { sectionTitlesOf, slugOf } from './target-titles.ts'
import type { PageSite } from '../formats/parsed-text.ts'

type ReferringPage = {
  /** The path of the page in the source. */
  path: string
  dialect: FormatName
  site: PageSite | undefined
}

/** Titles of references. Records missing titles. */
class NotedTitles extends Map<string, string> {
  readonly missed = new Set<string>()

  override get(key: string): string | undefined {
    const title = super.get(key)
    if (title === undefined) this.missed.add(key)
    return title
  }
}

/** Finds the titles for a page's references. Sections of the page itself need no `find`. */
export async function referenceTitlesOf(
  text: string,
  page: ReferringPage,
  find: FindTitles | undefined,
): Promise<ReferenceTitles> {
  const titles = new NotedTitles()
  const references = [...referencesIn(text, page)]
  if (references.length === 0) return titles
  const isLocal = references.some(([, queries]) => queries.some((it) => it.startsWith('#')))
  const own = isLocal ? sectionTitlesOf(page.path, text) : new Map<string, string>()
  const others: [string, string[]][] = []
  for (const [key, queries] of references) {
    const local = queries.find((query) => query.startsWith('#') && own.has(query.slice(1)))
    if (local !== undefined) titles.set(key, own.get(local.slice(1))!)
    else others.push([key, queries])
  }
  const results = others.length === 0 ? [] : await find?.(others.map(([, queries]) => queries))
  for (const [at, target] of (results ?? []).entries()) {
    if (target !== null) titles.set(others[at]![0], target.title)
  }
  return titles
}

/** Adds titles that a parser missed. Returns false if there are none. */
export async function addMissedTitles(
  titles: ReferenceTitles,
  page: ReferringPage,
  find: FindTitles | undefined,
): Promise<boolean> {
  if (!(titles instanceof NotedTitles) || find === undefined) return false
  const missed = [...titles.missed].slice(0, mostReferences)
  const queries = missed.map((key) => {
    const [, kind, target = ''] = /^(doc|ref) (.+)$/s.exec(key) ?? []
    return kind === undefined ? [] : queriesOf(kind as ReferenceKind, target, page)
  })
  titles.missed.clear()
  if (missed.length === 0) return false
  const title = await find(queries)
  for (const [at, target] of title.entries()) {
    if (target !== null) titles.set(missed[at]!, target.title)
  }
  return title.some((target) => target !== null)
}

/** Maximum number of different references to look up per page. */
const mostReferences = 2_000

/** Returns the references without their own text, with title queries for each. */
function referencesIn(text: string, page: ReferringPage): Map<string, string[]> {
  const { dialect, site } = page
  const queriesByKey = new Map<string, string[]>()
  const add = (kind: ReferenceKind, target: string) => {
    if (queriesByKey.size >= mostReferences) return
    const queries = queriesOf(kind, target.trim(), page)
    if (queries.length > 0) queriesByKey.set(referenceKey(kind, target), queries)
  }
  const isRst = dialect === 'rst' || text.includes('{eval-rst}')
  const isMarkdown = /^(?:markdown|mdx|notebook)$/.test(dialect)
  const own = isMarkdown && site ? generatorOfSite(site).references : undefined
  const all = [...(isRst ? marks.rst : []), ...(isMarkdown ? marks.markdown : []), ...(own ?? [])]
  const others = dialect === 'asciidoc' || dialect === 'doxygen' ? marks[dialect] : []
  for (const [mark, kind] of [...all, ...others])
    for (const [, target] of text.matchAll(mark)) add(kind, target!)
  if (isRst) for (const target of toctreeTargets(text, 'rst')) add('doc', target)
  if (isMarkdown) for (const target of toctreeTargets(text, 'markdown')) add('doc', target)
  if (dialect === 'doxygen')
    for (const [, target] of text.matchAll(doxygenBrief)) add('ref', `brief:${target}`)
  return queriesByKey
}

type ReferenceMark = readonly [mark: RegExp, kind: ReferenceKind]

/** Matches references without their own text. The target is group 1. */
const marks: Readonly<Record<'rst' | 'markdown' | 'asciidoc' | 'doxygen', ReferenceMark[]>> = {
  rst: [
    [/:(?:std:)?doc:`([^`<>]{1,300})`/g, 'doc'],
    [/:(?:std:)?(?:ref|numref|any):`([^`<>]{1,300})`/g, 'ref'],
  ],
  markdown: [
    [/\{doc\}`([^`<>]{1,300})`/g, 'doc'],
    [/\{(?:ref|numref|any)\}`([^`<>]{1,300})`/g, 'ref'],
    [/(?<!!)\[\]\(\s*<?([^()\s<>]{1,500})/g, 'link'],
    [/<((?:project|doc):[^<>\s]{1,500})>/g, 'link'],
    [/@TutorialReference\(tutorial:\s*"(doc:[^"\s]{1,500})"/g, 'link'],
  ],
  asciidoc: [
    [/xref:([^\s[\]]{1,500})\[\]/g, 'link'],
    [/<<([^<>,]{1,300})>>/g, 'ref'],
  ],
  doxygen: [[doxygenReference, 'ref']],
}

const doxygenBrief = /[@\\]copybrief\s+([\w:~.#/-]{1,300})/g

/** Yields the pages without a title in the contents trees of an rst or MyST page. */
function* toctreeTargets(text: string, markup: 'rst' | 'markdown'): Generator<string> {
  if (!text.includes(markup === 'rst' ? 'toctree::' : '{toctree}')) return
  const begin = markup === 'rst' ? /^\s*\.\. toctree::/ : /^\s*(?:`{3,}|~{3,}|:{3,})\{toctree\}/
  const end = markup === 'rst' ? /^\S/ : /^\s*(?:`{3,}|~{3,}|:{3,})\s*$/
  let isInside = false
  for (const line of text.split('\n')) {
    if (begin.test(line)) isInside = true
    else if (isInside && end.test(line)) isInside = false
    else if (isInside && /^\s*[^\s:*<>`]+\s*$/.test(line)) yield line.trim()
  }
}

function queriesOf(kind: ReferenceKind, target: string, page: ReferringPage): string[] {
  if (target === '') return []
  if (kind === 'ref') {
    // `page:Section` is a label of the extension autosectionlabel.
    const [, document, section] = /^([\w./-]+):(\S.*)$/.exec(target) ?? []
    const label = [`#${labelKey(target)}`]
    if (section === undefined) return label
    const path = pathOf(`/${document}`, page)
    return path === null ? label : [...label, `${path}#${slugOf(section, '-')}`]
  }
  if (kind === 'uid') return [`#${labelKey(target.replace(/[?#].*$/s, ''))}`]
  if (kind === 'doc') {
    const path = pathOf(target, page)
    return path === null ? [] : [`${path}#`]
  }
  return page.dialect === 'asciidoc' ? asciidocQueries(target, page) : linkQueries(target, page)
}

/** Returns the path in the source, or null if it is outside. */
function pathOf(target: string, { path, site }: ReferringPage): string | null {
  const isFromRoot = target.startsWith('/')
  return resolveInFolder(isFromRoot ? (site?.root ?? '') : parentFolder(path), target)
}

function linkQueries(target: string, page: ReferringPage): string[] {
  const relative = target.replace(/^(?:project|doc):/, '')
  if (/^[a-z][a-z\d+.-]*:/i.test(relative)) return []
  const at = relative.indexOf('#')
  const [name, anchor] = at < 0 ? [relative, ''] : [relative.slice(0, at), relative.slice(at + 1)]
  if (name === '') return [`#${labelKey(anchor)}`]
  if (target.startsWith('doc:')) {
    const catalog = /^(?:.*\/)?[^/]*\.docc\//.exec(page.path)?.[0]
    return catalog === undefined ? [] : pageQueries(catalog + name.replace(/^.*\//s, ''), anchor)
  }
  const path = pathOf(name, page)
  const queries = path === null ? [] : pageQueries(path, anchor)
  // MyST accepts a label without `#`.
  return at < 0 && !name.includes('.') ? [...queries, `#${labelKey(name)}`] : queries
}

/** Returns the queries for `page.adoc#anchor` or Antora's `component:module:page.adoc`. */
function asciidocQueries(target: string, page: ReferringPage): string[] {
  const [resource = '', anchor = ''] = target.split('#', 2)
  if (!resource.endsWith('.adoc')) return [`#${labelKey(anchor || resource)}`]
  const parts = resource.replace(/^.*@/, '').split(':')
  const name = parts.pop()!
  const [, modules, own] = /^(.*?\/?modules\/)([^/]+)\/pages\//.exec(page.path) ?? []
  const folder =
    modules === undefined || name.startsWith('./')
      ? parentFolder(page.path)
      : `${modules}${parts.pop() ?? own}/pages`
  const path = resolveInFolder(folder.replace('modules//', 'modules/ROOT/'), name)
  if (path === null) return []
  // The modules of a component can be in several folders.
  const start = path.lastIndexOf('modules/')
  const elsewhere =
    modules === undefined || start <= 0 ? [] : pageQueries(path.slice(start), anchor)
  return [...pageQueries(path, anchor), ...elsewhere]
}

/** Returns the queries for a section, then for its page. */
function pageQueries(path: string, anchor: string): string[] {
  return anchor === '' ? [`${path}#`] : [`${path}#${labelKey(anchor)}`, `${path}#`]
}
