import { referenceMark } from '../../api/docstring/rest.ts'
import { appendLines } from '../../document/block-lines.ts'
import { referenceKey, type ReferenceTitles } from '../reference-key.ts'

/**
 * Replaces rst roles with their text: `:ref:`text <label>`` → `text`. References without text
 * become the title of their target. Code keeps its backticks.
 */
export function withoutRoles(text: string, titles?: ReferenceTitles): string {
  return replaceRoles(text, titles, (_, words) => words)
}

/** Replaces the roles in lines. In table rows, the columns stay aligned. */
export function linesWithoutRoles(lines: string[], titles?: ReferenceTitles): string[] {
  if (!lines.some((line) => line.includes(':`'))) return lines
  const out: string[] = []
  let prose: string[] = []
  let nBorders = 0
  // Joins lines, because a role may continue on the next line.
  const flush = () => {
    if (prose.length > 0) appendLines(out, withoutRoles(prose.join('\n'), titles).split('\n'))
    prose = []
  }
  for (const line of lines) {
    if (/^\s*=+(?:[ \t]+=+)+\s*$/.test(line)) nBorders++
    else if (line.trim() === '' && nBorders >= 2) nBorders = 0
    if (nBorders === 0 && !/^\s*\|.*\|\s*$/.test(line)) prose.push(line)
    else {
      flush()
      out.push(replaceRoles(line, titles, alignedWords))
    }
  }
  flush()
  return out
}

/** The words in the width of the role that they replace; the label if they are longer. */
function alignedWords(whole: string, words: string, label: string): string {
  return (words.length <= whole.length ? words : label).padEnd(whole.length)
}

function replaceRoles(
  text: string,
  titles: ReferenceTitles | undefined,
  shownAs: (whole: string, words: string, label: string) => string,
): string {
  if (!text.includes(':`')) return text
  return text.replace(literalOrRole, (whole: string, name?: string, content?: string) => {
    if (name === undefined || content === undefined) return whole
    const label = roleText(name.toLowerCase(), content)
    const [, kind] = /^(?:std:)?(doc|ref|numref|any)$/i.exec(name) ?? []
    const key = kind && referenceKey(kind.toLowerCase() === 'doc' ? 'doc' : 'ref', content)
    return shownAs(whole, (key && titles?.get(key)) ?? label, label)
  })
}

/**
 * Matches a literal, in which roles are ignored, or a role, which may span lines. A second backtick
 * at its end is a slip.
 */
const literalOrRole =
  /``[^\n]*?``|(?<![\w`:]):([A-Za-z][\w:+.-]{0,60}):`([^`]{1,500}?)`(?:`(?=[\s.,;:)]|$))?(?!`)/g

const prose = new RegExp(
  '^(?:ref|doc|std:ref|std:doc|term|numref|any|download|abbr|guilabel|menuselection|dfn|title' +
    '|title-reference|t|emphasis|strong|sub|sup|subscript|superscript|eq|cite' +
    '|cite:\\w+|external.*' +
    '|raw-html|bolditalic|icon|octicon|fas|fab|far|bdg.*|tag|u|m|eval)$',
)

/** The roles of text that may begin with a dot, such as the name of a file. */
const literals = /^(?:file|path|command|program|code|samp|kbd|literal|option|envvar|regexp|bash)$/

function roleText(name: string, content: string): string {
  const [, before, target] = /^([^<]*)<([^<>]*)>$/.exec(content) ?? []
  const title = before?.trimEnd() ?? content
  // If the title is empty, the target is shown: `<mod>`. Whitespace with a tab or a line break
  // becomes a space, because a tab at the end of a line would begin or end a box.
  const words = (title === '' ? (target ?? '') : title).replace(/\s+/g, (blank) =>
    /[\n\t]/.test(blank) ? ' ' : blank,
  )
  if (name === 'pep' || name === 'rfc') return `${name.toUpperCase()} ${words}`
  if (name === 'math') return `$${words}$`
  if (name === 'ticket' || name === 'issue' || name === 'gh' || name === 'pr') {
    return title === content && /^\d+$/.test(words) ? `#${words}` : words
  }
  // A label of the extension autosectionlabel: `page:The Section`.
  if (/^(?:std:)?ref$/.test(name)) return words.replace(/^[\w./-]+:(?=\w[^:]* |[A-Z])/, '')
  if (prose.test(name)) return words.replace(/^[!~/](?=\w)/, '')
  const short = words.startsWith('~') ? words.slice(1).replace(/^.*\.(?=.)/, '') : words
  const isName = !literals.test(name)
  return `\`\`${isName ? short.replace(/^(?:[!.]|@-?)(?=\w)/, '') : short}\`\``
}

/** The autodoc option with the short names of modules that roles may use: `_orm _sql`. */
export const modulePrefixes = 'module-prefixes'

/** Replaces the labels in documentation from source files by the titles of their sections. */
export function withReferences(line: string, titles: ReferenceTitles | undefined): string {
  if (!line.includes(referenceMark)) return line
  const mark = new RegExp(`${referenceMark}([^${referenceMark}]+)${referenceMark}`, 'g')
  return line.replace(mark, (_, label: string) => titles?.get(referenceKey('ref', label)) ?? label)
}

/** Removes the short names of modules that the site declares: `_orm.Session` → `Session`. */
export function withoutModules(line: string, prefixes: readonly string[]): string {
  if (prefixes.length === 0 || !line.includes('`_')) return line
  return line.replace(/`(_\w+)\.(?=\w)/g, (whole, prefix: string) =>
    prefixes.includes(prefix) ? '`' : whole,
  )
}
