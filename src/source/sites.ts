import type { ReadText, DocsSite } from '../sites/generator.ts'
import {
  siteConfigsAt,
  generatorOfSite,
  generators,
  pageSiteOf,
  partialMatcher,
  type ConfigPath,
} from '../sites/generators.ts'
import { parentFolder, isInFolder } from '../sites/site-path.ts'
import { sha256 } from '../platform/hash.ts'
import { once } from '../platform/concurrency.ts'
import { parseSiteConfig } from './page-parser.ts'
import type { SourceEvent } from './source.ts'
import type { PageSite } from '../formats/parsed-text.ts'

export type Sites = {
  of(path: string): DocsSite | undefined
  /**
   * Returns why the site does not show a file as a page. Returns null if the site shows it, or the
   * file belongs to no site.
   */
  leftOut(path: string): string | null
  /**
   * Returns the sites that contain some of these pages, and the pages' order in their navigations.
   * `sitePath` returns a page's path from the top of the source.
   */
  events(pages: Iterable<string>, sitePath?: (page: string) => string): SourceEvent[]
}

const siteLimit = 50

/**
 * Returns configuration files that may describe the site of some of the pages. They are in a page's
 * folder or above it, or near the top.
 */
export function siteConfigs(paths: Iterable<string>, pages: Iterable<string>): ConfigPath[] {
  const folders = new Set<string>()
  for (const page of pages) {
    for (let at = parentFolder(page); !folders.has(at); at = parentFolder(at)) folders.add(at)
  }
  const configs: ConfigPath[] = []
  for (const path of paths) {
    for (const config of siteConfigsAt(path)) {
      const isNear = folders.has(config.root) || config.root.split('/').length <= nearTop
      if (isNear) configs.push(config)
    }
  }
  const depth = ({ root }: ConfigPath) => (root === '' ? 0 : root.split('/').length)
  return configs.sort((a, b) => depth(a) - depth(b)).slice(0, siteLimit)
}

const nearTop = 2
/** No further configuration is read after this time. */
const sitesMs = 20_000

type SiteFiles = {
  read: ReadText
  paths(): Iterable<string> | Promise<Iterable<string>>
  /** Fetches files before they are read one by one. */
  prepare?(paths: string[]): Promise<void>
  signal: AbortSignal | undefined
}

/** Returns at most 500 paths, and folders above them, that match a pattern. */
function pathsLike(paths: Iterable<string>, pattern: RegExp): string[] {
  const seen = new Set<string>()
  const matching: string[] = []
  for (const path of paths) {
    for (let at = path; at !== '' && !seen.has(at); at = parentFolder(at)) {
      seen.add(at)
      if (pattern.test(at)) matching.push(at)
    }
  }
  return matching.slice(0, 500)
}

/** Describes the sites of configuration files. A file that cannot be read describes none. */
export async function readSites(
  configs: readonly ConfigPath[],
  { read, paths, prepare, signal }: SiteFiles,
): Promise<Sites> {
  const sites: DocsSite[] = []
  // Copied, because an iterator over paths can be used only once.
  const allPaths = once(async () => [...(await paths())])
  const startedAt = performance.now()
  for (const config of configs) {
    // Each file may take as long as a page, so fifty files could take minutes without a total
    // limit.
    if (performance.now() - startedAt > sitesMs) break
    const text = await read(config.path)
    if (text === null) continue
    const pattern = generators[config.generator].pathsLike
    const needed = pattern === undefined ? [] : pathsLike(await allPaths(), pattern)
    await prepare?.(needed)
    const site = await parseSiteConfig({ ...config, text, paths: needed }, read, signal)
    if (site !== null) sites.push(site)
  }
  const folders = sites
    .flatMap((site) => site.folders.map((folder) => ({ folder, site })))
    .sort(
      (a, b) => b.folder.length - a.folder.length || nearness(b) - nearness(a) || rank(a) - rank(b),
    )
  const of = (path: string) => folders.find(({ folder }) => isInFolder(path, folder))?.site
  const listed = new Map(sites.map((site) => [site, site.pages && new Set(site.pages)]))
  const isPartial = new Map(sites.map((site) => [site, partialMatcher(site)]))
  return {
    of,
    leftOut(path) {
      const site = of(path)
      if (site === undefined) return null
      const { name } = generatorOfSite(site)
      if (isPartial.get(site)!(path)) return `a part of other pages (${name})`
      return (listed.get(site)?.has(path) ?? true) ? null : `not a page of the site (${name})`
    },
    events(pages, sitePath = (page) => page) {
      const counts = new Map<DocsSite, number>()
      const bySitePath = new Map<string, string>()
      for (const page of pages) {
        const path = sitePath(page)
        const site = of(path)
        if (site === undefined) continue
        counts.set(site, (counts.get(site) ?? 0) + 1)
        bySitePath.set(path, page)
        bySitePath.set(path.replace(/\.[^./]+$/, ''), page)
      }
      const order = sites.flatMap((site) => site.order ?? [...site.titles.keys()])
      const paths = [...new Set(order.flatMap((path) => bySitePath.get(path) ?? []))]
      const sections = sectionsOf(sites, bySitePath)
      const events = [...counts].map(([site, nPages]): SourceEvent => {
        const { name } = generatorOfSite(site)
        return { type: 'site', generator: name, folder: site.root, pages: nPages }
      })
      return sites.length === 0 ? [] : [...events, { type: 'order', paths, sections }]
    },
  }
}

function sectionsOf(
  sites: readonly DocsSite[],
  bySitePath: ReadonlyMap<string, string>,
): Map<string, string> {
  const sections = new Map<string, string>()
  for (const [path, section] of sites.flatMap((site) => [...(site.sections ?? [])])) {
    const page = bySitePath.get(path)
    if (page === undefined || section === '' || sections.has(page)) continue
    const lines = section.split('\n').flatMap((line) => {
      if (!line.startsWith('/')) return line
      const above = bySitePath.get(line.slice(1))
      return above === undefined ? [] : `/${above}`
    })
    sections.set(page, lines.join('\n'))
  }
  return sections
}

function rank({ site }: { site: DocsSite }): number {
  return generatorOfSite(site).isSecondary ? 1 : 0
}

/** Returns the depth of a site's root if it contains the folder. Other sites rank lower. */
function nearness({ folder, site }: { folder: string; site: DocsSite }): number {
  return folder === site.root || isInFolder(folder, site.root) ? site.root.length : -1
}

export const emptySites: Sites = { of: () => undefined, leftOut: () => null, events: () => [] }

/** Returns a page's site for the parser, and a string that changes with the site's facts. */
export function siteOfPage(
  sites: Sites,
  path: string,
): { site?: PageSite; siteFiles: string[]; siteKey: string } {
  const site = sites.of(path)
  if (site === undefined) return { siteFiles: [], siteKey: '' }
  const pageSite = pageSiteOf(site, path)
  const variables = [...pageSite.variables]
  const key = sha256(JSON.stringify({ ...pageSite, variables })).slice(0, 16)
  return { site: pageSite, siteFiles: site.files, siteKey: `@${key}` }
}
