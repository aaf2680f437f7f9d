import { parseFrontMatter } from '../../src/formats/front-matter.ts'
import { codeBlocks } from './extraction-metrics.ts'

/**
 * The text of a page as written, without the parts that readers do not see, and its code samples.
 */
export type Source = { source: string; codes: string[] }

/**
 * Reads a Markdown source: removes the marks of containers and attributes, and resolves includes.
 */
export function markdownSource(whole: string): Source {
  const text = parseFrontMatter(whole).text.replace(/^<(script|style)[^]*?^<\/\1>/gm, '')
  // The pattern captures the fences, so every second part is one.
  const source = text.split(fence).map((part, i) => (i % 2 === 1 ? shownFence(part) : prose(part)))
  const codes = codeBlocks(source.join('')).filter((code) => /\w/.test(code))
  return { source: source.join(''), codes }
}

const fence = new RegExp(
  '^([ \\t>]*(?:[-*] +)?(?:`{3,}|~{3,})[^`\\n]*\\n[^]*?^[ \\t>]*(?:`{3,}|~{3,})[ \\t]*$)',
  'm',
)

function prose(text: string): string {
  return (
    text
      .replace(/^[ \t]*\/{3,} *(?:tab|details) *\| */gm, '')
      // `/// note` shows its kind as the title, unless it has its own title.
      .replace(/^[ \t]*\/{3,} *(\w+) *\| */gm, '')
      .replace(/^[ \t]*\/{3,}/gm, '')
      .replace(/^[ \t]*:{3,} *(?:code-group|details)? *(?:\w+ +(?=\S))?(.*)$/gm, '$1')
      .replace(/[ \t]*\{ *[#.][^}]*\} *$/gm, '')
      .replace(/^[ \t]*\{[*!].*$/gm, '')
      .replace(/\[\[toc\]\]/gi, '')
  )
}

/** Returns a fence as a reader sees it: its title, and its code without highlighting marks. */
function shownFence(source: string): string {
  return source
    .replace(/^(.*?(?:`{3,}|~{3,})).*?(?:\[([^\]]*)\])?$/m, '$2\n$1')
    .replace(/ *(?:\/\/|#|\/\*) *\[!code [^\]]*\](?: *\*\/)?/g, '')
}

/** Returns the titles that `:ref:` and `:doc:` show: each label or file, and the title after it. */
export function titlesOf(text: string, path: string): [string, string][] {
  const stem = path.replace(/^.*\/|\.rst$/g, '')
  const title = text.slice(Math.max(0, text.search(/^\S.*\n[=~*^"'-]{3,}$/m)))
  const found = `.. _${stem}:\n\n${title}\n${text}`.matchAll(labelled)
  return [...found].map(([, label = '', words = '']) => [label, words])
}

const labelled = /^\.\. _([^:`\n]+):[ \t]*\n\s*(?:[=~*^-]{3,}\n)?(\S.*)\n[=~*^"'-]{3,}$/gm

/**
 * Returns an rst source as Sphinx shows it, provided that it imports no code and includes no other
 * file.
 */
export function rstSource(whole: string, titles: ReadonlyMap<string, string>): Source {
  const lines = whole.split('\n')
  const kept: string[] = []
  const codes: string[] = []
  for (let at = 0; at < lines.length; ) {
    const found = directive(lines, at)
    if (found === null) kept.push(lines[at]!)
    else if (isCode.test(found.name) && found.isShown) codes.push(found.body)
    if (found !== null && found.isShown) kept.push(shownDirective(found))
    at = found === null ? at + 1 : found.next
  }
  const source = kept
    .join('\n')
    .replace(/:(?:ref|doc):`([^`<]+)`/g, (ref, label: string) => titles.get(label.trim()) ?? ref)
    .replace(/:[a-z:]+:`([^`<]*?)\s*(?:<[^>`]*>)?`/g, '$1')
    .replace(/<[^<>\s]+>`_/g, '`')
    .replace(/`([^`]*?)\s*<[^>`]*>`_+/g, '$1')
  return { source, codes: codes.filter((code) => /\w/.test(code)) }
}

type DirectiveBlock = {
  name: string
  argument: string
  body: string
  isShown: boolean
  /**
   * Index of the line after the directive: after its options if the body is text to read, otherwise
   * after the body.
   */
  next: number
}

const isCode = /^(?:code-block|code|testcode|testoutput|parsed-literal|doctest)$/

const isUnseen = new RegExp(
  '^(?:|toctree|autosummary|auto\\w+|currentmodule|module|literalinclude|include|click|raw|image' +
    '|contents|meta|index|testsetup|testcleanup|query-param-ref|annotations|callout|margin)$',
)

const isBox = /^(?:tab-set|tabs|grid|container|figure|list-table)$/
const isNamed = /^(?:note|tip|warning|caution|important|seealso|hint)$/

/** Parses the directive at a line. An rst comment counts as a directive without a name. */
function directive(lines: string[], at: number): DirectiveBlock | null {
  const line = lines[at]!
  if (!/^\s*\.\.(?: |$)/.test(line)) return null
  const [, name = '', argument = ''] = /^\s*\.\. ([\w:-]+?) ?::[ \t]*(.*)$/.exec(line) ?? []
  let end = at + 1
  while (end < lines.length && isBelow(lines[end]!, line)) end++
  let body = at + 1
  while (/^\s*:[\w-]+:/.test(lines[body] ?? '')) body++
  const isHidden = lines.slice(at + 1, body).some((option) => option.includes(':hide:'))
  const isLeaf = isUnseen.test(name) || isCode.test(name)
  return {
    name,
    argument,
    body: isLeaf ? lines.slice(body, end).join('\n') : '',
    isShown: !isHidden && !isUnseen.test(name),
    next: isLeaf ? end : body,
  }
}

function shownDirective({ name, argument, body }: DirectiveBlock): string {
  if (isCode.test(name)) return body
  if (isBox.test(name)) return ''
  return isNamed.test(name) ? `${name} ${argument}` : argument
}

function isBelow(line: string, head: string): boolean {
  return line.trim() === '' || indentOf(line) > indentOf(head)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
