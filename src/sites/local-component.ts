import { replaceOutsideCode } from '../document/code-span.ts'
import { type Mark, rewriteMarkdown, rewriteProse, withMarks } from '../document/markdown-lines.ts'
import { jsxTag } from '../formats/markdown/jsx-tag.ts'
import { textOfHtml } from '../formats/html/markdown-tag.ts'
import type { Generator, InheritingPage, MarkupPage, ReadText } from './generator.ts'
import { resolveInFolder } from './site-path.ts'

/**
 * Renders a site's own components if their templates are plain: elements, text and attributes.
 * Leaves components of packages, and components that compute values, unchanged.
 */
export const localComponents = {
  inheritValues: readComponents,
  toMarkup: withComponents,
} satisfies Partial<Generator>

/** Prefix of values that contain the source of a component. */
const sourceKey = 'component:'
const sourceLimit = 8_000

const files = ['src/*.astro', '.vitepress/*.vue', 'components/*.vue', 'src/*.jsx', 'src/*.tsx']

/** A tag without content; group 1 is the component's name. */
const aloneTag = /<([A-Z]\w*)(?:\s(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*)?(?:\/>|><\/\1>)/g

async function readComponents(
  { text, front, root }: InheritingPage,
  read: ReadText,
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(Array.from(text.matchAll(aloneTag), ([, name]) => name!))
  if (names.size === 0) return front
  const lists: string[] = []
  for (const list of files) lists.push((await read(resolveInFolder(root, list)!)) ?? '')
  const paths = lists.flatMap((list) => list.split('\n'))
  const values = new Map(front)
  for (const name of names) {
    const path = paths.find((it) => it.slice(it.lastIndexOf('/') + 1).startsWith(`${name}.`))
    const source = path === undefined ? null : await read(path)
    if (source !== null && source.length <= sourceLimit) values.set(sourceKey + name, source)
  }
  return values
}

function withComponents(text: string, { front = new Map() }: MarkupPage): string {
  const hasSources = [...front.keys()].some((key) => key.startsWith(sourceKey))
  const content = /\bfrontmatter\./i.test(text)
    ? rewriteMarkdown(text, { prose: (line) => withMarks(line, [frontValue(front)]) })
    : text
  if (!hasSources) return content
  return rewriteProse(content, (prose) =>
    replaceOutsideCode(prose, aloneTag, ([source, name]) => {
      const component = front.get(sourceKey + name)
      const tag = component === undefined ? null : jsxTag(source)
      return tag && renderComponent(component!, tag.attributes)
    }),
  )
}

/** A value of the front matter: `{{ $frontmatter.title }}` of VitePress, `{frontMatter.title}`. */
const frontValue = (front: Attributes): Mark => ({
  open: /\{\{\s*\$frontmatter\.([\w.]+)\s*\}\}|\{\s*frontMatter\.([\w.]+)\s*\}/,
  becomes: ([, vue, mdx = '']) => front.get((vue ?? mdx).toLowerCase()) ?? null,
})

type Attributes = ReadonlyMap<string, string>

/** Renders a component as HTML. Returns null if its template contains a statement or a call. */
function renderComponent(source: string, attributes: Attributes): string | null {
  const { script, body } = templateOf(source)
  if (computed.test(body)) return null
  const props = propsOf(script, attributes)
  let isKnown = true
  const evaluate = (expression: string) => {
    const value = valueOf(expression.trim(), props)
    isKnown &&= value !== null
    return value ?? ''
  }
  const withAttributes = body
    .replace(hidden, '')
    .replace(computedAttribute, (_, ...[name, jsx, vue]: (string | undefined)[]) => {
      const value = valueOf((jsx ?? vue ?? '').trim(), props) ?? ''
      return value === '' ? '' : ` ${name}="${value.replaceAll('"', '&quot;')}"`
    })
  let output = withAttributes.replace(/\{\{([^{}]*)\}\}/g, (_, expression) => evaluate(expression))
  // Innermost expressions come first: `{a && <b>{a}</b>}`.
  for (let round = 0; round < 5 && isKnown; round++)
    output = output.replace(/\{([^{}]*)\}/g, (_, expression) => evaluate(expression))
  const text = output.replace(/\s*\n\s*/g, ' ').trim()
  return isKnown && /[\p{L}\p{N}]/u.test(textOfHtml(text)) ? text : null
}

const hidden = /<!--[^]*?-->|\{\/\*[^]*?\*\/\}|<\/?slot[^>]*>|<(style|script)\b[^]*?<\/\1>/g
/** `href={url}` in Astro and React, or `:href="url"` in Vue. */
const computedAttribute = /\s:?([\w:-]+)=(?:\{([^{}]*)\}|(?<=\s:[\w-]+=)"([^"]*)")/g

