import { wordMap } from '../document/word-set.ts'
import { parseAttributes } from '../document/attributes.ts'
import { codeListing } from './antora.ts'
import type { Generator } from './generator.ts'
import { resolveInFolder } from './site-path.ts'
import { type YamlMap, parseYamlData } from './yaml-data.ts'
import { asciidocInclude } from '../formats/include/include-asciidoc.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { isRecord } from '../platform/json.ts'

/**
 * Guides of Micronaut's projects: AsciiDoc in `src/main/docs/guide`, with the titles in `toc.yml`.
 * Code is shown by the name of its class.
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

/** Returns the build's properties, which pages use as attributes. */
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
  const source = `include::${folder}${line.slice(whole.length)}`
  return asciidocInclude(lines.with(at.line, source), at)
}

/**
 * Finds `snippet::a.b.Name,a.b.Other[tags="x,y",title="Words"]`: each class in the test suite of
 * each language, or in the project that `project-base` names.
 */
function findSnippet(macro: string, line: number): Include | null {
  const [, name, options = ''] = /^snippet::([\w.$,-]+)\[(.*)\]\s*$/.exec(macro) ?? []
  if (name === undefined) return null
  const attributes = parseAttributes(options)
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
  return { ...first!, also, isAnyOf: true }
}

/**
 * Rewrites the macros of Micronaut's build to AsciiDoc: type names become macros that og knows, and
 * a dependency becomes its lines in Gradle and Maven.
 */
export function micronautToAsciidoc(text: string): string {
  if (!/(?:api|ann|pkg|jdk|rs|rx|reactor|dependency):/.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence = ''
  for (const line of lines) {
    const mark = /^(?:-{4,}|\.{4,}|\+{4,})$/.exec(line.trimEnd())?.[0] ?? ''
    if (mark !== '') fence = fence === '' ? mark : fence === mark ? '' : fence
    if (fence !== '' || !line.includes('[')) out.push(line)
    else out.push(...dependencyLines(line.replace(typeMacro, typeName)))
  }
  return out.join('\n')
}

const typeMacro = /(?<![\w:/])(api|ann|pkg|jdk|jeeapi|rs|rx|reactor):([\w.$#(),-]{1,200})\[(\]?)/g

function typeName(...[, macro, name, close]: string[]): string {
  if (macro === 'pkg') return `configprop:${name}[${close}`
  const format = macro === 'ann' ? `format=annotation${close === '' ? ',' : ''}` : ''
  return `javadoc:${name}[${format}${close}`
}

const dependency = /^dependency::?([\w.:-]+)\[([^\]]*)\]\s*$/

function dependencyLines(line: string): string[] {
  const [, target, options = ''] = dependency.exec(line) ?? []
  if (target === undefined) return [line]
  const attributes = parseAttributes(options)
  const colon = target.indexOf(':')
  const group = attributes.get('groupid') ?? (colon < 0 ? 'io.micronaut' : target.slice(0, colon))
  const [artifact = '', inTarget] = target.slice(colon + 1).split(':')
  const version = attributes.get('version') ?? inTarget
  const scope = attributes.get('scope') ?? 'compile'
  const gradleScope = attributes.get('gradlescope') ?? gradleScopes.get(scope) ?? scope
  const names = [
    `    <groupId>${group}</groupId>`,
    `    <artifactId>${artifact}</artifactId>`,
    ...(version === undefined ? [] : [`    <version>${version}</version>`]),
  ]
  const tag = scope === 'annotationProcessor' ? 'path' : 'dependency'
  const ends = /^(?:test|runtime|provided)$/.test(scope) ? [`    <scope>${scope}</scope>`] : []
  const coordinates = [group, artifact, ...(version === undefined ? [] : [version])].join(':')
  return [
    ...listing('Gradle', 'groovy', [`${gradleScope}("${coordinates}")`]),
    ...listing('Maven', 'xml', [`<${tag}>`, ...names, ...ends, `</${tag}>`]),
  ]
}

const gradleScopes = wordMap(`
  compile:implementation runtime:runtimeOnly test:testImplementation provided:compileOnly
`)

function listing(title: string, language: string, code: string[]): string[] {
  return ['', `.${title}`, `[source,${language}]`, '----', ...code, '----', '']
}
