/** Converts the Markdown of an API reference to reStructuredText. */
export function markdownAsRst(markdown: string): string[] {
  if (markdown === '') return []
  const out: string[] = []
  let fence: { mark: string; indent: string } | null = null
  for (const line of markdown.split('\n')) {
    const [, indent = '', mark, language = ''] = /^( *)(`{3,}|~{3,})([^`]*)$/.exec(line) ?? []
    if (fence !== null) {
      if (mark !== undefined && line.trim() === fence.mark) fence = null
      else out.push(line.trim() === '' ? '' : `${fence.indent}   ${withoutIndent(line, fence)}`)
    } else if (mark !== undefined) {
      fence = { mark, indent }
      if (out.length > 0 && out.at(-1) !== '') out.push('')
      out.push(`${indent}.. code-block:: ${language.trim()}`.trimEnd(), '')
    } else out.push(inlineAsRst(line))
  }
  return out
}

function withoutIndent(line: string, { indent }: { indent: string }): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()
}

/** Inline code has two backticks in rst. */
function inlineAsRst(line: string): string {
  if (!/[`[]/.test(line)) return line
  return line.replace(inline, (...match: string[]) => {
    const [whole = '', code, words, url] = match
    if (code !== undefined) return `\`\`${code}\`\``
    return words === undefined ? whole : `\`${words} <${url}>\`_`
  })
}

/** Matches rst's code and links, which stay unchanged, and Markdown's code and links. */
const inline = new RegExp(
  [
    /``[^\n]{1,2000}?``|<[^<>`\s]{1,1000}>`__?/,
    /`([^`\n]+)`/,
    /(?<!!)\[([^[\]`\n]{1,300})\]\(([^()\s]{1,1000})\)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
