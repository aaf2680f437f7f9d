/**
 * Elements that only format text. Unknown ones such as `<region>` and `<key>` are placeholders and
 * are kept.
 */
const formatting = new Set(
  (
    'a abbr b blockquote br center code dd del details div dl dt em figcaption figure font h1 h2 ' +
    'h3 h4 h5 h6 hr i iframe img ins kbd li nobr ol p picture pre s small span strike strong sub ' +
    'summary sup table tbody td tfoot th thead tr tt u ul'
  ).split(' '),
)
const markdownMarks: Record<string, string> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  code: '`',
  tt: '`',
  kbd: '`',
}

// The quantifiers are bounded, so that a page full of `<` is not scanned more than once.
const link = /<a\s[^<>]{0,500}?\bhref=["']([^"'<>]{1,500})["'][^<>]{0,500}>([^<>]{1,500})<\/a>/gi
const abbreviation =
  /<abbr\s[^<>]{0,500}?\btitle=["']([^"'<>]{1,500})["'][^<>]{0,200}>([^<>]{1,200})<\/abbr>/gi
const image = /<img\s[^<>]{0,1000}>/gi
/** A preceding `\` makes a tag plain text. */
const tag = /(?<!\\)<\/?([a-z][a-z0-9]*)(?:\s[^<>]{0,1000})?\/?>/gi

/**
 * Replaces HTML in Markdown: links, images and emphasis become Markdown, the meaning of an
 * abbreviation is written after it, and other tags are dropped. Code stays unchanged.
 */
export function htmlToText(text: string): string {
  if (!text.includes('<')) return text
  let fence: string | null = null
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const sign = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== null || sign !== undefined || !line.includes('<')) lines.push(line)
    else {
      const plain = plainLine(line)
      if (plain !== null) lines.push(plain)
      // Merges the blank lines on both sides of a removed line.
      else if (lines.at(-1)?.trim() === '') lines.pop()
    }
    if (fence === null) fence = sign ?? null
    else if (sign?.startsWith(fence)) fence = null
  }
  return lines.join('\n')
}

/** Returns null if the line consisted of tags only. */
function plainLine(line: string): string | null {
  // Every second part is code between backquotes.
  const parts = line.split(/(`+[^`]*`+)/)
  const plain = parts.map((part, i) => (i % 2 === 1 ? part : plainPart(part))).join('')
  return plain.trim() === '' ? null : plain
}

function plainPart(text: string): string {
  return text
    .replace(link, (_, target, shown) => `[${shown}](${target})`)
    .replace(abbreviation, (_, meaning, shown) => `${shown} (${meaning})`)
    .replace(image, markdownImage)
    .replace(tag, (whole, name: string) => {
      const element = name.toLowerCase()
      if (!formatting.has(element)) return whole
      return element === 'br' ? ' ' : (markdownMarks[element] ?? '')
    })
}

/** Writes an image as Markdown if it has alternative text; otherwise drops it. */
function markdownImage(element: string): string {
  const of = (name: string) =>
    new RegExp(String.raw`\s${name}=["']([^"']*)["']`, 'i').exec(element)?.[1] ?? ''
  return of('alt') === '' ? '' : `![${of('alt')}](${of('src')})`
}
