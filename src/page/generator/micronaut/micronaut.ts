import { parseAttributes } from '../../../document/attributes.ts'
import type { Include, IncludeFinder } from '../../include/include-file.ts'
import { asciidocInclude } from '../../include/include-asciidoc.ts'
import { isRecord } from '../../../platform/json.ts'
import type { Generator } from '../generator.ts'
import { codeListing } from '../antora/antora.ts'
import { resolveInFolder } from '../site-path.ts'
import { parseYamlData, type YamlMap } from '../yaml-data.ts'
import { micronautToAsciidoc } from './micronaut-text.ts'

/**
 * The guides of Micronaut's projects: AsciiDoc in `src/main/docs/guide`, with the titles in
 * `toc.yml`. Code is shown by the name of its class.
 */
export const micronaut: Generator = {
  name: 'Micronaut guide',
  rootOf: (path) => /^((?:.*\/)?src\/main\/docs\/guide)\/toc\.yml$/.exec(path)?.[1] ?? null,
  async read({ text, root }, read) {
    const toc = await parseYamlData(text)
    if (toc === null) return null
    const titles = new Map<string, string>()
    addTitles(toc, root, titles)
    const properties = await read(resolveInFolder(root, '../../../../gradle.properties') ?? '')
    return { bases: [root], titles, variables: attributesOf(properties ?? '') }
  },
  includes: findInclude,
  sign: /^snippet::|^include::\{/m,
  toMarkup: (text) => micronautToAsciidoc(text),
}

/** Adds the titles of pages, whose folders follow the nesting of the table of contents. */
function addTitles(toc: YamlMap, folder: string, titles: Map<string, string>): void {
  for (const [name, entry] of Object.entries(toc)) {
    const page = resolveInFolder(folder, `${name}.adoc`)
    if (page === null || titles.size > mostTitles) continue
    if (typeof entry === 'string') titles.set(page, entry)
    if (!isRecord(entry)) continue
    if (typeof entry.title === 'string') titles.set(page, entry.title)
    addTitles({ ...entry, title: null }, `${folder}/${name}`, titles)
  }
}

const mostTitles = 5000

/** The properties of the build, which pages use as attributes. */
function attributesOf(properties: string): Map<string, string> {
  const lines = properties.matchAll(/^([\w.-]+)[ \t]*=[ \t]*(\S[^\n]*)$/gm)
  const values = new Map([...lines].map(([, name = '', value = '']) => [name.toLowerCase(), value]))
  const version = values.get('projectversion')
  if (version !== undefined) values.set('version', version)
  return values
}

const languages = [
  { name: 'java', extension: '.java', folders: ['', '-java'] },
  { name: 'groovy', extension: '.groovy', folders: ['-groovy'] },
  { name: 'kotlin', extension: '.kt', folders: ['-kotlin'] },
] as const

function findInclude(...[lines, at]: Parameters<IncludeFinder>): Include | null {
  const line = lines[at.line] ?? ''
  if (line.startsWith('snippet::')) return findSnippet(line, at.line)
  const [whole, name = ''] = /^include::\{(\w+)\}/.exec(line) ?? []
  const folder = at.site?.variables.get(name.toLowerCase())
  if (whole === undefined || folder === undefined) return null
  const filled = `include::${folder}${line.slice(whole.length)}`
  return asciidocInclude(lines.with(at.line, filled), at)
}

/**
 * Finds `snippet::a.b.Name,a.b.Other[tags="x,y",title="Words"]`: each class in the test suite of
 * each language, or in the project that `project-base` names.
 */
function findSnippet(macro: string, line: number): Include | null {
  const [, name, written = ''] = /^snippet::([\w.$,-]+)\[(.*)\]\s*$/.exec(macro) ?? []
  if (name === undefined) return null
  const attributes = parseAttributes(written)
  const project = attributes.get('project-base') ?? 'test-suite'
  const source = attributes.get('source') ?? 'test'
  const tags = attributes.get('tags') ?? attributes.get('tag') ?? ''
  const title = attributes.get('title')
  const paths = name.split(',').map((one) => one.replaceAll('.', '/'))
  const includes = languages.flatMap(({ name: language, extension, folders }) => {
    const label = `${language[0]!.toUpperCase()}${language.slice(1)}`
    const render = (text: string, limit: number) =>
      codeListing(text, { tags, limit, language, title: title ? `${title} (${label})` : label })
    return folders.flatMap((folder) =>
      paths.map((path): Include => {
        const target = `${project}${folder}/src/${source}/${language}/${path}${extension}`
        return { from: line, to: line + 1, target, render, isMarkup: false }
      }),
    )
  })
  const [first, ...also] = includes
  return { ...first!, also, isAnyOf: true, missingLine: `Not found: ${paths.join(', ')}` }
}
