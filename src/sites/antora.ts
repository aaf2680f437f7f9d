import { dedent } from '../document/block-lines.ts'
import { parseAttributes } from '../document/attributes.ts'
import { asciidocInclude, tagPart } from '../formats/include/include-asciidoc.ts'
import type { IncludeFinder, Include } from '../formats/include/include-file.ts'
import type { Generator, ReadText, SiteConfig } from './generator.ts'
import { parentFolder, resolveInFolder, rootForFileName, sharedFolders } from './site-path.ts'
import { mapAt, scalarsOf, stringsOf, parseYamlData, type YamlMap } from './yaml-data.ts'
import { selectPart } from '../formats/include/include-part.ts'
import { fenceCode } from '../document/fence.ts'

/** Antora: `antora.yml` next to `modules/`, with a playbook above it. */
export const antora: Generator = {
  name: 'Antora',
  rootOf: (path) => rootForFileName(path, ['antora.yml']),
  // Spring's convention for folders with the code of `include-code::` and with attributes.
  pathsLike: new RegExp(
    '(?:^|/)src/(?:main|test)/(?:java|kotlin|groovy|resources)/(?:[^/]+/){1,8}docs$' +
      '|(?:^|/)src/main/resources/(?:[^/]+/){1,8}antora$',
  ),
  async read({ text, root, paths = [] }: SiteConfig, read) {
    const settings = await parseYamlData(text)
    if (settings === null || settings.name === undefined) return null
    const [version] = stringsOf(settings.version)
    const [attributeFolders, codeFolders] = partition(paths, (it) => it.endsWith('/antora'))
    const variables = withValues([
      ...(await gradleAttributes(root, read)),
      ...(await propertyAttributes(attributeFolders, read)),
      ...(await playbookAttributes(root, read)),
      ...attributesOf(settings),
      ...['name', 'title'].flatMap((key) =>
        stringsOf(settings[key]).map((value) => [`page-component-${key}`, value] as const),
      ),
      ...(version === undefined
        ? []
        : ['page-component-version', 'page-version'].map((name) => [name, version] as const)),
    ])
    const start = root === '' ? '' : `${RegExp.escape(root)}/`
    return {
      bases: [root, ...resourceFolders(root), ...nearest(codeFolders, root)],
      variables,
      titles: await navTitles(settings, root, read),
      partials: new RegExp(
        `^${start}(?:nav[^/]*\\.adoc$|modules/[^/]+/` +
          '(?:(?:partials|examples|attachments|images)/|nav[^/]*\\.adoc$' +
          '|pages/(?:[^]*/)?(?:_|includes/)))',
      ),
    }
  },
  includes: findInclude,
  sign: /^include-code::|\$/m,
}

/** Converts `partial$path` or `module:example$path` to a path in the component. */
function resourcePath(target: string, module: string): string | null {
  const [, other, family, path] =
    /^(?:[\w.@-]*:)??(?:([\w.-]+):)?(partial|example|page|attachment)\$(.+)$/.exec(target) ?? []
  if (path === undefined) return null
  return `modules/${other ?? module}/${family}s/${path}`
}

function findInclude(...[lines, at]: Parameters<IncludeFinder>): ReturnType<IncludeFinder> {
  const line = lines[at.line] ?? ''
  if (line.startsWith('include-code::')) return antoraCodeInclude(lines, at)
  if (!line.startsWith('include::') || !line.includes('$')) return null
  const include = asciidocInclude(lines, at)
  const module = /(?:^|\/)modules\/([^/]+)\//.exec(at.site?.path ?? '')?.[1] ?? 'ROOT'
  const path = include === null ? null : resourcePath(include.target, module)
  if (include === null || path === null) return null
  // Gradle copies the project's resources into a folder next to the examples.
  const [, resource] = /\/examples\/(resources\/.+)$/.exec(path) ?? []
  const also = resource === undefined ? [] : [{ ...include, target: resource }]
  return { ...include, target: path, also, isAnyOf: true }
}

