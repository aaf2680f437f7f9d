import { cached } from '../platform/lru-cache.ts'
import { OgError } from '../platform/error.ts'
import { parseGlob } from '../platform/text/glob.ts'
import type { Generator, ReadText, DocsSite, SiteConfig } from './generator.ts'
import { antora } from './antora.ts'
import { docbook } from './docbook.ts'
import { docfx } from './docfx.ts'
import { docusaurus } from './docusaurus.ts'
import { doxygen } from './doxygen.ts'
import { eleventy } from './eleventy.ts'
import { hugo } from './hugo/hugo.ts'
import { jekyll } from './jekyll.ts'
import { mdbook } from './mdbook.ts'
import { micronaut } from './micronaut.ts'
import { mkdocs } from './mkdocs/mkdocs.ts'
import { quarto } from './quarto.ts'
import { rowGenerators } from './site-rows.ts'
import { sphinx } from './sphinx.ts'
import { zola } from './zola.ts'
import type { PageSite } from '../formats/parsed-text.ts'

const table = {
  antora,
  docbook,
  docfx,
  docusaurus,
  doxygen,
  eleventy,
  hugo,
  jekyll,
  mdbook,
  micronaut,
  mkdocs,
  quarto,
  sphinx,
  zola,
  ...rowGenerators,
} satisfies Record<string, Generator>

export type GeneratorName = keyof typeof table

export const generators: Readonly<Record<GeneratorName, Generator>> = table

/** Returns the generator of a site, so that sites need not import this table. */
export function generatorOfSite({ generator }: Pick<DocsSite, 'generator'>): Generator {
  return generators[generator as GeneratorName]
}

/** A site configuration, recognized by its path. */
export type ConfigPath = { generator: GeneratorName; path: string; root: string }

/** Returns the generators whose configuration can have this path. */
export function siteConfigsAt(path: string): ConfigPath[] {
  return (Object.keys(generators) as GeneratorName[]).flatMap((generator) => {
    const root = generators[generator].rootOf(path)
    return root === null ? [] : [{ generator, path, root }]
  })
}

/** Describes a configured site. Returns null if the file does not belong to the generator. */
export async function readSite(
  { generator, ...config }: { generator: GeneratorName } & SiteConfig,
  read: ReadText,
): Promise<DocsSite | null> {
  const { root, path } = config
  const files = new Set([path])
  const noting: ReadText = (other) => {
    files.add(other)
    return read(other)
  }
  const site = await generators[generator].read(config, noting)
  if (site === null) return null
  const { folders = [root], titles = new Map(), bases = [], variables = new Map() } = site
  const few = (paths: readonly string[]) => paths.slice(0, folderLimit)
  return {
    ...site,
    generator,
    root,
    folders: few(folders),
    files: site.files ?? [...files],
    titles,
    bases: few(bases),
    variables,
  }
}

const folderLimit = 200

const globLimit = 200

/** Returns a test for files that are parts of pages. */
export function partialMatcher({
  partials,
  partialGlobs = [],
}: DocsSite): (path: string) => boolean {
  // An invalid or too expensive glob matches nothing.
  const quietly = <T>(run: () => T, otherwise: T): T => {
    try {
      return run()
    } catch (error) {
      if (error instanceof OgError) return otherwise
      throw error
    }
  }
  const globs = partialGlobs
    .slice(0, globLimit)
    .flatMap((glob) => quietly(() => [parseGlob(glob)], []))
  return (path) =>
    partials?.test(path) === true || globs.some((it) => quietly(() => it.matches(path), false))
}

/** Returns the facts about a page's site that the parser needs. */
export function pageSiteOf(site: DocsSite, path: string): PageSite {
  const { generator, root, bases, variables, titles } = site
  const title = titles.get(path) ?? null
  const isShared = title !== null && repeatedTitles(site).has(title.toLowerCase())
  return { generator, root, path, bases, variables, title, isShared }
}

/** Returns lower-case titles that several pages of a site share. */
const repeatedTitles = cached((site: DocsSite): ReadonlySet<string> => {
  const [seen, twice] = [new Set<string>(), new Set<string>()]
  for (const title of site.titles.values()) {
    const key = title.toLowerCase()
    ;(seen.has(key) ? twice : seen).add(key)
  }
  return twice
})
