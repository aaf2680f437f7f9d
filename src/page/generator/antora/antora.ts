import { asciidocInclude } from '../../include/include-asciidoc.ts'
import type { IncludeFinder } from '../../include/include.ts'
import { codeInclude } from './antora-code.ts'
import type { Generator, ReadText, SiteConfig } from '../generator.ts'
import { folderOf, pathIn, rootByName } from '../site-path.ts'
import { mapAt, scalarsOf, stringsOf, yamlData, type YamlMap } from '../yaml-data.ts'

/** Antora: `antora.yml` beside `modules/`, and a playbook above it. */
export const antora: Generator = {
  name: 'Antora',
  rootOf: (path) => rootByName(path, ['antora.yml']),
  // The package folders of code that `include-code::` shows, by convention of Spring.
  foldersLike:
    /(?:^|\/)src\/(?:main|test)\/(?:java|kotlin|groovy|resources)\/(?:[^/]+\/){1,8}docs$/,
  async read({ text, root, folders = [] }: SiteConfig, read) {
    const settings = await yamlData(text)
    if (settings === null || settings.name === undefined) return null
    const [version] = stringsOf(settings.version)
    const variables = new Map([
      ...(await playbookAttributes(root, read)),
      ...attributesOf(settings),
      ['page-component-name', stringsOf(settings.name)[0] ?? ''] as const,
      ...(version === undefined ? [] : [['page-component-version', version] as const]),
    ])
    const start = root === '' ? '' : `${RegExp.escape(root)}/`
    return {
      bases: [root, ...nearest(folders, root)],
      variables,
      titles: await navTitles(settings, root, read),
      partials: new RegExp(
        `^${start}(?:nav[^/]*\\.adoc$|modules/[^/]+/` +
          '(?:(?:partials|examples|attachments|images)/|pages/_|nav[^/]*\\.adoc$))',
      ),
    }
  },
  includes: findInclude,
  sign: /^include-code::|\$/m,
}

/** `partial$path` or `module:example$path` → the path below the root of the component. */
function resourcePath(target: string, module: string): string | null {
  const [, named, family, path] =
    /^(?:[\w.@-]*:)??(?:([\w.-]+):)?(partial|example|page|attachment)\$(.+)$/.exec(target) ?? []
  if (path === undefined) return null
  return `modules/${named ?? module}/${family}s/${path}`
}

function findInclude(...[lines, at]: Parameters<IncludeFinder>): ReturnType<IncludeFinder> {
  const line = lines[at.line] ?? ''
  if (line.startsWith('include-code::')) return codeInclude(lines, at)
  if (!line.startsWith('include::') || !line.includes('$')) return null
  const include = asciidocInclude(lines, at)
  const module = /(?:^|\/)modules\/([^/]+)\//.exec(at.site?.path ?? '')?.[1] ?? 'ROOT'
  const path = include === null ? null : resourcePath(include.target, module)
  return include === null || path === null ? null : { ...include, target: path }
}

/** Folders, those first that share most of their path with the root. */
function nearest(folders: readonly string[], root: string): string[] {
  const own = root.split('/')
  const shared = (folder: string) => {
    const parts = folder.split('/')
    const at = parts.findIndex((part, i) => part !== own[i])
    return at < 0 ? parts.length : at
  }
  return folders.toSorted((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1)).slice(0, codeFolders)
}

const codeFolders = 12

/** The attributes of `asciidoc: attributes:`; a trailing `@` only sets their precedence. */
function attributesOf(settings: YamlMap): [string, string][] {
  const attributes = scalarsOf(mapAt(settings, 'asciidoc', 'attributes'))
  return [...attributes].map(([name, value]) => [name.toLowerCase(), value.replace(/@$/, '')])
}

/** Attributes of the playbook nearest to the component. */
async function playbookAttributes(root: string, read: ReadText): Promise<[string, string][]> {
  for (let folder = root; ; folder = folderOf(folder)) {
    for (const name of ['antora-playbook.yml', 'playbook.yml']) {
      const text = await read(pathIn(folder, name)!)
      const settings = text === null ? null : await yamlData(text)
      if (settings !== null) return attributesOf(settings)
    }
    if (folder === '') return []
  }
}

/** Titles of `xref:module:path.adoc[Title]` in the files of `nav:`. */
async function navTitles(
  settings: YamlMap,
  root: string,
  read: ReadText,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (const name of stringsOf(settings.nav).slice(0, navFiles)) {
    const nav = pathIn(root, name)
    const text = nav === null ? null : await read(nav)
    const module = /^modules\/([^/]+)\//.exec(name)?.[1] ?? 'ROOT'
    for (const line of (text ?? '').split('\n')) {
      const [, other = module, path, title = ''] = navItem.exec(line) ?? []
      const page = path === undefined ? null : pathIn(root, `modules/${other}/pages/${path}`)
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
