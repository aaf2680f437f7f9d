import { appendLines } from '../../document/block-lines.ts'
import { closesFence, parseFence } from '../../document/fence.ts'

/**
 * Removes invisible parts of fenced code. In Svelte's documentation, these are `+++` marks around
 * added code, removed code between `---` marks, and `/// file: x` lines. Also removes Twoslash
 * directives and the code before `// ---cut---`. Keeps marks such as `[!code focus]` if the site
 * `showsCodeMarks`.
 */
export function withoutEditorMarks(text: string, showsCodeMarks = false): string {
  if (!signs.some((mark) => text.includes(mark))) return text
  const lines = text.split('\n')
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const fence = parseFence(line)
    let end = at + 1
    if (fence) while (end < lines.length && !closesFence(fence, lines[end]!)) end++
    appendLines(out, fence || !line.startsWith('>') ? [line] : shownLine(line, true))
    if (fence) {
      appendLines(out, shownCode(lines.slice(at + 1, end), line, showsCodeMarks))
      appendLines(out, lines.slice(end, end + 1))
    }
    at = fence ? end + 1 : end
  }
  return out.join('\n')
}

/** A fast test: a page with editor marks contains one of these strings. */
const signs = [
  '+++',
  '// @',
  '//@',
  '---cut',
  '/// ',
  '<!--- ',
  '[!code ',
  '^?',
  '^|',
  '^^',
  'highlight-',
]

const sign = new RegExp(
  String.raw`\+\+\+[^\n]|---[^\s|-]|\[!code ` +
    String.raw`|^[ \t>]*(?://[ \t]*(?:@[\w-]+(?::|[ \t]*$)|---cut|\^[?|^])|/// |<!--- )` +
    String.raw`|\bhighlight-(?:next-line|start|end)\b`,
  'm',
)

/** A comment of Docusaurus that highlights the lines below it. */
const highlightLine = new RegExp(
  String.raw`^[ \t]*(?:\/\/|#|--|\/\*|\{\/\*)[ \t]*highlight-(?:next-line|start|end)` +
    String.raw`[ \t]*(?:\*\/\}?)?[ \t]*$`,
)

function shownCode(lines: readonly string[], opening: string, showsCodeMarks: boolean): string[] {
  const code = lines.join('\n')
  if (!sign.test(code)) return [...lines]
  const isTwoslash = /\btwoslash\b/.test(opening)
  const sourceText = isTwoslash ? lines.filter((line) => !twoslashLine.test(line)) : lines
  const kept = withoutCut(sourceText.filter((line) => !highlightLine.test(line))).flatMap((line) =>
    shownLine(line, showsCodeMarks),
  )
  const isChanged = changed.test(code) || (script.test(opening) && removedInLine.test(code))
  return isChanged ? withoutChanges(kept.join('\n')).split('\n') : kept
}

/** A compiler option, an included block or a type query. File names are visible. */
const twoslashLine = /^[ \t]*\/\/[ \t]*(?:@(?!filename:)\w+(?::.*|[ \t]*)|\^[?|^][ \t?|^]*)$/

const script = /[`~] *(?:svelte|vue|html|css|jsx?|tsx?)\b/
const removedInLine = /---[^\s|-](?:[^\n]*?[^\s|-])?---(?!-)/

const cutLine = /^\s*\/\/ ?---cut(-before|-after|-start|-end)?---\s*$/

/** Returns the lines after the last cut mark and outside pairs of cut marks. */
function withoutCut(lines: readonly string[]): string[] {
  let kept: string[] = []
  let isHidden = false
  for (const line of lines) {
    const [isCut, kind = '-before'] = cutLine.exec(line) ?? []
    if (isCut === undefined) {
      if (!isHidden) kept.push(line)
    } else if (kind === '-before') {
      kept = []
    } else if (kind === '-after') {
      return kept
    } else {
      isHidden = kind === '-start'
    }
  }
  return kept
}

function shownLine(line: string, showsCodeMarks: boolean): string[] {
  if (/^\s*\/\/ ?@(?:noErrors|errors?:|twoslash-cache:)/.test(line)) return []
  if (!showsCodeMarks && line.includes('[!code ')) return [line.replace(highlight, '')]
  const [, indent = '', mark, key, rest = ''] =
    /^([ \t>]*)(\/\/\/|<!---) (file|copy|key|link|playground):(.*)$/.exec(line) ?? []
  if (mark === undefined) return [line]
  if (key !== 'file') return []
  const value = rest.trim().replace(/--->$/, '').trim()
  return [mark === '///' ? `${indent}// ${value}` : `${indent}<!-- ${value} -->`]
}

/** A comment that only highlights lines. `[!code ++]` is text. */
const highlight = new RegExp(
  String.raw`(?<![ \t])[ \t]*(?://|#|--|<!--|/\*|\{/\*)[ \t]*(?:\[!code ` +
    String.raw`(?:focus|hl|highlight|word|error|warning)(?::[^\]\n]{0,80})?\][ \t]*)+` +
    String.raw`(?:-->|\*/\}?)?[ \t]*$`,
)

/** Matches marks around added code. A line of only three plus signs belongs to TOML. */
const changed = /\+\+\+[^\n](?:(?!\+\+\+)[^])*[^\n]\+\+\+/

function withoutChanges(code: string): string {
  const removed = code
    .replace(/^[ \t]*---(?!\n)(?:(?!---)[^])*?(?<!\n)---[ \t]*\n/gm, '')
    .replace(/---(?!\n)(?:(?!---)[^])*?(?<!\n)---/g, '')
  return removed.replace(/\+\+\+((?:(?!\+\+\+)[^])*)\+\+\+/g, '$1')
}
