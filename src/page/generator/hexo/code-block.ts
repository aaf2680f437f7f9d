import { fenceCode, closesFence, parseFence, type Fence } from '../../../document/fence.ts'

/**
 * Converts `{% codeblock title lang:js %} … {% endcodeblock %}` of Hexo and Octopress, also under
 * its other name `code`, to a title and a fence. A code block in a code block belongs to its code.
 * Blocks without an end stay.
 */
export function withCodeBlocks(text: string): string {
  if (!/\{%-?\s*code(?:block)?\b/.test(text)) return text
  const lines = text.split('\n')
  const ends = endsOf(lines)
  const out: string[] = []
  let fence: Fence | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (fence === null) {
      const [, indent = '', , written = ''] = opening.exec(line) ?? []
      const end = ends.get(at)
      if (end !== undefined) {
        const code = lines
          .slice(at + 1, end)
          .map((it) => (it.startsWith(indent) ? it.slice(indent.length) : it))
        const shown = blockLines(written.replace(/-$/, ''), code.join('\n'))
        for (const one of shown) out.push(one === '' ? '' : indent + one)
        at = end
        continue
      }
      fence = parseFence(line)
    } else if (closesFence(fence, line)) fence = null
    out.push(line)
  }
  return out.join('\n')
}

const opening = /^([ \t]*)\{%-?[ \t]*(codeblock|code)(?![\w-])([^%\n]{0,1000})%\}[ \t]*$/
const closing = /^[ \t]*\{%-?[ \t]*end(codeblock|code)[ \t]*-?%\}[ \t]*$/

/** The line that ends each outermost code block, by the line that begins it. */
function endsOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const open: { name: string; at: number }[] = []
  let fence: Fence | null = null
  for (const [at, line] of lines.entries()) {
    if (fence !== null) {
      if (closesFence(fence, line)) fence = null
      continue
    }
    const begun = opening.exec(line)?.[2]
    const ended = closing.exec(line)?.[1]
    if (begun !== undefined) open.push({ name: begun, at })
    else if (ended !== undefined && open.at(-1)?.name === ended) ends.set(open.pop()!.at, at)
    else if (open.length === 0) fence = parseFence(line)
  }
  return ends
}

function blockLines(written: string, code: string): string[] {
  const language = /(?:^|\s)lang:([\w+#-]+)/.exec(written)?.[1] ?? ''
  const title = written
    .replace(/(?:^|\s)(?:lang|line_number|line_threshold|highlight|first_line|mark|wrap):\S+/g, '')
    .replace(/(?:^|\s)(?:https?:\/\/|\/)\S+(?:\s.*)?$/, '')
    .trim()
  const fenced = fenceCode(code, language)
  if (fenced === '') return []
  return ['', ...(title === '' ? [] : [`${title}:`, '']), ...fenced.split('\n'), '']
}
