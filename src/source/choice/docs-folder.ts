import { isExcludedFolder, selectPaths } from '../select/select.ts'
import type { RejectedCandidate } from './choice.ts'
import { formatCount } from '../../platform/text/count.ts'

export type DocsFolder = {
  kind: 'folder' | 'all' | 'readme'
  docsPaths: string[]
  how: string
  readme: string | null
  toRejected: RejectedCandidate[]
}

const places = [
  'docs',
  'doc',
  'documentation',
  'website/docs',
  'site/docs',
  'www/docs',
  'packages/docs',
  'apps/docs',
  'content',
  'website/content',
  'site/content',
  'src/content/docs',
  'src/content',
  'src/docs',
  'guides',
  'guide',
  'manual',
  'book/src',
  'book',
]

/**
 * Finds a repository's documentation by the paths of its files. An R or Perl package has fixed
 * folders. If more than half of the files are pages, the repository itself is documentation and all
 * of it is read, unless one of the usual folders has half of the pages. Otherwise, it is the first
 * usual folder with at least a quarter as many pages as the largest usual folder. Without a usual
 * folder, it is the largest folder called docs at any depth, unless a top-level folder with most of
 * the pages has more than four times as many. The last choice is the README, with the skills for
 * agents that a package contains.
 */
export function findDocsFolder(
  paths: string[],
  { languages }: { languages?: string[] },
): DocsFolder {
  const pagesOf = (place: string) => selectPaths(paths, [place], { languages }).chosen
  const folderOf = (place: string): Folder => ({ place, nPages: pagesOf(place).length })
  const files = paths.filter((path) => !isTestOrTool(path))
  const pages = pagesOf('').filter((path) => !isTestOrTool(path))
  const there = foldersAmong(pages, places).map(folderOf)
  const usual = usualFolder(there)
  const readme = pages.find((path) => /^readme\.[a-z]+$/i.test(path)) ?? null
  const ofPackage = packageFolders(files)
    .map(folderOf)
    .filter(({ nPages }) => nPages > 0)
  if (ofPackage.length > 0) return foldersOfPackage(ofPackage, readme)
  const own = pages.filter((path) => !ofEveryRepository.test(path)).length
  if (own * 2 > files.length && own > 2 * (usual?.nPages ?? 0)) {
    return allOfIt(pagesOf('').length, { there, readme })
  }
  const folders = usual
    ? [usual]
    : [
        usualFolder([
          ...largest(foldersAmong(pages, docsFolders(pages)).map(folderOf)),
          ...mostOf(pages, foldersAmong(pages, topsOf(pages)).map(folderOf)),
        ]),
        ...skillFolders(paths).map(folderOf),
      ].filter((it) => it !== undefined)
  if (folders.length > 0) {
    const docsPaths = folders.map(({ place }) => place)
    const toRejected = there.filter(({ place }) => !docsPaths.includes(place)).map(passed)
    const how = folders.map(describeFolder).join(' and ')
    return { kind: 'folder', docsPaths, how, readme, toRejected }
  }
  if (readme === null) return allOfIt(pagesOf('').length, { there, readme })
  const how = `${readme}, because there is no documentation folder`
  return { kind: 'readme', docsPaths: [readme], how, readme, toRejected: there.map(passed) }
}

/**
 * Adds the README to a documentation folder. Registries display it for a package, and it often has
 * an introduction that the folder lacks.
 */
export function addReadme(folder: DocsFolder): DocsFolder {
  const { kind, docsPaths, how, readme } = folder
  if (kind !== 'folder' || readme === null || docsPaths.includes(readme)) return folder
  return { ...folder, docsPaths: [...docsPaths, readme], how: `${how} and ${readme}` }
}

