import { strong, link, inlineCode, emphasis } from '../../document/nodes.ts'
import { wordSet } from '../../document/word-set.ts'
import {
  childElements,
  findChild,
  hiddenElements,
  isElement,
  textContent,
  type DocbookElement,
} from './docbook-tree.ts'
import type { Inline, Inlines } from '../../document/tree.ts'

/** Titles of elements on a page by id. */
export type DocbookTitles = ReadonlyMap<string, Inlines>

const literals = wordSet(`
  literal code command function varname type option parameter filename constant classname methodname
  structname structfield envar systemitem token symbol sgmltag tag property exceptionname
  interfacename enumname enumvalue modifier userinput computeroutput prompt uri database errorcode
  errorname errortype keysym returnvalue optional ooclass oointerface
`)

/** Converts the content of an inline element. */
export function docbookInline(
  { children }: Pick<DocbookElement, 'children'>,
  titles: DocbookTitles,
): Inline[] {
  return children.flatMap((child) => inlineNode(child, titles))
}

function inlineNode(node: DocbookElement | string, titles: DocbookTitles): Inline[] {
  if (!isElement(node)) return [node.replace(/\s+/g, ' ')]
  const { name, attributes } = node
  if (hiddenElements.has(name)) return []
  if (literals.has(name)) return [inlineCode(codeOf(textContent(node), name))]
  const write = writers.get(name)
  const inner = docbookInline(node, titles)
  if (write) return write(inner, { node, titles })
  const url = attributes.url ?? attributes['xlink:href'] ?? attributes.href ?? ''
  return /^https?:\/\//.test(url) ? [link(url, inner)] : inner
}

type Writer = (inner: Inline[], at: { node: DocbookElement; titles: DocbookTitles }) => Inline[]

const writers: ReadonlyMap<string, Writer> = new Map(
  Object.entries<Writer>({
    emphasis: (inner, { node }) => [
      /bold|strong/.test(node.attributes.role ?? '') ? strong(...inner) : emphasis(...inner),
    ],
    firstterm: (inner) => [emphasis(...inner)],
    citetitle: (inner) => [emphasis(...inner)],
    quote: (inner) => ['“', ...inner, '”'],
    superscript: (inner) => ['^', ...inner],
    footnote: (inner) => [' (', ...inner, ')'],
    keycombo: (_, { node, titles }) => joined(node, { by: '+', titles }),
    menuchoice: (_, { node, titles }) => joined(node, { by: ' > ', titles }),
    simplelist: (_, { node, titles }) => joined(node, { by: ', ', titles }),
    xref: (_, { node: { attributes }, titles }) => {
      const { linkend = attributes.endterm ?? '' } = attributes
      return [...(titles.get(linkend) ?? [linkend])]
    },
    citerefentry: (_, { node }) => {
      const number = findChild(node, 'manvolnum')
      const title = textContent(findChild(node, 'refentrytitle') ?? '').trim()
      return [inlineCode(`${title}${number ? `(${textContent(number).trim()})` : ''}`)]
    },
  }),
)

/** Returns the code in an element. Adds parentheses to functions and methods. */
function codeOf(text: string, name: string): string {
  const code = text.trim()
  const isCall = code !== '' && /^(?:function|methodname)$/.test(name) && !code.endsWith(')')
  return isCall ? `${code}()` : code
}

function joined(
  node: DocbookElement,
  { by, titles }: { by: string; titles: DocbookTitles },
): Inline[] {
  const parts = childElements(node).map((child) => inlineNode(child, titles))
  return parts
    .filter(({ length }) => length > 0)
    .flatMap((part, at) => (at > 0 ? [by, ...part] : part))
}