/** Directives whose content is defined elsewhere, and `pre`, whose line breaks would be lost. */
const computed = /\s(?:v-|set:html|dangerously)|<pre\b/

/** Splits an Astro, Vue or React component into script and elements. */
function templateOf(source: string): { script: string; body: string } {
  const [, front, rest] = /^\s*---\n([^]*?)\n---[ \t]*\n([^]*)$/.exec(source) ?? []
  if (front !== undefined) return { script: front, body: rest! }
  const [, vue] = /<template>([^]*)<\/template>/.exec(source) ?? []
  const [, jsx] = /\breturn\b[\s(]*(<[^]*>)[\s);]*\}/.exec(source) ?? []
  const [, arrow] = /=>[\s(]*(<[^]*>)[\s);]*$/.exec(source.trim()) ?? []
  return { script: source, body: vue ?? jsx ?? arrow ?? source }
}

type Props = { attributes: Attributes; names: Attributes; script: string }

/** Reads `const { v: version, pkg = "x" } = Astro.props`, or the same as a function parameter. */
function propsOf(script: string, attributes: Attributes): Props {
  const names = new Map<string, string>()
  const list = /\{([^{}]*)\}\s*(?::[^=()]*)?(?:=\s*(?:Astro\.)?(?:props|defineProps)|\))/.exec(
    script,
  )
  for (const item of list?.[1]?.split(',') ?? []) {
    const [, name, alias = name, , initial = ''] =
      /^\s*(\w+)(?:\s*:\s*(\w+))?(?:\s*=\s*(["'`])(.*)\3)?\s*$/s.exec(item) ?? []
    if (name !== undefined) names.set(alias!, attributes.get(name) ?? initial)
  }
  for (const [, name, literal] of script.matchAll(
    /\bconst (\w+)\s*=\s*("[^"\n]*"|'[^'\n]*'|`[^`]*`)/g,
  )) {
    const value = valueOf(literal!, { attributes, names, script })
    if (value !== null) names.set(name!, value)
  }
  return { attributes, names, script }
}

/** Evaluates a name, a literal, `a ?? b` or `a && b`. Returns null for anything else. */
function valueOf(expression: string, props: Props): string | null {
  const [, quoted] =
    /^(?:"([^"]*)"|'([^']*)')$/.exec(expression)?.filter((it) => it !== undefined) ?? []
  if (quoted !== undefined || expression === '') return quoted ?? ''
  if (expression.startsWith('<')) return expression
  const [, template] = /^`([^`]*)`$/.exec(expression) ?? []
  if (template !== undefined) {
    const parts = template.split(/\$\{([^{}]*)\}/)
    const values = parts.map((part, at) => (at % 2 === 0 ? part : valueOf(part.trim(), props)))
    return values.includes(null) ? null : values.join('')
  }
  const [, one = '', sign, other = ''] =
    /^([^&|?]+?)\s*(&&|\|\||\?\?)\s*([^]+)$/.exec(expression) ?? []
  if (sign !== undefined) {
    const value = valueOf(one, props)
    const isRight = value !== null && (value === '') === (sign !== '&&')
    return isRight ? valueOf(other.replace(/^\(\s*([^]*?)\s*\)$/, '$1'), props) : value
  }
  const [, object, name = ''] = /^((?:Astro\.|\$)?props\.)?(\w+)$/.exec(expression) ?? []
  if (object !== undefined) return props.attributes.get(name) ?? ''
  const isDeclared =
    name !== '' && new RegExp(`\\bdefineProps\\b[^]*?\\b${name}\\b`).test(props.script)
  return props.names.get(name) ?? (isDeclared ? (props.attributes.get(name) ?? '') : null)
}