const packageLayouts = [
  { marker: /^DESCRIPTION$/, page: /^man\/[^/]+\.rd$/i, folders: ['man', 'vignettes'] },
  {
    marker: /^(?:(?:Makefile|Build)\.PL|dist\.ini|META\.json)$/,
    page: /^lib\/.+\.(?:pm|pod)$/,
    folders: ['lib', 'pod', 'docs'],
  },
]

function packageFolders(files: readonly string[]): readonly string[] {
  const isAmong = (pattern: RegExp) => files.some((path) => pattern.test(path))
  return packageLayouts.find((it) => isAmong(it.marker) && isAmong(it.page))?.folders ?? []
}

function foldersOfPackage(folders: readonly Folder[], readme: string | null): DocsFolder {
  const docsPaths = folders.map(({ place }) => place)
  const nPages = folders.reduce((sum, folder) => sum + folder.nPages, 0)
  const how = `${docsPaths.join(' and ')} (${formatCount(nPages, 'page')})`
  return addReadme({ kind: 'folder', docsPaths, how, readme, toRejected: [] })
}

type Folder = { place: string; nPages: number }

function usualFolder(there: Folder[]): Folder | undefined {
  const most = largest(there)[0]?.nPages ?? 0
  return there.find(({ nPages }) => nPages * 4 >= most)
}

/** Returns the folder with the most pages, as a list of at most one. */
function largest(folders: Folder[]): Folder[] {
  return folders.toSorted((a, b) => b.nPages - a.nPages).slice(0, 1)
}

function docsFolders(pages: string[]): string[] {
  return pages.flatMap((path) => /^(?:.+?\/)?(?:docs|documentation)(?=\/)/.exec(path)?.[0] ?? [])
}

/** Returns folders such as `skills` and `lamp/skills`. Hidden folders are for developers. */
function skillFolders(paths: string[]): string[] {
  const skill = /^((?:(?!\.)[^/]+\/)*?skills)\/(?:[^/]+\/)*SKILL\.md$/
  return [...new Set(paths.flatMap((path) => skill.exec(path)?.[1] ?? []))]
}

/** Returns top-level folders that contain pages, except folders of developer tools. */
function topsOf(pages: string[]): string[] {
  const tops = pages.flatMap((path) => /^[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  return tops.filter(
    (folder) => !/^(?:scripts?|tools?|benchmarks?|hack|misc|ci|etc)$/i.test(folder),
  )
}

const manyPages = 10

function mostOf(pages: string[], folders: Folder[]): Folder[] {
  return largest(folders).filter(({ nPages }) => nPages >= manyPages && nPages * 2 > pages.length)
}

function foldersAmong(pages: string[], folders: string[]): string[] {
  return [...new Set(folders)].filter((folder) =>
    pages.some((path) => path.startsWith(`${folder}/`)),
  )
}

/** True if a file belongs to tests or tools. Their text is not documentation. */
function isTestOrTool(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((folder) => isExcludedFolder(folder) || testFolders.test(folder))
}

/** Top-level files that most repositories have and that say little about the project. */
const ofEveryRepository = new RegExp(
  '^(?:readme|contributing|code_of_conduct|security|support|governance|maintainers|authors|' +
    'changes|changelog|history|news|releas\\w+|upgrad\\w+|todo|agents|claude)\\b[^/]*$',
  'i',
)

const testFolders = /^(?:_*tests?_*|testdata|test-\w+|fixtures?|__snapshots__|examples?|vendor)$/i

type WholeRepository = { there: Folder[]; readme: string | null }

function allOfIt(nPages: number, { there, readme }: WholeRepository): DocsFolder {
  const how =
    nPages === 0 ? 'source files without pages' : `all of it (${formatCount(nPages, 'page')})`
  return { kind: 'all', docsPaths: [], how, readme, toRejected: there.map(passed) }
}

function describeFolder({ place, nPages }: Folder): string {
  return `${place} (${formatCount(nPages, 'page')})`
}

function passed({ place, nPages }: Folder): RejectedCandidate {
  return { place, reason: formatCount(nPages, 'page') }
}