/** Returns the resource folders of the project that the component at `root` documents. */
function resourceFolders(root: string): string[] {
  const [, project] = /^(.*?)\/?src\/docs(?:\/|$)/.exec(root) ?? []
  return project === undefined ? [] : [resolveInFolder(project, 'src/main')!]
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

/** Sorts folders by the length of the common path with the root, longest first. */
function nearest(folders: readonly string[], root: string): string[] {
  const shared = (folder: string) => sharedFolders(folder, root)
  return folders
    .toSorted((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1))
    .slice(0, codeFolderLimit)
}

const codeFolderLimit = 12

/** Returns the attributes in `asciidoc: attributes:`. A trailing `@` only sets precedence. */
function attributesOf(settings: YamlMap): [string, string][] {
  const attributes = scalarsOf(mapAt(settings, 'asciidoc', 'attributes'))
  return [...attributes].map(([name, value]) => [name.toLowerCase(), value.replace(/@$/, '')])
}

/** Maximum length of an attribute's value in characters. */
const valueLimit = 2000

/** Replaces attributes in attribute values. An attribute's last definition takes precedence. */
function withValues(attributes: Iterable<readonly [string, string]>): Map<string, string> {
  const values = new Map(attributes)
  for (let pass = 0; pass < valuePasses; pass++) {
    for (const [name, value] of values) {
      if (!value.includes('{') || value.length > valueLimit) continue
      const whole = value.replace(/\{([\w-]+)\}/g, (one, other: string) => {
        return other === name ? one : (values.get(other)?.slice(0, valueLimit) ?? one)
      })
      values.set(name, whole.length > valueLimit ? value : whole)
    }
  }
  return values
}

/** Maximum nesting of attributes in attribute values. */
const valuePasses = 3

/**
 * Converts Gradle properties around the component to attributes by Spring's convention:
 * `graalVersion` becomes `version-graal`. `version` is the version of the project in
 * `settings.gradle`.
 */
async function gradleAttributes(root: string, read: ReadText): Promise<[string, string][]> {
  const attributes: [string, string][] = []
  for (let folder = root; ; folder = parentFolder(folder)) {
    const properties = propertiesOf(
      (await read(resolveInFolder(folder, 'gradle.properties')!)) ?? '',
    )
    for (const [name, value] of properties) {
      const [, library] = /^(\w+)Version$/.exec(name) ?? []
      if (library !== undefined) attributes.unshift([`version-${dashed(library)}`, value])
      if (name !== 'version') continue
      const settings = await read(resolveInFolder(folder, 'settings.gradle')!)
      const project = /^rootProject\.name\s*=\s*["']([\w-]+)["']/m.exec(settings ?? '')?.[1]
      attributes.unshift(['project-version', value])
      if (project) attributes.unshift([`version-${project.replace(/-build$/, '')}`, value])
    }
    if (folder === '') return attributes
  }
}

/** Converts `nativeBuildTools` to `native-build-tools`. */
function dashed(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase()
}

/** Reads attributes from properties files, by Spring's convention. */
async function propertyAttributes(
  folders: readonly string[],
  read: ReadText,
): Promise<[string, string][]> {
  const texts: string[] = []
  for (const folder of folders.slice(0, codeFolderLimit))
    texts.push((await read(`${folder}/antora-asciidoc-attributes.properties`)) ?? '')
  return texts.flatMap((text) => propertiesOf(text))
}

/** Returns the `name=value` lines of a Java properties file. */
function propertiesOf(text: string): [string, string][] {
  return text.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^([\w.-]+)[ \t]*[=:](.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value.trim()] as [string, string]]
  })
}

/** Reads attributes from the nearest playbook. */
async function playbookAttributes(root: string, read: ReadText): Promise<[string, string][]> {
  for (let folder = root; ; folder = parentFolder(folder)) {
    for (const name of ['antora-playbook.yml', 'playbook.yml']) {
      const text = await read(resolveInFolder(folder, name)!)
      const settings = text === null ? null : await parseYamlData(text)
      if (settings !== null) return attributesOf(settings)
    }
    if (folder === '') return []
  }
}

/** Reads titles such as `xref:module:path.adoc[Title]` from the files in `nav:`. */
async function navTitles(
  settings: YamlMap,
  root: string,
  read: ReadText,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (const name of stringsOf(settings.nav).slice(0, navFiles)) {
    const nav = resolveInFolder(root, name)
    const text = nav === null ? null : await read(nav)
    const module = /^modules\/([^/]+)\//.exec(name)?.[1] ?? 'ROOT'
    for (const line of (text ?? '').split('\n')) {
      const [, other = module, path, title = ''] = navItem.exec(line) ?? []
      const page =
        path === undefined ? null : resolveInFolder(root, `modules/${other}/pages/${path}`)
      if (page !== null && title.trim() !== '') titles.set(page, title.trim())
    }
  }
  return titles
}

const navFiles = 50
const navItem = new RegExp(
  '^\\s*\\*+\\s+xref:(?:(?:[\\w.-]*:)?([\\w.-]+):)?([^\\s[\\]#]+\\.adoc)(?:#[^\\s[]*)?' +
    '\\[([^\\],=]*)',
)

