import { fenceCode } from '../../document/fence.ts'
import type { DocsSite, Generator, SiteConfig, ReadText } from '../generator.ts'
import { hugoInclude } from './hugo-include.ts'
import { fillPlaceholders, inheritValues } from './inherited.ts'
import { hugoToMarkdown } from './hugo-text.ts'
import { escapeGlob, parentFolder, resolveInFolder, resolveSubfolder } from '../site-path.ts'
import { type YamlMap, parseYamlData, scalarsOf, stringsOf } from '../yaml-data.ts'
import { isRecord } from '../../platform/json.ts'

/** Hugo: `hugo.toml`, or `config.toml` on older sites. */
export const hugo: Generator = {
  name: 'Hugo',
  rootOf(path) {
    if (grafanaContent.test(path)) return parentFolder(path)
    if (!/(?:^|\/)(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(path)) return null
    return parentFolder(path).replace(/(?:^|\/)config\/_default$/, '')
  },
  read: readSite,
  includes: hugoInclude,
  sign: /\{\{[<%]/,
  inheritValues,
  toMarkup(text, { site, front = new Map() }) {
    const variables = { get: (name: string) => front.get(name) ?? site.variables.get(name) }
    const markdown = hugoToMarkdown(text, { variables })
    return frontFacts(front) + fillPlaceholders(markdown, front)
  },
}

/** Documentation of Grafana's products, which have their configuration in another repository. */
const grafanaContent = /(?:^|\/)docs\/sources\/_index\.md$/
const grafanaParts = /(?:^|\/)docs\/sources\/shared\//

async function readSite(
  { path, text, root }: SiteConfig,
  read: ReadText,
): Promise<Partial<DocsSite> | null> {
  if (grafanaContent.test(path)) return { folders: [root], bases: [root], partials: grafanaParts }
  const config = await dataOf(path, text)
  if (config === null || !isHugo(path, config)) return null
  const content = resolveSubfolder(root, stringsOf(config.contentdir)[0] ?? 'content')
  if (content === null) return null
  const templates = ['layouts', 'archetypes', 'themes'].map((name) => resolveInFolder(root, name)!)
  const cascades = [config.cascade].flat().filter(isRecord)
  const inherited = cascades.flatMap((one) => [one, isRecord(one.params) ? one.params : {}])
  const own = isRecord(config.params) ? config.params : {}
  const separate = await separateParameters(path, read)
  const parameters = scalarsOf(Object.assign({}, ...inherited, separate, own))
  const values = [...parameters].map(([key, value]) => [key.toLowerCase(), value] as const)
  return {
    folders: [content, ...templates],
    bases: basesOf(root, content, config),
    variables: new Map(values),
    partials,
    partialGlobs: templates.map(escapeGlob),
  }
}

/** Reads the parameters in a separate file next to the configuration. */
async function separateParameters(path: string, read: ReadText): Promise<YamlMap> {
  if (!path.includes('config/_default/')) return {}
  for (const name of ['params.yaml', 'params.yml', 'params.toml']) {
    const beside = `${parentFolder(path)}/${name}`
    const text = await read(beside)
    if (text !== null) return (await dataOf(beside, text)) ?? {}
  }
  return {}
}

/** Files that pages include, and instructions for agents. */
const partials =
  /\/(?:_(?!index\.)[^/]*|embeds|includes)\/|(?:^|\/)(?:AGENTS|CLAUDE)(?:\.local)?\.md$/

/** True if a `config.yaml`, which many programs have, contains one of Hugo's keys. */
function isHugo(path: string, config: YamlMap): boolean {
  if (/hugo\.\w+$/.test(path) || path.includes('config/_default/')) return true
  // Zola's configuration has the same name.
  if ('base_url' in config) return false
  return [
    'baseurl',
    'contentdir',
    'languagecode',
    'markup',
    'permalinks',
    'taxonomies',
    'blackfriday',
  ].some((key) => key in config)
}

async function dataOf(path: string, text: string): Promise<YamlMap | null> {
  const config = path.endsWith('.toml') ? await tomlData(text) : await parseYamlData(text)
  if (config === null) return null
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key.toLowerCase(), value]),
  )
}

async function tomlData(text: string): Promise<YamlMap | null> {
  if (text.length > tomlLimit) return null
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch {
    return null // Not TOML, or nested too deeply.
  }
}

/** Maximum length of a configuration in characters. */
const tomlLimit = 2 ** 20

/** Content folders from which common themes include files. */
const shared = ['includes', 'embeds', 'examples', 'docs/reference', 'reference', 'quick-reference']

function basesOf(root: string, content: string, config: YamlMap): string[] {
  const names = isRecord(config.languages) ? Object.keys(config.languages) : []
  const roots = [
    content,
    ...['en', ...names].slice(0, 40).map((name) => resolveInFolder(content, name)!),
  ]
  const inContent = [...new Set(roots)].flatMap((folder) => [
    folder,
    ...shared.map((name) => resolveInFolder(folder, name)!),
  ])
  const beside = ['static/code', 'static/tables', 'static', 'assets', 'data', ''].map(
    (name) => resolveSubfolder(root, name === '' ? '.' : name) ?? root,
  )
  return [...inContent, ...beside]
}

/**
 * Returns the facts that sites show above a command or function, from front matter: syntax, result,
 * version and complexity. Returns '' if there are none.
 */
export function frontFacts(front: ReadonlyMap<string, string>): string {
  const [syntaxOf, ...others] = facts.map(({ label, name }) => {
    const [, value = ''] = [...front].find(([key]) => name.test(key)) ?? []
    return { label, value: value.replaceAll('\u00a0', ' ').trim() }
  })
  // On other pages, a single field of this name has another meaning.
  const rest = others.filter(({ value }) => value !== '')
  const syntax = syntaxOf!.value
  if (syntax === '') return ''
  const lines = rest.map(({ label, value }) => `- ${label}: ${value.replace(/\s*\n\s*/g, ', ')}`)
  return (
    [`Syntax:`, fenceCode(syntax, ''), lines.join('\n'), ''].filter(Boolean).join('\n\n') + '\n\n'
  )
}

const facts = [
  { label: 'Syntax', name: /^(?:syntax_fmt|syntax)$|\.signatures$/ },
  { label: 'Returns', name: /^params\..*\.returntype$/ },
  { label: 'Aliases', name: /^params\..*\.aliases$/ },
  { label: 'Available since', name: /^since$/ },
  { label: 'Deprecated since', name: /^deprecated_since$/ },
  { label: 'Replaced by', name: /^replaced_by$/ },
  { label: 'Time complexity', name: /^complexity$/ },
]
