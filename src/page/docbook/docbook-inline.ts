import { childElements, findChild, hiddenElements, isElement, textContent } from './docbook-tree.ts'
import type { DocbookElement } from './docbook-tree.ts'
import { codeSpan } from '../../document/fence.ts'

/** The titles of the elements of a page, by id. */
export type DocbookTitles = ReadonlyMap<string, string>

const literals = new Set(
  (
    'literal code command function varname type option parameter filename constant classname ' +
    'methodname structname structfield envar systemitem token symbol sgmltag tag property ' +
    'exceptionname interfacename enumname enumvalue modifier userinput computeroutput prompt uri ' +
    'database errorcode errorname errortype keysym returnvalue optional ooclass oointerface'
  ).split(' '),
)

/** Writes the content of an element as Markdown on one line. */
export function docbookInline(element: DocbookElement, titles: DocbookTitles): string {
  const text = element.children.map((child) => inlineNode(child, titles)).join('')
  return text.replace(/\s+/g, ' ').trim()
}

function inlineNode(node: DocbookElement | string, titles: DocbookTitles): string {
  if (!isElement(node)) return node.replace(/[\\`*<[\]]/g, '\\$&')
  const { name, attributes } = node
  if (hiddenElements.has(name)) return ''
  if (literals.has(name)) return codeOf(textContent(node), name)
  const write = writers.get(name)
  const inner = node.children.map((child) => inlineNode(child, titles)).join('')
  if (write) return write(inner, { node, titles })
  const url = attributes.url ?? attributes['xlink:href'] ?? attributes.href ?? ''
  return /^https?:\/\//.test(url) ? linkTo(url, inner) : inner
}

type Writer = (inner: string, at: { node: DocbookElement; titles: DocbookTitles }) => string

const writers: ReadonlyMap<string, Writer> = new Map(
  Object.entries<Writer>({
    emphasis: (inner, { node }) =>
      mark(inner, /bold|strong/.test(node.attributes.role ?? '') ? 2 : 1),
    firstterm: (inner) => mark(inner, 1),
    citetitle: (inner) => mark(inner, 1),
    quote: (inner) => `“${inner}”`,
    superscript: (inner) => `^${inner}`,
    footnote: (inner) => ` (${inner.trim()})`,
    keycombo: (_, { node, titles }) => joined(node, { by: '+', titles }),
    menuchoice: (_, { node, titles }) => joined(node, { by: ' > ', titles }),
    simplelist: (_, { node, titles }) => joined(node, { by: ', ', titles }),
    xref: (_, { node: { attributes }, titles }) => {
      const { linkend = attributes.endterm ?? '' } = attributes
      return titles.get(linkend) ?? linkend
    },
    citerefentry: (_, { node }) => {
      const number = findChild(node, 'manvolnum')
      const title = textContent(findChild(node, 'refentrytitle') ?? '').trim()
      return `\`${title}${number ? `(${textContent(number).trim()})` : ''}\``
    },
  }),
)

/** The code of an element; functions and methods have parentheses. */
function codeOf(text: string, name: string): string {
  const code = text.trim()
  const isCall = code !== '' && /^(?:function|methodname)$/.test(name) && !code.endsWith(')')
  return codeSpan(isCall ? `${code}()` : code)
}

function mark(inner: string, stars: number): string {
  const text = inner.trim()
  return text === '' ? '' : `${'*'.repeat(stars)}${text}${'*'.repeat(stars)}`
}

function linkTo(url: string, inner: string): string {
  const target = url.replace(/[\s<>()]/g, encodeURIComponent)
  return `[${inner.trim() || target}](${target})`
}

function joined(
  node: DocbookElement,
  { by, titles }: { by: string; titles: DocbookTitles },
): string {
  return childElements(node)
    .map((child) => inlineNode(child, titles).trim())
    .filter((text) => text !== '')
    .join(by)
}