/**
 * Finds `include-code::Name[tag=x]` as Spring's extension does. The code is in `Name.java`,
 * `Name.kt` and so on, in the package given by the section's id. A name that starts with `./` is in
 * the page's package, or in a package of the section inside or next to it. Each language with such
 * a file has a listing.
 */
export function antoraCodeInclude(...[lines, at]: Parameters<IncludeFinder>): Include | null {
  const [, name, options = ''] =
    /^include-code::([^\s[\]]+)\[([^\]]*)\]\s*$/.exec(lines[at.line] ?? '') ?? []
  if (name === undefined) return null
  const page = /(?:^|\/)modules\/[^/]+\/pages\/(.*)\.\w+$/.exec(at.site?.path ?? '')?.[1] ?? ''
  const section = sectionId(lines, at.line).replaceAll('.', '/')
  const own = page.replaceAll('.', '/')
  const candidates = name.startsWith('./')
    ? [own, `${parentFolder(own)}/${section}`, `${own}/${section}`]
    : [section]
  const folders = [...new Set(candidates.map((it) => packageOf(it.replace(/^\/|\/$/g, ''))))]
  const path = name.replace(/^\.\//, '')
  const attributes = parseAttributes(options)
  const tag = attributes.get('tag') ?? attributes.get('tags') ?? ''
  const includes = folders.flatMap((folder) =>
    languages.map(({ extension, language, title }): Include => {
      const target = `${folder === '' ? '' : `${folder}/`}${path}${extension}`
      const render = (text: string, limit: number) =>
        codeListing(text, { tags: tag, limit, language, title })
      return { from: at.line, to: at.line + 1, target, render, isMarkup: false }
    }),
  )
  const [first, ...also] = includes
  return { ...first!, also, isAnyOf: true, isByName: true }
}

type ListingOptions = { tags: string; limit: number; language: string; title: string }

/** Returns the tagged code of a file as an AsciiDoc listing, or null if the tag is missing. */
export function codeListing(
  text: string,
  { tags, limit, language, title }: ListingOptions,
): string[] | null {
  const code = selectPart(text, tagPart(tags), limit)
  if (code === null) return null
  const fence = fenceCode(withoutHead(code).join('\n'), language)
  return ['', `.${title}`, `[source,${language}]`, ...listed(fence), '']
}

/** Makes an AsciiDoc listing with a delimiter that is longer than any in the code. */
function listed(fence: string): string[] {
  const code = fence.split('\n').slice(1, -1)
  const longest = code.reduce((most, line) => {
    return Math.max(most, /^-{4,}\s*$/.test(line) ? line.trim().length : 3)
  }, 3)
  const mark = '-'.repeat(longest + 1)
  return [mark, ...code, mark]
}

const languages = [
  { extension: '.java', language: 'java', title: 'Java' },
  { extension: '.kt', language: 'kotlin', title: 'Kotlin' },
  { extension: '.groovy', language: 'groovy', title: 'Groovy' },
  { extension: '.xml', language: 'xml', title: 'XML' },
]

/** Returns the path of a Java package: lower case, without dashes. */
function packageOf(path: string): string {
  return path.replace(/[-_]/g, '').toLowerCase()
}

/** Maximum number of lines above an include to search for the section id. */
const sectionLines = 2000

function sectionId(lines: readonly string[], line: number): string {
  for (let at = line - 1; at >= Math.max(0, line - sectionLines); at--) {
    const id = /^\[(?:\[([\w.-]+)(?:,[^\]]*)?\]|#([\w.-]+)(?:,[^\]]*)?)\]\s*$/.exec(lines[at] ?? '')
    const isSection = id !== null && /^=+ /.test(lines[at + 1] ?? '')
    if (isSection) return id[1] ?? id[2] ?? ''
  }
  return ''
}

/** Removes the licence header, package and formatter marks, as Spring's extension does. */
function withoutHead(code: readonly string[]): string[] {
  let from = 0
  if (/^\s*\/\*(?!\*)/.test(code[0] ?? '')) {
    const end = code.findIndex((line) => line.includes('*/'))
    from = end < 0 ? 0 : end + 1
  }
  const lines = code.slice(from).filter((line) => !chomped.test(line))
  const first = lines.findIndex((line) => line.trim() !== '')
  return first < 0 ? [] : dedent(lines.slice(first))
}

const chomped = new RegExp(
  '^package [\\w.]+;?\\s*$|^\\s*//\\s*@(?:formatter|chomp)|^\\s*@SuppressWarnings\\(.*\\)\\s*$' +
    '|^\\s*@file:Suppress\\(',
)
