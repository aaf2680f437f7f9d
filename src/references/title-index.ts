import { once } from '../platform/concurrency.ts'
import { formatOf } from '../formats/formats.ts'
import { addedText } from '../sites/sphinx.ts'
import { parentFolder, sharedFolders, withoutOrderNumbers } from '../sites/site-path.ts'
import type { FindTitles, TargetTitle } from '../document/reference-key.ts'
import { labelsOf, pageTitleOf, sectionTitlesOf } from './target-titles.ts'

/** An index of page and section titles in a source. */
export type TitleIndex = {
  /**
   * Returns the title for the first query that has one. A query is `path#` for a page,
   * `path#anchor` for a section, or `#label` for a label on any page. If several pages have the
   * label, prefers the one nearest to the page `from`.
   */
  find(queries: readonly string[], from: string): Promise<TargetTitle | null>
}

/** Finds titles for references on the page `from`. */
export function titlesFrom(index: TitleIndex, from: string): FindTitles {
  return (queries) => Promise.all(queries.map((it) => index.find(it, from)))
}

type IndexedFiles = {
  paths: Iterable<string>
  read(path: string): Promise<string | null>
  /** Reads pages ahead. */
  prepare?(paths: readonly string[]): Promise<void>
}

/** Opens an index that reads no file before the first query. A label query reads all pages. */
export function openTitleIndex({
  paths,
  read,
  prepare = async () => {},
}: IndexedFiles): TitleIndex {
  const all = [...paths]
  const confs = new Set(all.filter((path) => /(?:^|\/)conf\.py$/.test(path)))
  /** Sphinx adds the substitutions of its configuration to each page. */
  async function textOf(path: string): Promise<string | null> {
    const text = await read(path)
    if (confs.size === 0 || !text?.includes('|') || formatOf(path) !== 'rst') return text
    let folder = parentFolder(path)
    while (folder !== '' && !confs.has(`${folder}/conf.py`)) folder = parentFolder(folder)
    const conf = await read(folder === '' ? 'conf.py' : `${folder}/conf.py`)
    return conf === null ? text : `${text}\n\n${addedText(conf)}`
  }
  const pages = once(async () => pagesByName(all))
  let preparing = Promise.resolve()
  const texts = (files: readonly string[]) => (preparing = preparing.then(() => prepare(files)))
  const labels = once(async () => {
    const targetsByLabel = new Map<string, TargetTitle[]>()
    const labelled = all.filter((path) => hasLabels.has(formatOf(path) ?? ''))
    await texts(labelled)
    for (const path of labelled) {
      for (const [label, title] of labelsOf(path, (await textOf(path)) ?? '')) {
        targetsByLabel.getOrInsert(label, []).push({ path, title })
      }
    }
    return targetsByLabel
  })
  const known = new Map<string, Promise<string | null>>()
  async function titleOf(path: string, anchor: string): Promise<string | null> {
    await texts([path])
    const text = await textOf(path)
    if (text === null) return null
    return anchor === ''
      ? pageTitleOf(path, text)
      : (sectionTitlesOf(path, text).get(anchor) ?? null)
  }
  async function find(query: string, from: string): Promise<TargetTitle | null> {
    const at = query.lastIndexOf('#')
    const [name, anchor] = [query.slice(0, at), query.slice(at + 1)]
    if (name === '') return nearest((await labels()).get(anchor) ?? [], from)
    const path = (await pages()).get(name)
    if (path === undefined) return null
    const key = `${path}#${anchor}`
    const words = await known.getOrInsertComputed(key, () => titleOf(path, anchor))
    return words === null ? null : { path, title: words }
  }
  return {
    async find(queries, from) {
      for (const query of queries) {
        const target = await find(query, from)
        if (target !== null) return target
      }
      return null
    },
  }
}

const hasLabels: ReadonlySet<string> = new Set([
  'markdown',
  'mdx',
  'doxygen',
  'rst',
  'asciidoc',
  'text',
])

/** Indexes pages by path with and without extension, and by the folder of an index page. */
function pagesByName(paths: readonly string[]): Map<string, string> {
  const pages = new Map(paths.map((path) => [path, path]))
  const add = (name: string, path: string) => {
    if (!pages.has(name)) pages.set(name, path)
  }
  for (const path of paths) {
    const name = path.replace(/\.[^./]+$/, '')
    add(name, path)
    add(withoutOrderNumbers(name), path)
    // The modules of an Antora component can be in several folders.
    const module = path.lastIndexOf('/modules/')
    if (module >= 0) add(path.slice(module + 1), path)
    // DocC names are unique in a catalog, whatever the folder.
    const [, catalog] = /^((?:.*\/)?[^/]*\.docc\/)/.exec(name) ?? []
    if (catalog !== undefined) add(catalog + name.replace(/^.*\//s, '').replaceAll(' ', '-'), path)
    if (/(?:^|\/)(?:_?index|readme)\.\w+$/i.test(path)) add(parentFolder(path), path)
  }
  return pages
}

/** Returns the target that shares the most folders with the page. */
function nearest(targets: readonly TargetTitle[], from: string): TargetTitle | null {
  let [best, most]: [TargetTitle | null, number] = [null, -1]
  for (const target of targets) {
    const shared = sharedFolders(target.path, from)
    if (shared > most) [best, most] = [target, shared]
  }
  return best
}
