import { appendLines } from '../block-lines.ts'

/** Replaces rst roles with their text: `:ref:`text <label>`` → `text`. Code keeps its backticks. */
export function withoutRoles(text: string): string {
  return replaceRoles(text, (_, words) => words)
}

/** Replaces the roles in lines, except in table rows, whose columns must stay aligned. */
export function linesWithoutRoles(lines: string[]): string[] {
  if (!lines.some((line) => line.includes(':`'))) return lines
  const out: string[] = []
  let prose: string[] = []
  let nBorders = 0
  // Joins lines, because a role may continue on the next line.
  const flush = () => {
    if (prose.length > 0) appendLines(out, withoutRoles(prose.join('\n')).split('\n'))
    prose = []
  }
  for (const line of lines) {
    if (/^\s*=+(?:[ \t]+=+)+\s*$/.test(line)) nBorders++
    else if (line.trim() === '' && nBorders >= 2) nBorders = 0
    if (nBorders === 0 && !/^\s*\|.*\|\s*$/.test(line)) prose.push(line)
    else {
      flush()
      out.push(replaceRoles(line, (whole, words) => words.padEnd(whole.length)))
    }
  }
  flush()
  return out
}

function replaceRoles(text: string, shownAs: (whole: string, words: string) => string): string {
  if (!text.includes(':`')) return text
  return text.replace(literalOrRole, (whole: string, name?: string, content?: string) =>
    name === undefined || content === undefined
      ? whole
      : shownAs(whole, roleText(name.toLowerCase(), content)),
  )
}

/** Matches a literal, in which roles are ignored, or a role, which may span lines. */
const literalOrRole = /``[^\n]*?``|(?<![\w`:]):([A-Za-z][\w:+.-]{0,60}):`([^`]{1,500}?)`(?!`)/g

const prose = new RegExp(
  '^(?:ref|doc|std:ref|std:doc|term|numref|any|download|abbr|guilabel|menuselection|dfn|title' +
    '|title-reference|t|emphasis|strong|sub|sup|subscript|superscript|eq|cite' +
    '|cite:\\w+|external.*' +
    '|raw-html|bolditalic|icon|octicon|fas|fab|far|bdg.*|tag|u|m|eval)$',
)

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
  if (prose.test(name)) return words.replace(/^[!~/](?=\w)/, '')
  const short = words.startsWith('~') ? words.slice(1).replace(/^.*\.(?=.)/, '') : words
  return `\`\`${short.replace(/^[!.](?=\w)/, '')}\`\``
}
