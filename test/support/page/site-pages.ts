import { fileReader } from './file-reader.ts'
import {
  generators,
  pageSiteOf,
  readSite,
  type GeneratorName,
} from '../../../src/sites/generators.ts'
import type { DocsSite } from '../../../src/sites/generator.ts'
import type { Page } from '../../../src/page/page.ts'
import { parsePage } from '../../../src/page/parse.ts'

/** The files of a source by path, with the configuration of the generator that builds its site. */
export type SiteSource = {
  generator: GeneratorName
  config: string
  root?: string
  files: Record<string, string>
}

export async function siteOf({
  generator,
  config,
  root = '',
  files,
}: SiteSource): Promise<DocsSite> {
  const read = fileReader(files)
  const { pathsLike } = generators[generator]
  const paths = Object.keys(files).filter((path) => pathsLike?.test(path))
  const text = files[config] ?? ''
  const site = await readSite({ generator, path: config, root, text, paths }, read)
  if (site === null) throw new Error(`${config} describes no site`)
  return site
}

/** Reads the page at this path of a source. */
export async function sitePage(source: SiteSource, path: string): Promise<Page> {
  const site = pageSiteOf(await siteOf(source), path)
  const file = { bytes: Buffer.from(source.files[path] ?? ''), path, url: 'x:/', site }
  return parsePage(file, { from: path, read: fileReader(source.files) })
}

/** Adds a page to a source and returns its text, without box marks at the ends of lines. */
export async function siteText(source: SiteSource, text: string, path: string): Promise<string> {
  const files = { ...source.files, [path]: text }
  return (await sitePage({ ...source, files }, path)).text.replace(/\t$/gm, '')
}
