import { closingBracket } from '../../../platform/text/bracket.ts'
import { toTitle } from '../../../document/block-lines.ts'
import { fenceAfter, type Fence } from '../../../document/fence.ts'
import { codeSpanEnds } from '../../markdown/markdown-links.ts'
import { rewriteProse } from '../markdown-lines.ts'

/** Converts the directives of Paradox to Markdown. Includes have already been replaced. */
export function paradoxToMarkdown(text: string): string {
  if (!/@[a-z@]|^:[ \t]/m.test(text)) return text
  const blocks = rewriteProse(withoutTabs(text), (prose) => withoutBlocks(prose))
  // A code span ends in its paragraph.
  return rewriteProse(blocks, (prose) =>
    prose
      .split(/(\n[ \t]*\n)/)
      .map((paragraph) => inlineText(paragraph, 0))
      .join(''),
  )
}

/** Moves the content of a tab, `:   text`, to the margin. */
function withoutTabs(text: string): string {
  const out: string[] = []
  let width = 0
  let fence: Fence | null = null
  for (const line of text.split('\n')) {
    const start = fence === null ? (/^:[ \t]+(?=\S)/.exec(line)?.[0].length ?? 0) : 0
    if (start > 0) {
      width = start
      out.push('', line.slice(start))
    } else if (width > 0 && /^(?: {2,}|\t)/.test(line)) {
      const indent = line.length - line.trimStart().length
      out.push(line.slice(Math.min(width, indent)))
    } else {
      if (line.trim() !== '') width = 0
      if (width === 0) fence = fenceAfter(line, fence)
      out.push(line)
    }
  }
  return out.join('\n')
}

/** Converts notes, dependencies and other directives that have lines of their own. */
function withoutBlocks(prose: string): string {
  const out: string[] = []
  const lines = prose.split('\n')
  let isIndex = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (isIndex && !/^[ \t]*(?:[-*+@]|\d+\.|$)/.test(line)) isIndex = false
    const [, name, options = ''] = /^[ \t]*@@@+[ \t]*([\w-]*)[ \t]*(.*)$/.exec(line) ?? []
    if (name !== undefined) {
      if (name === '') isIndex = false
      if (name === 'index') isIndex = true
      if (/^(?:note|warning)$/.test(name)) {
        const title = /\btitle=(?:"([^"]*)"|(\w+))/.exec(options)
        out.push('', `**${title?.[1] ?? title?.[2] ?? toTitle(name)}**`, '')
      }
    } else if (/^[ \t]*@@dependency\b/.test(line)) {
      const next = lines.slice(at, at + dependencyLines)
      const end = next.findIndex((other) => other.includes('}'))
      const shown = end < 0 ? [] : dependencies(next.slice(0, end + 1).join('\n'))
      if (shown.length === 0) out.push(line)
      else {
        out.push('', '```sbt', ...shown, '```', '')
        at += end
      }
    } else if (!isIndex && !/^[ \t]*@@(?:toc|project-info|project-url)\b/.test(line)) out.push(line)
  }
  return out.join('\n')
}

/** Maximum number of lines of one list of dependencies. */
const dependencyLines = 60

/** The dependencies of `@@dependency` in the syntax of sbt; those after the first have numbers. */
function dependencies(written: string): string[] {
  const values = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of written.matchAll(
    /(?<!\w)(\w{1,60})=(?:"([^"]*)"|([^\s"}]+))/g,
  ))
    values.set(name, quoted ?? bare)
  return [...values.keys()].flatMap((key) => {
    const number = /^artifact(\d*)$/.exec(key)?.[1]
    if (number === undefined) return []
    const at = (name: string) => values.get(`${name}${number}`) ?? ''
    const artifact = at('artifact').replace(/_\$scala\.binary\.version\$$/, '')
    const cross = artifact === at('artifact') ? '%' : '%%'
    const scope = at('scope') === '' ? '' : ` % "${at('scope')}"`
    const version = /^\w+Version$/.test(at('version')) ? at('version') : `"${at('version')}"`
    return [`libraryDependencies += "${at('group')}" ${cross} "${artifact}" % ${version}${scope}`]
  })
}

const opening =
  /(`+)|@(ref|extref|link|scaladoc|javadoc|apidoc|apiref|github|api|scala|java):?(?=\[)/g
const nestingLimit = 8
/** Maximum length of the text in the brackets of a directive, in characters. */
const textLimit = 3000

/** Converts `@ref:[text](page.md)`, `@apidoc[a.Name$]`, `@scala[text]` and similar directives. */
function inlineText(text: string, depth: number): string {
  if (depth > nestingLimit || !text.includes('@')) return text
  let out = ''
  let from = 0
  let codeEnd = 0
  const codeEnds = codeSpanEnds(text)
  for (const { 0: head, 1: ticks, 2: name = '', index } of text.matchAll(opening)) {
    if (index < from || index < codeEnd) continue
    if (ticks !== undefined) {
      codeEnd = codeEnds.get(index) ?? 0
      continue
    }
    const start = index + head.length
    const end = closingBracket(text, start, { limit: textLimit })
    if (end < 0) continue
    let next = end + 1
    let target = ''
    const isLanguage = name === 'scala' || name === 'java'
    if (!isLanguage && text[next] === '(') {
      const close = closingBracket(text, next, { pair: '()', limit: textLimit })
      if (close > 0) {
        target = text.slice(next + 1, close)
        next = close + 1
      }
      next += /^ ?\{[^{}\n]{0,1000}\}/.exec(text.slice(next, next + 1010))?.[0].length ?? 0
    }
    const words = inlineText(text.slice(start + 1, end), depth + 1)
    out += text.slice(from, index) + directiveText(name, words, target)
    from = next
  }
  return out + text.slice(from)
}

function directiveText(name: string, words: string, target: string): string {
  if (name === 'ref' || name === 'link') return `[${words}](${target})`
  if (name === 'scala' || name === 'extref' || name === 'github') return words
  // The texts for Scala and Java follow each other without a space.
  if (name === 'java') return /^\W*$/.test(words) ? '' : ` (Java: ${words})`
  const short = words.replace(/^[\w.*]+\.(?=[A-Z])/, '').replace(/\$$/, '')
  return short.includes('`') ? short : `\`${short}\``
}
